// ordered:          x_1 = y_1,       x_k = x_{k-1} + exp(y_k);  log|J| = y_2 + ... + y_K
// positive_ordered: x_1 = exp(y_1),  x_k = x_{k-1} + exp(y_k);  log|J| = y_1 + ... + y_K
// Adjoint: that of exp(y_k) is the sum of the adjoints of x_k, ..., x_K.
#include <cmath>

#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

std::size_t all(Shape item) { return item.size(); }

template <bool positive>
void forward(const TransformCall& call) {
  double sum = 0;
  for (std::size_t k = 0; k < call.shape.size(); ++k) {
    const double y = call.free[k];
    if (k > 0 || positive) {
      call.scratch[k] = std::exp(y);
      *call.log_jacobian += y;
      sum += call.scratch[k];
    } else {
      sum = y;
    }
    call.value[k] = sum;
  }
}

template <bool positive>
void backward(const TransformCall& call) {
  double adjoint = 0;
  for (std::size_t k = call.shape.size(); k-- > 0;) {
    adjoint += call.value_adjoint[k];
    if (k > 0 || positive) {
      call.free_adjoint[k] += adjoint * call.scratch[k] + call.log_jacobian_adjoint;
    } else {
      call.free_adjoint[k] += adjoint;
    }
  }
}

template <bool positive>
std::optional<Violation> unconstrain(const ConstrainedValue& value, double* free) {
  for (std::size_t k = 0; k < value.shape.size(); ++k) {
    const double x = value.value[k];
    if (k > 0) {
      free[k] = std::log(x - value.value[k - 1]);
    } else {
      free[k] = positive ? std::log(x) : x;
    }
  }
  return {};
}

std::optional<Violation> check(const ConstrainedValue& value) {
  return check_ordered(value.value, value.shape.size());
}

std::optional<Violation> check_positive(const ConstrainedValue& value) {
  if (value.shape.size() > 0 && value.value[0] < 0) {
    return wrong_number(0, 0, value.value[0], "must be at least 0", -value.value[0]);
  }
  return check(value);
}

}  // namespace

const TransformDef ordered_transform = {
    .name = "ordered",
    .doc = "vectors whose elements increase",
    .free_size = all,
    .scratch_size = all,
    .forward = forward<false>,
    .backward = backward<false>,
    .unconstrain = unconstrain<false>,
    .check = check,
};

const TransformDef positive_ordered_transform = {
    .name = "positive_ordered",
    .doc = "vectors of positive elements that increase",
    .free_size = all,
    .scratch_size = all,
    .forward = forward<true>,
    .backward = backward<true>,
    .unconstrain = unconstrain<true>,
    .check = check_positive,
};

}  // namespace kullback::math::transforms
