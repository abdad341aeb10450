#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "deep/vae/fused.hpp"
#include "tests/deep/vae_toy.hpp"

namespace kullback::deep {
namespace {

struct Decoded {
  Vae vae;
  torch::Tensor flat;
  torch::Tensor outputs;  // [2, 3, outputs]
};

Decoded decoded(const std::string& decoder, const Words& options, std::int64_t pixels) {
  ToyVae toy;
  toy.spec.pixels = pixels;
  toy.decoder = decoder;
  toy.decoder_options = options;
  Decoded result{toy.make(), {}, {}};
  at::manual_seed(3);
  result.flat = result.vae.fresh(torch::rand({4, pixels}, torch::kFloat64), 2);
  result.outputs =
      torch::randn({2, 3, pixels * result.vae.likelihood().outputs_per_pixel()}, torch::kFloat64);
  return result;
}

torch::Tensor log_density(const Decoded& of, const torch::Tensor& x) {
  return of.vae.likelihood().log_density(of.vae.split(of.flat), of.outputs, x);
}

TEST(DecoderLikelihood, BernoulliIsTheLogOfItsProbabilities) {
  const Decoded of = decoded("bernoulli", {}, 4);
  const torch::Tensor x = toy_bits(3, 4), p = at::sigmoid(of.outputs);
  const torch::Tensor expected = at::log(at::where(x == 1, p, 1 - p)).sum(2);
  EXPECT_LT((log_density(of, x) - expected).abs().max().item<double>(), 1e-12);
}

// Gradients by hand, first and second, against those of the same formula by autograd.
template <class ByHand, class ByAutograd>
void expect_same_gradients(const torch::Tensor& at, const ByHand& by_hand, const ByAutograd& by_autograd) {
  const torch::Tensor a = at.clone().requires_grad_(), b = at.clone().requires_grad_();
  const torch::Tensor one = by_hand(a), two = by_autograd(b);
  EXPECT_LT((one - two).abs().max().item<double>(), 1e-12);
  const torch::Tensor weight = torch::arange(1, 1 + one.numel(), torch::kFloat64).view_as(one);
  const torch::Tensor first = torch::autograd::grad({(weight * one).sum()}, {a}, {}, true, true)[0];
  const torch::Tensor second = torch::autograd::grad({(weight * two).sum()}, {b}, {}, true, true)[0];
  EXPECT_LT((first - second).abs().max().item<double>(), 1e-11);
  const torch::Tensor curve = torch::autograd::grad({first.square().sum()}, {a})[0];
  const torch::Tensor other = torch::autograd::grad({second.square().sum()}, {b})[0];
  EXPECT_LT((curve - other).abs().max().item<double>(), 1e-9);
}

TEST(Fused, LogBernoulliHasItsGradients) {
  at::manual_seed(2);
  const torch::Tensor x = torch::rand({3, 4}, torch::kFloat64);
  expect_same_gradients(
      3 * torch::randn({2, 3, 4}, torch::kFloat64),
      [&](const torch::Tensor& o) { return log_bernoulli(o, x); },
      [&](const torch::Tensor& o) { return (x * o - at::softplus(o)).sum(2); });
}

TEST(Fused, DivergenceHasItsGradients) {
  at::manual_seed(2);
  expect_same_gradients(
      torch::randn({3, 8}, torch::kFloat64),
      [&](const torch::Tensor& o) {
        const auto halves = o.split(4, 1);
        return kl_to_standard_normal(halves[0], halves[1], halves[1].exp());
      },
      [&](const torch::Tensor& o) {
        const auto halves = o.split(4, 1);
        return (0.5 * (halves[0].square() + (2 * halves[1]).exp() - 1) - halves[1]).sum(1);
      });
}

TEST(DecoderLikelihood, GaussianHasThreeKindsOfNoise) {
  const torch::Tensor x = torch::randn({3, 4}, torch::kFloat64);
  const auto normal = [&](const torch::Tensor& mean, const torch::Tensor& sd) {
    return (-0.5 * ((x - mean) / sd).square() - sd.log() - 0.5 * std::log(2 * M_PI)).sum(2);
  };
  const Decoded known = decoded("gaussian", {{"noise", "0.7"}}, 4);
  EXPECT_LT((log_density(known, x) - normal(known.outputs, torch::full_like(known.outputs, 0.7)))
                .abs()
                .max()
                .item<double>(),
            1e-11);
  Decoded learned = decoded("gaussian", {{"noise", "learned"}}, 4);
  learned.flat
      .narrow(1, learned.vae.layout().slots()[learned.vae.layout().find("likelihood.log_sd")].first, 1)
      .fill_(std::log(0.4));
  EXPECT_LT((log_density(learned, x) - normal(learned.outputs, torch::full_like(learned.outputs, 0.4)))
                .abs()
                .max()
                .item<double>(),
            1e-11);
  const Decoded output = decoded("gaussian", {{"noise", "output"}}, 4);
  EXPECT_LT(
      (log_density(output, x) - normal(output.outputs.narrow(2, 0, 4), output.outputs.narrow(2, 4, 4).exp()))
          .abs()
          .max()
          .item<double>(),
      1e-11);
}

// One pixel: the probabilities of its levels add up to 1, whatever the outputs.
void expect_levels_add_up(const std::string& decoder, const Words& options, std::int64_t levels) {
  Decoded of = decoded(decoder, options, 1);
  of.outputs = of.outputs * 2;
  torch::Tensor sum = torch::zeros({2, 3}, torch::kFloat64);
  for (std::int64_t level = 0; level < levels; ++level) {
    const double value = static_cast<double>(level) / static_cast<double>(levels - 1);
    sum += log_density(of, torch::full({3, 1}, value, torch::kFloat64)).exp();
  }
  EXPECT_LT((sum - 1).abs().max().item<double>(), 1e-10) << decoder;
}

TEST(DecoderLikelihood, LevelsAddUpToOne) {
  expect_levels_add_up("categorical", {}, 256);
  expect_levels_add_up("categorical", {{"levels", "5"}}, 5);
  expect_levels_add_up("discretised-logistic", {}, 256);
  expect_levels_add_up("discretised-logistic", {{"components", "5"}}, 256);
  expect_levels_add_up("discretised-logistic", {{"components", "2"}, {"levels", "8"}}, 8);
}

TEST(DecoderLikelihood, DiscretisedLogisticIsADifferenceOfDistributionFunctions) {
  Decoded of = decoded("discretised-logistic", {}, 1);
  of.outputs = torch::tensor({0.4, -1.0}, torch::kFloat64).view({1, 1, 2});
  const double rate = std::exp(1.0), half = 0.5 / 255, x = 100.0 / 255;
  const auto cdf = [&](double at) { return 1 / (1 + std::exp(-(at - 0.4) * rate)); };
  EXPECT_NEAR(log_density(of, torch::full({1, 1}, x, torch::kFloat64)).item<double>(),
              std::log(cdf(x + half) - cdf(x - half)), 1e-9);
  EXPECT_NEAR(log_density(of, torch::zeros({1, 1}, torch::kFloat64)).item<double>(), std::log(cdf(half)),
              1e-10);
  // Far in the tail, where the difference of the two functions is 0 in double precision.
  of.outputs = torch::tensor({-50.0, -3.0}, torch::kFloat64).view({1, 1, 2});
  EXPECT_NEAR(log_density(of, torch::full({1, 1}, x, torch::kFloat64)).item<double>(),
              -(x + 50) * std::exp(3.0) + std::log(2 * std::sinh(half * std::exp(3.0))), 1e-6);
}

// Sampled pixels have the mean that the likelihood says.
TEST(DecoderLikelihood, SamplesHaveTheirMean) {
  for (const auto& [decoder, options] : std::vector<std::pair<std::string, Words>>{
           {"bernoulli", {}}, {"gaussian", {{"noise", "0.3"}}}, {"categorical", {{"levels", "6"}}}}) {
    Decoded of = decoded(decoder, options, 2);
    const Parameters parameters = of.vae.split(of.flat);
    const torch::Tensor many =
        of.outputs.narrow(0, 0, 1).narrow(1, 0, 1).expand({1, 20000, of.outputs.size(2)});
    const torch::Tensor draws = of.vae.likelihood().sample(parameters, many.contiguous(), Noise());
    const torch::Tensor mean = of.vae.likelihood().mean(parameters, of.outputs)[0][0];
    const torch::Tensor error = draws[0].std(0) / std::sqrt(20000.0);
    EXPECT_LT(((draws[0].mean(0) - mean) / error).abs().max().item<double>(), 4) << decoder;
  }
}

// Levels that are drawn come as often as the density says.
TEST(DecoderLikelihood, LogisticSamplesHaveTheirProbabilities) {
  Decoded of = decoded("discretised-logistic", {{"components", "2"}, {"levels", "4"}}, 1);
  of.outputs = of.outputs.narrow(0, 0, 1).narrow(1, 0, 1);
  const Parameters parameters = of.vae.split(of.flat);
  const torch::Tensor draws = of.vae.likelihood()
                                  .sample(parameters, of.outputs.expand({1, 20000, 6}).contiguous(), Noise())
                                  .flatten();
  for (int level = 0; level < 4; ++level) {
    const double value = level / 3.0;
    const double p = log_density(of, torch::full({1, 1}, value, torch::kFloat64)).exp().item<double>();
    const double found = ((draws - value).abs() < 1e-6).to(torch::kFloat64).mean().item<double>();
    EXPECT_NEAR(found, p, 4 * std::sqrt(p * (1 - p) / 20000));
  }
}

TEST(DecoderLikelihood, StochasticBinarisationKeepsTheMean) {
  const Decoded of = decoded("bernoulli", {}, 3);
  at::manual_seed(1);
  const torch::Tensor rows = torch::tensor({0.0, 0.3, 1.0}, torch::kFloat64).expand({20000, 3});
  const torch::Tensor bits = of.vae.likelihood().observe(rows, Noise());
  EXPECT_EQ(bits.select(1, 0).sum().item<double>(), 0);
  EXPECT_EQ(bits.select(1, 2).sum().item<double>(), 20000);
  EXPECT_NEAR(bits.select(1, 1).mean().item<double>(), 0.3, 4 * std::sqrt(0.21 / 20000));
}

}  // namespace
}  // namespace kullback::deep
