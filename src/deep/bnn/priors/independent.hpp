// Pieces of priors: parameters that are no weights, and sums over slots.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <numbers>

#include "deep/net/layout.hpp"

namespace kullback::deep {

// sum log N(x | 0, sd^2) over all but the first dimension: [nets].
inline torch::Tensor normal_sum(const torch::Tensor& x, double sd) {
  const torch::Tensor flat = x.flatten(1);
  return flat.square().sum(1) * (-0.5 / (sd * sd)) -
         static_cast<double>(flat.size(1)) * (std::log(sd) + 0.5 * std::log(2 * std::numbers::pi));
}

// A slot of a scalar for each net is [nets]; of arrays [nets, ...].
inline torch::Tensor by_net(const torch::Tensor& array) {
  return array.dim() == 1 ? array.unsqueeze(1) : array;
}

// The scale of weights that are summed so often.
inline double per_input(double scale, const Slot& slot) {
  return scale / std::sqrt(static_cast<double>(slot.fan_in));
}

}  // namespace kullback::deep
