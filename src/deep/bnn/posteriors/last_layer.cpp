// Variational Bayesian last layer (Harrison, Willes, Snoek 2024). Features f(x), with a 1 at their end, come
// from all layers but the last and are points, most probable under their prior; the last layer's rows w_c
// (bias included) ~ N(m_c, S_c), S_c = L_c L_c'. Bounds of E log p(y | W, f) without draws:
//   regression: log N(y | m'f, s^2) - f'S f / (2 s^2), exact;
//   classification: m_y'f - log sum_c exp(m_c'f + f'S_c f / 2), Jensen's inequality; the paper's extra noise
//   of the logits is left out, so that the likelihood is the softmax of all other posteriors.
// loss = -mean bound + (KL(q || prior of the last layer) - log prior of all else) / rows.
// Predictions: regression N(m'f, s^2 + f'S f); classification: draws of the logits, which given f are
// independent Gaussians.
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "base/error.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/bnn/posteriors/triangular.hpp"
#include "deep/bnn/posteriors/variational.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kLayerSd =
    NumberOption("initial_sd", 0.05, "Sd of the last layer's weights at the start").above(0);
enum class Features { trained, frozen };
constexpr auto kFeatures = ChoiceOption("features", Features::trained, "trained|frozen",
                                        "Layers before the last; frozen: at their random start");
constexpr const OptionRecord* kOptions[] = {&kAdamRate, &kFallingRate, &kLayerSd, &kFeatures};

// Of the last layer's outputs, [nets, rows, outputs].
struct Outputs {
  torch::Tensor mean;
  torch::Tensor variance;
};

const Affine& last_linear(const BayesNet& net) {
  const Affine& last = *net.net().affines().back();
  if (last.kind != Affine::Kind::linear)
    throw Error(ErrorKind::internal, "the last layer of a network is not linear.");
  return last;
}

bool is_classification(const BayesNet& net, const torch::TensorOptions& options) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor flat = torch::zeros({1, net.layout().size()}, options);
  const std::int64_t outputs = net.likelihood().outputs();
  const Predictive predictive =
      net.likelihood().predict(net.split(flat), torch::zeros({1, 1, outputs}, options));
  const bool has_classes = predictive.log_probs.defined();
  if (has_classes ? predictive.log_probs.size(2) != outputs : outputs != 1)
    throw Error(ErrorKind::usage,
                "last-layer has a closed form for regression with the same noise everywhere and for classes "
                "with one output each; this likelihood is neither.",
                "Choose the likelihood 'gaussian' or 'categorical', or another posterior.");
  return has_classes;
}

torch::Tensor gaussian_precisions(const BayesNet& net) {
  torch::Tensor precisions = net.prior().precisions(net.layout());
  if (!precisions.defined())
    throw Error(ErrorKind::usage, "last-layer needs a prior of independent Gaussians for its closed form.",
                "Choose the prior 'gaussian', or the posterior 'mean-field'.");
  return precisions;
}

class LastLayer final : public Posterior {
 public:
  LastLayer(const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
      : net_(net),
        last_(last_linear(net)),
        has_classes_(is_classification(net, start.options)),
        schedule_(values[kFallingRate]),
        noise_(Noise().of_nets(start.part())),
        width_(last_.inputs + 1),
        precisions_(gaussian_precisions(net).to(start.options)) {
    flat_slot_ = numbers_.add({.name = "flat", .shape = {net.layout().size()}});
    factor_slot_ = numbers_.add({.name = "factor", .shape = {last_.outputs, width_, width_}});
    lambda_ = torch::zeros({start.nets, numbers_.size()}, start.options);
    const Parameters views(numbers_, lambda_);
    torch::Tensor(views[flat_slot_]).copy_(fresh_parameters(net.layout(), start));
    log_diagonal(views[factor_slot_]).fill_(std::log(values[kLayerSd]));
    split_slots(values[kFeatures] == Features::frozen);
    adam_ = std::make_unique<Adam>(lambda_, AdamOptions{.rate = values[kAdamRate]});
  }

  torch::Tensor step(const Minibatch& batch) override {
    const torch::Tensor lambda = lambda_.detach().requires_grad_();
    const Parameters numbers(numbers_, lambda);
    const Parameters parameters = net_.split(numbers[flat_slot_]);
    const Outputs outputs = last_layer(parameters, numbers[factor_slot_], batch.rows.x);
    const torch::Tensor loss =
        regulariser(numbers[flat_slot_], parameters, numbers[factor_slot_]) *
            (batch.step.share / static_cast<double>(batch.all_rows)) -
        bound(parameters, outputs, batch.rows.y).sum(1) / static_cast<double>(batch.step.batch);
    torch::Tensor gradient = torch::autograd::grad({loss.sum()}, {lambda})[0];
    batch.step.sum->add_up(gradient);
    if (is_trained_.defined()) gradient.mul_(is_trained_);
    adam_->step(lambda_, gradient, batch.step.count, rate_scale(schedule_, batch.step.progress));
    return loss.detach().mean();
  }

  Predictive predict(const torch::Tensor& x, std::int64_t draws) override {
    const torch::NoGradGuard no_gradient;
    const Parameters numbers(numbers_, lambda_);
    const Parameters parameters = net_.split(numbers[flat_slot_]);
    const Outputs outputs = last_layer(parameters, numbers[factor_slot_], x);
    return has_classes_ ? drawn_classes(outputs, draws) : normal(parameters, outputs);
  }

  torch::Tensor draw_parameters(std::int64_t draws) override {
    const torch::NoGradGuard no_gradient;
    const Parameters numbers(numbers_, lambda_);
    const std::int64_t nets = lambda_.size(0);
    const torch::Tensor z = noise_.normal({nets, last_.outputs, width_, draws}, lambda_.options(), -1);
    const torch::Tensor deviation =
        at::matmul(triangular_factor(numbers[factor_slot_]), z).permute({0, 3, 1, 2});
    torch::Tensor result = numbers[flat_slot_].unsqueeze(1).repeat({1, draws, 1});
    const Slot &weight = net_.layout().slots()[last_.weight], &bias = net_.layout().slots()[last_.bias];
    result.narrow(2, weight.first, weight.size).add_(deviation.narrow(3, 0, last_.inputs).flatten(2));
    result.narrow(2, bias.first, bias.size).add_(deviation.select(3, last_.inputs));
    return result;
  }

  torch::Tensor center() override { return lambda_.narrow(1, 0, net_.layout().size()); }

  void visit(const VisitTensor& visit) override {
    visit("lambda", lambda_);
    adam_->visit("adam", visit);
  }

 private:
  // Masks: parameters that are points, and where features are frozen all numbers that are trained.
  void split_slots(bool is_frozen) {
    is_point_ = torch::ones_like(precisions_);
    for (const std::size_t slot : {last_.weight, last_.bias}) {
      const Slot& place = net_.layout().slots()[slot];
      is_point_.narrow(0, place.first, place.size).zero_();
    }
    if (!is_frozen) return;
    is_trained_ = torch::ones({numbers_.size()}, precisions_.options());
    for (const Affine* affine : net_.net().affines()) {
      if (affine->is_last) continue;
      for (const std::size_t slot : {affine->weight, affine->bias}) {
        const Slot& place = net_.layout().slots()[slot];
        is_trained_.narrow(0, place.first, place.size).zero_();
      }
    }
  }

  Outputs last_layer(const Parameters& parameters, const torch::Tensor& raw, const torch::Tensor& x) const {
    PlainRule plain;
    const torch::Tensor features = net_.net().features(parameters, x, plain);
    const torch::Tensor factor = triangular_factor(raw);
    const torch::Tensor seen = at::matmul(features.unsqueeze(1), factor.narrow(2, 0, last_.inputs)) +
                               factor.narrow(2, last_.inputs, 1);
    return {plain.apply(last_, parameters, features), seen.square().sum(3).transpose(1, 2)};
  }

  // Of E log p(y), [nets, rows].
  torch::Tensor bound(const Parameters& parameters, const Outputs& outputs, const torch::Tensor& y) const {
    const Likelihood& likelihood = net_.likelihood();
    if (has_classes_) {
      const torch::Tensor raised = outputs.mean + 0.5 * outputs.variance;
      const torch::Tensor index = y.unsqueeze(2).expand({raised.size(0), raised.size(1), 1});
      return likelihood.log_density(parameters, raised, y) -
             0.5 * outputs.variance.gather(2, index).squeeze(2);
    }
    const torch::Tensor noise = likelihood.predict(parameters, outputs.mean).variance;
    return likelihood.log_density(parameters, outputs.mean, y) - 0.5 * outputs.variance.squeeze(2) / noise;
  }

  // KL of the last layer - log prior of all else, [nets].
  torch::Tensor regulariser(const torch::Tensor& flat, const Parameters& parameters,
                            const torch::Tensor& raw) const {
    const torch::Tensor points =
        0.5 * (is_point_ * (precisions_ * flat.square() - precisions_.log() + kLogTwoPi)).sum(1);
    const torch::Tensor means = at::cat({parameters[last_.weight], parameters[last_.bias].unsqueeze(2)}, 2);
    const torch::Tensor precisions = last_precisions();
    const torch::Tensor squares = means.square() + triangular_factor(raw).square().sum(3);
    const torch::Tensor kl =
        0.5 * (precisions * squares - precisions.log() - 1).sum({1, 2}) - log_diagonal(raw).sum({1, 2});
    return points + kl;
  }

  // [outputs, width].
  torch::Tensor last_precisions() const {
    const Parameters precisions = net_.split(precisions_.unsqueeze(0));
    return at::cat({precisions[last_.weight][0], precisions[last_.bias][0].unsqueeze(1)}, 1);
  }

  Predictive normal(const Parameters& parameters, const Outputs& outputs) const {
    Predictive result = net_.likelihood().predict(parameters, outputs.mean);
    result.mean_variance = outputs.variance.squeeze(2);
    result.variance = result.variance + result.mean_variance;
    return one_draw(result);
  }

  Predictive drawn_classes(const Outputs& outputs, std::int64_t draws) const {
    const torch::Tensor& mean = outputs.mean;
    const torch::Tensor z =
        noise_.normal({mean.size(0), draws, mean.size(1), mean.size(2)}, mean.options(), -1);
    return {.log_probs = at::log_softmax(mean.unsqueeze(1) + outputs.variance.sqrt().unsqueeze(1) * z, 3)};
  }

  const BayesNet& net_;
  const Affine& last_;
  bool has_classes_;
  Schedule schedule_;
  Noise noise_;         // of predictions
  std::int64_t width_;  // of a row of the last layer, bias included
  Layout numbers_;      // of lambda
  std::size_t flat_slot_ = 0, factor_slot_ = 0;
  torch::Tensor precisions_, is_point_, is_trained_;
  torch::Tensor lambda_;
  std::unique_ptr<Adam> adam_;
};

}  // namespace

extern const PosteriorRecord kLastLayer;
const PosteriorRecord kLastLayer{
    .name = "last-layer",
    .summary = "a full Gaussian over the last layer, without draws, on features trained with it",
    .use_when =
        "You want uncertainty at the price of ordinary training, smooth predictions, or a net too large for "
        "a posterior over all its weights.",
    .citation = "Harrison, Willes, Snoek 2024, Variational Bayesian last layers",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values, const PosteriorStart& start)
        -> std::unique_ptr<Posterior> { return std::make_unique<LastLayer>(net, values, start); }};

}  // namespace kullback::deep
