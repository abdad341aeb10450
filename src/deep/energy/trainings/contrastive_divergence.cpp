// Contrastive divergence (Hinton 2002): chains begin at the data and go `chain-steps` transitions (CD-k). The
// expected step is not the slope of any function (Sutskever, Tieleman 2010) and ignores modes that no chain
// reaches from the data; the bias falls with k.
#include "deep/counts.hpp"
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

constexpr auto kChainSteps =
    CountOption("chain_steps", 1, "Transitions of each chain in a step of the training")
        .from(1)
        .to(1'000'000);

class ContrastiveDivergence final : public EnergyTraining {
 public:
  explicit ContrastiveDivergence(std::int64_t transitions) : transitions_(transitions) {}

  EnergyLoss loss(const EnergyPass& pass) override {
    torch::Tensor chains = pass.x.detach();
    return contrast(pass, chains, transitions_);
  }

 private:
  std::int64_t transitions_;
};

constexpr const OptionRecord* kOptions[] = {&kChainSteps};

}  // namespace

extern const EnergyTrainingRecord kContrastiveDivergence;
const EnergyTrainingRecord kContrastiveDivergence{
    .name = "cd",
    .summary = "contrastive divergence: chains from the data",
    .use_when = "You want a quick fit near the data; far from them the energy is not learned.",
    .citation = "Hinton 2002, Training products of experts by minimizing contrastive divergence",
    .options = kOptions,
    .make = [](const OptionValues& values, const Energy&) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<ContrastiveDivergence>(count_of(values, kChainSteps));
    }};

}  // namespace kullback::deep
