#include "dist/dirichlet.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

Dirichlet::Dirichlet(Tensor concentration) : concentration_(std::move(concentration)) {
  settle(slots(), concentration_.dim() > 0 ? Shape{concentration_.size(-1)} : Shape{});
}

Constraint Dirichlet::support() const { return constraints::simplex(); }

Tensor Dirichlet::draw(IntArrayRef shape) const {
  return differentiable_dirichlet(concentration_.expand(shape));
}

Tensor Dirichlet::log_density(const Tensor& value) const {
  return at::xlogy(concentration_ - 1, value).sum(-1) + at::lgamma(concentration_.sum(-1)) -
         at::lgamma(concentration_).sum(-1);
}

Tensor Dirichlet::entropy() const {
  const auto& a = concentration_;
  const auto sum = a.sum(-1);
  return at::lgamma(a).sum(-1) - at::lgamma(sum) +
         (sum - static_cast<double>(a.size(-1))) * at::digamma(sum) - ((a - 1) * at::digamma(a)).sum(-1);
}

Tensor Dirichlet::mean() const { return concentration_ / concentration_.sum(-1, true); }

Tensor Dirichlet::variance() const {
  const auto sum = concentration_.sum(-1, true);
  const auto mean = concentration_ / sum;
  return mean * (1 - mean) / (sum + 1);
}

// Inside the simplex when all parameters are above 1; the corner of the largest else.
Tensor Dirichlet::mode() const {
  const auto& a = concentration_;
  const auto inner = (a - 1) / (a.sum(-1, true) - static_cast<double>(a.size(-1)));
  const auto corner = at::zeros_like(a).scatter(-1, a.argmax(-1, true), 1);
  return at::where(a.gt(1).all(-1, true), inner, corner);
}

}  // namespace kullback::dist
