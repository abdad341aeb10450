// A step of overdamped Langevin dynamics in exp(-U / temperature).
#pragma once

#include <torch/types.h>

namespace kullback::deep {

struct LangevinStep {
  torch::Tensor size;  // h: one number, or one for each coordinate
  double temperature = 1;
};

// In place: x <- x - h dU/dx + sqrt(2 h temperature) N(0, 1). `normal` has the shape of x.
void langevin_step(torch::Tensor& x, const torch::Tensor& gradient, const LangevinStep& step,
                   const torch::Tensor& normal);

}  // namespace kullback::deep
