// The restricted Boltzmann machine against sums over all its states.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "deep/energy/annealing.hpp"
#include "tests/energy/toy.hpp"

namespace kullback::deep {
namespace {

TEST(Rbm, ConstantIsTheSumOverAllStates) {
  const auto built = toy_rbm(8, 5);
  const Parameters parameters = built->parameters();
  const double over_visible = at::logsumexp(-built->energy()(parameters, all_states(8)), 0).item<double>();
  EXPECT_NEAR(built->energy().log_partition(parameters).item<double>(), over_visible, 1e-10);
  const double at_base = at::logsumexp(-built->energy().at(parameters, all_states(8), 0), 0).item<double>();
  EXPECT_NEAR(built->energy().base_log_partition(), at_base, 1e-10);
}

TEST(Rbm, SlopeOfTheConstantIsTheMeanSlopeOfTheModel) {
  const auto built = toy_rbm(7, 4);
  const torch::Tensor flat = built->flat().detach().requires_grad_();
  const Parameters parameters(built->energy().layout(), flat);
  const torch::Tensor slope = torch::autograd::grad({built->energy().log_partition(parameters)}, {flat})[0];
  const torch::Tensor energies = built->energy()(parameters, all_states(7));
  const torch::Tensor chances = at::softmax(-energies.detach(), 0);
  const torch::Tensor mean = -torch::autograd::grad({(chances * energies).sum()}, {flat})[0];
  EXPECT_LT((slope - mean).abs().max().item<double>(), 1e-12);
}

// Shares of all states among rows of bits.
torch::Tensor shares_of(const torch::Tensor& rows) {
  const std::int64_t bits = rows.size(1);
  const torch::Tensor number =
      (rows * torch::pow(2.0, torch::arange(bits, torch::kFloat64))).sum(1).to(torch::kInt64);
  return at::bincount(number, {}, std::int64_t{1} << bits).to(torch::kFloat64) /
         static_cast<double>(rows.size(0));
}

TEST(Rbm, ExactDrawsHaveTheModelsSharesAndASweepKeepsThem) {
  const auto built = toy_rbm(4, 3);
  const Parameters parameters = built->parameters();
  const torch::Tensor chances = at::softmax(-built->energy()(parameters, all_states(4)), 0);
  constexpr std::int64_t kDraws = 40'000;
  at::manual_seed(1);
  torch::Tensor draws = built->energy().exact_draws(parameters, kDraws);
  const torch::Tensor error = (chances * (1 - chances) / static_cast<double>(kDraws)).sqrt();
  EXPECT_LT(((shares_of(draws) - chances) / error).abs().max().item<double>(), 4.5);
  const torch::Tensor before = draws;
  draws = built->energy().gibbs(parameters, draws, 1, Noise());
  EXPECT_LT(((shares_of(draws) - chances) / error).abs().max().item<double>(), 4.5);
  EXPECT_GT((draws - before).abs().mean().item<double>(), 0.05);  // it moved
}

TEST(Annealing, WeightsHaveTheConstantAsTheirMeanHoweverFewTheTemperatures) {
  const auto built = toy_rbm(8, 5, 0.7);
  const Parameters parameters = built->parameters();
  const double exact = built->energy().log_partition(parameters).item<double>();
  const Annealing annealing(built->energy(), parameters, {.temperatures = 4, .chains = 20'000});
  const LogEstimate up = annealing.log_partition();
  EXPECT_LT(std::abs(up.value - exact), 4 * up.error);
  EXPECT_LT(up.error, 0.05);
  at::manual_seed(2);
  const LogEstimate down = annealing.log_partition_reverse(built->energy().exact_draws(parameters, 20'000));
  EXPECT_LT(std::abs(down.value - exact), 4 * down.error);
  EXPECT_LT(down.error, 0.05);
}

// E log w < log E w: with few chains the estimates lie on their sides of the truth.
TEST(Annealing, IsASandwichOnAverage) {
  const auto built = toy_rbm(8, 5, 1);
  const Parameters parameters = built->parameters();
  const double exact = built->energy().log_partition(parameters).item<double>();
  double up = 0, down = 0;
  constexpr int kRuns = 40;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const Annealing annealing(built->energy(), parameters, {.temperatures = 5, .chains = 4, .seed = seed});
    up += annealing.log_partition().value / kRuns;
    at::manual_seed(seed);
    down += annealing.log_partition_reverse(built->energy().exact_draws(parameters, 4)).value / kRuns;
  }
  EXPECT_LT(up, exact);
  EXPECT_GT(down, exact);
}

// What RAISE estimates is the probability that a forward chain ends in a row: the sum over all rows is 1 with
// any number of temperatures.
TEST(Annealing, RaiseIsAProbability) {
  const auto built = toy_rbm(6, 4, 0.7);
  const Annealing annealing(built->energy(), built->parameters(), {.temperatures = 4, .chains = 10});
  const RowLogEstimates rows = annealing.raise(all_states(6), 4000);
  const torch::Tensor chances = rows.value.exp();
  const double error = (chances * rows.error).square().sum().sqrt().item<double>();
  EXPECT_LT(std::abs(chances.sum().item<double>() - 1), 4 * error);
  EXPECT_LT(error, 0.02);
}

TEST(Annealing, AgreesWithTheExactLikelihoodOfAMachineWith12HiddenUnits) {
  const auto built = toy_rbm(20, 12, 0.6);
  const Parameters parameters = built->parameters();
  const double exact = built->energy().log_partition(parameters).item<double>();
  const Annealing annealing(built->energy(), parameters, {.temperatures = 1000, .chains = 200});
  const LogEstimate up = annealing.log_partition();
  EXPECT_NEAR(up.value, exact, std::max(4 * up.error, 1e-3));
  EXPECT_LT(up.error, 0.02);
  at::manual_seed(3);
  const torch::Tensor rows = built->energy().exact_draws(parameters, 40);
  const double truth = (-built->energy()(parameters, rows)).mean().item<double>() - exact;
  const RowLogEstimates raise = annealing.raise(rows, 20);
  EXPECT_LT(raise.value.mean().item<double>(), truth + 0.01);
  EXPECT_GT(raise.value.mean().item<double>(), truth - 0.05);
}

}  // namespace
}  // namespace kullback::deep
