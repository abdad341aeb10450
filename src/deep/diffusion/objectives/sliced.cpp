// Sliced score matching (Song, Garg, Shi, Ermon 2019): v^T (ds/dz) v and (v^T s)^2 along standard normal
// directions v, whose means over v are the trace and |s|^2.
#include "deep/counts.hpp"
#include "deep/diffusion/objectives/by_parts.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kSlices = CountOption("slices", 1, "Random directions for each row").from(1).to(10'000);

class Sliced final : public Objective {
 public:
  explicit Sliced(std::int64_t slices) : slices_(slices) {}

  torch::Tensor loss(const ObjectiveInput& input) const override {
    const StateAndScore at = state_and_score(input, "sliced");
    torch::Tensor sum = torch::zeros({at.state.size(0)}, at.state.options());
    for (std::int64_t i = 0; i < slices_; ++i) {
      const torch::Tensor v = input.noise.normal(at.state.sizes(), at.state.options(), 0);
      sum = sum + (at.score * v).sum(1).square() + 2 * curvature_along(at, v);
    }
    return at.weight * sum / static_cast<double>(slices_);
  }

 private:
  std::int64_t slices_;
};

constexpr const OptionRecord* kOptions[] = {&kSlices};

}  // namespace

extern const ObjectiveRecord k_sliced;
const ObjectiveRecord k_sliced = {.name = "sliced",
                                  .summary = "Sliced score matching: along random directions",
                                  .options = kOptions,
                                  .make = [](const OptionValues& values) -> std::unique_ptr<Objective> {
                                    return std::make_unique<Sliced>(count_of(values, kSlices));
                                  }};

}  // namespace kullback::deep::diffusion
