// Explicit score matching: the trace of the Jacobian exactly up to --exact-dims numbers (a backward pass for
// each), else by one sign vector (Hutchinson).
#include <torch/csrc/autograd/autograd.h>

#include "deep/diffusion/objectives/by_parts.hpp"

namespace kullback::deep::diffusion {

namespace {

class Explicit final : public Objective {
 public:
  explicit Explicit(std::int64_t exact_dims) : exact_dims_(exact_dims) {}

  torch::Tensor loss(const ObjectiveInput& input) const override {
    const StateAndScore at = state_and_score(input, "explicit");
    torch::Tensor trace = torch::zeros({at.state.size(0)}, at.state.options());
    if (at.state.size(1) <= exact_dims_) {
      for (std::int64_t i = 0; i < at.state.size(1); ++i)
        trace =
            trace +
            torch::autograd::grad({at.score.select(1, i).sum()}, {at.state}, {}, true, true)[0].select(1, i);
    } else {
      const torch::Tensor uniform = input.noise.uniform(at.state.sizes(), at.state.options(), 0);
      trace = curvature_along(
          at, at::where(uniform < 0.5, torch::ones_like(uniform), -torch::ones_like(uniform)));
    }
    return at.weight * (at.score.square().sum(1) + 2 * trace);
  }

 private:
  std::int64_t exact_dims_;
};

}  // namespace

extern const ObjectiveRecord k_explicit;
const ObjectiveRecord k_explicit = {
    .name = "explicit",
    .summary = "Explicit score matching: the divergence of the score, exact or by Hutchinson's estimate",
    .options = {{"exact-dims", "16", "columns up to which the divergence is exact"}},
    .make = [](const Settings& settings) -> std::unique_ptr<Objective> {
      return std::make_unique<Explicit>(static_cast<std::int64_t>(settings.count("exact-dims", 0, 100'000)));
    }};

}  // namespace kullback::deep::diffusion
