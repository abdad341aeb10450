// The generalised hypergeometric series with arrays of parameters, hypergeometric_pFq(a, b, z), and its case
// with three and two, hypergeometric_3F2(a, b, z):
//   sum_k t_k,  t_0 = 1,  t_(k+1) = t_k q_k,  q_k = prod (a_i + k) / prod (b_j + k) z / (k + 1)
// Derivatives of terms follow the same recurrence, t'_(k+1) = t'_k q_k + t_k q'_k, where q' by a_i leaves one
// factor out, so that a factor of zero (a polynomial) is no exception. Summed in extended precision until
// value and derivatives stand still. Converges where p <= q, or p = q + 1 and |z| < 1 (|z| = 1 slowly, if at
// all), or some a_i is zero or a negative integer, unless the derivative by a is asked for. Scratch: the
// derivatives, from the forward pass.
#include <cmath>
#include <stdexcept>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

constexpr std::size_t kMaxTerms = 1000000;
constexpr long double kTolerance = 1e-17L;

enum Position : std::size_t { kA, kB, kZ };

Shape pfq_shape(Arguments) { return {}; }

Shape three_two_shape(Arguments arguments) {
  check_size_match("hypergeometric_3F2", "size of a", arguments[kA].shape.size(), "number of numerators", 3);
  check_size_match("hypergeometric_3F2", "size of b", arguments[kB].shape.size(), "number of denominators",
                   2);
  return {};
}

std::size_t scratch(Arguments arguments) {
  return arguments[kA].shape.size() + arguments[kB].shape.size() + 1;
}

bool is_polynomial(Values a) {
  return std::any_of(a.begin(), a.end(), [](double x) { return x <= 0 && x == std::floor(x); });
}

bool any_varies(const ArrayCall& call) {
  return std::any_of(call.arguments.begin(), call.arguments.end(),
                     [](const DenseArgument& a) { return a.varies; });
}

struct Sum {
  long double term = 0;
  long double total = 0;
};

struct Factors {
  long double numerator = 1;
  long double denominator = 1;
  std::size_t zeros = 0;  // among those of the numerator, which leaves them out
  long double z = 0;
};

// The derivative of q_k by parameter i, counted through a, b, z.
long double ratio_derivative(const ArrayCall& call, const Factors& f, std::size_t i, long double k) {
  const std::size_t p = size(call, kA);
  const std::size_t q = size(call, kB);
  const long double scale = f.numerator / (f.denominator * (k + 1));
  if (i < p) {
    const long double factor = static_cast<long double>(data(call, kA)[i]) + k;
    if (factor == 0) {
      return f.zeros == 1 ? scale * f.z : 0;
    }
    return f.zeros == 0 ? scale * f.z / factor : 0;
  }
  if (f.zeros > 0) {
    return 0;
  }
  return i < p + q ? -scale * f.z / (static_cast<long double>(data(call, kB)[i - p]) + k) : scale;
}

void series(const ArrayCall& call, std::string_view function) {
  const std::size_t count = size(call, kA) + size(call, kB) + 1;
  const std::size_t wanted = any_varies(call) ? count : 0;
  std::vector<Sum> derivatives(wanted);
  Sum value{1, 1};
  std::size_t quiet = 0;
  for (std::size_t k = 0; quiet < 3; ++k) {
    if (k == kMaxTerms) {
      throw std::domain_error(std::string(function) + ": the series did not converge");
    }
    const auto index = static_cast<long double>(k);
    Factors f;
    f.z = data(call, kZ)[0];
    for (const double a : values(call, kA)) {
      const long double factor = static_cast<long double>(a) + index;
      f.zeros += factor == 0 ? 1 : 0;
      f.numerator *= factor == 0 ? 1 : factor;
    }
    for (const double b : values(call, kB)) {
      f.denominator *= static_cast<long double>(b) + index;
    }
    const long double ratio = f.zeros > 0 ? 0 : f.numerator * f.z / (f.denominator * (index + 1));
    bool still = true;
    for (std::size_t i = 0; i < wanted; ++i) {
      Sum& d = derivatives[i];
      d.term = d.term * ratio + value.term * ratio_derivative(call, f, i, index);
      d.total += d.term;
      still = still && std::fabs(d.term) <= kTolerance * (std::fabs(d.total) + std::fabs(value.total));
    }
    value.term *= ratio;
    value.total += value.term;
    still = still && std::fabs(value.term) <= kTolerance * std::fabs(value.total);
    quiet = still ? quiet + 1 : 0;
  }
  call.result[0] = static_cast<double>(value.total);
  for (std::size_t i = 0; i < wanted; ++i) {
    call.scratch[i] = static_cast<double>(derivatives[i].total);
  }
}

void evaluate(const ArrayCall& call, std::string_view function) {
  check_finite(function, "a", values(call, kA));
  check_finite(function, "b", values(call, kB));
  check_finite(function, "z", values(call, kZ));
  const std::size_t p = size(call, kA);
  const std::size_t q = size(call, kB);
  const double z = data(call, kZ)[0];
  const bool diverges = (p > q + 1 && z != 0) || (p == q + 1 && std::fabs(z) > 1);
  if (diverges && !is_polynomial(values(call, kA))) {
    throw std::domain_error(std::string(function) +
                            ": the series does not converge with these arguments: z is " +
                            density::number(z));
  }
  series(call, function);
}

void pfq_forward(const ArrayCall& call) { evaluate(call, "hypergeometric_pFq"); }
void three_two_forward(const ArrayCall& call) { evaluate(call, "hypergeometric_3F2"); }

void backward(const ArrayCall& call) {
  const double* derivative = call.scratch;
  for (const std::size_t j : {kA, kB, kZ}) {
    if (varies(call, j)) {
      dense::add_scaled(call.result_adjoint[0], derivative, adjoint(call, j), size(call, j));
    }
    derivative += size(call, j);
  }
}

}  // namespace

void append_hypergeometric_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  for (const Type& a : {kVector, kRowVector, reals}) {
    for (const Type& b : {kVector, kRowVector, reals}) {
      append(ops, "hypergeometric_pFq", {{a, b, kReal}}, {pfq_shape, scratch, pfq_forward, backward});
      append(ops, "hypergeometric_3F2", {{a, b, kReal}},
             {three_two_shape, scratch, three_two_forward, backward});
    }
  }
}

}  // namespace kullback::math
