// log p(x) = a log(b x) - b x - log Gamma(a) - log x. For large a the first three terms are taken together.
// Entropy for large a, with Stirling's d: log(a)/2 + log(2 pi)/2 + d(a) + (1 - a)(d'(a) - 1/(2a)) - log b.
// Gradients of draws are implicit (Figurnov et al. 2018), by ATen.
#include "dist/gamma.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Gamma::Gamma(const Parameter& concentration, const Parameter& rate) {
  take({{&concentration_, &concentration}, {&rate_, &rate}});
  settle(slots());
}

Constraint Gamma::support() const { return constraints::nonnegative(); }

Tensor Gamma::draw(IntArrayRef shape) const {
  return (at::_standard_gamma(concentration_.expand(shape)) / rate_).clamp_min(tiny(rate_));
}

Tensor Gamma::log_density(const Tensor& value) const {
  const auto y = rate_ * value;
  const auto large = concentration_.ge(kStirlingStart);
  const auto plain = at::xlogy(concentration_ - 1, y) - y - at::lgamma(concentration_) + rate_.log();
  const auto together = log_gamma_kernel_large(concentration_.clamp_min(kStirlingStart), y) - value.log();
  return where_inside(value.ge(0), at::where(large, together, plain));
}

Tensor Gamma::entropy() const {
  const auto& a = concentration_;
  const auto high = a.clamp_min(kStirlingStart);
  const auto large = 0.5 * high.log() + kHalfLog2Pi + stirling_series(high) +
                     (1 - high) * (stirling_slope(high) - 0.5 / high);
  const auto plain = a + at::lgamma(a) + (1 - a) * at::digamma(a);
  return at::where(a.ge(kStirlingStart), large, plain) - rate_.log();
}

Tensor Gamma::mean() const { return concentration_ / rate_; }
Tensor Gamma::variance() const { return concentration_ / rate_.square(); }
Tensor Gamma::mode() const { return (concentration_ - 1).clamp_min(0) / rate_; }
Tensor Gamma::cdf(const Tensor& value) const { return at::special_gammainc(concentration_, rate_ * value); }

}  // namespace kullback::dist
