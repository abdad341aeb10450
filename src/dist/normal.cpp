// log p = -z^2/2 - log s - log(2 pi)/2, z = (x - m)/s, in five operations.
#include "dist/normal.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Normal::Normal(const Parameter& loc, const Parameter& scale) {
  take({{&loc_, &loc}, {&scale_, &scale}});
  settle(slots());
}

Constraint Normal::support() const { return constraints::real(); }

Tensor Normal::draw(IntArrayRef shape) const {
  return at::addcmul(loc_, scale_, at::randn(shape, loc_.options().requires_grad(false)));
}

Tensor Normal::log_density(const Tensor& value) const {
  const auto z = (value - loc_) / scale_;
  return at::rsub(at::addcmul(scale_.log(), z, z, 0.5), -kHalfLog2Pi);
}

Tensor Normal::entropy() const { return over_batch(scale_.log() + (0.5 + kHalfLog2Pi)); }
Tensor Normal::mean() const { return over_batch(loc_); }
Tensor Normal::variance() const { return over_batch(scale_.square()); }
Tensor Normal::mode() const { return mean(); }
Tensor Normal::cdf(const Tensor& value) const { return normal_cdf((value - loc_) / scale_); }
Tensor Normal::icdf(const Tensor& probability) const {
  return at::addcmul(loc_, scale_, at::special_ndtri(probability));
}

}  // namespace kullback::dist
