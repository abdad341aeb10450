// Preconditioned SGLD (Li, Chen, Carlson, Carin 2016): x <- x - h g + N(0, 2 h T) by coordinate, h = rate /
// sqrt(S), S the running second moment of the gradients g, as RMSProp has it. The term with the derivative of
// the preconditioner is left out, as the authors do; it vanishes as the rate does. Beyond them: steps are
// capped as step_sizes() says.
#include "deep/bnn/posteriors/stochastic_gradient.hpp"
#include "deep/chains/langevin.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate =
    NumberOption("rate", 0.01, "Length of a step where gradients agree, as RMSProp's").above(0);
constexpr auto kMemory =
    NumberOption("memory", 0.99, "Of the running second moments of gradients").above(0).below(1);
constexpr const OptionRecord* kOptions[] = {&kRate, &kMemory, &kBurnIn, &kDrawsKept, &kTemperature};

class PreconditionedLangevin final : public Dynamics {
 public:
  PreconditionedLangevin(const BayesNet& net, const OptionValues& values, const torch::Tensor& flat)
      : rule_{.rate = values[kRate]},
        memory_(values[kMemory]),
        burn_in_(values[kBurnIn]),
        temperature_(values[kTemperature]),
        squares_(net, flat) {}

  void move(torch::Tensor& flat, const Slope& slope) override {
    const torch::Tensor weight = at::clamp_min(1 / slope.step.count, 1 - memory_).to(flat.scalar_type());
    squares_.squares.lerp_(slope.gradient.square(), weight);
    const torch::Tensor squares = squares_.floored();
    const torch::Tensor step = step_sizes(rule_, squares, slope.noise_part,
                                          (slope.step.progress >= burn_in_ / 2).to(flat.scalar_type()));
    const torch::Tensor normal = slope.step.noise.normal(flat.sizes(), flat.options(), -1);
    langevin_step(flat, guarded(slope.gradient, squares), {step, temperature_}, normal);
  }

  double clock(double progress) const override { return clock_after(burn_in_, progress); }
  void visit(const VisitTensor& visit) override { squares_.visit(visit); }

 private:
  StepRule rule_;
  double memory_, burn_in_, temperature_;
  GradientSquares squares_;
};

}  // namespace

extern const PosteriorRecord kPsgld;
const PosteriorRecord kPsgld{
    .name = "psgld",
    .summary = "draws by Langevin dynamics with steps scaled by the size of gradients, as RMSProp",
    .use_when = "You want SGLD whose steps suit layers of different scales; a small bias is left.",
    .citation =
        "Li, Chen, Carlson, Carin 2016, Preconditioned stochastic gradient Langevin dynamics for deep neural "
        "networks",
    .options = kOptions,
    .members = 4,
    .suits_early_stopping = false,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return make_chains(net, values, start, [&](const torch::Tensor& flat) {
        return std::make_unique<PreconditionedLangevin>(net, values, flat);
      });
    }};

}  // namespace kullback::deep
