// lerp works from the nearer end, so that rounding never leaves the interval.
#include "dist/uniform.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Uniform::Uniform(const Parameter& low, const Parameter& high) {
  take({{&low_, &low}, {&high_, &high}});
  settle(slots());
  if (validates()) require("high - low", constraints::positive(), high_ - low_);
}

Constraint Uniform::support() const { return constraints::interval(low_, high_); }

Tensor Uniform::draw(IntArrayRef shape) const {
  return at::lerp(low_, high_, at::rand(shape, low_.options().requires_grad(false)));
}

Tensor Uniform::log_density(const Tensor& value) const {
  const auto inside = at::logical_and(value.ge(low_), value.le(high_));
  return where_inside(inside, -(high_ - low_).log());
}

Tensor Uniform::entropy() const { return (high_ - low_).log(); }
Tensor Uniform::mean() const { return 0.5 * (low_ + high_); }
Tensor Uniform::variance() const { return (high_ - low_).square() / 12; }
Tensor Uniform::mode() const { return mean(); }  // every point is one
Tensor Uniform::cdf(const Tensor& value) const { return ((value - low_) / (high_ - low_)).clamp(0, 1); }
Tensor Uniform::icdf(const Tensor& probability) const { return at::lerp(low_, high_, probability); }

}  // namespace kullback::dist
