// Natural-gradient variational inference of q = N(m, 1/s) for each parameter (Khan & Nielsen 2018). With L =
// -(evidence lower bound) and its gradients by local reparameterisation, steps along the natural gradient in
// the natural parameters of q are
//   s <- s + r (2 dL/d(1/s)) = s (1 + a), a = r dL/d(log sd);    m <- m - r (dL/dm) / s,
// as E_q of the Hessian's diagonal is 2 dL/d(1/s) + s (Price's theorem): the variational online Newton method
// with another estimate of the Hessian. 1 + a is replaced by 1 + a + a^2 / 2, which is above 0 (Lin, Schmidt,
// Khan 2020), a is kept in [-1, 1], and dL/dm is averaged over steps as Adam does it.
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "deep/bnn/posteriors/mean_field.hpp"
#include "deep/counts.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRate = NumberOption("rate", 0.05, "Of steps of the means, 1 is a Newton step").above(0);
constexpr auto kPrecisionRate =
    NumberOption("precision_rate", 0.02, "Of steps of the precisions, 1 is the curvature of one step's draw")
        .above(0)
        .below(1);
constexpr auto kMomentum =
    NumberOption("momentum", 0.9, "Memory of the gradient of the means").above(0).below(1);
constexpr auto kClipRadius =
    NumberOption("clip_radius", 1, "Bound of each entry of a Newton step of the means").above(0);
constexpr const OptionRecord* kOptions[] = {&kRate,       &kPrecisionRate, &kFallingRate, &kMomentum,
                                            &kClipRadius, &kInitialSd,     &kStepDraws};

class NaturalGradient final : public Posterior {
 public:
  NaturalGradient(const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
      : net_(net),
        family_(net, start.options),
        bound_(net, family_, local_noise(values), start.options),
        schedule_(values[kFallingRate]),
        noise_(Noise().of_nets(start.part())),
        mean_rate_(values[kRate]),
        precision_rate_(values[kPrecisionRate]),
        momentum_share_(values[kMomentum]),
        clip_(values[kClipRadius]),
        lambda_(family_.start(fresh_parameters(net.layout(), start), values[kInitialSd], start.seed,
                              start.first_net)),
        momentum_(torch::zeros_like(family_.mean(lambda_))) {}

  torch::Tensor step(const Minibatch& batch) override {
    const torch::Tensor lambda = lambda_.detach().requires_grad_();
    const torch::Tensor loss = bound_.loss(lambda, batch);
    torch::Tensor gradient = torch::autograd::grad({loss.sum()}, {lambda})[0];
    batch.step.sum->add_up(gradient);
    move(gradient * static_cast<double>(batch.all_rows), batch.step);
    return loss.detach().mean();
  }

  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    return predict_draws(net_, draw_parameters(draws), x);
  }

  torch::Tensor draw_parameters(std::int64_t draws) override {
    const torch::NoGradGuard no_gradient;
    return family_.draw(lambda_, draws, noise_, GaussianFamily::Density::unwanted).flat;
  }

  torch::Tensor center() override { return family_.mean(lambda_); }

  void visit(const VisitTensor& visit) override {
    visit("lambda", lambda_);
    visit("momentum", momentum_);
  }

 private:
  static BoundOptions local_noise(const OptionValues& values) {
    return {.row_noise = RowNoise::local, .draws = count_of(values, kStepDraws)};
  }

  // `gradient` of the whole -(bound) to means and logs of sds.
  void move(const torch::Tensor& gradient, const StepContext& context) {
    const torch::NoGradGuard no_gradient;
    const torch::Tensor scale = rate_scale(schedule_, context.progress).to(lambda_.dtype());
    torch::Tensor log_sd = family_.log_sd(lambda_), mean = family_.mean(lambda_);  // views
    const torch::Tensor a = (family_.log_sd(gradient) * (precision_rate_ * scale)).clamp(-1, 1);
    log_sd.sub_(0.5 * at::log1p(a + 0.5 * a * a));
    momentum_.lerp_(family_.mean(gradient), 1 - momentum_share_);
    const torch::Tensor unbias = (1 - at::pow(momentum_share_, context.count)).to(lambda_.dtype());
    const torch::Tensor newton = (momentum_ / unbias * at::exp(2 * log_sd)).clamp(-clip_, clip_);
    mean.sub_(newton * (mean_rate_ * scale));
  }

  const BayesNet& net_;
  MeanField family_;
  VariationalBound bound_;
  Schedule schedule_;
  Noise noise_;  // of predictions
  double mean_rate_, precision_rate_, momentum_share_, clip_;
  torch::Tensor lambda_, momentum_;
};

}  // namespace

extern const PosteriorRecord kNaturalGradient;
const PosteriorRecord kNaturalGradient{
    .name = "natural-gradient",
    .summary = "mean field's Gaussians by steps along the natural gradient of the bound",
    .use_when = "You want mean field's posterior in fewer steps, or its sds converged.",
    .citation =
        "Khan, Nielsen 2018, Fast yet simple natural-gradient descent for variational inference in complex "
        "models; Khan et al. 2018, Fast and scalable Bayesian deep learning by weight-perturbation in Adam; "
        "Lin, Schmidt, Khan 2020, Handling the positive-definite constraint in the Bayesian learning rule",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<NaturalGradient>(net, values, start); }};

}  // namespace kullback::deep
