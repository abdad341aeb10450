// Short runs from noise (Nijkamp, Hill, Zhu, Wu 2019): chains begin at draws of the base in each step and go
// `chain-steps` transitions. What is learned is a sampler of so many transitions; the energy is that of a
// density only where the chains converge within them.
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

class ShortRun final : public EnergyTraining {
 public:
  explicit ShortRun(std::int64_t transitions) : transitions_(transitions) {}

  EnergyLoss loss(const EnergyPass& pass) override {
    torch::Tensor chains = pass.energy.base_draws(pass.x.size(0), Noise());
    return contrast(pass, chains, transitions_);
  }

 private:
  std::int64_t transitions_;
};

}  // namespace

extern const EnergyTrainingRecord kShortRunTraining;
const EnergyTrainingRecord kShortRunTraining{
    .name = "short-run",
    .summary = "short runs from noise",
    .use_when = "You want samples from noise by few transitions, not likelihoods.",
    .citation =
        "Nijkamp, Hill, Zhu, Wu 2019, Learning non-convergent non-persistent short-run MCMC toward "
        "energy-based model",
    .options = {{"chain-steps", "50", "transitions of each chain in a step of the training"}},
    .make = [](const Settings& settings, const Energy&) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<ShortRun>(
          static_cast<std::int64_t>(settings.count("chain-steps", 1, 1'000'000)));
    }};

}  // namespace kullback::deep
