// Improved variational online Newton (Shen et al. 2024, Algorithm 1, as the authors' code has it): q = N(m,
// 1 / (ess (h + d))) for each parameter, d = prior precision / ess. With draws w of q, the gradients g of the
// mean negative log likelihood of a minibatch at them, and means over the draws:
//   f = ess (h + d) mean g (w - m)                           (E f = E_q Hessian's diagonal: Price's theorem)
//   v <- b1 v + (1 - b1) mean g,  h' = b2 h + (1 - b2) f + (1 - b2)^2 (h - f)^2 / (2 (h + d))
//   m <- m - rate (h0 + d) clip((v / (1 - b1^t) + d m) / (h' + d))
// The square keeps h' + d above 0. A temperature T divides ess: the KL term of the bound counts T times.
#include <torch/csrc/autograd/autograd.h>

#include "base/error.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/bnn/posteriors/variational.hpp"
#include "deep/counts.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate =
    NumberOption("rate", 0.1, "Rate, in units of the initial curvature as the authors have it").above(0);
constexpr auto kEss =
    NumberOption("ess", "Effective sample size (default: the rows of the training data)").above(0);
constexpr auto kEssTemperature =
    NumberOption("temperature", 1, "Divides the effective sample size: the KL term counts so many times")
        .above(0);
constexpr auto kHessInit =
    NumberOption("hess_init", 2, "Curvature of the mean loss at the start, for each parameter").above(0);
constexpr auto kBeta1 = NumberOption("beta1", 0.9, "Memory of the gradient").above(0).below(1);
constexpr auto kBeta2 =
    NumberOption("beta2", 0.999, "Memory of the curvature; nearer to 1 for more than some 10,000 steps")
        .above(0)
        .below(1);
constexpr auto kClipRadius =
    NumberOption("clip_radius", 0.03,
                 "Bound of each entry of a Newton step; without one small sets of rows can throw it far off")
        .above(0);
constexpr const OptionRecord* kOptions[] = {
    &kRate, &kFallingRate, &kEss, &kEssTemperature, &kHessInit, &kBeta1, &kBeta2, &kClipRadius, &kStepDraws};

struct IvonOptions {
  double rate, ess, initial_hessian, beta1, beta2, clip;
  std::int64_t draws;
  Schedule schedule;
};

IvonOptions ivon_options(const OptionValues& values, const PosteriorStart& start) {
  const double ess = values.given(kEss).value_or(static_cast<double>(start.all_rows));
  return {.rate = values[kRate],
          .ess = ess / values[kEssTemperature],
          .initial_hessian = values[kHessInit],
          .beta1 = values[kBeta1],
          .beta2 = values[kBeta2],
          .clip = values[kClipRadius],
          .draws = count_of(values, kStepDraws),
          .schedule = values[kFallingRate]};
}

torch::Tensor gaussian_precisions(const BayesNet& net) {
  torch::Tensor precisions = net.prior().precisions(net.layout());
  if (!precisions.defined())
    throw Error(ErrorKind::usage, "ivon needs a prior of independent Gaussians, which is its weight decay.",
                "Choose the prior 'gaussian', or the posterior 'natural-gradient' or 'mean-field'.");
  return precisions;
}

class Ivon final : public Posterior {
 public:
  Ivon(const BayesNet& net, const IvonOptions& options, const PosteriorStart& start)
      : net_(net),
        options_(options),
        noise_(Noise().of_nets(start.part())),
        mean_(fresh_parameters(net.layout(), start)),
        momentum_(torch::zeros_like(mean_)),
        hessian_(torch::full_like(mean_, options.initial_hessian)),
        precisions_(gaussian_precisions(net).to(start.options)),
        decay_(precisions_ / options.ess) {}

  torch::Tensor step(const Minibatch& batch) override {
    const torch::Tensor sd = this->sd();
    const torch::Tensor deviation =
        sd.unsqueeze(1) *
        batch.step.noise.normal({mean_.size(0), options_.draws, mean_.size(1)}, mean_.options(), -1);
    const torch::Tensor draws = (mean_.unsqueeze(1) + deviation).flatten(0, 1).requires_grad_();
    PlainRule plain;
    const torch::Tensor loss =
        -net_.log_likelihood(net_.split(draws), for_draws(batch.rows.x, options_.draws),
                             for_draws(batch.rows.y, options_.draws), plain)
             .sum(1) /
        static_cast<double>(batch.step.batch);
    torch::Tensor gradient = torch::autograd::grad({loss.sum()}, {draws})[0];
    batch.step.sum->add_up(gradient);
    const torch::Tensor divergence = kl(sd).mean() * (batch.step.share / options_.ess);
    move(gradient.view_as(deviation), deviation, batch.step);
    return loss.detach().mean() + divergence;
  }

  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    return predict_draws(net_, draw_parameters(draws), x);
  }

  torch::Tensor draw_parameters(std::int64_t draws) override {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor z = noise_.normal({mean_.size(0), draws, mean_.size(1)}, mean_.options(), -1);
    return mean_.unsqueeze(1) + sd().unsqueeze(1) * z;
  }

  torch::Tensor center() override { return mean_; }

  void visit(const VisitTensor& visit) override {
    visit("mean", mean_);
    visit("momentum", momentum_);
    visit("hessian", hessian_);
  }

 private:
  torch::Tensor sd() const { return ((hessian_ + decay_) * options_.ess).rsqrt(); }

  void move(const torch::Tensor& gradients, const torch::Tensor& deviations, const StepContext& context) {
    const torch::NoGradGuard no_gradient;
    const double rest1 = 1 - options_.beta1, rest2 = 1 - options_.beta2;
    const torch::Tensor curvature = hessian_ + decay_;
    const torch::Tensor seen = (gradients * deviations).mean(1) * curvature * options_.ess;
    const torch::Tensor difference = seen - hessian_;
    momentum_.lerp_(gradients.mean(1), rest1);
    hessian_.add_(difference * rest2 + difference.square() * (0.5 * rest2 * rest2) / curvature);
    const torch::Tensor unbias = (1 - at::pow(options_.beta1, context.count)).to(mean_.dtype());
    torch::Tensor newton = (momentum_ / unbias + decay_ * mean_) / (hessian_ + decay_);
    newton = newton.clamp(-options_.clip, options_.clip);
    const torch::Tensor length =
        (options_.rate * rate_scale(options_.schedule, context.progress)).to(mean_.dtype());
    mean_.sub_(newton * (length * (options_.initial_hessian + decay_)));
  }

  // KL(q || prior), [nets].
  torch::Tensor kl(const torch::Tensor& sd) const {
    const torch::Tensor ratio = sd.square() * precisions_;
    return 0.5 * (mean_.square() * precisions_ + ratio - 1 - ratio.log()).sum(1);
  }

  const BayesNet& net_;
  IvonOptions options_;
  Noise noise_;  // of predictions
  torch::Tensor mean_, momentum_, hessian_, precisions_, decay_;
};

}  // namespace

extern const PosteriorRecord kIvon;
const PosteriorRecord kIvon{
    .name = "ivon",
    .summary = "an independent Gaussian for each parameter by improved variational online Newton",
    .use_when =
        "You want a posterior over all weights at the cost and with the memory of Adam, for large nets too.",
    .citation = "Shen et al. 2024, Variational learning is effective for large deep networks",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return std::make_unique<Ivon>(net, ivon_options(values, start), start);
    }};

}  // namespace kullback::deep
