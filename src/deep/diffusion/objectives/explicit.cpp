// Explicit score matching: the trace of the Jacobian exactly up to --exact-dims numbers (a backward pass for
// each), else by one sign vector (Hutchinson).
#include <torch/csrc/autograd/autograd.h>

#include "deep/counts.hpp"
#include "deep/diffusion/objectives/by_parts.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kExactDims =
    CountOption("exact_dims", 16, "Columns up to which the divergence is exact").from(0).to(100'000);

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

constexpr const OptionRecord* kOptions[] = {&kExactDims};

}  // namespace

extern const ObjectiveRecord k_explicit;
const ObjectiveRecord k_explicit = {
    .name = "explicit",
    .summary = "Explicit score matching: the divergence of the score, exact or by Hutchinson's estimate",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Objective> {
      return std::make_unique<Explicit>(count_of(values, kExactDims));
    }};

}  // namespace kullback::deep::diffusion
