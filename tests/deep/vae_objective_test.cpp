#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "deep/vae/objective.hpp"
#include "tests/deep/vae_toy.hpp"

namespace kullback::deep {
namespace {

double mean_of(const torch::Tensor& x) { return x.mean().item<double>(); }

// The bound of a toy autoencoder with the same draws for every objective of as many draws.
class Objectives : public testing::Test {
 protected:
  Objectives()
      : vae(ToyVae().make()), x(toy_bits(40, 6)), flat(vae.fresh(x, 3)), parameters(vae.split(flat)) {}

  torch::Tensor bound(const std::string& name, const Words& options = {}, double progress = 1) const {
    return loss_at(vae, *make_objective(name, options), parameters, x, 11, progress).bound;
  }

  torch::Tensor gradient(const std::string& name, const Words& options, std::uint64_t seed,
                         bool of_encoder_rows = false) const {
    const torch::Tensor at = flat.detach().clone().requires_grad_();
    const Parameters split = vae.split(at);
    const ObjectiveLoss loss = loss_at(vae, *make_objective(name, options), split, x, seed);
    const torch::Tensor& rows = of_encoder_rows ? loss.encoder_rows : loss.rows;
    return torch::autograd::grad({rows.mean()}, {at})[0].squeeze(0);
  }

  Vae vae;
  torch::Tensor x, flat;
  Parameters parameters;
};

void expect_equal(const torch::Tensor& a, const torch::Tensor& b, double tolerance = 1e-10) {
  EXPECT_LT((a - b).abs().max().item<double>(), tolerance);
}

TEST_F(Objectives, EndsMeetTheirNeighbours) {
  const Words twelve = {{"samples", "12"}};
  const torch::Tensor iwae = bound("iwae", twelve);
  const torch::Tensor elbo = bound("ciwae", {{"samples", "12"}, {"elbo_share", "1"}});
  expect_equal(bound("iwae", {{"samples", "12"}, {"gradient", "plain"}}), iwae);
  expect_equal(bound("ciwae", {{"samples", "12"}, {"elbo_share", "0"}}), iwae);
  expect_equal(bound("miwae", {{"samples", "12"}, {"groups", "1"}}), iwae);
  expect_equal(bound("miwae", {{"samples", "1"}, {"groups", "12"}}), elbo);
  expect_equal(bound("piwae", {{"samples", "3"}, {"groups", "4"}}), iwae);
  expect_equal(bound("renyi", {{"samples", "12"}, {"alpha", "0"}}), iwae);
  expect_equal(bound("renyi", {{"samples", "12"}, {"alpha", "1"}}), elbo);
  expect_equal(bound("renyi", {{"samples", "12"}, {"alpha", "0.99999"}}), elbo, 1e-2);
  expect_equal(bound("tvo", {{"samples", "12"}, {"partitions", "1"}}), elbo);
  expect_equal(bound("beta", {{"beta", "1"}}), bound("vae"));
  expect_equal(bound("annealed", {}, 1), bound("vae"));
  EXPECT_GT(mean_of(iwae), mean_of(elbo));
}

TEST_F(Objectives, ClosedDivergenceIsTheMeanOfItsDraws) {
  const double closed = mean_of(bound("vae", {{"samples", "4000"}}));
  const torch::Tensor drawn = bound("ciwae", {{"samples", "4000"}, {"elbo_share", "1"}});
  EXPECT_NEAR(mean_of(drawn), closed, 0.02);
}

TEST_F(Objectives, AnnealingBeginsWithoutTheDivergence) {
  const double none = mean_of(bound("annealed", {}, 0)), half = mean_of(bound("annealed", {}, 0.1)),
               whole = mean_of(bound("annealed", {}, 0.5));
  EXPECT_GT(none, half);
  EXPECT_NEAR(half, (none + whole) / 2, 1e-10);
}

// E of the bound rises with the number of draws: differences of two bounds on the same row with fresh draws.
TEST_F(Objectives, ImportanceWeightedBoundRisesWithDraws) {
  const torch::NoGradGuard no_gradient;
  torch::Tensor before;
  for (const char* samples : {"1", "2", "8", "64"}) {
    std::vector<torch::Tensor> repeats;
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      repeats.push_back(
          loss_at(vae, *make_objective("iwae", {{"samples", samples}}), parameters, x, 100 + seed)
              .bound.mean());
    const torch::Tensor bounds = at::stack(repeats);
    if (before.defined()) {
      const torch::Tensor difference = bounds - before;
      const double error = difference.std().item<double>() / std::sqrt(60.0);
      EXPECT_GT(mean_of(difference), 3 * error) << samples;
    }
    before = bounds;
  }
}

struct Spread {
  torch::Tensor mean, variance;
};

template <class Draw>
Spread spread_of(int count, const Draw& draw) {
  std::vector<torch::Tensor> all;
  for (int i = 0; i < count; ++i) all.push_back(draw(static_cast<std::uint64_t>(i)));
  const torch::Tensor stacked = at::stack(all);
  return {stacked.mean(0), stacked.var(0)};
}

// Means of two estimators agree: of all coordinates' z values no more than normal ones are large.
void expect_same_mean(const Spread& a, const Spread& b, int count, std::int64_t first, std::int64_t size) {
  const torch::Tensor error = at::sqrt((a.variance + b.variance) / static_cast<double>(count) + 1e-24);
  const torch::Tensor z = ((a.mean - b.mean) / error).narrow(0, first, size);
  EXPECT_LT(z.abs().max().item<double>(), 4.5);
  EXPECT_LT(z.square().mean().item<double>(), 1.6);
}

TEST_F(Objectives, DoublyReparameterisedGradientIsUnbiasedAndQuieter) {
  constexpr int kCount = 400;
  const auto of = [&](const char* kind, std::uint64_t offset) {
    return spread_of(kCount, [&, offset](std::uint64_t seed) {
      return gradient("iwae", {{"samples", "16"}, {"gradient", kind}}, offset + seed);
    });
  };
  const Spread plain = of("plain", 1000), doubly = of("dreg", 5000);
  expect_same_mean(plain, doubly, kCount, 0, vae.layout().size());
  const std::int64_t encoder = vae.encoder_size();
  const double before = plain.variance.narrow(0, 0, encoder).sum().item<double>(),
               after = doubly.variance.narrow(0, 0, encoder).sum().item<double>();
  EXPECT_LT(after, 0.8 * before);
}

TEST_F(Objectives, ThermodynamicGradientWithOneIntervalIsThatOfTheElbo) {
  constexpr int kCount = 400;
  const auto of = [&](const char* name, const Words& options, std::uint64_t offset) {
    return spread_of(kCount,
                     [&, offset](std::uint64_t seed) { return gradient(name, options, offset + seed); });
  };
  const Spread elbo = of("vae", {{"samples", "16"}}, 1000),
               tvo = of("tvo", {{"samples", "16"}, {"partitions", "1"}}, 5000);
  expect_same_mean(elbo, tvo, kCount, 0, vae.layout().size());
}

TEST_F(Objectives, PartialBoundTrainsTheTwoNetworksByTwoBounds) {
  const Words options = {{"samples", "3"}, {"groups", "4"}};
  const torch::Tensor miwae =
      gradient("miwae", {{"samples", "3"}, {"groups", "4"}, {"gradient", "plain"}}, 7);
  const torch::Tensor iwae = gradient("iwae", {{"samples", "12"}, {"gradient", "plain"}}, 7);
  expect_equal(gradient("piwae", options, 7, true), miwae);
  expect_equal(gradient("piwae", options, 7, false), iwae);
}

TEST_F(Objectives, EveryObjectiveHasAFiniteGradientOfAllItTrains) {
  for (const VaeObjectiveRecord* record : vae_objectives()) {
    if (refines(*record)) continue;
    const torch::Tensor slope = gradient(std::string(record->name), {}, 3);
    EXPECT_TRUE(at::isfinite(slope).all().item<bool>()) << record->name;
    EXPECT_GT((slope != 0).to(torch::kFloat64).mean().item<double>(), 0.95) << record->name;
  }
}

// An encoder that gives the prior for every row, then one that is off by 3.
TEST_F(Objectives, DiscrepancyTellsThePriorFromAnotherDensity) {
  const auto shared = [&](double move) {
    const torch::Tensor moved = flat.clone();
    const Slot& weight = vae.layout().slots()[vae.layout().find("encoder.2.weight")];
    const Slot& bias = vae.layout().slots()[vae.layout().find("encoder.2.bias")];
    moved.narrow(1, weight.first, weight.size).zero_();
    moved.narrow(1, bias.first, 2).fill_(move);
    return loss_at(vae, *make_objective("infovae"), vae.split(moved), x, 2).shared.item<double>();
  };
  EXPECT_LT(std::abs(shared(0)), 8);  // 99 times an estimate of 0 with sd 0.02
  EXPECT_GT(shared(3), 50);
}

TEST(Conditional, LabelsReachBothNetworks) {
  for (const Architecture architecture : {Architecture::mlp, Architecture::conv, Architecture::residual}) {
    ToyVae toy;
    toy.spec = {.pixels = 16,
                .height = 4,
                .width = 4,
                .latent = 2,
                .labels = 3,
                .architecture = architecture,
                .hidden = {5},
                .filters = {2}};
    const Vae vae = toy.make();
    const torch::Tensor x = toy_bits(4, 16), flat = vae.fresh(x, 1);
    const Parameters parameters = vae.split(flat);
    const torch::Tensor one = torch::eye(3, torch::kFloat64).narrow(0, 0, 1).expand({4, 3}),
                        two = torch::eye(3, torch::kFloat64).narrow(0, 1, 1).expand({4, 3});
    EXPECT_FALSE(at::allclose(vae.encode(parameters, x, one), vae.encode(parameters, x, two)));
    const torch::Tensor z = torch::randn({2, 4, 2}, torch::kFloat64);
    const torch::Tensor first = vae.decode(parameters, z, one);
    EXPECT_EQ(first.sizes(), at::IntArrayRef({2, 4, 16}));
    EXPECT_FALSE(at::allclose(first, vae.decode(parameters, z, two)));
  }
}

TEST(Floors, KeepTheDivergenceAboveThem) {
  at::manual_seed(4);
  const torch::Tensor outputs = 3 * torch::randn({200, 6}, torch::kFloat64);
  for (const char* floor : {"delta", "batch-norm"}) {
    ToyVae toy;
    toy.spec.latent = 3;
    toy.family_options = {{"floor", floor}, {"floor_nats", "1.5"}};
    const Vae vae = toy.make();
    const torch::Tensor flat = vae.fresh(toy_bits(9, 6), 1);
    const Parameters parameters = vae.split(flat);
    const torch::Tensor kl = vae.family().at(parameters, outputs, Mode::train)->kl_to_standard();
    const double least = std::string(floor) == "delta" ? kl.min().item<double>() : mean_of(kl);
    EXPECT_GT(least, 1.5 - 1e-4) << floor;
  }
}

TEST(Floors, BatchNormRemembersItsAverages) {
  at::manual_seed(4);
  ToyVae toy;
  toy.family_options = {{"floor", "batch-norm"}};
  const Vae vae = toy.make();
  const torch::Tensor flat = vae.fresh(toy_bits(9, 6), 1);
  const Parameters parameters = vae.split(flat);
  const torch::Tensor outputs = 2 * torch::randn({300, 4}, torch::kFloat64) + 1;
  for (int i = 0; i < 200; ++i) vae.family().at(parameters, outputs, Mode::train);
  const torch::Tensor trained = vae.family().at(parameters, outputs, Mode::train)->moments().mean,
                      later = vae.family().at(parameters, outputs, Mode::evaluate)->moments().mean;
  EXPECT_LT((trained - later).abs().max().item<double>(), 1e-6);
}

TEST(Vamp, IsTheMixtureOfThePosteriorsOfItsPseudoInputs) {
  ToyVae toy;
  toy.prior = "vamp";
  toy.prior_options = {{"pseudo_inputs", "3"}};
  const Vae vae = toy.make();
  const torch::Tensor x = toy_bits(7, 6), flat = vae.fresh(x, 1);
  const Parameters parameters = vae.split(flat);
  const Moments q = vae.posterior(parameters, x.narrow(0, 0, 3), {}, Mode::evaluate)->moments();
  at::manual_seed(1);
  const torch::Tensor z = torch::randn({1, 1, 2}, torch::kFloat64);
  const torch::Tensor log_each =
      (-0.5 * ((z[0] - q.mean) / q.sd).square() - q.sd.log() - 0.5 * std::log(2 * M_PI)).sum(1);
  EXPECT_NEAR(vae.log_prior(parameters, z).item<double>(),
              at::logsumexp(log_each, 0).item<double>() - std::log(3.0), 1e-10);
  EXPECT_EQ(vae.prior().sample(vae, parameters, 5, Noise()).sizes(), at::IntArrayRef({5, 2}));
}

}  // namespace
}  // namespace kullback::deep
