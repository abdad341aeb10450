// Score matching without knowing the noise (Hyvarinen 2005): E |s - grad log p|^2 = E (|s|^2 + 2 tr ds/dz) +
// constant, at states of noised data.
#pragma once

#include "deep/diffusion/objective.hpp"

namespace kullback::deep::diffusion {

struct StateAndScore {
  torch::Tensor state;  // takes gradients
  torch::Tensor score;
  torch::Tensor weight;  // [rows]: of an error of the score, sigma^4 / alpha^2 times that of the data
};

// Throws Error usage for an SDE with a velocity; `name` is the objective's.
StateAndScore state_and_score(const ObjectiveInput& input, const char* name);

// v^T (ds/dz) v, [rows], with a graph of its own.
torch::Tensor curvature_along(const StateAndScore& at, const torch::Tensor& v);

}  // namespace kullback::deep::diffusion
