// Denoising score matching (Vincent 2011): the mean of the data given the state has the least squared error,
// and with it the score is known. With a velocity (hybrid score matching, Dockhorn et al. 2022) the noise of
// the velocity given the data alone stands in for the data.
#include "deep/diffusion/objective.hpp"

namespace kullback::deep::diffusion {

namespace {

class Denoising final : public Objective {
 public:
  torch::Tensor loss(const ObjectiveInput& input) const override {
    const torch::Tensor state = perturb(input.at, input.x, input.normal);
    const std::int64_t dims = input.x.size(1);
    const torch::Tensor error =
        input.network.sde.blocks() == 1
            ? predicted_data(input.network, input.parameters, input.at, state, input.label) - input.x
            : predicted_noise(input.network, input.parameters, input.at, state, input.label) -
                  input.normal.narrow(1, dims, dims);
    return input.weight.to(error.scalar_type()) * error.square().sum(1);
  }
};

}  // namespace

extern const ObjectiveRecord k_denoising;
const ObjectiveRecord k_denoising = {
    .name = "denoising",
    .summary = "Denoising score matching",
    .options = {},
    .make = [](const OptionValues&) -> std::unique_ptr<Objective> { return std::make_unique<Denoising>(); }};

}  // namespace kullback::deep::diffusion
