#include "deep/diffusion/objectives/by_parts.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <string>

#include "base/error.hpp"

namespace kullback::deep::diffusion {

StateAndScore state_and_score(const ObjectiveInput& input, const char* name) {
  if (input.network.sde.blocks() != 1)
    throw Error(ErrorKind::usage, std::string("--objective ") + name + " needs an SDE without a velocity.",
                "Choose --objective denoising.");
  const torch::Tensor state = perturb(input.at, input.x, input.normal).detach().requires_grad_();
  const torch::Tensor alpha = input.at.mean.flatten(), variance = input.at.variance.flatten();
  return {.state = state,
          .score = predicted_score(input.network, input.parameters, input.at, state, input.label),
          .weight = (input.weight * (variance / alpha).square()).to(state.scalar_type())};
}

torch::Tensor curvature_along(const StateAndScore& at, const torch::Tensor& v) {
  const torch::Tensor product = torch::autograd::grad({(at.score * v).sum()}, {at.state}, {}, true, true)[0];
  return (product * v).sum(1);
}

}  // namespace kullback::deep::diffusion
