// Persistent chains with weights (Carbone, Hua, Coste, Vanden-Eijnden 2023; the weights are those of
// Jarzynski 1997 and Neal 2001). Where the parameters go from p to q, the log weight of a chain at x grows by
// E_p(x) - E_q(x); transitions that leave exp(-E_q) invariant do not change it. Weighted means over the
// chains are then means over the model as it is now, however slowly the chains move: no chain needs to cross
// between groups of rows for the groups' shares to follow the energy. Where the effective number of chains
// (sum w)^2 / sum w^2 has fallen below a part of them, chains are drawn anew by their weights (systematic
// resampling), which all become 1.
#include "deep/counts.hpp"
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

constexpr auto kChainSteps =
    CountOption("chain_steps", 1, "Transitions of each chain in a step of the training")
        .from(1)
        .to(1'000'000);
constexpr auto kChains = CountOption("chains", 512, "That go on from step to step").from(1).to(10'000'000);
constexpr auto kLeastEffective =
    NumberOption("least_effective", 0.5,
                 "Part of the chains that must count; where fewer do, they are drawn anew by weight")
        .above(0)
        .below(1);

class Weighted final : public EnergyTraining {
 public:
  Weighted(const OptionValues& values, const Energy& energy)
      : transitions_(count_of(values, kChainSteps)),
        least_effective_(values[kLeastEffective]),
        chains_(energy.base_draws(count_of(values, kChains), Noise())),
        log_weights_(torch::zeros({chains_.size(0)}, chains_.options().dtype(torch::kFloat64))),
        energies_(torch::zeros_like(log_weights_)) {}

  void begin(const Energy& energy, const Parameters& parameters) override {
    chains_.copy_(energy.base_draws(chains_.size(0), Noise()));
    log_weights_.zero_();
    energies_.copy_(energy.at(parameters, chains_, 0));
  }

  EnergyLoss loss(const EnergyPass& pass) override {
    {
      const torch::NoGradGuard no_gradient;
      log_weights_.add_(energies_ - pass.energy(pass.fixed, chains_));
      resample_where_few_count();
    }
    torch::Tensor moved = chains_;
    const torch::Tensor weights = at::softmax(log_weights_, 0).to(chains_.scalar_type());
    const EnergyLoss result = contrast(pass, moved, transitions_, weights);
    const torch::NoGradGuard no_gradient;
    chains_.copy_(moved);
    energies_.copy_(result.energies_of_chains);
    return result;
  }

  // Drawn by their weights, so that they count alike.
  torch::Tensor chains() const override {
    return chains_.index_select(0, drawn_by_weight(torch::full_like(log_weights_[0], 0.5)));
  }

  void visit(const VisitTensor& visit) override {
    visit("chains", chains_);
    visit("log_weights", log_weights_);
    visit("energies", energies_);
  }

 private:
  // Systematic: the chain at (i + u) / n of the summed weights, for all i. Chain i is drawn n w_i times, up
  // to rounding.
  torch::Tensor drawn_by_weight(const torch::Tensor& u) const {
    const std::int64_t count = chains_.size(0);
    const torch::Tensor places =
        (torch::arange(count, log_weights_.options()) + u) / static_cast<double>(count);
    return at::searchsorted(at::softmax(log_weights_, 0).cumsum(0), places).clamp_max(count - 1);
  }

  // Decided on the device.
  void resample_where_few_count() {
    const std::int64_t count = chains_.size(0);
    const torch::Tensor effective = 1 / at::softmax(log_weights_, 0).square().sum();
    const torch::Tensor is_few = effective < least_effective_ * static_cast<double>(count);
    const torch::Tensor drawn = drawn_by_weight(torch::rand({}, log_weights_.options()));
    const torch::Tensor kept = at::where(is_few, drawn, torch::arange(count, drawn.options()));
    chains_.copy_(chains_.index_select(0, kept));
    log_weights_.sub_(log_weights_.logsumexp(0)).masked_fill_(is_few, 0);
  }

  std::int64_t transitions_;
  double least_effective_;
  torch::Tensor chains_, log_weights_;
  torch::Tensor energies_;  // of the chains, at the parameters of the last step
};

constexpr const OptionRecord* kOptions[] = {&kChainSteps, &kChains, &kLeastEffective};

}  // namespace

extern const EnergyTrainingRecord kWeightedTraining;
const EnergyTrainingRecord kWeightedTraining{
    .name = "weighted",
    .summary = "chains that go on, with weights for what they have not followed",
    .use_when = "You want the density, and rows lie in groups that chains do not cross between.",
    .citation =
        "Carbone, Hua, Coste, Vanden-Eijnden 2023, Efficient training of energy-based models using Jarzynski "
        "equality",
    .needs_adjusted_sampler = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const Energy& energy) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<Weighted>(values, energy);
    }};

}  // namespace kullback::deep
