#include "deep/train/averaged.hpp"

#include <utility>

namespace kullback::deep {

Averaged::Averaged(torch::Tensor mean, AdamOptions adam, double averaging)
    : flat_(mean.clone()), mean_(std::move(mean)), adam_(flat_, adam), averaging_(averaging) {}

void Averaged::step(const torch::Tensor& gradient, const torch::Tensor& count, const torch::Tensor& scale) {
  adam_.step(flat_, gradient, count, scale);
  const torch::NoGradGuard no_gradient;
  const torch::Tensor keep = ((1 + count) / (10 + count)).clamp_max(averaging_).to(flat_.scalar_type());
  mean_.mul_(keep).add_(flat_ * (1 - keep));
}

void Averaged::visit(const VisitTensor& visit) {
  visit("flat", flat_);
  visit("mean", mean_);
  adam_.visit("adam", visit);
}

std::string Averaged::first_not_finite(const Layout& layout) const {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor bad = at::nonzero(at::logical_not(at::isfinite(flat_[0])));
  if (bad.size(0) > 0) return "parameters " + layout.owner(bad[0][0].item<std::int64_t>()).name;
  return {};
}

}  // namespace kullback::deep
