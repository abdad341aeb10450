// Persistent chains (Younes 1989; Tieleman 2008): all move on in each step of the training. Where parameters
// move slowly the chains stay near the model's distribution. With `moved` they are a replay buffer (Du,
// Mordatch 2019), of which so many at random move and count in a step; the others lag behind. A part begins
// anew at the base each time, which finds low energies far from all chains; such chains are not in
// equilibrium yet.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "deep/energy/energy_training.hpp"

namespace kullback::deep {

namespace {

class Persistent final : public EnergyTraining {
 public:
  Persistent(const Settings& settings, const Energy& energy)
      : transitions_(static_cast<std::int64_t>(settings.count("chain-steps", 1, 1'000'000))),
        moved_(static_cast<std::int64_t>(settings.count("moved", 0, 10'000'000))),
        renewed_(settings.number("renewed")),
        chains_(
            energy.base_draws(static_cast<std::int64_t>(settings.count("chains", 1, 10'000'000)), Noise())) {
    if (!(renewed_ >= 0 && renewed_ < 1))
      throw Error(ErrorKind::usage,
                  fmt::format("--renewed is '{}'; it must be from 0 to below 1.", settings.text("renewed")),
                  "0.01 renews a hundredth of the chains in each step, 0 none.");
  }

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

}  // namespace

extern const EnergyTrainingRecord kPersistentTraining;
const EnergyTrainingRecord kPersistentTraining{
    .name = "persistent",
    .summary = "chains that go on from step to step, in a replay buffer",
    .use_when = "You want the density: its steps are nearest to those of the likelihood.",
    .citation =
        "Tieleman 2008, Training restricted Boltzmann machines using approximations to the likelihood "
        "gradient",
    .options = {{"chain-steps", "10", "transitions of each chain in a step of the training"},
                {"chains", "256", "that go on from step to step"},
                {"moved", "0", "chains that move in a step, at random; 0: all"},
                {"renewed", "0", "part of the chains that begin anew at the base each time"}},
    .make = [](const Settings& settings, const Energy& energy) -> std::unique_ptr<EnergyTraining> {
      return std::make_unique<Persistent>(settings, energy);
    }};

}  // namespace kullback::deep
