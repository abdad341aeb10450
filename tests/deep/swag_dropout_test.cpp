#include <gtest/gtest.h>

#include <cmath>

#include "deep/bnn/posteriors/swag_moments.hpp"
#include "tests/deep/linear_model.hpp"
#include "tests/deep/train_posterior.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// mean, variance and the last K deviations from the running means, of a known sequence.
TEST(Swag, MomentsAreThoseOfTheSequence) {
  torch::manual_seed(1);
  constexpr std::int64_t kPoints = 7, kRank = 3, kSize = 4;
  const torch::Tensor points = torch::randn({kPoints, 2, kSize}, kDouble);
  SwagMoments moments(points[0], kRank);
  torch::Tensor low_rank = torch::zeros({2, kSize, kSize}, kDouble);
  for (std::int64_t i = 0; i < kPoints; ++i) {
    moments.collect(points[i]);
    const torch::Tensor deviation = points[i] - points.narrow(0, 0, i + 1).mean(0);
    if (i >= kPoints - kRank) low_rank += deviation.unsqueeze(2) * deviation.unsqueeze(1);
  }
  EXPECT_LT(largest_difference(moments.mean(), points.mean(0)), 1e-14);
  // The covariance is the sum of the draws of unit vectors.
  const torch::Tensor unit = at::cat({torch::eye(kSize, kDouble), torch::zeros({kRank, kSize}, kDouble)});
  const torch::Tensor low = at::cat({torch::zeros({kSize, kRank}, kDouble), torch::eye(kRank, kDouble)});
  const auto repeat = [](const torch::Tensor& one) { return one.unsqueeze(0).repeat({2, 1, 1}); };
  const torch::Tensor draws = moments.draw(repeat(unit), repeat(low), 1.5) - moments.mean().unsqueeze(1);
  const torch::Tensor variance = points.var(0, /*unbiased=*/false);
  const torch::Tensor expected = 1.5 * (at::diag_embed(variance) + low_rank / (kRank - 1)) / 2;
  EXPECT_LT(largest_difference(draws.transpose(1, 2).bmm(draws), expected), 1e-13);
}

TEST(Swag, CollectsInTheLastPartAndPredicts) {
  torch::manual_seed(1);
  const BayesNet net = toy_net({.inputs = 1, .hidden = {10}}, 0);
  const torch::Tensor x = torch::randn({64, 1}, kDouble), y = at::sin(2 * x.squeeze(1));
  const auto posterior = train_posterior(net, {.posterior = "swag", .epochs = 60, .members = 2}, x, y);
  EXPECT_TRUE(posterior->findings().empty());
  const torch::Tensor draws = posterior->draw_parameters(5);
  EXPECT_EQ(draws.sizes(), at::IntArrayRef({2, 5, net.layout().size()}));
  EXPECT_TRUE(draws.equal(posterior->draw_parameters(5)));
  const Predictive predictive = posterior->predict(x.expand({2, 64, 1}), 30);
  EXPECT_GT(predictive.mean.std(1).mean().item<double>(), 1e-3);
  const auto early = train_posterior(net, {.posterior = "swag", .epochs = 10}, x, y);
  EXPECT_EQ(early->findings().at(0).code, "few-points");
}

// All 2^3 masks of a net with three hidden units.
TEST(Dropout, PredictiveMomentsAreThoseOverAllMasks) {
  torch::manual_seed(1);
  const BayesNet net = toy_net({.inputs = 2, .hidden = {3}}, 0.3);
  const torch::Tensor x = torch::randn({40, 2}, kDouble), y = x.sum(1);
  constexpr double kDrop = 0.3;
  const auto posterior =
      train_posterior(net, {.posterior = "dropout", .options = {{"drop", "0.3"}}, .epochs = 30}, x, y);
  const Parameters parameters = net.split(posterior->center());
  PlainRule plain;
  const torch::Tensor hidden = net.net().features(parameters, x.unsqueeze(0), plain)[0];
  torch::Tensor mean = torch::zeros({40}, kDouble), square = torch::zeros({40}, kDouble);
  for (int mask = 0; mask < 8; ++mask) {
    torch::Tensor kept = torch::zeros({3}, kDouble);
    double probability = 1;
    for (int unit = 0; unit < 3; ++unit) {
      const bool is_kept = ((mask >> unit) & 1) != 0;
      kept[unit] = is_kept ? 1 / (1 - kDrop) : 0.0;
      probability *= is_kept ? 1 - kDrop : kDrop;
    }
    const torch::Tensor output = at::linear(hidden * kept, parameters[2][0], parameters[3][0]).squeeze(1);
    mean += probability * output;
    square += probability * output.square();
  }
  constexpr std::int64_t kDraws = 10'000;
  const Predictive predictive = posterior->predict(x.unsqueeze(0), kDraws);
  const torch::Tensor variance = square - mean.square(), found = predictive.mean[0];
  const torch::Tensor error = (variance / static_cast<double>(kDraws)).sqrt() + 1e-12;
  EXPECT_LT(((found.mean(0) - mean).abs() / error).max().item<double>(), 4.5);
  const torch::Tensor squares = (found - mean).square();
  const torch::Tensor error_of_variance = squares.std(0) / std::sqrt(static_cast<double>(kDraws)) + 1e-12;
  EXPECT_LT(((squares.mean(0) - variance).abs() / error_of_variance).max().item<double>(), 4.5);
  EXPECT_LT((predictive.variance - 0.09).abs().max().item<double>(), 1e-12);
  EXPECT_TRUE(found.equal(posterior->predict(x.unsqueeze(0), kDraws).mean[0]));
}

TEST(Dropout, LeavesOutInputsWhereAsked) {
  torch::manual_seed(1);
  const LinearModel model(30);
  const auto spread = [&](const std::string& inputs) {
    const auto posterior = train_posterior(
        model.net,
        {.posterior = "dropout", .options = {{"drop", "0.3"}, {"drop_inputs", inputs}}, .epochs = 5}, model.x,
        model.y);
    return posterior->predict(model.x.unsqueeze(0), 20).mean.std(1).max().item<double>();
  };
  EXPECT_EQ(spread("false"), 0);
  EXPECT_GT(spread("true"), 0.05);
}

}  // namespace
}  // namespace kullback::deep
