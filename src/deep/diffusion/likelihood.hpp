// log p(x) through the probability flow: the log density of the noise at its end, plus the integral of the
// divergence of the velocity along the way.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "deep/diffusion/runge_kutta.hpp"
#include "deep/diffusion/score.hpp"
#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

struct LikelihoodOptions {
  OdeOptions ode = {};
  double t_min = -1;             // where the density is; below 0: the SDE's own
  std::int64_t exact_dims = 64;  // up to so many numbers of a state the divergence is exact
  std::int64_t probes = 4;       // of Hutchinson's estimate beyond; velocities of an SDE that has them
  bool wants_ode_error = true;   // solves again with ten times the tolerance
  std::function<void(std::int64_t done, std::int64_t of)> on_solve = {};
};

struct Likelihood {
  torch::Tensor log_density;     // [rows], nats
  torch::Tensor standard_error;  // [rows]: of the probes; 0 where the divergence is exact
  double ode_error = 0;          // largest change of a row with ten times the tolerance; NaN: not asked for
  std::int64_t evaluations = 0;  // of the score, by one row
};

// x [rows, dims] of data in the score's own units. With a velocity v the density is
// E p(x, v) / p(v) over the draws of v at the beginning. Draws from LibTorch's generator.
Likelihood log_likelihood(const Sde& sde, const Score& score, const torch::Tensor& x,
                          const LikelihoodOptions& options = {});

}  // namespace kullback::deep::diffusion
