// Hidden Markov models with K states and N observations: log_omega (K x N) the log densities of observations,
// Gamma (K x K) the transitions by rows, rho the first state's probabilities.
//
// Forward, with w_n = exp(log_omega_n - m_n), m_n its maximum, and c_n a normaliser:
//   a_0 = w_0 .* rho / c_0,  a_n = w_n .* Gamma'a_(n-1) / c_n,  sum a_n = 1
//   hmm_marginal = sum_n (log c_n + m_n)
// Backward: b_(N-1) = 1,  b_(n-1) = Gamma (w_n .* b_n) / c_n. The state probabilities are g_n = a_n .* b_n
// (hmm_hidden_state_prob), and g_n, sum_n a_(n-1) (w_n .* b_n)' / c_n, w_0 .* b_0 / c_0 are the derivatives
// of hmm_marginal by log_omega_n, Gamma and rho. hmm_hidden_state_prob has the adjoint of both recurrences,
// run backwards; a change of m_n changes nothing. (Stan gives it no derivatives.) Scratch: w, a, b (K x N), c
// (N), and room for two vectors and the adjoints.
#include <cmath>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;
using dense::ConstView;
using dense::View;

enum Position : std::size_t { kOmega, kGamma, kRho };

void check_shapes(std::string_view function, Arguments arguments) {
  const std::size_t states = arguments[kOmega].shape.rows;
  check_size_match(function, "size of rho", arguments[kRho].shape.size(), "rows of log_omegas", states);
  check_square(function, "Gamma", arguments[kGamma].shape);
  check_nonzero_size(function, "Gamma", arguments[kGamma].shape);
  check_multiplicable(function, "Gamma", arguments[kGamma].shape, "log_omegas", arguments[kOmega].shape);
  check_nonzero_size(function, "log_omegas", arguments[kOmega].shape);
}

struct Chain {
  std::size_t states;
  std::size_t steps;
  ConstView gamma;
  double* w;
  double* a;
  double* c;
  double* b;
  double* more;

  explicit Chain(const ArrayCall& call)
      : states(rows(call, kOmega)), steps(cols(call, kOmega)), gamma(matrix(call, kGamma)) {
    const std::size_t size = states * steps;
    w = call.scratch;
    a = w + size;
    b = a + size;
    c = b + size;
    more = c + steps;
  }
  double* at(double* all, std::size_t n) const { return all + n * states; }
};

std::size_t chain_scratch(Arguments arguments) {
  return 3 * arguments[kOmega].shape.size() + arguments[kOmega].shape.cols + 2 * arguments[kOmega].shape.rows;
}

// Fills w, a and c; returns the log of the marginal density.
double filter(const ArrayCall& call, std::string_view function) {
  check_simplex(function, "rho", values(call, kRho));
  const Chain chain(call);
  const std::size_t states = chain.states;
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t j = 0; j < states; ++j) {
      chain.more[j] = chain.gamma.data[i + j * states];
    }
    check_simplex(function, "Gamma[" + std::to_string(i + 1) + ", ]", {chain.more, states});
  }
  double total = 0;
  for (std::size_t n = 0; n < chain.steps; ++n) {
    const double* log_omega = data(call, kOmega) + n * states;
    double* w = chain.at(chain.w, n);
    double* a = chain.at(chain.a, n);
    double largest = dense::max(log_omega, states);
    total += largest;
    largest = std::isfinite(largest) ? largest : 0;
    for (std::size_t i = 0; i < states; ++i) {
      w[i] = std::exp(log_omega[i] - largest);
    }
    if (n == 0) {
      std::copy_n(data(call, kRho), states, a);
    } else {
      dense::multiply(dense::t(chain.gamma), chain.at(chain.a, n - 1), a);
    }
    for (std::size_t i = 0; i < states; ++i) {
      a[i] *= w[i];
    }
    const double norm = dense::sum(a, states);
    chain.c[n] = norm;
    total += std::log(norm);
    for (std::size_t i = 0; i < states; ++i) {
      a[i] /= norm;
    }
  }
  return total;
}

// b_(n-1) from b_n; leaves w_n .* b_n in `more`.
void smooth(const Chain& chain, std::size_t n) {
  for (std::size_t i = 0; i < chain.states; ++i) {
    chain.more[i] = chain.at(chain.w, n)[i] * chain.at(chain.b, n)[i];
  }
  double* b = chain.at(chain.b, n - 1);
  dense::multiply(chain.gamma, chain.more, b);
  for (std::size_t i = 0; i < chain.states; ++i) {
    b[i] /= chain.c[n];
  }
}

Shape marginal_shape(Arguments arguments) {
  check_shapes("hmm_marginal", arguments);
  return {};
}

void marginal_forward(const ArrayCall& call) { call.result[0] = filter(call, "hmm_marginal"); }

void marginal_backward(const ArrayCall& call) {
  const Chain chain(call);
  const std::size_t states = chain.states;
  const double bar = call.result_adjoint[0];
  std::fill_n(chain.at(chain.b, chain.steps - 1), states, 1.0);
  for (std::size_t n = chain.steps; n-- > 0;) {
    const double* a = chain.at(chain.a, n);
    const double* b = chain.at(chain.b, n);
    for (std::size_t i = 0; varies(call, kOmega) && i < states; ++i) {
      adjoint(call, kOmega)[i + n * states] += bar * a[i] * b[i];
    }
    if (n > 0) {
      smooth(chain, n);
      for (std::size_t j = 0; varies(call, kGamma) && j < states; ++j) {
        dense::add_scaled(bar * chain.more[j] / chain.c[n], chain.at(chain.a, n - 1),
                          adjoint(call, kGamma) + j * states, states);
      }
    }
  }
  for (std::size_t i = 0; varies(call, kRho) && i < states; ++i) {
    adjoint(call, kRho)[i] += bar * chain.w[i] * chain.b[i] / chain.c[0];
  }
}

Shape probabilities_shape(Arguments arguments) {
  check_shapes("hmm_hidden_state_prob", arguments);
  return arguments[kOmega].shape;
}

// More room: the adjoints of a, b, w (K x N) and c (N), and two vectors.
std::size_t probabilities_scratch(Arguments arguments) {
  const Shape& omega = arguments[kOmega].shape;
  return chain_scratch(arguments) + 3 * omega.size() + omega.cols + 2 * omega.rows;
}

void probabilities_forward(const ArrayCall& call) {
  filter(call, "hmm_hidden_state_prob");
  const Chain chain(call);
  std::fill_n(chain.at(chain.b, chain.steps - 1), chain.states, 1.0);
  for (std::size_t n = chain.steps; n-- > 1;) {
    smooth(chain, n);
  }
  for (std::size_t i = 0; i < chain.states * chain.steps; ++i) {
    call.result[i] = chain.a[i] * chain.b[i];
  }
}

void probabilities_backward(const ArrayCall& call) {
  const Chain chain(call);
  const std::size_t states = chain.states;
  const std::size_t total = states * chain.steps;
  double* a_bar = chain.more + 2 * states;
  double* b_bar = a_bar + total;
  double* w_bar = b_bar + total;
  double* c_bar = w_bar + total;
  double* v = c_bar + chain.steps;
  double* v_bar = v + states;
  const View gamma_bar = matrix_adjoint(call, kGamma);
  for (std::size_t i = 0; i < total; ++i) {
    a_bar[i] = call.result_adjoint[i] * chain.b[i];
    b_bar[i] = call.result_adjoint[i] * chain.a[i];
    w_bar[i] = 0;
  }
  std::fill_n(c_bar, chain.steps, 0.0);
  // b_(n-1) = Gamma (w_n .* b_n) / c_n
  for (std::size_t n = 1; n < chain.steps; ++n) {
    const double* w = chain.at(chain.w, n);
    const double* b = chain.at(chain.b, n);
    double* from = chain.at(b_bar, n - 1);
    c_bar[n] -= dense::dot(from, chain.at(chain.b, n - 1), states) / chain.c[n];
    for (std::size_t i = 0; i < states; ++i) {
      from[i] /= chain.c[n];
      v[i] = w[i] * b[i];
    }
    if (varies(call, kGamma)) {
      dense::add_outer(from, v, gamma_bar);
    }
    dense::multiply(dense::t(chain.gamma), from, v_bar);
    for (std::size_t i = 0; i < states; ++i) {
      chain.at(w_bar, n)[i] += v_bar[i] * b[i];
      chain.at(b_bar, n)[i] += v_bar[i] * w[i];
    }
  }
  // a_n = u_n / c_n,  c_n = sum u_n,  u_n = w_n .* Gamma'a_(n-1)
  for (std::size_t n = chain.steps; n-- > 0;) {
    const double* w = chain.at(chain.w, n);
    const double* from = chain.at(a_bar, n);
    const double shift = c_bar[n] - dense::dot(from, chain.at(chain.a, n), states) / chain.c[n];
    for (std::size_t i = 0; i < states; ++i) {
      v_bar[i] = from[i] / chain.c[n] + shift;
    }
    if (n == 0) {
      std::copy_n(data(call, kRho), states, v);
    } else {
      dense::multiply(dense::t(chain.gamma), chain.at(chain.a, n - 1), v);
    }
    for (std::size_t i = 0; i < states; ++i) {
      chain.at(w_bar, n)[i] += v_bar[i] * v[i];
      v_bar[i] *= w[i];
    }
    if (n > 0) {
      if (varies(call, kGamma)) {
        dense::add_outer(chain.at(chain.a, n - 1), v_bar, gamma_bar);
      }
      dense::add_product(chain.gamma, v_bar, chain.at(a_bar, n - 1));
    } else if (varies(call, kRho)) {
      dense::add_scaled(1, v_bar, adjoint(call, kRho), states);
    }
  }
  for (std::size_t i = 0; varies(call, kOmega) && i < total; ++i) {
    adjoint(call, kOmega)[i] += w_bar[i] * chain.w[i];
  }
}

}  // namespace

void append_hidden_markov_ops(std::vector<ArrayOp>& ops) {
  const std::vector<std::vector<Type>> overloads = {{kMatrix, kMatrix, kVector}};
  append(ops, "hmm_marginal", overloads,
         {marginal_shape, chain_scratch, marginal_forward, marginal_backward});
  append(ops, "hmm_hidden_state_prob", overloads,
         {probabilities_shape, probabilities_scratch, probabilities_forward, probabilities_backward});
}

}  // namespace kullback::math
