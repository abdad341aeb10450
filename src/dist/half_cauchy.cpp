#include "dist/half_cauchy.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

HalfCauchy::HalfCauchy(const Parameter& scale) {
  take({{&scale_, &scale}});
  settle(slots());
}

Constraint HalfCauchy::support() const { return constraints::nonnegative(); }

Tensor HalfCauchy::draw(IntArrayRef shape) const {
  return at::empty(shape, scale_.options().requires_grad(false)).cauchy_().abs_() * scale_;
}

// As for Cauchy, hypot keeps large values from overflowing.
Tensor HalfCauchy::log_density(const Tensor& value) const {
  const auto z = value / scale_;
  const auto log_density = -2 * at::hypot(z, at::ones_like(z)).log() - scale_.log() + (kLog2 - kLogPi);
  return where_inside(value.ge(0), log_density);
}

Tensor HalfCauchy::entropy() const { return scale_.log() + (kLog2 + kLogPi); }
Tensor HalfCauchy::mean() const { return infinite_like(scale_); }
Tensor HalfCauchy::variance() const { return infinite_like(scale_); }
Tensor HalfCauchy::mode() const { return at::zeros_like(scale_); }
Tensor HalfCauchy::cdf(const Tensor& value) const { return at::atan(value / scale_) * (2 / kPi); }
Tensor HalfCauchy::icdf(const Tensor& probability) const { return scale_ * at::tan(0.5 * kPi * probability); }

}  // namespace kullback::dist
