// Short runs from noise (Nijkamp, Hill, Zhu, Wu 2019): chains begin at draws of the base in each step and go
// `chain-steps` transitions. What is learned is a sampler of so many transitions; the energy is that of a
// density only where the chains converge within them.
#include "deep/counts.hpp"
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

constexpr auto kChainSteps =
    CountOption("chain_steps", 50, "Transitions of each chain in a step of the training")
        .from(1)
        .to(1'000'000);

class ShortRun final : public EnergyTraining {
 public:
  explicit ShortRun(std::int64_t transitions) : transitions_(transitions) {}

  EnergyLoss loss(const EnergyPass& pass) override {
    torch::Tensor chains = pass.energy.base_draws(pass.x.size(0), Noise());
    return contrast(pass, chains, transitions_);
  }
  std::int64_t learned_transitions() const override { return transitions_; }

 private:
  std::int64_t transitions_;
};

constexpr const OptionRecord* kOptions[] = {&kChainSteps};

}  // namespace

extern const EnergyTrainingRecord kShortRunTraining;
const EnergyTrainingRecord kShortRunTraining{
    .name = "short-run",
    .summary = "short runs from noise",
    .use_when = "You want samples from noise by few transitions, not likelihoods.",
    .citation =
        "Nijkamp, Hill, Zhu, Wu 2019, Learning non-convergent non-persistent short-run MCMC toward "
        "energy-based model",
    .options = kOptions,
    .make = [](const OptionValues& values, const Energy&) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<ShortRun>(count_of(values, kChainSteps));
    }};

}  // namespace kullback::deep
