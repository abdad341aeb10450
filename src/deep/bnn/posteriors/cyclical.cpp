// Cyclical stochastic gradient MCMC (Zhang, Li, Zhang, Chen, Wilson 2020): the training is cut into cycles in
// each of which the rate falls from its largest value to 0 as (1 + cos(pi r)) / 2. In the first part of a
// cycle, r < explore, long steps without noise (or with one whose temperature falls from explore-temperature
// to 0) lead to another mode; in the rest the chain samples it and draws are kept. The dynamics are those of
// sghmc, with scales adapted while it explores.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "deep/bnn/posteriors/adapted_momentum.hpp"
#include "deep/bnn/posteriors/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate =
    NumberOption("rate", 0.02, "Length of a step where gradients agree, at the beginning of a cycle")
        .above(0);
constexpr auto kCycles = CountOption("cycles", 5, "How often the rate falls to 0").from(1).to(10'000);
constexpr auto kExplore =
    NumberOption("explore", 0.5, "The part of a cycle in which no draws are kept").above(0).below(1);
constexpr auto kExploreTemperature =
    NumberOption(
        "explore_temperature", 0,
        "Of the noise at the beginning of that part, from which it falls to 0; large: crosses barriers")
        .from(0)
        .hinted("Give 0 for no noise.");
constexpr const OptionRecord* kOptions[] = {
    &kRate, &kFriction, &kCycles, &kExplore, &kExploreTemperature, &kDrawsKept, &kTemperature};

class Cyclical final : public Dynamics {
 public:
  Cyclical(const BayesNet& net, const OptionValues& values, const torch::Tensor& flat)
      : cycles_(static_cast<double>(values[kCycles])),
        explore_(values[kExplore]),
        explore_temperature_(values[kExploreTemperature]),
        temperature_(values[kTemperature]),
        dynamics_(net, flat, {.rate = values[kRate], .friction = values[kFriction]}) {}

  void move(torch::Tensor& flat, const Slope& slope) override {
    const torch::Tensor place = at::frac(slope.step.progress * cycles_).to(flat.scalar_type());
    const torch::Tensor samples = (place >= explore_).to(flat.scalar_type());
    dynamics_.move(flat, slope,
                   {.scale = (1 + at::cos(place * std::numbers::pi)) / 2,
                    .temperature = samples * temperature_ +
                                   (1 - samples) * explore_temperature_ * (1 - place / explore_),
                    .adapts = 1 - samples,
                    .capped = samples});
  }

  // Runs in the parts of cycles that sample; at the end of a cycle place is 0 of the next.
  double clock(double progress) const override {
    const double cycle = std::floor(progress * cycles_ + 1e-9);
    const double place = progress * cycles_ - cycle;
    if (place > 1e-9 && place < explore_) return -1;
    return (cycle + std::max(0.0, clock_after(explore_, place))) / cycles_;
  }

  void visit(const VisitTensor& visit) override { dynamics_.visit(visit); }

 private:
  double cycles_, explore_, explore_temperature_, temperature_;
  AdaptedMomentum dynamics_;
};

}  // namespace

extern const PosteriorRecord kCyclical;
const PosteriorRecord kCyclical{
    .name = "cyclical",
    .summary = "draws from several modes by SGHMC whose rate falls in cycles",
    .use_when = "You want several modes from one chain and can train for some hundred epochs.",
    .citation =
        "Zhang, Li, Zhang, Chen, Wilson 2020, Cyclical stochastic gradient MCMC for Bayesian deep learning",
    .options = kOptions,
    .members = 1,
    .suits_early_stopping = false,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return make_chains(net, values, start, [&](const torch::Tensor& flat) {
        return std::make_unique<Cyclical>(net, values, flat);
      });
    }};

}  // namespace kullback::deep
