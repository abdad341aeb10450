// Reductions of all numbers of one argument, and running sums.
//   sum, mean = sum / n, prod, min, max
//   variance = sum (x - mean)^2 / (n - 1), adjoint 2 (x - mean) / (n - 1); sd = sqrt(variance)
//   log_sum_exp = m + log sum exp(x - m) with m = max x; its adjoint is softmax
//   cumulative_sum; softmax; log_softmax = x - log_sum_exp(x)
// Where sd is 0 its derivative does not exist; Stan's choice, 1 / sqrt(n) for each, is kept. The adjoint of
// prod is exact where factors are zero: the product of the others is computed from both ends. min and max
// give their adjoint to the first extreme element.
#include <cmath>
#include <limits>
#include <numeric>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void sum_forward(const ArrayCall& call) { call.result[0] = dense::sum(data(call, 0), size(call, 0)); }

void sum_backward(const ArrayCall& call) {
  dense::add_constant(call.result_adjoint[0], adjoint(call, 0), size(call, 0));
}

Shape mean_shape(Arguments arguments) {
  check_nonzero_size("mean", "m", arguments[0].shape);
  return {};
}

void mean_forward(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  call.result[0] = dense::sum(data(call, 0), n) / static_cast<double>(n);
}

void mean_backward(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  dense::add_constant(call.result_adjoint[0] / static_cast<double>(n), adjoint(call, 0), n);
}

void prod_forward(const ArrayCall& call) {
  double product = 1;
  for (const double x : values(call, 0)) {
    product *= x;
  }
  call.result[0] = product;
}

void prod_backward(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  const double* x = data(call, 0);
  double* after = call.scratch;  // after[i]: the product of those after i
  double product = 1;
  for (std::size_t i = n; i-- > 0;) {
    after[i] = product;
    product *= x[i];
  }
  double before = call.result_adjoint[0];
  for (std::size_t i = 0; i < n; ++i) {
    adjoint(call, 0)[i] += before * after[i];
    before *= x[i];
  }
}

std::size_t size_of_first(Arguments arguments) { return arguments[0].shape.size(); }

Shape variance_shape(Arguments arguments) {
  check_nonzero_size("variance", "m", arguments[0].shape);
  return {};
}

Shape sd_shape(Arguments arguments) {
  check_nonzero_size("sd", "x", arguments[0].shape);
  return {};
}

// The mean is kept in scratch.
double sum_of_squares(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  const double mean = dense::sum(data(call, 0), n) / static_cast<double>(n);
  call.scratch[0] = mean;
  double even = 0;
  double odd = 0;
  const double* x = data(call, 0);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    even += (x[i] - mean) * (x[i] - mean);
    odd += (x[i + 1] - mean) * (x[i + 1] - mean);
  }
  if (i < n) {
    even += (x[i] - mean) * (x[i] - mean);
  }
  return even + odd;
}

void variance_forward(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  call.result[0] = n == 1 ? 0 : sum_of_squares(call) / static_cast<double>(n - 1);
}

void add_deviations(const ArrayCall& call, double weight) {
  const double mean = call.scratch[0];
  for (std::size_t i = 0; i < size(call, 0); ++i) {
    adjoint(call, 0)[i] += weight * (data(call, 0)[i] - mean);
  }
}

void variance_backward(const ArrayCall& call) {
  if (const std::size_t n = size(call, 0); n > 1) {
    add_deviations(call, 2 * call.result_adjoint[0] / static_cast<double>(n - 1));
  }
}

void sd_forward(const ArrayCall& call) {
  variance_forward(call);
  call.result[0] = std::sqrt(call.result[0]);
}

void sd_backward(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  if (n == 1) {
    return;
  }
  const double sd = call.result[0];
  const auto degrees = static_cast<double>(n - 1);
  if (sd * sd * degrees < 1e-20) {
    dense::add_constant(call.result_adjoint[0] / std::sqrt(static_cast<double>(n)), adjoint(call, 0), n);
  } else {
    add_deviations(call, call.result_adjoint[0] / (sd * degrees));
  }
}

std::size_t one(Arguments) { return 1; }

template <bool kMin>
std::size_t extreme(const double* x, std::size_t n) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i) {
    best = (kMin ? x[i] < x[best] : x[i] > x[best]) ? i : best;
  }
  return best;
}

template <bool kMin>
void extreme_forward(const ArrayCall& call) {
  const std::size_t n = size(call, 0);
  const double none = kMin ? kInfinity : -kInfinity;
  call.result[0] = n == 0 ? none : data(call, 0)[extreme<kMin>(data(call, 0), n)];
}

template <bool kMin>
void extreme_backward(const ArrayCall& call) {
  if (const std::size_t n = size(call, 0); n > 0) {
    adjoint(call, 0)[extreme<kMin>(data(call, 0), n)] += call.result_adjoint[0];
  }
}

template <bool kMin>
Shape extreme_int_shape(Arguments arguments) {
  check_nonzero_size(kMin ? "min" : "max", "int vector", arguments[0].shape);
  return {};
}

template <bool kMin>
void extreme_of_two(const ArrayCall& call) {
  const double a = data(call, 0)[0];
  const double b = data(call, 1)[0];
  call.result[0] = kMin ? std::min(a, b) : std::max(a, b);
}

double log_sum_exp(const double* x, std::size_t n) {
  const double largest = dense::max(x, n);
  if (!std::isfinite(largest)) {
    return largest;
  }
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += std::exp(x[i] - largest);
  }
  return largest + std::log(total);
}

void log_sum_exp_forward(const ArrayCall& call) {
  call.result[0] = log_sum_exp(data(call, 0), size(call, 0));
}

void log_sum_exp_backward(const ArrayCall& call) {
  const double total = call.result[0];
  const double* x = data(call, 0);
  for (std::size_t i = 0; i < size(call, 0); ++i) {
    // An infinite total: all weight on the elements that equal it, as in the limit.
    const double weight =
        std::isinf(total) ? static_cast<double>(x[i] == total && total > 0) : std::exp(x[i] - total);
    adjoint(call, 0)[i] += call.result_adjoint[0] * weight;
  }
}

void cumulative_sum_forward(const ArrayCall& call) {
  std::partial_sum(data(call, 0), data(call, 0) + size(call, 0), call.result);
}

void cumulative_sum_backward(const ArrayCall& call) {
  double total = 0;
  for (std::size_t i = size(call, 0); i-- > 0;) {
    total += call.result_adjoint[i];
    adjoint(call, 0)[i] += total;
  }
}

Shape log_softmax_shape(Arguments arguments) {
  check_nonzero_size("log_softmax", "v", arguments[0].shape);
  return arguments[0].shape;
}

// An array of vectors is one vector after another.
struct Pieces {
  std::size_t length;
  std::size_t count;
};
Pieces pieces(const ArrayCall& call) {
  return {rows(call, 0) * cols(call, 0), call.arguments[0].shape.count};
}

void softmax_forward(const ArrayCall& call) {
  const auto [n, count] = pieces(call);
  for (std::size_t k = 0; k < count; ++k) {
    const double* x = data(call, 0) + k * n;
    double* y = call.result + k * n;
    const double largest = dense::max(x, n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = std::exp(x[i] - largest);
      total += y[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      y[i] /= total;
    }
  }
}

void softmax_backward(const ArrayCall& call) {
  const auto [n, count] = pieces(call);
  for (std::size_t k = 0; k < count; ++k) {
    const double* y = call.result + k * n;
    const double* y_bar = call.result_adjoint + k * n;
    const double mean = dense::dot(y, y_bar, n);
    for (std::size_t i = 0; i < n; ++i) {
      adjoint(call, 0)[k * n + i] += y[i] * (y_bar[i] - mean);
    }
  }
}

void log_softmax_forward(const ArrayCall& call) {
  const auto [n, count] = pieces(call);
  for (std::size_t k = 0; k < count; ++k) {
    const double* x = data(call, 0) + k * n;
    const double total = log_sum_exp(x, n);
    for (std::size_t i = 0; i < n; ++i) {
      call.result[k * n + i] = x[i] - total;
    }
  }
}

void log_softmax_backward(const ArrayCall& call) {
  const auto [n, count] = pieces(call);
  for (std::size_t k = 0; k < count; ++k) {
    const double* y = call.result + k * n;
    const double* y_bar = call.result_adjoint + k * n;
    const double total = dense::sum(y_bar, n);
    for (std::size_t i = 0; i < n; ++i) {
      adjoint(call, 0)[k * n + i] += y_bar[i] - std::exp(y[i]) * total;
    }
  }
}

}  // namespace

void append_reductions_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  const Type ints = array_of(kInt);
  const std::vector<std::vector<Type>> all = {{kVector}, {kRowVector}, {kMatrix}, {reals}};
  append(ops, "sum", all, {scalar_shape, nullptr, sum_forward, sum_backward});
  append(ops, "sum", {{ints}}, {scalar_shape, nullptr, sum_forward, nullptr});
  append(ops, "mean", all, {mean_shape, nullptr, mean_forward, mean_backward});
  append(ops, "prod", all, {scalar_shape, size_of_first, prod_forward, prod_backward});
  append(ops, "prod", {{ints}}, {scalar_shape, nullptr, prod_forward, nullptr});
  append(ops, "variance", all, {variance_shape, one, variance_forward, variance_backward});
  append(ops, "sd", all, {sd_shape, one, sd_forward, sd_backward});
  append(ops, "min", all, {scalar_shape, nullptr, extreme_forward<true>, extreme_backward<true>});
  append(ops, "max", all, {scalar_shape, nullptr, extreme_forward<false>, extreme_backward<false>});
  append(ops, "min", {{ints}}, {extreme_int_shape<true>, nullptr, extreme_forward<true>, nullptr});
  append(ops, "max", {{ints}}, {extreme_int_shape<false>, nullptr, extreme_forward<false>, nullptr});
  append(ops, "min", {{kInt, kInt}}, {scalar_shape, nullptr, extreme_of_two<true>, nullptr});
  append(ops, "max", {{kInt, kInt}}, {scalar_shape, nullptr, extreme_of_two<false>, nullptr});
  append(ops, "log_sum_exp", all, {scalar_shape, nullptr, log_sum_exp_forward, log_sum_exp_backward});
  append(ops, "cumulative_sum", {{kVector}, {kRowVector}, {reals}},
         {same_shape, nullptr, cumulative_sum_forward, cumulative_sum_backward});
  append(ops, "cumulative_sum", {{ints}}, {same_shape, nullptr, cumulative_sum_forward, nullptr});
  const std::vector<std::vector<Type>> vectors = {
      {kVector}, {kRowVector}, {array_of(kVector)}, {array_of(kRowVector)}};
  append(ops, "softmax", vectors, {same_shape, nullptr, softmax_forward, softmax_backward});
  append(ops, "log_softmax", vectors,
         {log_softmax_shape, nullptr, log_softmax_forward, log_softmax_backward});
}

}  // namespace kullback::math
