#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error.hpp"
#include "deep/bnn/posteriors/mean_field.hpp"
#include "tests/deep/variational_toy.hpp"

namespace kullback::deep {
namespace {

constexpr auto kDouble = torch::kFloat64;
constexpr double kSafeZ = 4.5;  // of hundreds of numbers, at fixed seeds
constexpr auto kWanted = GaussianFamily::Density::wanted;

BayesNet small_net(double noise = 0) {
  return BayesNet(perceptron(3, {4}), gaussian_likelihood(noise), scaled_prior());
}

BayesNet convolutional_net() {
  return BayesNet(
      [](Layout& layout, std::int64_t outputs) {
        return conv_net(layout, "net",
                        {.channels = 2,
                         .height = 4,
                         .width = 4,
                         .filters = {3},
                         .hidden = {4},
                         .outputs = outputs,
                         .activation = Activation::tanh});
      },
      gaussian_likelihood(0), scaled_prior());
}

// Some q of that family with sds of about 0.3 that is nothing special.
torch::Tensor some_lambda(const BayesNet& net, const GaussianFamily& family) {
  torch::manual_seed(5);
  const torch::Tensor start = family.start(fresh_parameters(net.layout(), 1, 1, kDouble), 0.3, 1);
  return start + 0.2 * torch::randn_like(start);
}

// With many nets of one lambda, gradients of all of them are as many independent estimates.
torch::Tensor gradients(const VariationalBound& bound, const torch::Tensor& lambda, const Minibatch& batch) {
  const torch::Tensor leaf = lambda.detach().clone().requires_grad_();
  return torch::autograd::grad({bound.loss(leaf, batch).sum()}, {leaf})[0];
}

class Families : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<GaussianFamily> make(const BayesNet& net) const {
    if (GetParam() == "low-rank") return make_low_rank(net, 3);
    if (GetParam() == "matrix-normal") return make_matrix_normal(net);
    return std::make_unique<MeanField>(net, kDouble);
  }
};

TEST_P(Families, MomentsEntropyAndDivergenceAreThoseOfTheDraws) {
  for (const bool has_images : {false, true}) {
    const BayesNet net = has_images ? convolutional_net() : small_net();
    const auto family = make(net);
    const torch::Tensor lambda = some_lambda(net, *family);
    const WeightDraws draws = family->draw(lambda, 20'000, Noise(), kWanted);
    const torch::Tensor flat = draws.flat[0], log_q = draws.log_density[0];
    EXPECT_LT(largest_z(flat - family->mean(lambda)), kSafeZ);
    EXPECT_LT(largest_z(flat.square() - family->second_moments(lambda)), kSafeZ);
    EXPECT_LT(largest_z((log_q + family->entropy(lambda)).unsqueeze(1)), kSafeZ);
    const VariationalBound bound(net, *family, {}, kDouble);
    const torch::Tensor difference = log_q - net.log_prior(net.split(flat)) - bound.kl(lambda, {});
    EXPECT_LT(largest_z(difference.unsqueeze(1)), kSafeZ);
    EXPECT_LT(difference.std().item<double>(), 30);  // so that the test sees an error of 1
  }
}

// log q is a density: its gradient at the draws has mean 0, and mean -1 times the deviation.
TEST_P(Families, DensitiesBelongToTheDraws) {
  const BayesNet net = small_net();
  const auto family = make(net);
  const torch::Tensor lambda = some_lambda(net, *family).repeat({4000, 1}).requires_grad_();
  torch::manual_seed(3);
  const WeightDraws draws = family->draw(lambda, 1, Noise(), kWanted);
  // Over draws, E d(log q(w(lambda)))/d lambda = -d entropy / d lambda.
  const torch::Tensor slopes = torch::autograd::grad(
      {draws.log_density.sum() + family->entropy(lambda).sum()}, {lambda}, {}, {}, false, true)[0];
  const torch::Tensor error = slopes.std(0) / std::sqrt(4000.0);
  const torch::Tensor z = slopes.mean(0).abs() / error.clamp_min(1e-10);
  EXPECT_LT(z.max().item<double>(), kSafeZ);
}

TEST_P(Families, BoundWithAnUnknownPriorHasTheSameMeanGradient) {
  const BayesNet known = small_net();
  const BayesNet unknown(perceptron(3, {4}), gaussian_likelihood(0),
                         std::make_unique<UnknownPrior>(scaled_prior()));
  const auto family = make(known);
  const torch::Tensor lambda = some_lambda(known, *family).repeat({2000, 1});
  const ToyStep step({torch::randn({1, 8, 3}, kDouble), torch::randn({1, 8}, kDouble)}, 20);
  const VariationalBound exact(known, *family, {}, kDouble), drawn(unknown, *family, {}, kDouble);
  torch::manual_seed(1);
  const torch::Tensor a = gradients(exact, lambda, step.minibatch());
  torch::manual_seed(1);
  const torch::Tensor difference = gradients(drawn, lambda, step.minibatch()) - a;
  const torch::Tensor error = difference.std(0) / std::sqrt(2000.0);
  EXPECT_LT((difference.mean(0).abs() / error.clamp_min(1e-10)).max().item<double>(), kSafeZ);
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::Values("mean-field", "low-rank", "matrix-normal"));

// Estimates of one gradient with all kinds of row noise; their means agree, and local reparameterisation has
// the smallest variance, one draw for all rows the largest.
struct RowNoiseCase {
  BayesNet net;
  torch::Tensor x, y;
};

std::vector<double> compare_row_noise(const RowNoiseCase& toy, const GaussianFamily& family,
                                      const std::vector<RowNoise>& kinds, std::int64_t estimates) {
  const torch::Tensor lambda = some_lambda(toy.net, family).repeat({estimates, 1});
  const ToyStep step({toy.x, toy.y}, 100);
  std::vector<double> variances;
  torch::Tensor first;
  for (const RowNoise kind : kinds) {
    const VariationalBound bound(toy.net, family, {.row_noise = kind}, kDouble);
    torch::manual_seed(7 + static_cast<std::uint64_t>(kind));
    const torch::Tensor each = gradients(bound, lambda, step.minibatch());
    variances.push_back(each.var(0).sum().item<double>());
    if (first.defined()) {
      const torch::Tensor error = ((each.var(0) + first.var(0)) / static_cast<double>(estimates)).sqrt();
      const torch::Tensor z = (each.mean(0) - first.mean(0)).abs() / error.clamp_min(1e-10);
      EXPECT_LT(z.max().item<double>(), kSafeZ);
    } else {
      first = each;
    }
  }
  return variances;
}

TEST(RowNoise, KindsHaveOneMeanAndOrderedVariances) {
  torch::manual_seed(1);
  const RowNoiseCase toy{small_net(0.5), torch::randn({1, 32, 3}, kDouble), torch::randn({1, 32}, kDouble)};
  const auto variances = compare_row_noise(toy, MeanField(toy.net, kDouble),
                                           {RowNoise::local, RowNoise::flipout, RowNoise::weights}, 4000);
  EXPECT_LT(1.1 * variances[0], variances[1]);
  EXPECT_LT(1.5 * variances[1], variances[2]);
}

TEST(RowNoise, MatrixNormalLocalNoiseHasTheSameMeanAndLessVariance) {
  torch::manual_seed(1);
  const RowNoiseCase toy{small_net(0.5), torch::randn({1, 32, 3}, kDouble), torch::randn({1, 32}, kDouble)};
  const auto family = make_matrix_normal(toy.net);
  const auto variances = compare_row_noise(toy, *family, {RowNoise::local, RowNoise::weights}, 4000);
  EXPECT_LT(1.5 * variances[0], variances[1]);
}

TEST(RowNoise, KindsHaveOneMeanInConvolutionalNets) {
  torch::manual_seed(1);
  const RowNoiseCase toy{convolutional_net(), torch::randn({1, 6, 32}, kDouble),
                         torch::randn({1, 6}, kDouble)};
  compare_row_noise(toy, MeanField(toy.net, kDouble), {RowNoise::local, RowNoise::flipout, RowNoise::weights},
                    1000);
  compare_row_noise(toy, *make_matrix_normal(toy.net), {RowNoise::local, RowNoise::weights}, 1000);
}

// With draws in place of the exact divergence, both gradients are functions of the same numbers.
TEST(Alpha, NearZeroIsTheEvidenceLowerBound) {
  const BayesNet net(perceptron(3, {4}), gaussian_likelihood(0),
                     std::make_unique<UnknownPrior>(scaled_prior()));
  const MeanField family(net, kDouble);
  const torch::Tensor lambda = some_lambda(net, family).repeat({2, 1});
  const ToyStep step({torch::randn({2, 8, 3}, kDouble), torch::randn({2, 8}, kDouble)}, 20);
  const auto at_alpha = [&](double alpha) {
    const VariationalBound bound(net, family, {.draws = 6, .alpha = alpha}, kDouble);
    torch::manual_seed(1);
    return gradients(bound, lambda, step.minibatch());
  };
  const torch::Tensor elbo = at_alpha(0);
  const auto difference = [&](double alpha) { return (at_alpha(alpha) - elbo).abs().max().item<double>(); };
  EXPECT_LT(difference(1e-7), 1e-4);
  EXPECT_NEAR(difference(1e-4) / difference(1e-5), 10, 0.1);
  EXPECT_GT(difference(1), 0.01);
}

// One row, alpha = 1: the energy is -log p(y) for any q.
TEST(Alpha, OneIsTheEvidenceOfASingleRow) {
  const BayesNet net(perceptron(2, {}), gaussian_likelihood(0.5), scaled_prior());
  const torch::Tensor x = torch::tensor({{{0.4, -1.0}}}, kDouble), y = torch::tensor({{0.7}}, kDouble);
  // w ~ N(0, 1/2), bias ~ N(0, 4).
  const double variance = 0.25 + (0.16 + 1) / 2 + 4;
  const double exact = -0.5 * (std::log(2 * M_PI * variance) + 0.49 / variance);
  const MeanField family(net, kDouble);
  const torch::Tensor lambda = family.start(torch::full({1, 3}, 0.1, kDouble), 1.2, 1);
  const ToyStep step({x, y}, 1);
  const VariationalBound bound(net, family, {.draws = 200'000, .alpha = 1}, kDouble);
  torch::manual_seed(1);
  EXPECT_NEAR(bound.loss(lambda, step.minibatch()).item<double>(), -exact, 0.01);
}

TEST(Alpha, RefusesWhatItCannotDo) {
  const BayesNet net = small_net();
  const PosteriorRecord& record = *find_posterior("mean-field");
  const auto make = [&](std::map<std::string, std::string> options) {
    return record.make(net, read_options(record.options, std::move(options), "a part"),
                       {.all_rows = 9, .options = kDouble});
  };
  EXPECT_NO_THROW(make({{"alpha", "0.5"}}));
  EXPECT_THROW(make({{"alpha", "0.5"}, {"gradient", "local"}}), Error);
  EXPECT_THROW(make({{"alpha", "0.5"}, {"step_draws", "1"}}), Error);
  EXPECT_THROW(make({{"alpha", "-1"}}), Error);
  EXPECT_THROW(make({{"kl_warmup", "2"}}), Error);
}

}  // namespace
}  // namespace kullback::deep
