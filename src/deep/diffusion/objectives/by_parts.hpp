// Score matching without knowing the noise (Hyvarinen 2005): E |s - grad log p|^2 = E (|s|^2 + 2 tr ds/dz) +
// constant, at states of noised data.
#pragma once

#include <torch/csrc/autograd/autograd.h>

#include "base/error.hpp"
#include "deep/diffusion/objective.hpp"

namespace kullback::deep::diffusion {

struct StateAndScore {
  torch::Tensor state;  // takes gradients
  torch::Tensor score;
  torch::Tensor weight;  // [rows]: of an error of the score, sigma^4 / alpha^2 times that of the data
};

inline StateAndScore state_and_score(const ObjectiveInput& input, const char* name) {
  if (input.network.sde.blocks() != 1)
    throw Error(ErrorKind::usage, std::string("--objective ") + name + " needs an SDE without a velocity.",
                "Choose --objective denoising.");
  const torch::Tensor state = perturb(input.at, input.x, input.normal).detach().requires_grad_();
  const torch::Tensor alpha = input.at.mean.flatten(), variance = input.at.variance.flatten();
  return {.state = state,
          .score = predicted_score(input.network, input.parameters, input.at, state, input.label),
          .weight = (input.weight * (variance / alpha).square()).to(state.scalar_type())};
}

// v^T (ds/dz) v, [rows], with a graph of its own.
inline torch::Tensor curvature_along(const StateAndScore& at, const torch::Tensor& v) {
  const torch::Tensor product = torch::autograd::grad({(at.score * v).sum()}, {at.state}, {}, true, true)[0];
  return (product * v).sum(1);
}

}  // namespace kullback::deep::diffusion
