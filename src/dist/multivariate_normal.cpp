// log p = -|L^-1 (x - m)|^2/2 - sum log diag L - n log(2 pi)/2.
#include "dist/multivariate_normal.hpp"

#include "dist/linear_algebra.hpp"
#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

std::vector<Distribution::Slot> MultivariateNormal::slots() {
  return {{"loc", &loc_, constraints::finite_vector()},
          {"scale_tril", &scale_tril_, constraints::lower_cholesky()}};
}

// What can be said of the matrix as it was given, before it is factored.
void MultivariateNormal::begin(const char* parameter, const Tensor& matrix) {
  const auto n = loc_.dim() > 0 ? loc_.size(-1) : 0;
  if (n == 0 || matrix.dim() < 2 || matrix.size(-1) != n || matrix.size(-2) != n) {
    refuse("loc has shape " + text_of(loc_.sizes()) + " and " + parameter + " " + text_of(matrix.sizes()),
           "give loc of shape batch + [n] and a matrix of shape batch + [n, n]");
  }
}

MultivariateNormal::MultivariateNormal(Tensor loc, const ScaleTril& scale_tril)
    : loc_(std::move(loc)), scale_tril_(scale_tril.value) {
  begin("scale_tril", scale_tril_);
  settle(slots(), {loc_.size(-1)});
}

MultivariateNormal::MultivariateNormal(Tensor loc, const Covariance& covariance) : loc_(std::move(loc)) {
  begin("covariance", covariance.value);
  if (validates()) require("covariance", constraints::positive_definite(), covariance.value);
  scale_tril_ = cholesky_factor(covariance.value);
  settle(slots(), {loc_.size(-1)});
}

MultivariateNormal::MultivariateNormal(Tensor loc, const Precision& precision) : loc_(std::move(loc)) {
  begin("precision", precision.value);
  if (validates()) require("precision", constraints::positive_definite(), precision.value);
  scale_tril_ = scale_tril_of_precision(precision.value);
  settle(slots(), {loc_.size(-1)});
}

Constraint MultivariateNormal::support() const { return constraints::real_vector(); }

Tensor MultivariateNormal::draw(IntArrayRef shape) const {
  return loc_ + times(scale_tril_, at::randn(shape, loc_.options().requires_grad(false)));
}

Tensor MultivariateNormal::log_density(const Tensor& value) const {
  const auto n = static_cast<double>(loc_.size(-1));
  const auto squares = sum_squares(solve_lower(scale_tril_, value - loc_), 1);
  return -0.5 * squares - (sum_log_diagonal(scale_tril_) + n * kHalfLog2Pi);
}

Tensor MultivariateNormal::entropy() const {
  const auto n = static_cast<double>(loc_.size(-1));
  return over_batch(sum_log_diagonal(scale_tril_) + n * (0.5 + kHalfLog2Pi));
}

Tensor MultivariateNormal::mean() const { return over_events(loc_); }
Tensor MultivariateNormal::variance() const { return over_events(scale_tril_.square().sum(-1)); }
Tensor MultivariateNormal::mode() const { return mean(); }

}  // namespace kullback::dist
