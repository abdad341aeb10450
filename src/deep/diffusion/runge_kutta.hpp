// Dormand and Prince's pair of order 5 and 4 with a step size of its own.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace kullback::deep::diffusion {

struct OdeOptions {
  double relative = 1e-5;  // tolerated error of a step
  double absolute = 1e-5;
  std::int64_t max_steps = 100'000;  // tried ones; more: Error bad_input
};

struct OdeResult {
  torch::Tensor state;
  std::int64_t evaluations = 0;
  std::int64_t steps = 0;
};

// dz/dt = velocity(z, t) from t = from to t = to (either direction) for all rows at once; the error of a row
// is the root mean square over its numbers, that of a step the largest of a row. on_step(t, state) may end it
// by true.
OdeResult solve_ode(const std::function<torch::Tensor(const torch::Tensor& state, double t)>& velocity,
                    const torch::Tensor& start, double from, double to, const OdeOptions& options,
                    const std::function<bool(double t, const torch::Tensor& state)>& on_step = {});

}  // namespace kullback::deep::diffusion
