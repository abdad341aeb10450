// log p(k) = k log r - r - log k!. For k >= 10 the terms are taken together as in gamma.cpp, less log k.
#include "dist/poisson.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Poisson::Poisson(const Parameter& rate) {
  take({{&rate_, &rate}});
  settle(slots());
}

Constraint Poisson::support() const { return constraints::nonnegative_integer(); }

Tensor Poisson::draw(IntArrayRef shape) const { return at::poisson(rate_.expand(shape)); }

Tensor Poisson::log_density(const Tensor& value) const {
  const auto k = as_type_of(value, rate_);
  const auto high = k.clamp_min(kStirlingStart);
  const auto together = log_gamma_kernel_large(high, rate_) - high.log();
  const auto plain = at::xlogy(k, rate_) - rate_ - at::lgamma(k + 1);
  return at::where(k.ge(kStirlingStart), together, plain);
}

Tensor Poisson::mean() const { return rate_; }
Tensor Poisson::variance() const { return rate_; }
Tensor Poisson::mode() const { return rate_.floor(); }

}  // namespace kullback::dist
