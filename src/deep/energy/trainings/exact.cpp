// The likelihood itself: -log p(x) = E(x) + log Z, where log Z can be had (a machine with few hidden units,
// one or two dimensions). What the other trainings are measured by.
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

class Exact final : public EnergyTraining {
 public:
  EnergyLoss loss(const EnergyPass& pass) override {
    const torch::Tensor of_data = pass.energy(pass.parameters, pass.x).mean();
    const torch::Tensor loss = of_data + pass.energy.log_partition(pass.parameters).to(of_data.scalar_type());
    const torch::Tensor zero = torch::zeros_like(loss.detach());
    return {.loss = loss,
            .of_data = of_data.detach(),
            .of_chains = of_data.detach(),
            .acceptance = zero + 1,
            .largest = zero};
  }
};

}  // namespace

extern const EnergyTrainingRecord kExactTraining;
const EnergyTrainingRecord kExactTraining{
    .name = "exact",
    .summary = "the likelihood itself, by summing or integrating all states",
    .use_when = "The machine has at most 16 hidden units, or rows have one or two numbers.",
    .citation = "",
    .needs_exact_partition = true,
    .options = {},
    .make = [](const OptionValues&, const Energy&) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<Exact>();
    }};

}  // namespace kullback::deep
