// Draws come from a Dirichlet distribution of two parts, with ATen's implicit gradient.
#include "dist/beta.hpp"

#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

Beta::Beta(const Parameter& a, const Parameter& b) {
  take({{&a_, &a}, {&b_, &b}});
  settle(slots());
}

Constraint Beta::support() const { return constraints::unit_interval(); }

Tensor Beta::draw(IntArrayRef shape) const {
  const auto both = at::stack({a_.expand(batch_shape()), b_.expand(batch_shape())}, -1);
  return differentiable_dirichlet(both.expand(joined(shape, Shape{2}))).select(-1, 0);
}

Tensor Beta::log_density(const Tensor& value) const {
  return at::xlogy(a_ - 1, value) + at::special_xlog1py(b_ - 1, -value) - log_beta(a_, b_);
}

Tensor Beta::entropy() const {
  const auto sum = a_ + b_;
  return log_beta(a_, b_) - (a_ - 1) * at::digamma(a_) - (b_ - 1) * at::digamma(b_) +
         (sum - 2) * at::digamma(sum);
}

Tensor Beta::mean() const { return a_ / (a_ + b_); }

Tensor Beta::variance() const {
  const auto sum = a_ + b_;
  return (a_ / sum) * (b_ / sum) / (sum + 1);
}

// Inside only when both parameters are above 1; at the end with the pole else.
Tensor Beta::mode() const {
  const auto inner = (a_ - 1) / (a_ + b_ - 2);
  const auto inside = at::logical_and(a_.gt(1), b_.gt(1));
  return at::where(inside, inner, a_.gt(b_).to(a_.scalar_type()));
}

}  // namespace kullback::dist
