// Independent normals as tensors, for families and priors that are made of them.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <numbers>

namespace kullback::deep {

// log N(z; mean, sd) summed over the last dimension.
inline torch::Tensor log_normal(const torch::Tensor& z, const torch::Tensor& mean,
                                const torch::Tensor& log_sd) {
  const torch::Tensor standard = (z - mean) * at::exp(-log_sd);
  return (-0.5 * standard.square() - log_sd - 0.5 * std::log(2 * std::numbers::pi)).sum(-1);
}

inline torch::Tensor log_standard_normal(const torch::Tensor& z) {
  const double constant = 0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(z.size(-1));
  return -0.5 * z.square().sum(-1) - constant;
}

}  // namespace kullback::deep
