// What samplers see of a density exp(-U): values and slopes for many chains at once.
#pragma once

#include <torch/types.h>

#include <functional>

namespace kullback::deep {

struct Potential {
  torch::Tensor value;     // U of each chain: [chains, 1], in double precision
  torch::Tensor gradient;  // of U: [chains, dim]
};

using PotentialAt = std::function<Potential(const torch::Tensor& x)>;  // x: [chains, dim]

}  // namespace kullback::deep
