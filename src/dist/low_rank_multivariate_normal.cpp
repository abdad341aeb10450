// With D = diag(d) and the capacitance C = I + W' D^-1 W = K K' (Woodbury, matrix determinant lemma):
//   v' S^-1 v = sum v^2/d - |K^-1 W' D^-1 v|^2,   log det S = sum log d + 2 sum log diag K.
#include "dist/low_rank_multivariate_normal.hpp"

#include "dist/linear_algebra.hpp"
#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

std::vector<Distribution::Slot> LowRankMultivariateNormal::slots() {
  return {{"loc", &loc_, constraints::finite_vector()},
          {"factor", &factor_, constraints::finite_matrix()},
          {"diagonal", &diagonal_, constraints::positive_vector()}};
}

LowRankMultivariateNormal::LowRankMultivariateNormal(Tensor loc, Tensor factor, Tensor diagonal)
    : loc_(std::move(loc)), factor_(std::move(factor)), diagonal_(std::move(diagonal)) {
  const bool fits = loc_.dim() > 0 && factor_.dim() > 1 && diagonal_.dim() > 0 &&
                    factor_.size(-2) == loc_.size(-1) && diagonal_.size(-1) == loc_.size(-1);
  if (!fits) {
    refuse("loc has shape " + text_of(loc_.sizes()) + ", factor " + text_of(factor_.sizes()) +
               " and diagonal " + text_of(diagonal_.sizes()),
           "give shapes batch + [n], batch + [n, rank] and batch + [n]");
  }
  settle(slots(), {loc_.size(-1)});
}

Constraint LowRankMultivariateNormal::support() const { return constraints::real_vector(); }

Tensor LowRankMultivariateNormal::covariance() const {
  return at::matmul(factor_, factor_.mT()) + at::diag_embed(diagonal_);
}

Tensor LowRankMultivariateNormal::capacitance_tril() const {
  const auto identity = at::eye(factor_.size(-1), factor_.options().requires_grad(false));
  return cholesky_factor(at::matmul(factor_.mT() / diagonal_.unsqueeze(-2), factor_) + identity);
}

Tensor LowRankMultivariateNormal::log_determinant() const { return log_determinant(capacitance_tril()); }

Tensor LowRankMultivariateNormal::log_determinant(const Tensor& capacitance) const {
  return diagonal_.log().sum(-1) + 2 * sum_log_diagonal(capacitance);
}

Tensor LowRankMultivariateNormal::squared_distance(const Tensor& deviation) const {
  return squared_distance(deviation, capacitance_tril());
}

Tensor LowRankMultivariateNormal::squared_distance(const Tensor& deviation, const Tensor& capacitance) const {
  const auto scaled = deviation / diagonal_;
  const auto projected = times(factor_.mT(), scaled);
  return (deviation * scaled).sum(-1) - sum_squares(solve_lower(capacitance, projected), 1);
}

Tensor LowRankMultivariateNormal::draw(IntArrayRef shape) const {
  const auto options = loc_.options().requires_grad(false);
  const auto few = joined(shape.slice(0, shape.size() - 1), Shape{factor_.size(-1)});
  const auto low_rank = times(factor_, at::randn(few, options));
  return at::addcmul(loc_ + low_rank, diagonal_.sqrt(), at::randn(shape, options));
}

Tensor LowRankMultivariateNormal::log_density(const Tensor& value) const {
  const auto n = static_cast<double>(loc_.size(-1));
  const auto capacitance = capacitance_tril();
  return -0.5 * (squared_distance(value - loc_, capacitance) + log_determinant(capacitance)) -
         n * kHalfLog2Pi;
}

Tensor LowRankMultivariateNormal::entropy() const {
  const auto n = static_cast<double>(loc_.size(-1));
  return over_batch(0.5 * log_determinant() + n * (0.5 + kHalfLog2Pi));
}

Tensor LowRankMultivariateNormal::mean() const { return over_events(loc_); }
Tensor LowRankMultivariateNormal::variance() const {
  return over_events(factor_.square().sum(-1) + diagonal_);
}
Tensor LowRankMultivariateNormal::mode() const { return mean(); }

}  // namespace kullback::dist
