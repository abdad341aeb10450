// SDEs without a velocity, by alpha, sigma and their rates.
#pragma once

#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

// All [n]. drift: d log alpha / dt; diffusion: d sigma^2 / dt - 2 drift sigma^2.
inline Coefficients one_block(const torch::Tensor& drift, const torch::Tensor& diffusion,
                              const torch::Tensor& alpha, const torch::Tensor& variance) {
  const auto matrix = [](const torch::Tensor& number) { return number.view({-1, 1, 1}); };
  return {.drift = matrix(drift),
          .diffusion = matrix(diffusion),
          .mean = matrix(alpha),
          .variance = matrix(variance)};
}

}  // namespace kullback::deep::diffusion
