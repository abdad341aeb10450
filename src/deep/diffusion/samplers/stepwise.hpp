// Samplers that walk down a grid of times.
#pragma once

#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/diffusion/sampler.hpp"

namespace kullback::deep::diffusion {

// step(state, t, s) gives the state at s.
template <class Step>
torch::Tensor walk(const Sde& sde, const Score& score, const torch::Tensor& start,
                   const SampleOptions& options, const Step& step) {
  const torch::NoGradGuard no_gradient;
  const double end = end_time(sde, options);
  const std::vector<double> times = time_grid(sde, options.steps, options.grid, end);
  torch::Tensor state = start;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    state = step(state, times[i], times[i + 1]);
    if (after_step(options, static_cast<std::int64_t>(i) + 1, options.steps, times[i + 1], state))
      return state;
  }
  return finished(sde, score, state, end, options);
}

inline void refuse_velocity(const Sde& sde, const char* sampler) {
  if (sde.blocks() == 1) return;
  throw Error(ErrorKind::usage, fmt::format("--sampler {} needs an SDE without a velocity.", sampler),
              "Choose --sampler euler, heun or rk45.");
}

}  // namespace kullback::deep::diffusion
