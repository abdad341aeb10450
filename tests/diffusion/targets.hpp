// Data whose noised densities are known.
#pragma once

#include <torch/types.h>

#include "deep/diffusion/score.hpp"

namespace kullback::deep::diffusion {

// Positive definite, with eigenvalues from about 0.3 to 2, by LibTorch's generator.
inline torch::Tensor random_covariance(std::int64_t dims) {
  const auto number = torch::TensorOptions(torch::kFloat64);
  const torch::Tensor a = torch::randn({dims, dims}, number);
  return a.mm(a.t()) / (2.0 * static_cast<double>(dims)) + 0.3 * torch::eye(dims, number);
}

inline Mixture random_mixture(std::int64_t components, std::int64_t dims, std::uint64_t seed) {
  at::manual_seed(seed);
  const auto number = torch::TensorOptions(torch::kFloat64);
  std::vector<torch::Tensor> covariances;
  for (std::int64_t k = 0; k < components; ++k) covariances.push_back(random_covariance(dims));
  const torch::Tensor share = torch::arange(1, components + 1, number);
  const torch::Tensor weight = share / share.sum(), mean = torch::randn({components, dims}, number);
  // Centred, as data are before a model sees them.
  return {.weight = weight,
          .mean = mean - weight.matmul(mean).unsqueeze(0),
          .covariance = at::stack(covariances)};
}

inline torch::Tensor mean_of(const Mixture& mixture) { return mixture.weight.matmul(mixture.mean); }

inline torch::Tensor covariance_of(const Mixture& mixture) {
  const torch::Tensor away = mixture.mean - mean_of(mixture).unsqueeze(0);
  const torch::Tensor between = (mixture.weight.unsqueeze(1) * away).t().mm(away);
  return (mixture.weight.view({-1, 1, 1}) * mixture.covariance).sum(0) + between;
}

inline torch::Tensor at_time(double t) { return torch::full({1}, t, torch::kFloat64); }

}  // namespace kullback::deep::diffusion
