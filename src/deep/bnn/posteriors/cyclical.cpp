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

namespace kullback::deep {

namespace {

double not_negative(const Settings& settings, const std::string& name) {
  const double value = settings.number(name);
  if (value >= 0) return value;
  throw Error(ErrorKind::usage, "--" + name + " is " + settings.text(name) + " and cannot be negative.",
              "Give 0 for no noise.");
}

class Cyclical final : public Dynamics {
 public:
  Cyclical(const BayesNet& net, const Settings& settings, const torch::Tensor& flat)
      : cycles_(static_cast<double>(settings.count("cycles", 1, 10'000))),
        explore_(settings.fraction("explore")),
        explore_temperature_(not_negative(settings, "explore-temperature")),
        temperature_(settings.positive("temperature")),
        dynamics_(net, flat, {.rate = settings.positive("rate"), .friction = settings.fraction("friction")}) {
  }

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
    .options = with_chain_options(
        {{"rate", "0.02", "length of a step where gradients agree, at the beginning of a cycle"},
         {"friction", "0.05", "the part of its velocity that a chain loses in a step"},
         {"cycles", "5", "how often the rate falls to 0"},
         {"explore", "0.5", "the part of a cycle in which no draws are kept"},
         {"explore-temperature", "0",
          "of the noise at the beginning of that part, from which it falls to 0; large: crosses barriers"}}),
    .members = 1,
    .suits_early_stopping = false,
    .make = [](const BayesNet& net, const Settings& settings,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return make_chains(net, settings, start, [&](const torch::Tensor& flat) {
        return std::make_unique<Cyclical>(net, settings, flat);
      });
    }};

}  // namespace kullback::deep
