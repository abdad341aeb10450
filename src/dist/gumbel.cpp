// log p = -z - exp(-z) - log s, z = (x - m)/s.
#include "dist/gumbel.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Gumbel::Gumbel(const Parameter& loc, const Parameter& scale) {
  take({{&loc_, &loc}, {&scale_, &scale}});
  settle(slots());
}

Constraint Gumbel::support() const { return constraints::real(); }

Tensor Gumbel::draw(IntArrayRef shape) const {
  return at::addcmul(loc_, scale_, standard_gumbel(shape, loc_));
}

Tensor Gumbel::log_density(const Tensor& value) const {
  const auto minus_z = (loc_ - value) / scale_;
  return minus_z - minus_z.exp() - scale_.log();
}

Tensor Gumbel::entropy() const { return over_batch(scale_.log() + (1 + kEulerGamma)); }
Tensor Gumbel::mean() const { return loc_ + kEulerGamma * scale_; }
Tensor Gumbel::variance() const { return over_batch((kPi * kPi / 6) * scale_.square()); }
Tensor Gumbel::mode() const { return over_batch(loc_); }
Tensor Gumbel::cdf(const Tensor& value) const { return at::exp(-at::exp((loc_ - value) / scale_)); }
Tensor Gumbel::icdf(const Tensor& probability) const {
  return loc_ - scale_ * at::log(-at::log(probability));
}

}  // namespace kullback::dist
