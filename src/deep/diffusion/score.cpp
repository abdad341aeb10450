// In the eigenvectors of a component's covariance its coordinates are independent, and coordinate j of the
// state has the variance C_j = m m^T l_j + variance(t), where m is the first column of the SDE's mean and l_j
// the eigenvalue: 1 x 1 or 2 x 2. The gradient of a mixture is that of its components, weighted by their
// shares.
#include "deep/diffusion/score.hpp"

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

namespace kullback::deep::diffusion {

torch::Tensor denoised(const Sde& sde, const Score& score, const torch::Tensor& state,
                       const torch::Tensor& t) {
  const Level here = level(sde, t);
  const torch::Tensor alpha = here.alpha.to(state.scalar_type()).unsqueeze(1),
                      sigma = here.sigma.to(state.scalar_type()).unsqueeze(1);
  return (state + sigma.square() * score.at(state, t)) / alpha;
}

namespace {

// x [rows, components, blocks, dims] times the matrix of its component, one product for each.
torch::Tensor by_component(const torch::Tensor& x, const torch::Tensor& matrices) {
  const torch::Tensor together = x.transpose(0, 1).reshape({x.size(1), -1, x.size(3)});
  return at::bmm(together, matrices).view({x.size(1), x.size(0), x.size(2), -1}).transpose(0, 1);
}

}  // namespace

struct MixtureScore::Parts {
  torch::Tensor log_joint;  // [rows, components]: log weight + log density
  torch::Tensor gradient;   // [rows, components, blocks * dims]
};

MixtureScore::MixtureScore(const Sde& sde, Mixture mixture) : sde_(sde), mixture_(std::move(mixture)) {
  std::tie(values_, vectors_) = at::linalg_eigh(mixture_.covariance);
}

MixtureScore::Parts MixtureScore::parts(const torch::Tensor& state, const torch::Tensor& t) const {
  const Coefficients at = sde_.at(t);
  const std::int64_t blocks = sde_.blocks(), dims = this->dims();
  const torch::Tensor first = at.mean.select(2, 0);  // [n, blocks]
  // [rows, components, blocks, dims]
  const torch::Tensor center = first.view({-1, 1, blocks, 1}) * mixture_.mean.view({1, -1, 1, dims});
  const torch::Tensor away = state.view({-1, 1, blocks, dims}) - center;
  const torch::Tensor turned = by_component(away, vectors_);
  const auto variance = [&](std::int64_t a, std::int64_t b) {  // [n, components, dims]
    return (first.select(1, a) * first.select(1, b)).view({-1, 1, 1}) * values_.unsqueeze(0) +
           at.variance.select(1, a).select(1, b).view({-1, 1, 1});
  };
  torch::Tensor solved, log_det;
  if (blocks == 1) {
    const torch::Tensor c = variance(0, 0);
    solved = turned / c.unsqueeze(2);
    log_det = at::log(c).sum(2);
  } else {
    const torch::Tensor xx = variance(0, 0), xv = variance(0, 1), vv = variance(1, 1);
    const torch::Tensor det = xx * vv - xv * xv;
    const torch::Tensor x = turned.select(2, 0), v = turned.select(2, 1);
    solved = at::stack({(vv * x - xv * v) / det, (xx * v - xv * x) / det}, 2);
    log_det = at::log(det).sum(2);
  }
  const double constant = static_cast<double>(blocks * dims) * std::log(2 * std::numbers::pi);
  const torch::Tensor square = (turned * solved).sum({2, 3});
  return {.log_joint = at::log(mixture_.weight).unsqueeze(0) - (square + log_det + constant) / 2,
          .gradient = -by_component(solved, vectors_.transpose(1, 2)).flatten(2)};
}

torch::Tensor MixtureScore::at(const torch::Tensor& state, const torch::Tensor& t) const {
  const Parts all = parts(state, t);
  return (at::softmax(all.log_joint, 1).unsqueeze(2) * all.gradient).sum(1);
}

torch::Tensor MixtureScore::log_density(const torch::Tensor& state, const torch::Tensor& t) const {
  return at::logsumexp(parts(state, t).log_joint, 1);
}

torch::Tensor MixtureScore::draw(std::int64_t rows) const {
  const torch::Tensor which = at::multinomial(mixture_.weight, rows, true);
  const torch::Tensor normal = torch::randn({rows, dims()}, torch::kFloat64);
  torch::Tensor x = torch::empty_like(normal);
  for (std::int64_t k = 0; k < mixture_.weight.size(0); ++k) {
    const torch::Tensor index = at::nonzero(which == k).squeeze(1);
    const torch::Tensor scaled = normal.index_select(0, index) * values_[k].sqrt();
    x.index_copy_(0, index, mixture_.mean[k] + scaled.mm(vectors_[k].t()));
  }
  return x;
}

torch::Tensor MixtureScore::data_log_density(const torch::Tensor& x) const {
  const torch::Tensor away = x.unsqueeze(1) - mixture_.mean.unsqueeze(0);
  const torch::Tensor turned = by_component(away.unsqueeze(2), vectors_).squeeze(2);
  const double constant = static_cast<double>(dims()) * std::log(2 * std::numbers::pi);
  const torch::Tensor square = (turned.square() / values_.unsqueeze(0)).sum(2);
  return at::logsumexp(
      at::log(mixture_.weight).unsqueeze(0) - (square + at::log(values_).sum(1).unsqueeze(0) + constant) / 2,
      1);
}

}  // namespace kullback::deep::diffusion
