// unit_vector[K]: x = y / r with r = |y|; K free numbers for K - 1 dimensions. The length is given a chi
// density by log|J| := -r^2 / 2, so that y is normal where x is uniform (Muller 1959). Adjoint: (a - x (a.x))
// / r - g y. Undefined at y = 0, and where r^2 overflows.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

std::size_t all(Shape item) { return item.rows; }
std::size_t one(Shape) { return 1; }

void forward(const TransformCall& call) {
  double squares = 0;
  for (std::size_t i = 0; i < call.shape.rows; ++i) squares += call.free[i] * call.free[i];
  if (!(squares > 0) || !std::isfinite(squares)) {
    throw std::domain_error("the free numbers of a unit vector have the squared length " +
                            number_text(squares) + ", but it must be positive and finite");
  }
  const double length = std::sqrt(squares);
  for (std::size_t i = 0; i < call.shape.rows; ++i) call.value[i] = call.free[i] / length;
  call.scratch[0] = length;
  *call.log_jacobian -= 0.5 * squares;
}

void backward(const TransformCall& call) {
  double along = 0;
  for (std::size_t i = 0; i < call.shape.rows; ++i) along += call.value_adjoint[i] * call.value[i];
  for (std::size_t i = 0; i < call.shape.rows; ++i) {
    call.free_adjoint[i] += (call.value_adjoint[i] - along * call.value[i]) / call.scratch[0] -
                            call.log_jacobian_adjoint * call.free[i];
  }
}

std::optional<Violation> unconstrain(const ConstrainedValue& value, double* free) {
  std::copy_n(value.value, value.shape.rows, free);
  return {};
}

std::optional<Violation> check(const ConstrainedValue& value) {
  double squares = 0;
  for (std::size_t i = 0; i < value.shape.rows; ++i) squares += value.value[i] * value.value[i];
  if (std::abs(1 - squares) <= kConstraintTolerance) return {};
  return wrong_item("has the squared length " + number_text(squares) + ", but it must be 1",
                    std::abs(1 - squares));
}

std::string size_problem(Shape item) { return item.rows > 1 ? "" : "must have at least two elements"; }

}  // namespace

const TransformDef unit_vector_transform = {
    .name = "unit_vector",
    .doc = "vectors of length 1",
    .free_size = all,
    .scratch_size = one,
    .size_problem = size_problem,
    .forward = forward,
    .backward = backward,
    .unconstrain = unconstrain,
    .check = check,
};

}  // namespace kullback::math::transforms
