// log_mix(theta, lambda) = sum_n log sum_k theta_k exp(lambda_nk): a mixture with weights theta of densities
// lambda, summed over the vectors of an array of lambdas.
//   d / d theta_k = sum_n exp(lambda_nk - log_mix_n),  d / d lambda_nk = theta_k exp(lambda_nk - log_mix_n)
// The log of each mixture is kept in scratch.
#include <cmath>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

// `length` components in each of `count` mixtures. One mixture where lambda is a vector or an array of reals.
struct Lambda {
  std::size_t length;
  std::size_t count;
};

template <bool kMany>
Lambda lambda_of(Arguments arguments) {
  const Shape& shape = arguments[1].shape;
  return kMany ? Lambda{shape.rows * shape.cols, shape.count} : Lambda{shape.size(), 1};
}

template <bool kMany>
Shape log_mix_shape(Arguments arguments) {
  const Lambda lambda = lambda_of<kMany>(arguments);
  if (lambda.count > 0) {
    check_size_match("log_mix", "size of theta", arguments[0].shape.size(), "size of lambda", lambda.length);
  }
  return {};
}

template <bool kMany>
std::size_t log_mix_scratch(Arguments arguments) {
  return lambda_of<kMany>(arguments).count;
}

template <bool kMany>
void log_mix_forward(const ArrayCall& call) {
  check_bounded("log_mix", "theta", values(call, 0), {0, 1});
  check_finite("log_mix", "lambda", values(call, 1));
  const auto [length, count] = lambda_of<kMany>(call.arguments);
  double total = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const double* lambda = data(call, 1) + n * length;
    const double largest = dense::max(lambda, length);
    double mixture = 0;
    for (std::size_t k = 0; k < length; ++k) {
      mixture += data(call, 0)[k] * std::exp(lambda[k] - largest);
    }
    if (mixture == 0) {  // the weight is all on components far below the largest
      double log_largest = -density::kInfinity;
      for (std::size_t k = 0; k < length; ++k) {
        log_largest = std::max(log_largest, std::log(data(call, 0)[k]) + lambda[k]);
      }
      for (std::size_t k = 0; k < length && std::isfinite(log_largest); ++k) {
        mixture += std::exp(std::log(data(call, 0)[k]) + lambda[k] - log_largest);
      }
      call.scratch[n] = log_largest + std::log(mixture);
    } else {
      call.scratch[n] = largest + std::log(mixture);
    }
    total += call.scratch[n];
  }
  call.result[0] = total;
}

template <bool kMany>
void log_mix_backward(const ArrayCall& call) {
  const auto [length, count] = lambda_of<kMany>(call.arguments);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t i = n * length + k;
      const double change = call.result_adjoint[0] * std::exp(data(call, 1)[i] - call.scratch[n]);
      if (varies(call, 0)) {
        adjoint(call, 0)[k] += change;
      }
      if (varies(call, 1) && data(call, 0)[k] > 0) {  // a component without weight may be infinitely likely
        adjoint(call, 1)[i] += change * data(call, 0)[k];
      }
    }
  }
}

}  // namespace

void append_mixtures_ops(std::vector<ArrayOp>& ops) {
  const Type reals = array_of(kReal);
  for (const Type& theta : {kVector, kRowVector, reals}) {
    append(ops, "log_mix", {{theta, kVector}, {theta, kRowVector}, {theta, reals}},
           {log_mix_shape<false>, log_mix_scratch<false>, log_mix_forward<false>, log_mix_backward<false>});
    append(ops, "log_mix", {{theta, array_of(kVector)}, {theta, array_of(kRowVector)}},
           {log_mix_shape<true>, log_mix_scratch<true>, log_mix_forward<true>, log_mix_backward<true>});
  }
}

}  // namespace kullback::math
