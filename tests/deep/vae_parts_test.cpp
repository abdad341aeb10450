// Flow posteriors and priors, two stochastic layers, vector quantisation, refinement.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error.hpp"
#include "base/ranks.hpp"
#include "deep/train/train.hpp"
#include "deep/vae/gaussian.hpp"
#include "deep/vae/quantise.hpp"
#include "deep/vae/refine.hpp"
#include "deep/vae/training.hpp"
#include "deep/vae/vq_family.hpp"
#include "linear_vae.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

const VaeSpec kSpec{.pixels = 4, .latent = 3, .hidden = {6}};

// E_q N(z; m, s) / q(z) = 1 within standard errors, for a normal well inside of q.
void expect_normalised(const torch::Tensor& z, const torch::Tensor& log_q) {
  const torch::Tensor inside = log_normal(z, z.mean(0), (0.5 * z.std(0, true)).log());
  const torch::Tensor ratio = at::exp(inside - log_q);
  const torch::Tensor error = ratio.std(0, true) / std::sqrt(static_cast<double>(ratio.size(0)));
  EXPECT_LT(error.max().item<double>(), 0.1);
  EXPECT_LT(((ratio.mean(0) - 1) / error).abs().max().item<double>(), 4.5);
}

// Small nets where a part has some.
std::map<std::string, std::string> small(OptionTable options) {
  std::map<std::string, std::string> result;
  for (const OptionRecord* option : options)
    if (option->name.ends_with("_hidden")) result[std::string(option->name)] = "16";
  return result;
}

Parts small_parts(const std::string& family, const std::string& prior) {
  return {.family = family,
          .family_options = small(find_latent_family(family)->options),
          .prior = prior,
          .prior_options = small(find_latent_prior(prior)->options)};
}

class EveryContinuousFamily : public testing::TestWithParam<std::string> {};

TEST_P(EveryContinuousFamily, DrawsHaveTheirDensity) {
  const auto vae = gaussian_vae(kSpec, small_parts(GetParam(), "gaussian"), "0.5");
  torch::manual_seed(2);
  const torch::Tensor flat = vae->fresh(torch::randn({10, 4}, kDouble), 5).requires_grad_();
  const Parameters parameters = vae->split(flat);
  const torch::Tensor outputs = 0.4 * torch::randn({4, vae->family().encoder_outputs()}, kDouble);
  const auto q = vae->family().at(parameters, outputs, Mode::evaluate);
  {
    const torch::NoGradGuard no_gradient;
    const LatentDraws draws = q->rsample(8000, Noise(), true);
    expect_normalised(draws.z, draws.log_q);
  }
  if (!vae->family().has_density()) return;
  const LatentDraws draws = q->rsample(3, Noise(), true);
  EXPECT_LT(largest_difference(draws.log_q, q->log_density(draws.z)), 1e-9);
  const torch::Tensor stopped = q->stopped()->log_density(draws.z.detach());
  EXPECT_FALSE(stopped.requires_grad());
  EXPECT_LT(largest_difference(draws.log_q, stopped), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Families, EveryContinuousFamily,
                         testing::Values("gaussian", "planar", "radial", "sylvester", "iaf", "hierarchical",
                                         "iterative"));

class EveryLatentPrior : public testing::TestWithParam<std::string> {};

TEST_P(EveryLatentPrior, DrawsHaveTheirDensity) {
  const auto vae = gaussian_vae(kSpec, small_parts("gaussian", GetParam()), "0.5");
  torch::manual_seed(3);
  const torch::Tensor flat = vae->fresh(torch::randn({10, 4}, kDouble), 5) * 1.5;
  const Parameters parameters = vae->split(flat);
  const torch::Tensor z = vae->prior().sample(*vae, parameters, 20000, Noise()).view({10000, 2, 3});
  expect_normalised(z, vae->log_prior(parameters, z));
}

INSTANTIATE_TEST_SUITE_P(Priors, EveryLatentPrior, testing::Values("gaussian", "flow", "hierarchical"));

// The bound of a posterior, in draws [samples, rows].
torch::Tensor log_weights(const Vae& vae, const torch::Tensor& flat, const torch::Tensor& x,
                          std::int64_t samples) {
  const Parameters parameters = vae.split(flat);
  const auto q = vae.posterior(parameters, x, {}, Mode::evaluate);
  return vae.terms(parameters, x, {}, *q, Noise(), {.samples = samples}).log_weight();
}

// z2 ~ N(0, 1), z1 ~ N(a z2, t^2), x ~ N(w z1, s^2): z1 ~ N(0, a^2 + t^2).
TEST(Hierarchical, TheBoundIsTheEvidenceAtTheExactPosterior) {
  torch::manual_seed(4);
  const double a = 0.8, t = 0.6, s = 0.5, marginal = a * a + t * t;
  const torch::Tensor w = torch::tensor({1.0, -0.5, 0.7}, kDouble);
  const auto vae = gaussian_vae({.pixels = 3, .latent = 2, .hidden = {}},
                                {.family = "hierarchical", .prior = "hierarchical"}, "0.5");
  torch::Tensor flat = torch::zeros({1, vae->layout().size()}, kDouble);
  const double precision = 1 / marginal + w.dot(w).item<double>() / (s * s);
  const auto numbers = [](double mean, double log_sd) { return torch::tensor({mean, log_sd}, kDouble); };
  set(*vae, flat, "decoder.1.weight", w.unsqueeze(1));
  set(*vae, flat, "prior.bottom.straight.weight", numbers(a, 0).unsqueeze(1));
  set(*vae, flat, "prior.bottom.straight.bias", numbers(0, std::log(t)));
  set(*vae, flat, "encoder.1.weight", at::stack({w / (s * s * precision), torch::zeros_like(w)}));
  set(*vae, flat, "encoder.1.bias", numbers(0, -0.5 * std::log(precision)));
  set(*vae, flat, "posterior.top.straight.weight", numbers(a / marginal, 0).unsqueeze(1));
  set(*vae, flat, "posterior.top.straight.bias", numbers(0, std::log(t / std::sqrt(marginal))));

  const LinearDecoder joint{.weight = w.unsqueeze(1) * std::sqrt(marginal),
                            .bias = torch::zeros({3}, kDouble)};
  const torch::Tensor x = joint.sample(6), exact = joint.log_likelihood(x);
  EXPECT_LT(largest_difference(log_weights(*vae, flat, x, 5), exact), 1e-10);

  set(*vae, flat, "posterior.top.straight.bias", numbers(0.4, std::log(0.3)));
  const torch::Tensor worse = log_weights(*vae, flat, x, 4000);
  const torch::Tensor error = worse.std(0, true) / std::sqrt(4000.0);
  // KL(N(m + 0.4, 0.3^2) || N(m, v)) for every draw of z1.
  const double v = t * t / marginal;
  const double kl = 0.5 * ((0.09 + 0.16) / v - 1 + std::log(v / 0.09));
  EXPECT_LT(((exact - worse.mean(0) - kl) / error).abs().max().item<double>(), 4);
}

torch::Tensor jacobian(const torch::Tensor& y, const torch::Tensor& x) {
  std::vector<torch::Tensor> rows;
  for (std::int64_t i = 0; i < y.size(-1); ++i)
    rows.push_back(torch::autograd::grad({y.select(-1, i).sum()}, {x}, {}, true)[0]);
  return at::stack(rows, -2);
}

TEST(Quantise, GradientsGoPastCodes) {
  torch::manual_seed(5);
  const torch::Tensor e = torch::randn({7, 4}, kDouble).requires_grad_();
  const torch::Tensor q = torch::randn({7, 4}, kDouble);
  const torch::Tensor straight = past_codes(PastCodes::straight, e, q);
  EXPECT_LT(largest_difference(straight, q), 1e-14);
  EXPECT_EQ(largest_difference(jacobian(straight, e), torch::eye(4, kDouble)), 0);

  const torch::Tensor rotated = past_codes(PastCodes::rotation, e, q);
  EXPECT_LT(largest_difference(rotated, q), 1e-14);
  const torch::Tensor j = jacobian(rotated, e);
  const torch::Tensor scale = at::sqrt(q.square().sum(1) / e.square().sum(1)).view({7, 1, 1});
  // It takes e to q, is a rotation up to the scale, and moves nothing at right angles to both.
  EXPECT_LT(largest_difference(at::matmul(j, e.unsqueeze(2)).squeeze(2), q), 1e-12);
  const torch::Tensor rotation = j / scale;
  EXPECT_LT(largest_difference(at::matmul(rotation, rotation.transpose(1, 2)), torch::eye(4, kDouble)),
            1e-12);
  EXPECT_LT(largest_difference(at::linalg_det(rotation), torch::ones({7}, kDouble)), 1e-12);
  EXPECT_LT(largest_difference(rotation.diagonal(0, 1, 2).sum(1),
                               2 + 2 * (e * q).sum(1) / at::sqrt(e.square().sum(1) * q.square().sum(1))),
            1e-12);
}

TEST(Quantise, TellsHowCodesAreUsed) {
  const CodeUse use = code_use(torch::tensor({4, 4, 0, 0, 8}));
  EXPECT_EQ(use.dead, 2);
  EXPECT_NEAR(use.perplexity, std::exp(1.5 * std::log(2.0)), 1e-12);
}

struct VqCase {
  std::unique_ptr<Vae> vae;
  torch::Tensor flat;
};

VqCase vq_vae(const std::string& codebook) {
  VqCase result;
  result.vae = gaussian_vae(
      {.pixels = 4, .latent = 4, .hidden = {}},
      {.family = "vq",
       .family_options = {{"codes", "3"}, {"code_size", "2"}, {"codebook", codebook}, {"code_restart", "0"}},
       .prior = "codes",
       .prior_options = {{"codes", "3"}, {"code_size", "2"}}},
      "0.5");
  result.flat = result.vae->fresh(torch::randn({10, 4}, kDouble), 5);
  return result;
}

TEST(Vq, CodesBecomeRunningMeans) {
  torch::manual_seed(6);
  VqCase of = vq_vae("means");
  const Parameters parameters = of.vae->split(of.flat);
  const auto& family = dynamic_cast<const VqFamily&>(of.vae->family());
  const torch::Tensor before = family.codebook(parameters).clone();
  const torch::Tensor outputs = torch::randn({6, 4}, kDouble);
  const torch::Tensor chosen = family.codes_of(parameters, outputs).flatten();
  const auto q = of.vae->family().at(parameters, outputs, Mode::train);
  // The draw is of the codes before they moved.
  EXPECT_LT(largest_difference(q->moments().mean.view({12, 2}), before.index_select(0, chosen)), 1e-14);
  const torch::Tensor points = outputs.view({12, 2});
  for (std::int64_t code = 0; code < 3; ++code) {
    const torch::Tensor is_ours = (chosen == code).to(kDouble).unsqueeze(1);
    const torch::Tensor sum = 0.99 * before[code] + 0.01 * (points * is_ours).sum(0);
    const torch::Tensor count = 0.99 + 0.01 * is_ours.sum();
    EXPECT_LT(largest_difference(family.codebook(parameters)[code], sum / count), 1e-12);
  }
  of.vae->family().at(parameters, outputs, Mode::evaluate);
  const torch::Tensor after = family.codebook(parameters).clone();
  EXPECT_LT(largest_difference(family.codebook(parameters), after), 1e-15);
}

TEST(Vq, PenaltiesMoveEncoderAndCodes) {
  torch::manual_seed(7);
  VqCase of = vq_vae("loss");
  const torch::Tensor flat = of.flat.requires_grad_();
  const Parameters parameters = of.vae->split(flat);
  const auto& family = dynamic_cast<const VqFamily&>(of.vae->family());
  const torch::Tensor outputs = torch::randn({1, 4}, kDouble).requires_grad_();
  const torch::Tensor chosen = family.codes_of(parameters, outputs).flatten();
  const auto draws = of.vae->family().at(parameters, outputs, Mode::train)->rsample(1, Noise(), true);
  const auto gradients = torch::autograd::grad({draws.penalty.sum()}, {outputs, flat});
  const torch::Tensor away =
      outputs.detach().view({2, 2}) - family.codebook(parameters).detach().index_select(0, chosen);
  EXPECT_LT(largest_difference(gradients[0].view({2, 2}), 2 * 0.25 * away), 1e-12);
  const torch::Tensor of_codes = of.vae->split(gradients[1])[of.vae->layout().find("posterior.codes")][0];
  EXPECT_LT(largest_difference(of_codes, torch::zeros({3, 2}, kDouble).index_add_(0, chosen, -2 * away)),
            1e-12);
  EXPECT_EQ(draws.log_q.abs().max().item<double>(), 0);
}

TEST(Vq, ThePriorIsOverCodes) {
  torch::manual_seed(8);
  VqCase of = vq_vae("means");
  set(*of.vae, of.flat, "prior.codes", torch::tensor({0.0, 1.0, -1.0, 0.5, 0.0, 0.0}, kDouble).view({2, 3}));
  const Parameters parameters = of.vae->split(of.flat);
  const auto& family = dynamic_cast<const VqFamily&>(of.vae->family());
  const torch::Tensor book = family.codebook(parameters);
  double sum = 0;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      sum += of.vae->log_prior(parameters, at::cat({book[i], book[j]}).view({1, 1, 4})).exp().item<double>();
  EXPECT_NEAR(sum, 1, 1e-12);
  const torch::Tensor draws = of.vae->prior().sample(*of.vae, parameters, 6000, Noise());
  const torch::Tensor codes = family.codes_of(parameters, draws);
  const torch::Tensor share = at::softmax(torch::tensor({0.0, 1.0, -1.0}, kDouble), 0);
  for (std::int64_t i = 0; i < 3; ++i) {
    const double p = share[i].item<double>();
    EXPECT_NEAR((codes.select(1, 0) == i).to(kDouble).mean().item<double>(), p,
                4 * std::sqrt(p * (1 - p) / 6000));
  }
}

TEST(Vq, ThePriorOfCodesIsForCodes) {
  const auto vae = gaussian_vae(kSpec, {.prior = "codes"}, "0.5");
  const torch::Tensor flat = vae->fresh(torch::randn({3, 4}, kDouble), 1);
  EXPECT_THROW(vae->log_prior(vae->split(flat), torch::zeros({1, 1, 3}, kDouble)), Error);
}

// A linear autoencoder whose encoder is far off.
class Refine : public testing::Test {
 protected:
  Refine() {
    torch::manual_seed(9);
    x_ = model_.sample(5);
    vae_ = gaussian_vae(linear_spec(model_), {}, "0.5");
    flat_ = exact_parameters(*vae_, model_);
    set(*vae_, flat_, "encoder.1.weight", 0.1 * torch::ones({4, 4}, kDouble));
  }

  Pass pass(const Parameters& parameters) const {
    return {.vae = *vae_,
            .parameters = parameters,
            .x = x_,
            .label = {},
            .progress = {},
            .noise = Noise(),
            .mode = Mode::train};
  }

  LinearDecoder model_ = some_linear_model();
  std::unique_ptr<Vae> vae_;
  torch::Tensor x_, flat_;
};

TEST_F(Refine, RaisesTheBoundOfEachRow) {
  const Parameters parameters = vae_->split(flat_);
  const Pass pass = this->pass(parameters);
  const torch::Tensor outputs = vae_->encode(parameters, x_, {});
  const torch::Tensor before = elbo_at(pass, outputs, 4000);
  const torch::Tensor after = elbo_at(pass, refine(pass, outputs, {.steps = 40, .samples = 20}), 4000);
  EXPECT_GT((after - before).min().item<double>(), 0.05);
  const double best = model_.log_likelihood(x_).mean().item<double>() - model_.mean_field_gap();
  EXPECT_NEAR(after.mean().item<double>(), best, 0.15);
}

// The loss with fixed random numbers, at parameters moved along a direction.
double loss_at(const Vae& vae, const VaeObjective& objective, const torch::Tensor& x,
               const torch::Tensor& flat) {
  torch::manual_seed(11);
  const torch::Tensor leaf = flat.detach().clone().requires_grad_();
  const Parameters parameters = vae.split(leaf);
  return objective
      .loss({.vae = vae,
             .parameters = parameters,
             .x = x,
             .label = {},
             .progress = {},
             .noise = Noise(),
             .mode = Mode::train})
      .rows.sum()
      .item<double>();
}

TEST_F(Refine, LearnsThroughTheSteps) {
  const VaeObjectiveRecord* record = find_vae_objective("semi-amortised");
  const auto objective =
      record->make(read_options(record->options, {{"refine_steps", "3"}}, "a part"), vae_->spec());
  const torch::Tensor flat = flat_.detach().requires_grad_();
  const Parameters parameters = vae_->split(flat);
  torch::manual_seed(11);
  const ObjectiveLoss loss = objective->loss(pass(parameters));
  const torch::Tensor gradient = torch::autograd::grad({loss.rows.sum()}, {flat})[0];
  const torch::Tensor direction = torch::randn_like(flat).detach();
  const double step = 1e-5;
  const double slope = (loss_at(*vae_, *objective, x_, flat_ + step * direction) -
                        loss_at(*vae_, *objective, x_, flat_ - step * direction)) /
                       (2 * step);
  EXPECT_NEAR((gradient * direction).sum().item<double>(), slope, 1e-5 * std::abs(slope));
}

TEST_F(Refine, StoppedStepsTeachEncoderAndDecoderApart) {
  const VaeObjectiveRecord* record = find_vae_objective("semi-amortised");
  const auto objective =
      record->make(read_options(record->options, {{"refine_gradient", "stopped"}}, "a part"), vae_->spec());
  const torch::Tensor flat = flat_.detach().requires_grad_();
  const Parameters parameters = vae_->split(flat);
  const ObjectiveLoss loss = objective->loss(pass(parameters));
  const torch::Tensor of_rows = torch::autograd::grad({loss.rows.sum()}, {flat}, {}, true)[0];
  EXPECT_EQ(of_rows.narrow(1, 0, vae_->encoder_size()).abs().max().item<double>(), 0);
  EXPECT_GT(torch::autograd::grad({loss.encoder_rows.sum()}, {flat})[0]
                .narrow(1, 0, vae_->encoder_size())
                .abs()
                .max()
                .item<double>(),
            0.01);
}

// Trains; returns the mean bound of the last epoch and of the first.
struct Trained {
  double first = 0, last = 0;
};

Trained train_toy(const Vae& vae, torch::Tensor& flat, const torch::Tensor& x, const std::string& name,
                  std::int64_t epochs) {
  const VaeObjectiveRecord* record = find_vae_objective(name);
  const auto objective = record->make(OptionValues(), vae.spec());
  VaeTrainee trainee(vae, *objective, flat, {.x = x}, {}, {.rate = 0.01});
  const Ranks ranks;
  const TrainOutcome outcome = train(trainee, {.epochs = epochs, .batch = 50, .seed = 1}, ranks);
  EXPECT_EQ(outcome.failure, "");
  return {-outcome.epochs.front().loss, -outcome.epochs.back().loss};
}

TEST(Iterative, TheNetworkLearnsToRaiseTheBound) {
  torch::manual_seed(12);
  const LinearDecoder model = some_linear_model();
  const torch::Tensor x = model.sample(200);
  VaeSpec spec = linear_spec(model);
  const auto vae =
      gaussian_vae(spec, {.family = "iterative", .family_options = {{"refine_hidden", "20"}}}, "0.5");
  torch::Tensor flat = vae->fresh(x, 3);
  train_toy(*vae, flat, x, "iterative", 30);
  const Parameters parameters = vae->split(flat);
  const Pass pass{.vae = *vae,
                  .parameters = parameters,
                  .x = x,
                  .label = {},
                  .progress = {},
                  .noise = Noise(),
                  .mode = Mode::evaluate};
  const Iterates iterates = iterate(pass, vae->encode(parameters, x, {}), 5, 50);
  ASSERT_EQ(iterates.bounds.size(), 6u);
  EXPECT_GT(iterates.bounds.back().mean().item<double>(), iterates.bounds.front().mean().item<double>());
}

TEST(Iterative, NeedsItsFamily) {
  const auto vae = gaussian_vae(kSpec, {}, "0.5");
  const torch::Tensor x = torch::randn({3, 4}, kDouble), flat = vae->fresh(x, 1);
  const Parameters parameters = vae->split(flat);
  const Pass pass{.vae = *vae,
                  .parameters = parameters,
                  .x = x,
                  .label = {},
                  .progress = {},
                  .noise = Noise(),
                  .mode = Mode::evaluate};
  EXPECT_THROW(iterate(pass, vae->encode(parameters, x, {}), 2, 1), Error);
}

struct Combination {
  std::string family = "gaussian";
  std::string prior = "gaussian";
  std::string objective = "vae";
  std::map<std::string, std::string> options = {};
};

class EveryCombination : public testing::TestWithParam<Combination> {};

TEST_P(EveryCombination, Trains) {
  torch::manual_seed(13);
  const torch::Tensor x = some_linear_model().sample(100);
  Parts parts = small_parts(GetParam().family, GetParam().prior);
  parts.family_options.insert(GetParam().options.begin(), GetParam().options.end());
  const auto vae = gaussian_vae({.pixels = 4, .latent = 2, .hidden = {8}}, parts, "0.5");
  torch::Tensor flat = vae->fresh(x, 2);
  const Trained trained = train_toy(*vae, flat, x, GetParam().objective, 15);
  EXPECT_GT(trained.last, trained.first + 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Vae, EveryCombination,
    testing::Values(Combination{.family = "planar"}, Combination{.family = "radial", .objective = "iwae"},
                    Combination{.family = "sylvester", .prior = "flow"}, Combination{.family = "iaf"},
                    Combination{.family = "hierarchical", .prior = "hierarchical"},
                    Combination{.family = "hierarchical", .prior = "hierarchical", .objective = "iwae"},
                    Combination{.family = "vq", .prior = "codes"},
                    Combination{.family = "vq", .prior = "codes", .options = {{"codebook", "loss"}}},
                    Combination{.objective = "semi-amortised"},
                    Combination{.family = "iterative", .objective = "iterative"}));

}  // namespace
}  // namespace kullback::deep
