#include "dist/half_normal.hpp"

#include <cmath>

#include "dist/numerics.hpp"

namespace kullback::dist {

namespace {
const double kSqrt2 = std::sqrt(2.0);
}  // namespace

HalfNormal::HalfNormal(const Parameter& scale) {
  take({{&scale_, &scale}});
  settle(slots());
}

Constraint HalfNormal::support() const { return constraints::nonnegative(); }

Tensor HalfNormal::draw(IntArrayRef shape) const {
  return at::randn(shape, scale_.options().requires_grad(false)).abs_() * scale_;
}

Tensor HalfNormal::log_density(const Tensor& value) const {
  const auto z = value / scale_;
  return where_inside(value.ge(0), at::rsub(at::addcmul(scale_.log(), z, z, 0.5), kLog2 - kHalfLog2Pi));
}

Tensor HalfNormal::entropy() const { return scale_.log() + (0.5 + kHalfLog2Pi - kLog2); }
Tensor HalfNormal::mean() const { return scale_ * std::sqrt(2 / kPi); }
Tensor HalfNormal::variance() const { return scale_.square() * (1 - 2 / kPi); }
Tensor HalfNormal::mode() const { return at::zeros_like(scale_); }
Tensor HalfNormal::cdf(const Tensor& value) const { return at::erf(value / (kSqrt2 * scale_)); }
Tensor HalfNormal::icdf(const Tensor& probability) const { return kSqrt2 * scale_ * at::erfinv(probability); }

}  // namespace kullback::dist
