// Densities of categories, counts and simplexes; K categories, N outcomes, c_k how many of them are k.
//   categorical(n | theta)           = sum_k c_k log theta_k,                        by theta_k: c_k /
//   theta_k categorical_logit(n | beta)      = sum_k c_k beta_k - N lse(beta),               by beta_k: c_k -
//   N softmax_k multinomial(n | theta)           = log N! - sum_k log n_k! + sum_k n_k log theta_k
//   multinomial_logit(n | beta)      = log N! - sum_k log n_k! + sum_k n_k beta_k - N lse(beta)
//   dirichlet(theta | alpha)         = lgamma(A) - sum_k lgamma(alpha_k) + sum_k (alpha_k - 1) log theta_k, A
//   = sum alpha
//     by theta_k: (alpha_k - 1) / theta_k,  by alpha_k: digamma(A) - digamma(alpha_k) + log theta_k
//   dirichlet_multinomial(n | alpha) = log N - sum_{n_k > 0} log n_k + log B(A, N) - sum_{n_k > 0} log
//   B(alpha_k, n_k)
//     by alpha_k: digamma(alpha_k + n_k) - digamma(alpha_k) - (digamma(A + N) - digamma(A))
// 0 log 0 is 0. Factorials are dropped by `~`; dirichlet's gamma functions are kept with alpha.
#include <algorithm>

#include "math/array_ops/density_support.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr unsigned kParameter = 2U;

double log_sum_exp(Values x) {
  double largest = -kInfinity;
  for (double value : x) largest = std::max(largest, value);
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (double value : x) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

// log N! - sum log n_k!.
double log_multinomial(Values counts) {
  double sum = 0;
  double value = 0;
  for (double count : counts) {
    sum += count;
    value += log_choose(sum, count);
  }
  return value;
}

// c . parameter - N lse: value and derivatives.
double logit_kernel(const Frame& frame, Values counts) {
  const Values beta = values_of(frame, 1);
  const double lse = log_sum_exp(beta);
  double total = 0;
  double value = 0;
  for (std::size_t k = 0; k < beta.size(); ++k) {
    total += counts[k];
    if (counts[k] != 0) value += counts[k] * (beta[k] - lse);
  }
  if (frame.wants(1)) {
    for (std::size_t k = 0; k < beta.size(); ++k) {
      frame.partials[1][k] += counts[k] - total * std::exp(beta[k] - lse);
    }
  }
  return value;
}

double log_kernel(const Frame& frame, Values counts) {
  const Values theta = values_of(frame, 1);
  double value = 0;
  for (std::size_t k = 0; k < theta.size(); ++k) {
    if (counts[k] == 0) continue;
    value += counts[k] * std::log(theta[k]);
    if (frame.wants(1)) frame.partials[1][k] += counts[k] / theta[k];
  }
  return value;
}

template <bool logit>
struct Categorical {
  static constexpr std::string_view function = logit ? "categorical_logit_lpmf" : "categorical_lpmf";

  static void check_shapes(Arguments) {}
  static std::size_t work_size(Arguments arguments) { return arguments[1].shape.size(); }

  static double log_density(const Frame& frame) {
    const Values outcomes = values_of(frame, 0);
    const std::size_t size = frame.size(1);
    const double categories = static_cast<double>(size);
    if constexpr (logit) {
      check_bounded(function, "categorical outcome out of support", outcomes, {1, categories});
      check_finite(function, "log odds parameter", values_of(frame, 1));
    } else {
      check_bounded(function, outcomes.size() == 1 ? "Number of categories" : "element of outcome array",
                    outcomes, {1, categories});
      check_simplex(function, "Probabilities parameter", values_of(frame, 1));
    }
    if (!frame.terms.keep(kParameter) || outcomes.empty()) return 0;
    double* counts = frame.work;
    std::fill_n(counts, size, 0.0);
    for (double outcome : outcomes) counts[static_cast<std::size_t>(outcome) - 1] += 1;
    return logit ? logit_kernel(frame, {counts, size}) : log_kernel(frame, {counts, size});
  }
};

template <bool logit>
struct Multinomial {
  static constexpr std::string_view function = logit ? "multinomial_logit_lpmf" : "multinomial_lpmf";

  static void check_shapes(Arguments arguments) {
    check_size_match(function, "Size of number of trials variable", arguments[0].shape.size(),
                     logit ? "rows of log-probabilities parameter" : "rows of probabilities parameter",
                     arguments[1].shape.size());
  }
  static std::size_t work_size(Arguments) { return 0; }

  static double log_density(const Frame& frame) {
    const Values counts = values_of(frame, 0);
    check_nonnegative(function, "Number of trials variable", counts);
    if constexpr (logit) {
      check_finite(function, "log-probabilities parameter", values_of(frame, 1));
    } else {
      check_simplex(function, "Probabilities parameter", values_of(frame, 1));
    }
    double value = frame.terms.normalized ? log_multinomial(counts) : 0;
    if (frame.terms.keep(kParameter))
      value += logit ? logit_kernel(frame, counts) : log_kernel(frame, counts);
    return value;
  }
};

struct Dirichlet {
  static constexpr std::string_view function = "dirichlet_lpdf";

  static void check_shapes(Arguments arguments) {
    const Shape& theta = arguments[0].shape;
    const Shape& alpha = arguments[1].shape;
    if (theta.count == 0 || alpha.count == 0) return;
    check_size_match(function, "size of probabilities", theta.rows * theta.cols, "size of prior sample sizes",
                     alpha.rows * alpha.cols);
    if (theta.count != 1 && alpha.count != 1) {
      check_size_match(function, "size of probabilities", theta.count, "size of prior sample sizes",
                       alpha.count);
    }
  }
  static std::size_t work_size(Arguments) { return 0; }

  static double log_density(const Frame& frame) {
    const Shape& theta_shape = frame.arguments[0].shape;
    const Shape& alpha_shape = frame.arguments[1].shape;
    if (theta_shape.count == 0 || alpha_shape.count == 0) return 0;
    const std::size_t size = theta_shape.rows * theta_shape.cols;
    check_positive(function, "prior sample sizes", values_of(frame, 1));
    for (std::size_t i = 0; i < theta_shape.count; ++i) {
      check_simplex(function, "probabilities", {frame.data(0) + i * size, size});
    }
    double value = 0;
    for (std::size_t i = 0; i < std::max(theta_shape.count, alpha_shape.count); ++i) {
      value += one(frame, theta_shape.count == 1 ? 0 : i * size, alpha_shape.count == 1 ? 0 : i * size, size);
    }
    return value;
  }

  static double one(const Frame& frame, std::size_t theta_at, std::size_t alpha_at, std::size_t size) {
    const double* theta = frame.data(0) + theta_at;
    const double* alpha = frame.data(1) + alpha_at;
    double total = 0;
    for (std::size_t k = 0; k < size; ++k) total += alpha[k];
    double value = 0;
    if (frame.terms.keep(kParameter)) value += log_gamma(total);
    const double digamma_total = frame.wants(1) ? digamma_positive(total) : 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double log_theta = std::log(theta[k]);
      if (frame.terms.keep(kParameter)) value -= log_gamma(alpha[k]);
      if (frame.terms.keep(3U) && alpha[k] != 1) value += (alpha[k] - 1) * log_theta;
      if (frame.wants(0)) frame.partials[0][theta_at + k] += (alpha[k] - 1) / theta[k];
      if (frame.wants(1))
        frame.partials[1][alpha_at + k] += digamma_total - digamma_positive(alpha[k]) + log_theta;
    }
    return value;
  }
};

struct DirichletMultinomial {
  static constexpr std::string_view function = "dirichlet_multinomial_lpmf";

  static void check_shapes(Arguments arguments) {
    check_size_match(function, "Size of number of trials variable", arguments[0].shape.size(),
                     "rows of prior size parameter", arguments[1].shape.size());
  }
  static std::size_t work_size(Arguments) { return 0; }

  static double log_density(const Frame& frame) {
    const Values counts = values_of(frame, 0);
    const Values alpha = values_of(frame, 1);
    check_nonnegative(function, "Number of trials variable", counts);
    check_positive_finite(function, "Prior size parameter", alpha);
    double total = 0;
    double alpha_total = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      total += counts[k];
      alpha_total += alpha[k];
    }
    if (!frame.terms.keep(kParameter) || total == 0) return 0;
    double value = log_beta(alpha_total, total);
    if (frame.terms.normalized) value += std::log(total);
    const double common = frame.wants(1) ? digamma_difference(alpha_total, total) : 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (frame.wants(1)) frame.partials[1][k] -= common;
      if (counts[k] == 0) continue;
      value -= log_beta(alpha[k], counts[k]);
      if (frame.terms.normalized) value -= std::log(counts[k]);
      if (frame.wants(1)) frame.partials[1][k] += digamma_difference(alpha[k], counts[k]);
    }
    return value;
  }
};

template <bool logit>
void append(std::vector<ArrayOp>& ops) {
  for (const Type& outcome : int_types()) {
    ops.push_back(density_op<Categorical<logit>>(Categorical<logit>::function, {outcome, kVector}));
  }
  ops.push_back(density_op<Multinomial<logit>>(Multinomial<logit>::function, {array_of(kInt), kVector}));
}

}  // namespace
}  // namespace density

void append_simplex_densities_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  append<false>(ops);
  append<true>(ops);
  for (std::vector<Type>& types : combinations({vector_types(), vector_types()})) {
    ops.push_back(density_op<Dirichlet>(Dirichlet::function, std::move(types)));
  }
  ops.push_back(density_op<DirichletMultinomial>(DirichletMultinomial::function, {array_of(kInt), kVector}));
}

}  // namespace kullback::math
