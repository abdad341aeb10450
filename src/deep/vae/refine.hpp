// Numbers of q(z | x) refined for each row, from the encoder's outputs.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/vae/latent_family.hpp"
#include "deep/vae/objective.hpp"

namespace kullback::deep {

// The ELBO of q with these numbers [rows, encoder outputs], for each row. Throws Error usage for codes.
torch::Tensor elbo_at(const Pass& pass, const torch::Tensor& outputs, std::int64_t samples);

struct Refinement {
  std::int64_t steps = 10;
  double rate = 0.1;
  double momentum = 0.5;
  double clip = 5;  // longest gradient of a row
  std::int64_t samples = 1;
  // Whether the result is differentiable to the encoder's outputs and to the parameters, through all steps;
  // otherwise it is a constant.
  bool is_through = false;
};

// Steps up the gradient of the ELBO: outputs [rows, encoder outputs], refined.
torch::Tensor refine(const Pass& pass, const torch::Tensor& outputs, const Refinement& how);

// A family with a network that reads a row's numbers and the gradient of its ELBO, and proposes better ones.
class RefiningFamily : public LatentFamily {
 public:
  virtual torch::Tensor refined(const Parameters& parameters, const torch::Tensor& outputs,
                                const torch::Tensor& gradient) const = 0;
};

// Every estimate from the encoder's outputs on, steps + 1 of them, and its ELBO [rows]; gradients reach the
// network by each step alone. Throws Error usage for a family without such a network.
struct Iterates {
  std::vector<torch::Tensor> outputs;
  std::vector<torch::Tensor> bounds;
};
Iterates iterate(const Pass& pass, const torch::Tensor& outputs, std::int64_t steps, std::int64_t samples);

}  // namespace kullback::deep
