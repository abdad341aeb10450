#include "dist/log_normal.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

LogNormal::LogNormal(const Parameter& loc, const Parameter& scale) {
  take({{&loc_, &loc}, {&scale_, &scale}});
  settle(slots());
}

Constraint LogNormal::support() const { return constraints::positive(); }

Tensor LogNormal::draw(IntArrayRef shape) const {
  return at::addcmul(loc_, scale_, at::randn(shape, loc_.options().requires_grad(false))).exp();
}

Tensor LogNormal::log_density(const Tensor& value) const {
  const auto log_value = value.log();
  const auto z = (log_value - loc_) / scale_;
  return at::rsub(at::addcmul(scale_.log() + log_value, z, z, 0.5), -kHalfLog2Pi);
}

Tensor LogNormal::entropy() const { return loc_ + scale_.log() + (0.5 + kHalfLog2Pi); }
Tensor LogNormal::mean() const { return (loc_ + 0.5 * scale_.square()).exp(); }
Tensor LogNormal::variance() const {
  const auto square = scale_.square();
  return square.expm1() * (2 * loc_ + square).exp();
}
Tensor LogNormal::mode() const { return (loc_ - scale_.square()).exp(); }
Tensor LogNormal::cdf(const Tensor& value) const { return normal_cdf((value.log() - loc_) / scale_); }
Tensor LogNormal::icdf(const Tensor& probability) const {
  return at::addcmul(loc_, scale_, at::special_ndtri(probability)).exp();
}

}  // namespace kullback::dist
