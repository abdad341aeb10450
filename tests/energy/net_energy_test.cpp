// Energies of networks against integrals: in closed form, and over a grid.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "deep/energy/annealing.hpp"
#include "tests/energy/toy.hpp"

namespace kullback::deep {
namespace {

// f(x) = w'x + c: the model is N(-w, I), log Z = |w|^2 / 2 - c.
std::unique_ptr<BuiltEbm> shifted_normal(const std::string& sampler, const Words& options,
                                         std::int64_t dim = 2) {
  auto built = std::make_unique<BuiltEbm>(
      toy_model(dim, {"net", {{"hidden", "none"}}}, {sampler, options}, {"cd"}), torch::kCPU);
  built->flat().copy_(
      torch::cat({torch::linspace(-0.8, 0.9, dim, torch::kFloat64), torch::full({1}, 0.3, torch::kFloat64)})
          .unsqueeze(0));
  return built;
}

TEST(NetEnergy, ConstantOfALinearNetIsInClosedForm) {
  for (const std::int64_t dim : {1, 2}) {
    const auto built = shifted_normal("mala", {}, dim);
    const double squares = built->flat()[0].narrow(0, 0, dim).square().sum().item<double>();
    EXPECT_NEAR(built->energy().log_partition(built->parameters()).item<double>(), squares / 2 - 0.3, 1e-10);
  }
}

TEST(Annealing, IsRightInManyDimensions) {
  const auto built = shifted_normal("mala", {}, 30);
  const double exact = built->flat()[0].narrow(0, 0, 30).square().sum().item<double>() / 2 - 0.3;
  const Parameters parameters = built->parameters();
  const Annealing annealing(built->energy(), parameters, {.temperatures = 200, .chains = 200});
  const LogEstimate estimate = annealing.log_partition();
  EXPECT_LT(std::abs(estimate.value - exact), 4 * estimate.error);
  EXPECT_LT(estimate.error, 0.03);
  EXPECT_GT(annealing.acceptance(), 0.5);
}

struct SamplerCase {
  std::string name;
  Words options;
  double bias;  // of moments, of what is not adjusted
};

class ChainSamplers : public testing::TestWithParam<SamplerCase> {};

TEST_P(ChainSamplers, HaveTheModelsMoments) {
  const auto built = shifted_normal(GetParam().name, GetParam().options);
  const torch::Tensor w = built->flat()[0].narrow(0, 0, 2);
  const Parameters parameters = built->parameters();
  const ChainTarget target(built->energy(), parameters);
  at::manual_seed(11);
  torch::Tensor x = torch::randn({2000, 2}, torch::kFloat64);
  for (int i = 0; i < 400; ++i) x = built->sampler().move(target, x, i < 200).x;
  const torch::Tensor units = x + w;
  const double root = std::sqrt(2000.0);
  EXPECT_LT(units.mean(0).abs().max().item<double>(), 4.5 / root);
  EXPECT_LT((units.square().mean(0) - 1).abs().max().item<double>(),
            4.5 * std::sqrt(2.0) / root + GetParam().bias);
}

INSTANTIATE_TEST_SUITE_P(All, ChainSamplers,
                         testing::Values(SamplerCase{"mala", {}, 0}, SamplerCase{"hmc", {}, 0},
                                         SamplerCase{"langevin", {{"step_size", "0.05"}}, 0.03},
                                         SamplerCase{"preconditioned", {{"step_size", "0.05"}}, 0.04}),
                         [](const auto& info) { return info.param.name; });

TEST(ChainSamplers, AreAllTested) { EXPECT_EQ(chain_samplers().size(), 5U); }  // gibbs: rbm_test.cpp

// Unadjusted Langevin in a normal has the variance 1 / (1 - h / 2): the bias is seen where it should be.
TEST(ChainSamplers, UnadjustedOnesHaveTheirBias) {
  const auto built = shifted_normal("langevin", {{"step_size", "0.5"}});
  const torch::Tensor w = built->flat()[0].narrow(0, 0, 2);
  const Parameters parameters = built->parameters();
  const ChainTarget target(built->energy(), parameters);
  at::manual_seed(12);
  torch::Tensor x = torch::randn({20'000, 2}, torch::kFloat64);
  for (int i = 0; i < 60; ++i) x = built->sampler().move(target, x, false).x;
  EXPECT_NEAR((x + w).square().mean().item<double>(), 1 / (1 - 0.25), 0.03);
}

struct PlaneCase {
  std::string name;
  torch::Tensor (*rows)(std::int64_t);
  double gain;  // over CD-1, nats: below the mean that bench/deep/energy_tables finds by three of its sds
};

torch::Tensor four_modes(std::int64_t rows) { return ring_of_gaussians(rows, 4, 0.25); }
torch::Tensor two_modes(std::int64_t rows) { return ring_of_gaussians(rows, 2, 0.3); }
torch::Tensor ring(std::int64_t rows) { return ring_of_gaussians(rows, 1000, 0.2); }

std::unique_ptr<BuiltEbm> trained(const torch::Tensor& rows, Told training, Told sampler = {"mala"}) {
  auto built = std::make_unique<BuiltEbm>(
      toy_model(2, {"net", {{"hidden", "32,32"}}}, std::move(sampler), std::move(training)), torch::kCPU);
  EXPECT_EQ(train_toy(*built, rows, {.epochs = 25, .batch = 100, .rate = 0.015}).failure, "");
  return built;
}

// Must show: likelihoods by annealing within 0.02 nats of those by quadrature; chains that persist beat CD-1
// (over five seeds: bench/deep/energy_tables).
class PlaneEnergies : public testing::TestWithParam<PlaneCase> {};

TEST_P(PlaneEnergies, LikelihoodsAgreeWithQuadratureAndChainsThatPersistBeatCd1) {
  at::manual_seed(21);
  const torch::Tensor rows = GetParam().rows(4000), test = GetParam().rows(4000);
  const auto built = trained(rows, {"weighted"}), cd1 = trained(rows, {"cd"});
  const double exact = exact_log_likelihood(*built, test), of_cd1 = exact_log_likelihood(*cd1, test);
  const Parameters parameters = built->parameters();
  const torch::NoGradGuard no_gradient;
  const double exact_log_z = built->energy().log_partition(parameters).item<double>();
  const Annealing annealing(built->energy(), parameters,
                            {.temperatures = 500, .chains = 1000, .leapfrogs = 4});
  const LogEstimate log_z = annealing.log_partition();
  const torch::Tensor some = built->observed(built->prepared(test.narrow(0, 0, 50)));
  const double raise = annealing.raise(some, 20).value.mean().item<double>();
  const double of_some = -(built->energy()(parameters, some)).mean().item<double>() - exact_log_z;
  std::printf("%-10s quadrature %.4f  annealing %.4f (se %.4f)  RAISE %.4f  CD-1 %.4f\n",
              GetParam().name.c_str(), exact, exact - log_z.value + exact_log_z, log_z.error,
              exact + raise - of_some, of_cd1);
  EXPECT_NEAR(log_z.value, exact_log_z, 0.02);
  EXPECT_LT(log_z.error, 0.02);
  EXPECT_NEAR(raise, of_some, 0.02);
  EXPECT_GT(exact, of_cd1 + GetParam().gain);
}

INSTANTIATE_TEST_SUITE_P(All, PlaneEnergies,
                         testing::Values(PlaneCase{"four_modes", four_modes, 0.05},
                                         PlaneCase{"ring", ring, -0.001}, PlaneCase{"moons", moons, -0.02}),
                         [](const auto& info) { return info.param.name; });

TEST(EbmTraining, ADivergentChainEndsItAndTheLastGoodEpochIsKept) {
  at::manual_seed(22);
  const torch::Tensor rows = two_modes(500);
  BuiltEbm built(toy_model(2, {"net", {{"hidden", "8"}, {"activation", "relu"}}},
                           {"langevin", {{"step_size", "2.2"}}},  // |1 - h| > 1: the chains grow
                           {"persistent", {{"chains", "50"}, {"chain_steps", "5"}}}),
                 torch::kCPU);
  const TrainOutcome outcome = train_toy(built, rows, {.epochs = 200, .batch = 100});
  EXPECT_NE(outcome.failure.find("chain"), std::string::npos) << outcome.failure;
  EXPECT_LT(outcome.epochs.size(), 200U);
  EXPECT_TRUE(at::isfinite(built.flat()).all().item<bool>());
  EXPECT_LT(built.training().chains().abs().max().item<double>(), 1e8);
}

TEST(EbmModels, RefuseWhatMakesNoSense) {
  const auto kind = [](EbmModel model) {
    try {
      BuiltEbm built(std::move(model), torch::kCPU);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  EXPECT_NE(kind(toy_model(3, {"net"}, {"gibbs"})).find("--sampler gibbs"), std::string::npos);
  EXPECT_NE(kind(toy_model(3, {"net"}, {"mala"}, {"exact"})).find("--training exact"), std::string::npos);
  EXPECT_NE(kind(toy_model(3, {"net"}, {"langevin"}, {"weighted"})).find("is not adjusted"),
            std::string::npos);
  EXPECT_NE(kind(toy_model(3, {"rbm"}, {"mala"})).find("--sampler mala"), std::string::npos);
  EXPECT_NE(kind(toy_model(3, {"net", {{"architecture", "conv"}}})).find("needs images"), std::string::npos);
}

}  // namespace
}  // namespace kullback::deep
