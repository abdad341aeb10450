#include "deep/energy/energy_training.hpp"

#include <array>

namespace kullback::deep {

#define KULLBACK_ENERGY_TRAINING(record) extern const EnergyTrainingRecord record;
#include "deep/energy/trainings.def"
#undef KULLBACK_ENERGY_TRAINING

std::span<const EnergyTrainingRecord* const> energy_trainings() {
  static const std::array kRecords = {
#define KULLBACK_ENERGY_TRAINING(record) &record,
#include "deep/energy/trainings.def"
#undef KULLBACK_ENERGY_TRAINING
  };
  return kRecords;
}

const EnergyTrainingRecord* find_energy_training(std::string_view name) {
  for (const EnergyTrainingRecord* record : energy_trainings())
    if (record->name == name) return record;
  return nullptr;
}

EnergyLoss contrast(const EnergyPass& pass, torch::Tensor& from, std::int64_t transitions,
                    const torch::Tensor& weights) {
  const ChainTarget target(pass.energy, pass.fixed);
  torch::Tensor acceptance;
  for (std::int64_t i = 0; i < transitions; ++i) {
    const ChainStep step = pass.sampler.move(target, from, true);
    from = step.x.detach();
    acceptance = i == 0 ? step.acceptance : acceptance + step.acceptance;
  }
  // One evaluation of both.
  const std::int64_t rows = pass.x.size(0);
  const torch::Tensor energies = pass.energy(pass.parameters, at::cat({pass.x, from}));
  const torch::Tensor of_data = energies.narrow(0, 0, rows);
  const torch::Tensor of_chains = energies.narrow(0, rows, from.size(0));
  const auto mean = [&](const torch::Tensor& x) {
    return weights.defined() ? (weights * x).sum() : x.mean();
  };
  return {.loss = of_data.mean() - mean(of_chains),
          .of_data = of_data.detach().mean(),
          .of_chains = mean(of_chains.detach()),
          .acceptance = acceptance.detach() / static_cast<double>(transitions),
          .largest = of_chains.detach().abs().max(),
          .squares = of_data.square().mean() + mean(of_chains.square()),
          .energies_of_chains = of_chains.detach()};
}

}  // namespace kullback::deep
