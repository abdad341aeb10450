// Evidence lower bound (Blundell et al. 2015), per row of the N training rows, from a minibatch of M:
//   loss = -(1/M) sum_n E_q log p(y_n | w) + KL(q || p) / N,
//   KL = -entropy - E_q log p(w), where for p = N(0, 1/t): E_q log p = sum (log t - log 2 pi - t E w^2) / 2.
// Black-box alpha (Hernandez-Lobato et al. 2016): with the site f = (q / p)^(1/N) that stands for each row,
//   energy = -(1/alpha) sum_n log E_q (p(y_n | w) / f(w))^alpha,
// their equation with the normalisers of q and p taken into f; the mean over K draws stands for E_q. It is
// the negative bound for alpha -> 0 and expectation propagation's energy with tied sites for alpha = 1. K = 1
// would be the bound for any alpha.
#include "deep/bnn/posteriors/variational.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

NoisyNet GaussianFamily::noisy_net(const torch::Tensor& lambda, std::int64_t draws, RowNoise kind,
                                   const Noise& noise) const {
  if (kind != RowNoise::weights)
    throw Error(ErrorKind::internal, "a family of posteriors has no such row noise.");
  return {draw(lambda, draws, noise, Density::unwanted).flat.flatten(0, 1), std::make_unique<PlainRule>()};
}

VariationalBound::VariationalBound(const BayesNet& net, const GaussianFamily& family,
                                   const BoundOptions& options, const torch::TensorOptions& tensors)
    : net_(net), family_(family), options_(options), precisions_(net.prior().precisions(net.layout())) {
  if (!precisions_.defined()) return;
  log_precisions_ = precisions_.log().sum().item<double>();
  precisions_ = precisions_.to(tensors);
}

torch::Tensor VariationalBound::loss(const torch::Tensor& lambda, const Minibatch& batch) const {
  return options_.alpha > 0 ? alpha_loss(lambda, batch) : evidence_loss(lambda, batch);
}

torch::Tensor VariationalBound::kl(const torch::Tensor& lambda, const torch::Tensor& draws) const {
  const torch::Tensor entropy = family_.entropy(lambda);
  if (!precisions_.defined()) return -entropy - log_prior(draws).mean(1);
  const torch::Tensor squares = at::matmul(family_.second_moments(lambda), precisions_);
  const double constant = static_cast<double>(precisions_.size(0)) * kLogTwoPi - log_precisions_;
  return -entropy + 0.5 * (squares + constant);
}

torch::Tensor VariationalBound::evidence_loss(const torch::Tensor& lambda, const Minibatch& batch) const {
  const Noise& noise = batch.step.noise;
  const NoisyNet noisy = family_.noisy_net(lambda, options_.draws, options_.row_noise, noise);
  torch::Tensor draws;
  if (!precisions_.defined()) {
    draws = options_.row_noise == RowNoise::weights
                ? noisy.flat.view({lambda.size(0), options_.draws, noisy.flat.size(1)})
                : family_.draw(lambda, options_.draws, noise, GaussianFamily::Density::unwanted).flat;
  }
  const torch::Tensor fit = log_likelihood(noisy.flat, *noisy.rule, batch).sum(2).mean(1);
  const double share = batch.step.share / static_cast<double>(batch.all_rows);
  return kl(lambda, draws) * (kl_weight(batch) * share) - fit / static_cast<double>(batch.step.batch);
}

torch::Tensor VariationalBound::alpha_loss(const torch::Tensor& lambda, const Minibatch& batch) const {
  const WeightDraws draws =
      family_.draw(lambda, options_.draws, batch.step.noise, GaussianFamily::Density::wanted);
  PlainRule plain;
  const torch::Tensor fit = log_likelihood(draws.flat.flatten(0, 1), plain, batch);
  const torch::Tensor log_site =
      (draws.log_density - log_prior(draws.flat)) * (kl_weight(batch) / static_cast<double>(batch.all_rows));
  const torch::Tensor log_mean = at::logsumexp(options_.alpha * (fit - log_site.unsqueeze(2)), 1) -
                                 std::log(static_cast<double>(options_.draws));
  return -log_mean.sum(1) / (options_.alpha * static_cast<double>(batch.step.batch));
}

torch::Tensor VariationalBound::log_likelihood(const torch::Tensor& flat, AffineRule& rule,
                                               const Minibatch& batch) const {
  const torch::Tensor each = net_.log_likelihood(net_.split(flat), for_draws(batch.rows.x, options_.draws),
                                                 for_draws(batch.rows.y, options_.draws), rule);
  return each.view({-1, options_.draws, each.size(1)});
}

torch::Tensor VariationalBound::log_prior(const torch::Tensor& draws) const {
  return net_.log_prior(net_.split(draws.flatten(0, 1))).view({draws.size(0), draws.size(1)});
}

torch::Tensor VariationalBound::kl_weight(const Minibatch& batch) const {
  const torch::Tensor& progress = batch.step.progress;
  const auto type = batch.rows.x.scalar_type();
  if (options_.warm_up == 0) return torch::ones_like(progress).to(type);
  return (progress / options_.warm_up).clamp_max(1).to(type);
}

BoundOptions bound_options(const OptionValues& values) {
  BoundOptions options{.alpha = values[kAlpha], .warm_up = values[kKlWarmup]};
  const bool has_alpha = options.alpha > 0;
  options.draws = count_of(values, kBoundDraws);
  if (options.draws == 0) options.draws = has_alpha ? 10 : 1;
  if (has_alpha && options.draws < 2)
    throw Error(ErrorKind::usage,
                "--alpha needs --step-draws of at least 2: with one draw it has no effect.");
  return options;
}

BoundOptions bound_options(const OptionValues& values, const ChoiceOption<GradientNoise>& gradient) {
  BoundOptions options = bound_options(values);
  const bool has_alpha = options.alpha > 0;
  switch (values[gradient]) {
    case GradientNoise::automatic: options.row_noise = has_alpha ? RowNoise::weights : RowNoise::local; break;
    case GradientNoise::weights: options.row_noise = RowNoise::weights; break;
    case GradientNoise::local: options.row_noise = RowNoise::local; break;
    case GradientNoise::flipout: options.row_noise = RowNoise::flipout; break;
  }
  if (has_alpha && options.row_noise != RowNoise::weights)
    throw Error(ErrorKind::usage,
                fmt::format("--alpha needs the density of drawn weights, which --gradient {} does not draw.",
                            values.text_of(gradient)),
                "Leave --gradient out, or give --gradient weights.");
  return options;
}

VariationalPosterior::VariationalPosterior(const BayesNet& net, std::unique_ptr<GaussianFamily> family,
                                           const OptionValues& values, const PosteriorStart& start,
                                           const BoundOptions& options)
    : net_(net),
      family_(std::move(family)),
      bound_(net, *family_, options, start.options),
      schedule_(values[kFallingRate]),
      noise_(Noise().of_nets(start.part())),
      lambda_(family_->start(fresh_parameters(net.layout(), start), values[kInitialSd], start.seed,
                             start.first_net)),
      adam_(lambda_, {.rate = values[kVariationalRate]}) {}

torch::Tensor VariationalPosterior::step(const Minibatch& batch) {
  const torch::Tensor lambda = lambda_.detach().requires_grad_();
  const torch::Tensor loss = bound_.loss(lambda, batch);
  torch::Tensor gradient = torch::autograd::grad({loss.sum()}, {lambda})[0];
  batch.step.sum->add_up(gradient);
  adam_.step(lambda_, gradient, batch.step.count, rate_scale(schedule_, batch.step.progress));
  return loss.detach().mean();
}

Predictive VariationalPosterior::predict(const torch::Tensor& x, std::int64_t draws) {
  return predict_draws(net_, draw_parameters(draws), x);
}

torch::Tensor VariationalPosterior::draw_parameters(std::int64_t draws) {
  const torch::NoGradGuard no_gradient;
  return family_->draw(lambda_, draws, noise_, GaussianFamily::Density::unwanted).flat;
}

torch::Tensor VariationalPosterior::center() {
  const torch::NoGradGuard no_gradient;
  return family_->mean(lambda_);
}

void VariationalPosterior::visit(const VisitTensor& visit) {
  visit("lambda", lambda_);
  adam_.visit("adam", visit);
}

}  // namespace kullback::deep
