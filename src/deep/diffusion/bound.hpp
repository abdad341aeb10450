// The variational bound on log p(x) of a diffusion model (Kingma et al. 2021), of SDEs without a velocity.
#pragma once

#include <torch/types.h>

#include "deep/diffusion/learned_score.hpp"
#include "deep/diffusion/times.hpp"

namespace kullback::deep::diffusion {

// What the data are, in the model's units: numbers, or levels of pixels (x = (level / 255 - center) / sd).
struct DataUnits {
  bool has_levels = false;
  double center = 0, sd = 1;  // of levels
};

// Each [rows], nats: bound = -(prior + diffusion + reconstruction). Of numbers it is a bound on a log density
// in the model's units, of levels one on a log probability.
struct BoundTerms {
  torch::Tensor prior, diffusion, reconstruction;

  torch::Tensor bound() const { return -(prior + diffusion + reconstruction); }
};

// How far the last state is from noise alone: KL of z at t_max given x from where reverse processes begin.
torch::Tensor prior_term(const Sde& sde, const torch::Tensor& x);
// -log p(x | z) at t_min, where x is normal around z / alpha with the sd sigma / alpha, or one of the levels
// with chances in these proportions. normal: [rows, dims].
torch::Tensor reconstruction_term(const Sde& sde, const torch::Tensor& x, const torch::Tensor& normal,
                                  const DataUnits& units);
// The noise's error, at one level of noise for each row, equally likely in its logarithm. uniform: double
// [rows].
torch::Tensor diffusion_term(const Sde& sde, const Score& score, const RatioTable& table,
                             const torch::Tensor& x, const torch::Tensor& uniform,
                             const torch::Tensor& normal);

// The means over `draws` levels for each row, by LibTorch's generator; levels are spread evenly over the
// draws.
BoundTerms bound_terms(const Sde& sde, const Score& score, const torch::Tensor& x, const DataUnits& units,
                       std::int64_t draws);
// label [rows, labels] or undefined.
BoundTerms bound_terms(const Network& network, const Parameters& parameters, const torch::Tensor& x,
                       const torch::Tensor& label, const DataUnits& units, std::int64_t draws);

}  // namespace kullback::deep::diffusion
