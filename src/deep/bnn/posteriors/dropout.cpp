// Monte Carlo dropout (Gal, Ghahramani 2016): in training and in prediction each input of an affine layer
// (those of the first only where asked for) is 0 with probability p, else divided by 1 - p; masks are drawn
// for each row.
#include "base/random.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/bnn/posteriors/point.hpp"
#include "deep/purpose.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kDrop =
    NumberOption("drop", 0.05, "Probability that an input of a layer is left out").above(0).below(1);
constexpr auto kDropInputs = FlagOption("drop_inputs", false, "Leave out inputs of the network too");
constexpr const OptionRecord* kOptions[] = {&kAdamRate, &kFallingRate, &kDrop, &kDropInputs};

class DropoutRule final : public AffineRule {
 public:
  struct Rates {
    double rate = 0;
    bool drops_inputs = false;
  };
  DropoutRule(Rates rates, Noise noise) : rates_(rates), noise_(noise) {}

  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override {
    if (layer.index == 0 && !rates_.drops_inputs) return plain_.apply(layer, parameters, x);
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape[0] = parameters.nets();
    const torch::Tensor uniform = noise_.uniform(shape, x.options(), 1);
    const torch::Tensor mask = (uniform >= rates_.rate).to(x.scalar_type()) / (1 - rates_.rate);
    return plain_.apply(layer, parameters, x * mask);
  }

 private:
  Rates rates_;
  Noise noise_;
  PlainRule plain_;
};

class Dropout final : public Posterior {
 public:
  Dropout(const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
      : net_(net),
        seed_(start.seed),
        noise_(Noise().of_nets(start.part())),
        rates_{.rate = values[kDrop], .drops_inputs = values[kDropInputs]},
        point_(net, point_options(values, true), start) {}

  torch::Tensor step(const Minibatch& batch) override {
    DropoutRule rule(rates_, batch.step.noise);
    return point_.step(batch, rule);
  }

  // The same masks for the same x at every call.
  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    const torch::NoGradGuard no_gradient;
    Random random(seed_, 0, static_cast<std::uint32_t>(Purpose::prediction));
    at::manual_seed(random());
    DropoutRule rule(rates_, noise_);
    const Parameters parameters = net_.split(point_.center().repeat_interleave(draws, 0));
    return as_draws(net_.predict(parameters, x.repeat_interleave(draws, 0), rule), draws);
  }

  torch::Tensor center() override { return point_.center(); }
  void visit(const VisitTensor& visit) override { point_.visit(visit); }

 private:
  const BayesNet& net_;
  std::uint64_t seed_;
  Noise noise_;  // of predictions
  DropoutRule::Rates rates_;
  Point point_;
};

}  // namespace

extern const PosteriorRecord kDropout;
const PosteriorRecord kDropout{
    .name = "dropout",
    .summary = "one net whose units are left out at random, in training and in prediction",
    .use_when = "You want a known baseline of uncertainty for the price of one training.",
    .citation =
        "Gal, Ghahramani 2016, Dropout as a Bayesian approximation: representing model uncertainty in deep "
        "learning",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<Dropout>(net, values, start); }};

}  // namespace kullback::deep
