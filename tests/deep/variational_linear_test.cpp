// One linear layer with known noise: the posterior is Bayesian linear regression's.
#include <gtest/gtest.h>

#include "tests/deep/train_posterior.hpp"
#include "tests/deep/variational_toy.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;
constexpr double kNoise = 0.5;

struct Regression {
  torch::Tensor x, y;
  torch::Tensor mean, precision;  // of [weights, bias]
};

// Of features x with a prior N(0, 1 / inputs) of weights and N(0, 4) of the bias.
Regression solve(const torch::Tensor& x, const torch::Tensor& y) {
  const torch::Tensor design = at::cat({x, torch::ones({x.size(0), 1}, kDouble)}, 1);
  torch::Tensor prior = torch::full({design.size(1)}, static_cast<double>(x.size(1)), kDouble);
  prior[-1] = 0.25;
  const torch::Tensor precision = at::matmul(design.t(), design) / (kNoise * kNoise) + at::diag(prior);
  const torch::Tensor moment = at::matmul(design.t(), y) / (kNoise * kNoise);
  return {x, y, at::matmul(at::linalg_inv(precision), moment), precision};
}

// Inputs that depend on each other and are not centred.
Regression correlated_inputs() {
  torch::manual_seed(4);
  const torch::Tensor common = torch::randn({60, 1}, kDouble);
  const torch::Tensor x = 0.6 * torch::randn({60, 3}, kDouble) + 0.5 * common + 0.3;
  const torch::Tensor y =
      at::matmul(x, torch::tensor({0.6, -0.4, 0.2}, kDouble)) + 0.5 + kNoise * torch::randn({60}, kDouble);
  return solve(x, y);
}

BayesNet linear_net() { return BayesNet(perceptron(3, {}), gaussian_likelihood(kNoise), scaled_prior()); }

// Draws of the last 1 + inputs parameters that are [weights, bias].
torch::Tensor draws_of(Posterior& posterior, std::int64_t draws) {
  torch::manual_seed(11);
  return posterior.draw_parameters(draws)[0];
}

std::unique_ptr<Posterior> train_on(const Regression& data, const std::string& name,
                                    std::map<std::string, std::string> options, std::int64_t steps) {
  static const BayesNet net = linear_net();
  return train_posterior(
      net, {.posterior = name, .options = std::move(options), .epochs = steps, .batch = 60}, data.x, data.y);
}

// In units of the exact posterior's sds.
double mean_error(Posterior& posterior, const Regression& data) {
  const torch::Tensor sd = at::linalg_inv(data.precision).diagonal().sqrt();
  return ((posterior.center()[0] - data.mean) / sd).abs().max().item<double>();
}

// The largest entry of |root' S root - I| for the draws' covariance S and precision = root root': 0 where S
// is exact, with an error of about sqrt(2 / draws).
double covariance_error(Posterior& posterior, const Regression& data) {
  const torch::Tensor draws = draws_of(posterior, 40'000);
  const torch::Tensor root = at::linalg_cholesky(data.precision);
  const torch::Tensor whitened = at::matmul(draws - draws.mean(0), root);
  const torch::Tensor covariance = at::matmul(whitened.t(), whitened) / 40'000.0;
  return (covariance - torch::eye(4, kDouble)).abs().max().item<double>();
}

// The largest |log| of draws' precision against the diagonal of the exact precision.
double diagonal_error(Posterior& posterior, const Regression& data) {
  const torch::Tensor variance = draws_of(posterior, 40'000).var(0);
  return (variance * data.precision.diagonal()).log().abs().max().item<double>();
}

// Adam's steps at the optimum are as long as its rate, whatever the draws: a small one from a start that is
// near.
std::map<std::string, std::string> quick(std::map<std::string, std::string> more) {
  more.insert({{"rate", "0.015"}, {"initial_sd", "0.1"}, {"step_draws", "8"}});
  return more;
}

TEST(LinearRegression, MatrixNormalIsThePosterior) {
  const Regression data = correlated_inputs();
  for (const std::string gradient : {"local", "weights"}) {
    const auto posterior = train_on(data, "matrix-normal", quick({{"gradient", gradient}}), 700);
    EXPECT_LT(mean_error(*posterior, data), 0.05) << gradient;
    EXPECT_LT(covariance_error(*posterior, data), 0.06) << gradient;
  }
}

TEST(LinearRegression, LowRankIsThePosterior) {
  const Regression data = correlated_inputs();
  const auto posterior = train_on(data, "low-rank", quick({{"rank", "3"}, {"rate", "0.04"}}), 900);
  EXPECT_LT(mean_error(*posterior, data), 0.05);
  EXPECT_LT(covariance_error(*posterior, data), 0.08);
}

TEST(LinearRegression, MeanFieldHasTheDiagonalOfThePrecision) {
  const Regression data = correlated_inputs();
  for (const std::string gradient : {"local", "flipout", "weights"}) {
    const auto posterior = train_on(data, "mean-field", quick({{"gradient", gradient}}), 700);
    EXPECT_LT(mean_error(*posterior, data), 0.05) << gradient;
    EXPECT_LT(diagonal_error(*posterior, data), 0.06) << gradient;
  }
}

TEST(LinearRegression, IvonHasTheDiagonalOfThePrecision) {
  const Regression data = correlated_inputs();
  const auto posterior =
      train_on(data, "ivon", {{"rate", "0.2"}, {"beta2", "0.99"}, {"step_draws", "64"}}, 800);
  EXPECT_LT(mean_error(*posterior, data), 0.05);
  EXPECT_LT(diagonal_error(*posterior, data), 0.06);
}

// The prior stays as it is: precision = likelihood's / T + prior's, which the prior-heavy coordinate shows.
TEST(LinearRegression, IvonsTemperatureCountsTheDivergence) {
  const Regression data = correlated_inputs();
  const auto posterior = train_on(
      data, "ivon", {{"rate", "0.2"}, {"beta2", "0.99"}, {"step_draws", "64"}, {"temperature", "4"}}, 800);
  const torch::Tensor prior = torch::tensor({3.0, 3.0, 3.0, 0.25}, kDouble);
  Regression tempered = data;
  const torch::Tensor diagonal = (data.precision.diagonal() - prior) / 4 + prior;
  tempered.precision = at::diag(diagonal);
  EXPECT_LT(diagonal_error(*posterior, tempered), 0.06);
}

TEST(LinearRegression, NaturalGradientHasTheDiagonalOfThePrecision) {
  const Regression data = correlated_inputs();
  const auto posterior = train_on(data, "natural-gradient",
                                  {{"rate", "0.2"}, {"precision_rate", "0.05"}, {"step_draws", "16"}}, 500);
  EXPECT_LT(mean_error(*posterior, data), 0.05);
  EXPECT_LT(diagonal_error(*posterior, data), 0.06);
}

TEST(LinearRegression, LastLayerIsThePosterior) {
  const Regression data = correlated_inputs();
  const auto posterior = train_on(data, "last-layer", {{"rate", "0.05"}}, 500);
  EXPECT_LT(mean_error(*posterior, data), 1e-3);
  EXPECT_LT(covariance_error(*posterior, data), 0.03);
}

TEST(LinearRegression, LastLayerOnFrozenFeaturesIsItsClosedForm) {
  const Regression data = correlated_inputs();
  const BayesNet net(perceptron(3, {4}), gaussian_likelihood(kNoise), scaled_prior());
  const auto posterior = train_posterior(net,
                                         {.posterior = "last-layer",
                                          .options = {{"features", "frozen"}, {"rate", "0.03"}},
                                          .epochs = 3000,
                                          .batch = 60},
                                         data.x, data.y);
  const torch::Tensor fresh = fresh_parameters(net.layout(), 1, 1, kDouble);
  const torch::Tensor center = posterior->center();
  ASSERT_TRUE(center.narrow(1, 0, 16).equal(fresh.narrow(1, 0, 16)));
  PlainRule plain;
  const torch::Tensor features = net.net().features(net.split(center), data.x.unsqueeze(0), plain)[0];
  const Regression exact = solve(features, data.y);
  const torch::Tensor covariance = at::linalg_inv(exact.precision);
  EXPECT_LT(
      ((center[0].narrow(0, 16, 5) - exact.mean) / covariance.diagonal().sqrt()).abs().max().item<double>(),
      0.02);
  // Predictions are those of the closed form, one Gaussian each.
  const torch::Tensor design = at::cat({features, torch::ones({60, 1}, kDouble)}, 1);
  const torch::Tensor variance = (at::matmul(design, covariance) * design).sum(1);
  const Predictive predictive = posterior->predict(data.x.unsqueeze(0), 50);
  EXPECT_LT((predictive.mean[0][0] - at::matmul(design, exact.mean)).abs().max().item<double>(), 5e-3);
  EXPECT_LT((predictive.mean_variance[0][0] / variance).log().abs().max().item<double>(), 0.01);
  EXPECT_LT((predictive.variance[0][0] - predictive.mean_variance[0][0] - kNoise * kNoise)
                .abs()
                .max()
                .item<double>(),
            1e-12);
}

}  // namespace
}  // namespace kullback::deep
