// Stochastic gradient Langevin dynamics (Welling, Teh 2011): x <- x - h dU/dx + N(0, 2 h T), U = -log p(data,
// x), its gradient estimated from a minibatch, h = rate_t / rows of the training data. The rate falls as (1 +
// t / b)^(-1/3), from `rate` to `final-rate` times it. Draws count equally, although later steps are shorter;
// the noise of minibatches is not corrected for.
#include <cmath>

#include "deep/bnn/posteriors/stochastic_gradient.hpp"
#include "deep/chains/langevin.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate =
    NumberOption("rate", 0.03, "Length of a step along the gradient of the loss per row").above(0);
constexpr auto kFinalRate =
    NumberOption("final_rate", 0.3, "What the rate falls to, as a part of it; 1: it stays").above(0);
constexpr const OptionRecord* kOptions[] = {&kRate, &kFinalRate, &kBurnIn, &kDrawsKept, &kTemperature};

constexpr double kPower = 1.0 / 3;

class Langevin final : public Dynamics {
 public:
  Langevin(const OptionValues& values, const PosteriorStart& start)
      : step_(values[kRate] / static_cast<double>(start.all_rows)),
        final_(values[kFinalRate]),
        burn_in_(values[kBurnIn]),
        temperature_(values[kTemperature]) {}

  void move(torch::Tensor& flat, const Slope& slope) override {
    // (1 + growth)^(-1/3) = final_ at progress 1.
    const double growth = std::pow(final_, -1 / kPower) - 1;
    const torch::Tensor step =
        (step_ * at::pow(1 + growth * slope.step.progress, -kPower)).to(flat.scalar_type());
    const torch::Tensor normal = slope.step.noise.normal(flat.sizes(), flat.options(), -1);
    langevin_step(flat, slope.gradient, {step, temperature_}, normal);
  }

  double clock(double progress) const override { return clock_after(burn_in_, progress); }
  void visit(const VisitTensor&) override {}

 private:
  double step_, final_, burn_in_, temperature_;
};

}  // namespace

extern const PosteriorRecord kSgld;
const PosteriorRecord kSgld{
    .name = "sgld",
    .summary = "draws by stochastic gradient Langevin dynamics",
    .use_when = "You compare methods; sghmc reaches the same posterior in fewer steps.",
    .citation = "Welling, Teh 2011, Bayesian learning via stochastic gradient Langevin dynamics",
    .options = kOptions,
    .members = 4,
    .suits_early_stopping = false,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return make_chains(net, values, start,
                         [&](const torch::Tensor&) { return std::make_unique<Langevin>(values, start); });
    }};

}  // namespace kullback::deep
