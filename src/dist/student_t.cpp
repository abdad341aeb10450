// log p = -log B(1/2, v/2) - log(v)/2 - log s - (v + 1)/2 log(1 + z^2/v): log B keeps its digits where the
// difference of log Gammas of v = 1e6 has none left in single precision. A draw is a normal one over the root
// of a chi-square one over v; its gradient goes through the gamma draw.
#include "dist/student_t.hpp"

#include <cmath>

#include "dist/numerics.hpp"

namespace kullback::dist {

StudentT::StudentT(const Parameter& df, const Parameter& loc, const Parameter& scale) {
  take({{&df_, &df}, {&loc_, &loc}, {&scale_, &scale}});
  settle(slots());
}

Constraint StudentT::support() const { return constraints::real(); }

Tensor StudentT::draw(IntArrayRef shape) const {
  const auto half_df = 0.5 * df_;
  const auto gamma = at::_standard_gamma(half_df.expand(shape)).clamp_min(tiny(df_));
  const auto normal = at::randn(shape, df_.options().requires_grad(false));
  return at::addcmul(loc_, scale_, normal * at::sqrt(half_df / gamma));
}

Tensor StudentT::log_density(const Tensor& value) const {
  const auto z = (value - loc_) / scale_;
  const auto half_df = 0.5 * df_;
  const auto normaliser = log_beta(at::full_like(half_df, 0.5), half_df) + 0.5 * df_.log() + scale_.log();
  return -(half_df + 0.5) * at::log1p(z.square() / df_) - normaliser;
}

Tensor StudentT::entropy() const {
  const auto half_df = 0.5 * df_;
  const auto normaliser = log_beta(at::full_like(half_df, 0.5), half_df) + 0.5 * df_.log() + scale_.log();
  return over_batch((half_df + 0.5) * digamma_half_step(half_df) + normaliser);
}

Tensor StudentT::mean() const {
  return at::where(df_.gt(1), loc_, at::full_like(loc_, NAN)).expand(batch_shape());
}

Tensor StudentT::variance() const {
  const auto finite = scale_.square() * (df_ / (df_ - 2));
  const auto heavy = at::where(df_.gt(1), infinite_like(df_), at::full_like(df_, NAN));
  return over_batch(at::where(df_.gt(2), finite, heavy));
}

Tensor StudentT::mode() const { return over_batch(loc_); }

}  // namespace kullback::dist
