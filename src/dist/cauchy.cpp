// 1 + z^2 overflows long before log(1 + z^2) is large: hypot does not. The cdf 1/2 + atan(z)/pi would cancel
// in the lower tail; atan2(1, -z)/pi is the same and does not.
#include "dist/cauchy.hpp"

#include <cmath>

#include "dist/numerics.hpp"

namespace kullback::dist {

Cauchy::Cauchy(const Parameter& loc, const Parameter& scale) {
  take({{&loc_, &loc}, {&scale_, &scale}});
  settle(slots());
}

Constraint Cauchy::support() const { return constraints::real(); }

Tensor Cauchy::draw(IntArrayRef shape) const {
  return at::addcmul(loc_, scale_, at::empty(shape, loc_.options().requires_grad(false)).cauchy_());
}

Tensor Cauchy::log_density(const Tensor& value) const {
  const auto z = (value - loc_) / scale_;
  return -2 * at::hypot(z, at::ones_like(z)).log() - scale_.log() - kLogPi;
}

Tensor Cauchy::entropy() const { return over_batch(scale_.log() + (2 * kLog2 + kLogPi)); }
Tensor Cauchy::mean() const { return at::full_like(over_batch(loc_), NAN); }
Tensor Cauchy::variance() const { return infinite_like(over_batch(scale_)); }
Tensor Cauchy::mode() const { return over_batch(loc_); }

Tensor Cauchy::cdf(const Tensor& value) const {
  const auto z = (value - loc_) / scale_;
  return at::atan2(at::ones_like(z), -z) / kPi;
}

Tensor Cauchy::icdf(const Tensor& probability) const { return loc_ - scale_ / at::tan(kPi * probability); }

}  // namespace kullback::dist
