// A draw is the difference of two exponential ones: no logarithm of 0, whole tails.
// cdf and quantile take the shorter tail, where e^-|z|/2 is exact.
#include "dist/laplace.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Laplace::Laplace(const Parameter& loc, const Parameter& scale) {
  take({{&loc_, &loc}, {&scale_, &scale}});
  settle(slots());
}

Constraint Laplace::support() const { return constraints::real(); }

Tensor Laplace::draw(IntArrayRef shape) const {
  const auto noise = standard_exponential(shape, loc_).sub_(standard_exponential(shape, loc_));
  return at::addcmul(loc_, scale_, noise);
}

Tensor Laplace::log_density(const Tensor& value) const {
  return at::rsub((value - loc_).abs() / scale_ + scale_.log(), -kLog2);
}

Tensor Laplace::entropy() const { return over_batch(scale_.log() + (1 + kLog2)); }
Tensor Laplace::mean() const { return over_batch(loc_); }
Tensor Laplace::variance() const { return over_batch(2 * scale_.square()); }
Tensor Laplace::mode() const { return mean(); }

Tensor Laplace::cdf(const Tensor& value) const {
  const auto z = (value - loc_) / scale_;
  const auto tail = 0.5 * at::exp(-z.abs());
  return at::where(z.lt(0), tail, 1 - tail);
}

Tensor Laplace::icdf(const Tensor& probability) const {
  const auto lower = probability.lt(0.5);
  const auto tail = at::where(lower, probability, 1 - probability);
  const auto z = at::log(2 * tail);
  return at::addcmul(loc_, scale_, at::where(lower, z, -z));
}

}  // namespace kullback::dist
