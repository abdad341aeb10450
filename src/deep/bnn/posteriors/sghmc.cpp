// Scales are adapted in the burn-in and stay afterwards: the draws are those of a fixed Markov chain.
#include "deep/bnn/posteriors/adapted_momentum.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate =
    NumberOption("rate", 0.01, "Length of a step where gradients agree, as Adam's").above(0);
constexpr const OptionRecord* kOptions[] = {&kRate, &kFriction, &kBurnIn, &kDrawsKept, &kTemperature};

class Hamiltonian final : public Dynamics {
 public:
  Hamiltonian(const BayesNet& net, const OptionValues& values, const torch::Tensor& flat)
      : burn_in_(values[kBurnIn]),
        temperature_(values[kTemperature]),
        dynamics_(net, flat, {.rate = values[kRate], .friction = values[kFriction]}) {}

  void move(torch::Tensor& flat, const Slope& slope) override {
    const torch::Tensor progress = slope.step.progress;
    const torch::Tensor one = torch::ones({}, flat.options());
    dynamics_.move(flat, slope,
                   {.scale = one,
                    .temperature = temperature_ * one,
                    .adapts = (progress < burn_in_).to(flat.scalar_type()),
                    .capped = (progress >= burn_in_ / 2).to(flat.scalar_type())});
  }

  double clock(double progress) const override { return clock_after(burn_in_, progress); }
  void visit(const VisitTensor& visit) override { dynamics_.visit(visit); }

 private:
  double burn_in_, temperature_;
  AdaptedMomentum dynamics_;
};

}  // namespace

extern const PosteriorRecord kSghmc;
const PosteriorRecord kSghmc{
    .name = "sghmc",
    .summary = "draws by stochastic gradient Hamiltonian Monte Carlo with adapted scales, several chains",
    .use_when = "You want a good posterior of a net of any size and can train for some hundred epochs.",
    .citation =
        "Chen, Fox, Guestrin 2014, Stochastic gradient Hamiltonian Monte Carlo; Springenberg, Klein, "
        "Falkner, "
        "Hutter 2016, Bayesian optimization with robust Bayesian neural networks",
    .options = kOptions,
    .members = 4,
    .suits_early_stopping = false,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return make_chains(net, values, start, [&](const torch::Tensor& flat) {
        return std::make_unique<Hamiltonian>(net, values, flat);
      });
    }};

}  // namespace kullback::deep
