#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "deep/bnn/function_rhat.hpp"
#include "deep/bnn/posteriors/kept_draws.hpp"
#include "tests/deep/linear_model.hpp"
#include "tests/deep/train_posterior.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;

// Draws in units of the exact posterior have mean 0 and mean square 1, within 4 standard errors (from the
// spread of chains) and a bias that the length of steps brings.
void expect_exact_posterior(const LinearModel& model, const torch::Tensor& draws, double bias) {
  const torch::Tensor units = (draws - model.mean) / model.covariance.diag().sqrt();
  const double root = std::sqrt(static_cast<double>(draws.size(0)));
  const torch::Tensor means = units.mean(1), squares = units.square().mean(1);
  EXPECT_LT((means.mean(0).abs() - 4 * means.std(0) / root).max().item<double>(), bias) << means.mean(0);
  EXPECT_LT(((squares.mean(0) - 1).abs() - 4 * squares.std(0) / root).max().item<double>(), bias)
      << squares.mean(0);
  EXPECT_LT((4 * squares.std(0) / root).max().item<double>(), 0.25);  // the check is sharp
}

TEST(KeptDraws, AreSpreadOverTheEpochsAfterTheBurnIn) {
  const auto kept_epochs = [](std::int64_t epochs, std::int64_t most) {
    KeptDraws kept(torch::zeros({1, 1}, kDouble), most);
    for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
      const double progress = static_cast<double>(epoch) / static_cast<double>(epochs);
      kept.offer(torch::full({1, 1}, static_cast<double>(epoch), kDouble), (progress - 0.5) / 0.5);
    }
    return kept.take({}, most).flatten();
  };
  EXPECT_TRUE(kept_epochs(40, 5).equal(torch::tensor({24.0, 28.0, 32.0, 36.0, 40.0}, kDouble)));
  EXPECT_TRUE(kept_epochs(6, 5).equal(torch::tensor({4.0, 5.0, 6.0}, kDouble)));
}

TEST(KeptDraws, TakesFewerEvenlyAndTheStateWhereThereIsNone) {
  KeptDraws kept(torch::zeros({1, 1}, kDouble), 10);
  EXPECT_EQ(kept.take(torch::full({1, 1}, 7.0, kDouble), 3).item<double>(), 7);
  for (int i = 1; i <= 10; ++i) kept.offer(torch::full({1, 1}, static_cast<double>(i), kDouble), i / 10.0);
  EXPECT_TRUE(kept.take({}, 2).flatten().equal(torch::tensor({3.0, 8.0}, kDouble)));
}

TEST(Hmc, ReachesTheExactPosterior) {
  const LinearModel model(200);
  const auto posterior = train_posterior(
      model.net, {.posterior = "hmc", .epochs = 300, .batch = 200, .members = 16}, model.x, model.y);
  const torch::Tensor draws = posterior->draw_parameters(1000);
  EXPECT_EQ(draws.size(1), 150);
  expect_exact_posterior(model, draws, 0.02);
  EXPECT_TRUE(posterior->findings().empty());
  const Predictive predictive = posterior->predict(model.x.expand({16, 200, 2}), 1000);
  const std::vector<double> rhat = function_rhat(predictive.mean);
  ASSERT_EQ(rhat.size(), 200u);
  EXPECT_LT(*std::max_element(rhat.begin(), rhat.end()), 1.05);
}

TEST(Hmc, RefusesMinibatches) {
  const LinearModel model(50);
  EXPECT_THROW(train_posterior(model.net, {.posterior = "hmc", .epochs = 2}, model.x, model.y), Error);
}

TEST(FunctionRhat, FindsChainsThatDisagree) {
  torch::manual_seed(1);
  torch::Tensor predictions = torch::randn({4, 100, 2}, kDouble);
  predictions[0].select(1, 1).add_(3);
  const std::vector<double> rhat = function_rhat(predictions);
  EXPECT_LT(rhat[0], 1.05);
  EXPECT_GT(rhat[1], 1.2);
}

ToyRun long_run(const std::string& posterior, std::map<std::string, std::string> options) {
  options["draws_kept"] = "1000";
  options["burn_in"] = "0.4";
  return {.posterior = posterior, .options = std::move(options), .epochs = 700, .batch = 100, .members = 64};
}

// The Euler step h makes variances larger by the part h * curvature / 2.
TEST(Sgld, ReachesTheExactPosterior) {
  const LinearModel model(200);
  const auto posterior =
      train_posterior(model.net, long_run("sgld", {{"rate", "0.01"}, {"final_rate", "1"}}), model.x, model.y);
  expect_exact_posterior(model, posterior->draw_parameters(1000), 0.04);
}

TEST(Psgld, ReachesTheExactPosterior) {
  const LinearModel model(50);
  ToyRun run = long_run("psgld", {{"rate", "0.006"}});
  run.batch = 25;
  const auto posterior = train_posterior(model.net, run, model.x, model.y);
  expect_exact_posterior(model, posterior->draw_parameters(1000), 0.05);
}

TEST(Sghmc, ReachesTheExactPosteriorWithMinibatches) {
  const LinearModel model(200);
  ToyRun run = long_run("sghmc", {});
  run.batch = 50;
  run.epochs = 350;
  const auto posterior = train_posterior(model.net, run, model.x, model.y);
  expect_exact_posterior(model, posterior->draw_parameters(1000), 0.03);
}

TEST(Sghmc, TemperatureScalesTheVariance) {
  const LinearModel model(50);
  ToyRun run = long_run("sghmc", {{"temperature", "0.25"}, {"rate", "0.02"}});
  run.batch = 25;
  run.epochs = 350;
  const auto posterior = train_posterior(model.net, run, model.x, model.y);
  expect_exact_posterior(model, model.mean + 2 * (posterior->draw_parameters(1000) - model.mean), 0.04);
}

// y = v tanh(w x): (w, v) and (-w, -v) say the same.
TEST(Cyclical, VisitsBothModes) {
  const BayesNet net = toy_net({.inputs = 1, .hidden = {1}, .activation = Activation::tanh}, 0.4);
  const torch::Tensor x = torch::linspace(-2, 2, 20, kDouble).unsqueeze(1), y = at::tanh(1.5 * x.squeeze(1));
  const auto posterior =
      train_posterior(net,
                      {.posterior = "cyclical",
                       .options = {{"cycles", "10"}, {"rate", "0.02"}, {"explore_temperature", "30"}},
                       .epochs = 500,
                       .batch = 5},
                      x, y);
  const torch::Tensor draws = posterior->draw_parameters(100)[0];
  ASSERT_EQ(draws.size(0), 100);
  const double positive = (draws.select(1, 0) > 0).to(kDouble).mean().item<double>();
  EXPECT_GT(positive, 0.15);
  EXPECT_LT(positive, 0.85);
  // Draws are near the modes, not between them.
  EXPECT_GT((draws.select(1, 0) * draws.select(1, 2) > 0).to(kDouble).mean().item<double>(), 0.98);
}

TEST(Chains, SayWhereNoDrawWasKept) {
  const LinearModel model(50);
  const BayesNet& net = model.net;
  const PosteriorRecord* record = find_posterior("sghmc");
  const auto posterior =
      record->make(net, OptionValues(), {.nets = 2, .all_rows = 50, .options = model.x.options()});
  EXPECT_EQ(posterior->findings().at(0).code, "no-draws");
  EXPECT_EQ(posterior->predict(model.x.expand({2, 50, 2}), 10).mean.size(1), 1);
}

struct ToyRegression {
  ToyRegression() : net(toy_net({.inputs = 4, .hidden = {50}}, 0)) {
    torch::manual_seed(11);
    x = torch::randn({300, 4}, kDouble);
    const torch::Tensor f = at::sin(2 * x.select(1, 0)) + 0.5 * x.select(1, 1) * x.select(1, 2);
    y = f + 0.2 * torch::randn({300}, kDouble);
  }

  double held_out(const ToyRun& run) const {
    const auto posterior = train_posterior(net, run, x.narrow(0, 0, 150), y.narrow(0, 0, 150));
    const Predictive predictive = posterior->predict(x.narrow(0, 150, 150).expand({run.members, 150, 4}), 50);
    return log_predictive(predictive, y.narrow(0, 150, 150).unsqueeze(0)).mean().item<double>();
  }

  BayesNet net;
  torch::Tensor x, y;
};

TEST(Sghmc, PredictsBetterThanTheMostProbableNet) {
  const ToyRegression toy;
  const double map = toy.held_out({.posterior = "map", .epochs = 300});
  const double sghmc = toy.held_out({.posterior = "sghmc", .epochs = 300, .members = 4});
  EXPECT_GT(sghmc, map + 0.1);
}

}  // namespace
}  // namespace kullback::deep
