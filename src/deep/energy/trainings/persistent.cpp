// Persistent chains (Younes 1989; Tieleman 2008): all move on in each step of the training. Where parameters
// move slowly the chains stay near the model's distribution. With `moved` they are a replay buffer (Du,
// Mordatch 2019), of which so many at random move and count in a step; the others lag behind. A part begins
// anew at the base each time, which finds low energies far from all chains; such chains are not in
// equilibrium yet.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

constexpr auto kChainSteps =
    CountOption("chain_steps", 10, "Transitions of each chain in a step of the training")
        .from(1)
        .to(1'000'000);
constexpr auto kChains = CountOption("chains", 256, "That go on from step to step").from(1).to(10'000'000);
constexpr auto kMoved =
    CountOption("moved", 0, "Chains that move in a step, at random; 0: all").from(0).to(10'000'000);
constexpr auto kRenewed =
    NumberOption("renewed", 0, "Part of the chains that begin anew at the base each time")
        .from(0)
        .below(1)
        .hinted("0.01 renews a hundredth of the chains in each step, 0 none.");

class Persistent final : public EnergyTraining {
 public:
  Persistent(const OptionValues& values, const Energy& energy)
      : transitions_(count_of(values, kChainSteps)),
        moved_(count_of(values, kMoved)),
        renewed_(values[kRenewed]),
        chains_(energy.base_draws(count_of(values, kChains), Noise())) {}

  void begin(const Energy& energy, const Parameters& /*parameters*/) override {
    chains_.copy_(energy.base_draws(chains_.size(0), Noise()));
  }

  EnergyLoss loss(const EnergyPass& pass) override {
    const torch::NoGradGuard no_gradient;
    const std::int64_t all = chains_.size(0), count = moved_ == 0 ? all : std::min(all, moved_);
    const torch::Tensor chosen =
        count == all ? torch::Tensor() : torch::rand({all}, chains_.options()).argsort().narrow(0, 0, count);
    torch::Tensor some = chosen.defined() ? chains_.index_select(0, chosen) : chains_.clone();
    if (renewed_ > 0) {
      const torch::Tensor is_new = torch::rand({count, 1}, chains_.options()) < renewed_;
      some = at::where(is_new, pass.energy.base_draws(count, Noise()), some);
    }
    EnergyLoss result;
    {
      const at::AutoGradMode with_gradient(true);
      result = contrast(pass, some, transitions_);
    }
    if (chosen.defined())
      chains_.index_copy_(0, chosen, some);
    else
      chains_.copy_(some);
    return result;
  }

  torch::Tensor chains() const override { return chains_; }
  void visit(const VisitTensor& visit) override { visit("chains", chains_); }

 private:
  std::int64_t transitions_, moved_;
  double renewed_;
  torch::Tensor chains_;
};

constexpr const OptionRecord* kOptions[] = {&kChainSteps, &kChains, &kMoved, &kRenewed};

}  // namespace

extern const EnergyTrainingRecord kPersistentTraining;
const EnergyTrainingRecord kPersistentTraining{
    .name = "persistent",
    .summary = "chains that go on from step to step, in a replay buffer",
    .use_when = "You want the density: its steps are nearest to those of the likelihood.",
    .citation =
        "Tieleman 2008, Training restricted Boltzmann machines using approximations to the likelihood "
        "gradient",
    .options = kOptions,
    .make = [](const OptionValues& values, const Energy& energy) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<Persistent>(values, energy);
    }};

}  // namespace kullback::deep
