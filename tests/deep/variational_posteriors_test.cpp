#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "tests/deep/train_posterior.hpp"
#include "tests/deep/variational_toy.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;

struct Curve {
  torch::Tensor x, y;
};

// y = sin(3 x) + noise of sd 0.2.
Curve noisy_curve() {
  torch::manual_seed(2);
  const torch::Tensor x = torch::rand({120, 1}, kDouble) * 2.4 - 1.2;
  return {x, at::sin(3 * x).flatten() + 0.2 * torch::randn({120}, kDouble)};
}

BayesNet curve_net() { return BayesNet(perceptron(1, {12}), gaussian_likelihood(0), scaled_prior("3")); }

class Variational : public testing::TestWithParam<ToyRun> {};

TEST_P(Variational, LearnsACurve) {
  const BayesNet net = curve_net();
  const Curve data = noisy_curve();
  const auto posterior = train_posterior(net, GetParam(), data.x, data.y);
  torch::manual_seed(1);
  const torch::Tensor x = torch::rand({1, 500, 1}, kDouble) * 0.8 + 0.4;
  const torch::Tensor y = at::sin(3 * x).squeeze(2) + 0.2 * torch::randn({1, 500}, kDouble);
  const Predictive predictive = posterior->predict(x, 100);
  const std::int64_t components = GetParam().posterior == "last-layer" ? 1 : 100;
  ASSERT_EQ(predictive.mean.sizes(), at::IntArrayRef({1, components, 500}));
  ASSERT_EQ(predictive.variance.sizes(), at::IntArrayRef({1, components, 500}));
  const double attained = log_predictive(predictive, y).mean().item<double>();
  const double best = -0.5 * (std::log(2 * M_PI * 0.04) + 1);  // of the density that made them
  EXPECT_GT(attained, best - 0.55);
  const torch::Tensor unsure =
      predictive.mean_variance.defined() ? predictive.mean_variance[0][0].sqrt() : predictive.mean[0].std(0);
  EXPECT_GT(unsure.min().item<double>(), 0.01);
  EXPECT_EQ(posterior->draw_parameters(5).sizes(), at::IntArrayRef({1, 5, net.layout().size()}));
}

std::string name_of(const testing::TestParamInfo<ToyRun>& info) {
  std::string name = info.param.posterior + (info.param.options.contains("alpha") ? "_alpha" : "");
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    All, Variational,
    testing::Values(
        ToyRun{.posterior = "mean-field", .options = {{"rate", "0.02"}}, .epochs = 150},
        ToyRun{.posterior = "mean-field", .options = {{"rate", "0.02"}, {"alpha", "0.5"}}, .epochs = 150},
        ToyRun{.posterior = "low-rank", .options = {{"rate", "0.02"}}, .epochs = 150},
        ToyRun{.posterior = "matrix-normal", .options = {{"rate", "0.02"}}, .epochs = 150},
        ToyRun{.posterior = "ivon", .epochs = 200}, ToyRun{.posterior = "natural-gradient", .epochs = 250},
        ToyRun{.posterior = "last-layer", .options = {{"rate", "0.02"}}, .epochs = 150}),
    name_of);

// Posteriors whose noise is next to nothing, or that have none: a member is trained as if it were alone.
TEST(Variational, MembersAreIndependent) {
  const BayesNet net = curve_net();
  const Curve data = noisy_curve();
  for (const std::string name :
       {"mean-field", "matrix-normal", "low-rank", "last-layer", "natural-gradient"}) {
    ToyRun run{.posterior = name, .options = {{"initial_sd", "1e-8"}, {"rate", "0.002"}}, .epochs = 5};
    if (name == "natural-gradient") run.options["precision_rate"] = "1e-4";
    const auto alone = train_posterior(net, run, data.x, data.y);
    run.members = 3;
    const auto many = train_posterior(net, run, data.x, data.y);
    EXPECT_LT((alone->center()[0] - many->center()[0]).abs().max().item<double>(), 1e-5) << name;
    EXPECT_GT((many->center()[1] - many->center()[0]).abs().max().item<double>(), 0.1) << name;
  }
}

TEST(Ivon, MembersAreIndependent) {
  const BayesNet net = curve_net();
  const Curve data = noisy_curve();
  ToyRun run{.posterior = "ivon",
             .options = {{"hess_init", "1e14"}, {"rate", "1e-3"}, {"beta2", "0.999999"}},
             .epochs = 5};
  const auto alone = train_posterior(net, run, data.x, data.y);
  run.members = 2;
  const auto many = train_posterior(net, run, data.x, data.y);
  EXPECT_LT((alone->center()[0] - many->center()[0]).abs().max().item<double>(), 1e-5);
}

// One step by the formulas, with numbers of this file's own.
TEST(Ivon, StepsAsTheAuthorsDo) {
  const BayesNet net(perceptron(2, {}), gaussian_likelihood(0.5), scaled_prior());
  const torch::Tensor x = torch::tensor({{{0.5, -1.0}, {1.5, 0.3}, {-0.2, 0.8}}}, kDouble);
  const torch::Tensor y = torch::tensor({{0.3, -0.9, 1.1}}, kDouble);
  const PosteriorRecord& record = *find_posterior("ivon");
  const OptionValues settings = read_options(record.options,
                                             {{"rate", "0.3"},
                                              {"schedule", "constant"},
                                              {"ess", "40"},
                                              {"temperature", "2"},
                                              {"hess_init", "0.7"},
                                              {"beta1", "0.8"},
                                              {"beta2", "0.9"},
                                              {"clip_radius", "1.5"}},
                                             "a part");
  const auto posterior = record.make(net, settings, {.all_rows = 30, .seed = 1, .options = kDouble});
  const torch::Tensor m = posterior->center()[0].clone();
  const double ess = 20, rate = 0.3, h0 = 0.7;
  const torch::Tensor d = torch::tensor({2.0, 2.0, 0.25}, kDouble) / ess;
  torch::manual_seed(9);
  const ToyStep step({x, y}, 30);
  posterior->step(step.minibatch());

  torch::manual_seed(9);
  const torch::Tensor deviation = torch::randn({1, 1, 3}, kDouble)[0][0] / (ess * (h0 + d)).sqrt();
  const torch::Tensor w = m + deviation;
  const torch::Tensor design = at::cat({x[0], torch::ones({3, 1}, kDouble)}, 1);
  const torch::Tensor g = at::matmul(design.t(), at::matmul(design, w) - y[0]) / (3 * 0.25);
  const torch::Tensor f = g * deviation * ess * (h0 + d);
  const torch::Tensor h = 0.9 * h0 + 0.1 * f + 0.005 * (h0 - f).square() / (h0 + d);
  const torch::Tensor expected = m - rate * (h0 + d) * ((g + d * m) / (h + d)).clamp(-1.5, 1.5);
  EXPECT_LT((posterior->center()[0] - expected).abs().max().item<double>(), 1e-12);
}

BayesNet class_net(std::vector<std::int64_t> hidden) {
  return BayesNet(perceptron(2, std::move(hidden)), std::make_unique<Classes>(3), scaled_prior("3"));
}

// Three classes by angle.
Curve three_classes() {
  torch::manual_seed(3);
  const torch::Tensor y = torch::arange(150, torch::kInt64) % 3;
  const torch::Tensor angle = y.to(kDouble) * (2 * M_PI / 3);
  return {at::stack({at::cos(angle), at::sin(angle)}, 1) + 0.4 * torch::randn({150, 2}, kDouble), y};
}

TEST(LastLayer, LearnsClasses) {
  const BayesNet net = class_net({8});
  const Curve data = three_classes();
  const auto posterior = train_posterior(
      net, {.posterior = "last-layer", .options = {{"rate", "0.02"}}, .epochs = 60}, data.x, data.y);
  const torch::Tensor probs = posterior->predict(data.x.unsqueeze(0), 100).log_probs.exp()[0];
  ASSERT_EQ(probs.sizes(), at::IntArrayRef({100, 150, 3}));
  EXPECT_GT((probs.mean(0).argmax(1) == data.y).to(kDouble).mean().item<double>(), 0.85);
  // The probabilities of drawn last layers have the same mean.
  torch::manual_seed(1);
  const Predictive drawn = predict_draws(net, posterior->draw_parameters(2000), data.x.unsqueeze(0));
  const torch::Tensor direct = posterior->predict(data.x.unsqueeze(0), 2000).log_probs.exp()[0].mean(0);
  EXPECT_LT((drawn.log_probs.exp()[0].mean(0) - direct).abs().max().item<double>(), 0.03);
}

// loss = -bound + divergence: not below what draws give, and not far above it.
TEST(LastLayer, BoundOfClassesIsBelowTheExpectation) {
  const BayesNet net = class_net({});
  const Curve data = three_classes();
  const PosteriorRecord& record = *find_posterior("last-layer");
  const auto loss_at = [&](const std::string& sd, bool is_drawn) {
    const auto posterior = record.make(net, read_options(record.options, {{"initial_sd", sd}}, "a part"),
                                       {.all_rows = 150, .seed = 1, .options = kDouble});
    torch::manual_seed(1);
    const torch::Tensor draws = posterior->draw_parameters(4000)[0];
    const torch::Tensor center = posterior->center();
    if (!is_drawn) {
      const ToyStep step({data.x.unsqueeze(0), data.y.unsqueeze(0)}, 150);
      return posterior->step(step.minibatch()).item<double>();
    }
    PlainRule plain;
    const torch::Tensor fit = net.log_likelihood(net.split(draws), data.x.unsqueeze(0).expand({4000, 150, 2}),
                                                 data.y.unsqueeze(0).expand({4000, 150}), plain);
    const double variance = std::stod(sd) * std::stod(sd);
    const torch::Tensor precisions = net.prior().precisions(net.layout());
    const torch::Tensor kl =
        0.5 * (precisions * (center[0].square() + variance) - 1 - (precisions * variance).log()).sum();
    return -fit.mean().item<double>() + kl.item<double>() / 150;
  };
  EXPECT_NEAR(loss_at("1e-4", false), loss_at("1e-4", true), 1e-5);
  EXPECT_GT(loss_at("0.3", false), loss_at("0.3", true));
  EXPECT_LT(loss_at("0.3", false), loss_at("0.3", true) + 0.1);
}

TEST(PredictDraws, InPartsIsWhatItIsAtOnce) {
  const BayesNet net = curve_net();
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({2, 100'000, 1}, kDouble);
  const torch::Tensor draws = torch::randn({2, 5, net.layout().size()}, kDouble);
  const Predictive parts = predict_draws(net, draws, x);  // 2 draws at once
  const Predictive whole = predict_draws(net, draws, x.narrow(1, 0, 10));
  EXPECT_TRUE(parts.mean.narrow(2, 0, 10).allclose(whole.mean));
  EXPECT_TRUE(parts.variance.narrow(2, 0, 10).allclose(whole.variance));
}

TEST(Variational, RefusesWhatHasNoClosedForm) {
  const BayesNet unknown(perceptron(1, {3}), gaussian_likelihood(0),
                         std::make_unique<UnknownPrior>(scaled_prior()));
  for (const std::string name : {"ivon", "last-layer"}) {
    const PosteriorRecord& record = *find_posterior(name);
    EXPECT_THROW(record.make(unknown, OptionValues(), {.all_rows = 9, .options = kDouble}), Error) << name;
  }
}

}  // namespace
}  // namespace kullback::deep
