#include "dist/exponential.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Exponential::Exponential(const Parameter& rate) {
  take({{&rate_, &rate}});
  settle(slots());
}

Constraint Exponential::support() const { return constraints::nonnegative(); }

Tensor Exponential::draw(IntArrayRef shape) const { return standard_exponential(shape, rate_) / rate_; }

Tensor Exponential::log_density(const Tensor& value) const {
  return where_inside(value.ge(0), at::addcmul(rate_.log(), rate_, value, -1));
}

Tensor Exponential::entropy() const { return at::rsub(rate_.log(), 1); }
Tensor Exponential::mean() const { return rate_.reciprocal(); }
Tensor Exponential::variance() const { return rate_.reciprocal().square(); }
Tensor Exponential::mode() const { return at::zeros_like(rate_); }
Tensor Exponential::cdf(const Tensor& value) const { return -at::expm1(-rate_ * value); }
Tensor Exponential::icdf(const Tensor& probability) const { return -at::log1p(-probability) / rate_; }

}  // namespace kullback::dist
