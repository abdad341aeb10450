#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/ranks.hpp"
#include "deep/train/train.hpp"
#include "deep/vae/training.hpp"
#include "tests/deep/vae_toy.hpp"

namespace kullback::deep {
namespace {

// Maximum likelihood of probabilistic PCA (Tipping, Bishop 1999), mean over rows: eigenvalues l of the
// covariance, the noise variance the mean of the last ones.
double ppca_log_likelihood(const torch::Tensor& x, std::int64_t latent) {
  const torch::Tensor centered = x - x.mean(0);
  const torch::Tensor l =
      at::linalg_eigvalsh(centered.t().mm(centered) / static_cast<double>(x.size(0))).flip(0);
  const std::int64_t d = x.size(1);
  const double noise = l.narrow(0, latent, d - latent).mean().item<double>();
  const double log_det =
      l.narrow(0, 0, latent).log().sum().item<double>() + static_cast<double>(d - latent) * std::log(noise);
  return -0.5 * (static_cast<double>(d) * (std::log(2 * M_PI) + 1) + log_det);
}

torch::Tensor factor_rows() {
  at::manual_seed(8);
  const torch::Tensor loadings = torch::randn({2, 6}, torch::kFloat64);
  return torch::randn({400, 2}, torch::kFloat64).mm(loadings) +
         0.5 * torch::randn({400, 6}, torch::kFloat64) + 1;
}

// The posterior of PPCA is normal with a mean linear in x and one covariance, so linear networks can reach
// its likelihood exactly up to a rotation that makes that covariance diagonal, which the decoder is free to
// choose.
TEST(VaeTraining, LinearGaussianReachesProbabilisticPca) {
  ToyVae toy;
  toy.spec = {.pixels = 6, .latent = 2, .hidden = {}};
  toy.decoder = "gaussian";
  const Vae vae = toy.make();
  const torch::Tensor x = factor_rows();
  const auto objective = make_objective("vae", {{"samples", "8"}});
  VaeTrainee trainee(vae, *objective, vae.fresh(x, 1), {x}, {}, {.rate = 0.05, .schedule = Schedule::cosine});
  const Ranks ranks;
  train(trainee, {.epochs = 2500, .batch = 400, .seed = 1}, ranks);
  const double target = ppca_log_likelihood(x, 2);
  const double bound = mean_bound(vae, trainee.flat(), {x.repeat({50, 1})}, 1, 3);
  EXPECT_NEAR(bound, target, 0.02);  // standard error of the bound's draws: 0.007
}

TrainOptions options(std::int64_t epochs) { return {.epochs = epochs, .batch = 16, .seed = 4}; }

TEST(VaeTraining, AResumedRunHasTheSameBits) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "vae_resume.safetensors";
  std::filesystem::remove(file);
  const torch::Tensor levels = (toy_bits(50, 6) * 200).to(torch::kUInt8);
  const Ranks ranks;
  ToyVae toy;
  toy.family_options = {{"floor", "batch-norm"}};
  const auto objective = make_objective("iwae", {{"samples", "3"}});
  const auto run = [&](std::int64_t stop_after, bool with_file, bool resume) {
    const Vae vae = toy.make();
    VaeTrainee trainee(vae, *objective, vae.fresh(rows_as_numbers(levels, torch::kFloat64), 1), {levels},
                       {levels.narrow(0, 0, 10)}, {.schedule = Schedule::cosine, .seed = 4});
    TrainOptions with = options(6);
    if (with_file) with.checkpoint = file;
    with.resume = resume;
    std::int64_t epochs = 0;
    TrainWatch watch;
    watch.on_epoch = [&](const EpochFigures&) { ++epochs; };
    watch.should_stop = [&] { return epochs == stop_after; };
    const TrainOutcome outcome = train(trainee, with, ranks, watch);
    return std::pair(trainee.flat().clone(), outcome.epochs.back().held_out);
  };
  const auto whole = run(-1, false, false);
  run(3, true, false);
  const auto resumed = run(-1, true, true);
  EXPECT_TRUE(whole.first.equal(resumed.first));
  EXPECT_EQ(whole.second, resumed.second);
  std::filesystem::remove(file);
}

// Two kinds of striped images.
torch::Tensor stripes(std::int64_t rows) {
  const torch::Tensor one = torch::tensor({1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1}, torch::kFloat64);
  return at::where(toy_bits(rows, 1) == 1, one, 1 - one);
}

void expect_improvement(const VaeObjectiveRecord& record, Architecture architecture) {
  ToyVae toy;
  toy.spec = {.pixels = 16,
              .height = 4,
              .width = 4,
              .latent = 2,
              .architecture = architecture,
              .hidden = {8, 8},
              .filters = {3}};
  const Vae vae = toy.make();
  const torch::Tensor x = stripes(64);
  Words options;
  for (const OptionRecord* option : record.options)
    if (option->name == "samples" || option->name == "groups") options[std::string(option->name)] = "3";
  const auto objective = record.make(read_options(record.options, options, "a part"), vae.spec());
  const torch::Tensor flat = vae.fresh(x, 1);
  const double before = mean_bound(vae, flat, {x}, 5, 1);
  VaeTrainee trainee(vae, *objective, flat, {x}, {}, {.rate = 0.02});
  const Ranks ranks;
  train(trainee, {.epochs = 60, .batch = 32, .seed = 2}, ranks);
  EXPECT_GT(mean_bound(vae, trainee.flat(), {x}, 5, 1), before + 2) << record.name;
}

TEST(VaeTraining, EveryObjectiveImprovesTheBound) {
  for (const VaeObjectiveRecord* record : vae_objectives())
    if (!refines(*record)) expect_improvement(*record, Architecture::mlp);
}

TEST(VaeTraining, EveryArchitectureLearns) {
  expect_improvement(*find_vae_objective("vae"), Architecture::conv);
  expect_improvement(*find_vae_objective("vae"), Architecture::residual);
}

TEST(VaeTraining, NamesTheLayerWhereNumbersCeaseToBeFinite) {
  const Vae vae = ToyVae().make();
  const torch::Tensor x = toy_bits(20, 6);
  const auto objective = make_objective("vae");
  torch::Tensor flat = vae.fresh(x, 1);
  const Slot& bias = vae.layout().slots()[vae.layout().find("decoder.1.bias")];
  flat.narrow(1, bias.first, 1).fill_(std::numeric_limits<double>::infinity());
  VaeTrainee trainee(vae, *objective, flat, {x}, {}, {});
  EXPECT_EQ(trainee.first_not_finite(), "parameters decoder.1.bias");
  flat.narrow(1, bias.first, 1).fill_(0);
  const Slot& weight = vae.layout().slots()[vae.layout().find("encoder.2.weight")];
  flat.narrow(1, weight.first, weight.size).fill_(1e308);
  EXPECT_EQ(trainee.first_not_finite(), "layer encoder.2");
}

}  // namespace
}  // namespace kullback::deep
