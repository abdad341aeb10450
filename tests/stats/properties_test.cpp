// What must hold of any correct implementation: invariances, theory of processes, exact answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/chains.hpp"
#include "stats/loo.hpp"
#include "stats/psis.hpp"
#include "stats/summary.hpp"
#include "tests/stats/generator.hpp"

namespace kullback::stats::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Chains chains_of(const Sample& of) { return {of.values, of.chains, of.draws}; }

double average(std::size_t count, const std::function<double(std::size_t)>& of) {
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) total += of(i);
  return total / static_cast<double>(count);
}

// The stationary process x_i = rho x_{i-1} + sqrt(1 - rho^2) e_i.
Sample autoregression(double rho, std::size_t chains, std::size_t draws, std::uint64_t seed) {
  Sample result{{}, chains, draws};
  Random random(seed);
  for (std::size_t c = 0; c < chains; ++c) {
    double x = random.normal();
    for (std::size_t i = 0; i < draws; ++i) {
      result.values.push_back(x);
      x = rho * x + std::sqrt(1 - rho * rho) * random.normal();
    }
  }
  return result;
}

TEST(Rhat, near_one_for_independent_draws_of_one_distribution) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Sample drawn = autoregression(0, 4, 1000, seed);
    EXPECT_LT(rhat(chains_of(drawn)), 1.01);
    EXPECT_GT(rhat(chains_of(drawn)), 0.999);
  }
}

// Chains with means m_c and variance 1: W = 1, B / n is the variance of the halves' means.
TEST(Rhat, finds_a_difference_in_location) {
  const Sample drawn = sample({.shift = 2.0}, 4, 20000, 3);
  const double between = 20.0 / 3 * 6 / 7;  // of -3, -1, 1, 3, each twice
  EXPECT_NEAR(rhat_basic(chains_of(drawn)), std::sqrt(1 + between), 0.03);
}

TEST(Rhat, finds_a_difference_in_scale_that_the_basic_one_does_not) {
  const Sample drawn = sample({.spread = 2.0}, 4, 2000, 3);
  EXPECT_LT(rhat_basic(chains_of(drawn)), 1.01);
  EXPECT_GT(rhat(chains_of(drawn)), 1.2);
}

TEST(NestedRhat, is_never_below_one_and_finds_superchains_that_disagree) {
  const Sample together = autoregression(0, 64, 5, 4);
  EXPECT_GE(nested_rhat(chains_of(together), 16), 1.0);
  EXPECT_LT(nested_rhat(chains_of(together), 16), 1.05);
  const Sample apart = sample({.shift = 0.1}, 64, 5, 4);
  EXPECT_GT(nested_rhat(chains_of(apart), 16), 1.5);
}

TEST(NestedRhat, one_draw_of_each_chain_is_enough) {
  const Sample drawn = autoregression(0, 64, 1, 4);
  EXPECT_LT(nested_rhat(chains_of(drawn), 16), 1.1);
}

TEST(NestedRhat, superchains_divide_the_chains) {
  const Sample drawn = autoregression(0, 6, 5, 4);
  EXPECT_THROW(nested_rhat(chains_of(drawn), 4), Error);
  EXPECT_THROW(nested_rhat(chains_of(drawn), 0), Error);
}

struct Process {
  double rho;
  double tolerance;  // of the mean of 20 estimates: several of their standard errors, and Geyer's small bias
};

class Autoregression : public testing::TestWithParam<Process> {};

// tau = 1 + 2 sum rho^t = (1 + rho) / (1 - rho).
TEST_P(Autoregression, ess_mean_is_that_of_theory) {
  const double rho = GetParam().rho;
  const std::size_t draws = 4000;
  const double theory = 4.0 * static_cast<double>(draws) * (1 - rho) / (1 + rho);
  const double found = average(
      20, [&](std::size_t seed) { return ess_mean(chains_of(autoregression(rho, 4, draws, seed + 1))); });
  EXPECT_NEAR(found / theory, 1, GetParam().tolerance);
}

// (x - mean)^2 of a Gaussian process has correlations rho^2t.
TEST_P(Autoregression, ess_sd_is_that_of_theory) {
  const double rho = GetParam().rho * GetParam().rho;
  const std::size_t draws = 4000;
  const double theory = 4.0 * static_cast<double>(draws) * (1 - rho) / (1 + rho);
  const double found = average(20, [&](std::size_t seed) {
    return ess_sd(chains_of(autoregression(GetParam().rho, 4, draws, seed + 1)));
  });
  EXPECT_NEAR(found / theory, 1, GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(Correlations, Autoregression,
                         testing::Values(Process{0.0, 0.03}, Process{0.5, 0.04}, Process{0.9, 0.06},
                                         Process{0.98, 0.12}, Process{-0.3, 0.04}));

// The standard deviation of the estimates over repetitions is what a standard error estimates.
TEST(Mcse, is_the_spread_of_the_estimates) {
  const std::size_t repetitions = 200;
  std::vector<double> means, sds, medians, mcse_means, mcse_sds, mcse_medians;
  for (std::size_t r = 0; r < repetitions; ++r) {
    const Sample drawn = autoregression(0.7, 4, 500, 1000 + r);
    const Chains chains = chains_of(drawn);
    means.push_back(mean(drawn.values));
    sds.push_back(sd(drawn.values));
    medians.push_back(quantile(drawn.values, 0.5));
    mcse_means.push_back(mcse_mean(chains));
    mcse_sds.push_back(mcse_sd(chains));
    mcse_medians.push_back(mcse_quantile(chains, 0.5));
  }
  // An estimated sd from 200 repetitions has a relative standard error of 5 %.
  EXPECT_NEAR(mean(mcse_means) / sd(means), 1, 0.15);
  EXPECT_NEAR(mean(mcse_sds) / sd(sds), 1, 0.15);
  EXPECT_NEAR(mean(mcse_medians) / sd(medians), 1, 0.15);
}

// The direct sums and the Fourier transform are two ways to one number: slow chains use the second beyond the
// first lags.
TEST(Ess, a_chain_that_alternates_has_the_largest_value) {
  std::vector<double> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1.0 : -1.0;
  EXPECT_DOUBLE_EQ(ess_mean({values, 2, 200}), 400 * std::log10(400.0));
}

// Slow chains take their autocovariances from a Fourier transform: here against sums by definition.
TEST(Ess, long_correlations_equal_the_sum_by_definition) {
  const Sample walk = sample({.correlation = 0.99}, 1, 8000, 5);
  const std::size_t n = walk.draws / 2;
  std::vector<double> y(walk.values);
  double center[2] = {0, 0};
  for (std::size_t i = 0; i < 2 * n; ++i) center[i / n] += y[i] / static_cast<double>(n);
  for (std::size_t i = 0; i < 2 * n; ++i) y[i] -= center[i / n];
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t i = 0; i + lag < n; ++i) sum += y[half * n + i] * y[half * n + i + lag];
    return sum / static_cast<double>(2 * n);
  };
  const double of_means = (center[0] - center[1]) * (center[0] - center[1]) / 2;
  const double within = covariance(0) * static_cast<double>(n) / static_cast<double>(n - 1);
  const auto rho = [&](std::size_t lag) {
    return 1 - (within - covariance(lag)) / (covariance(0) + of_means);
  };
  double tau = -1, least = kInf, even = 1, odd = rho(1);
  std::size_t lag = 0;
  for (; lag + 5 < n && even + odd > 0; even = rho(lag), odd = rho(lag + 1)) {
    least = std::min(least, even + odd);
    tau += 2 * least;
    lag += 2;
  }
  EXPECT_GT(lag, 100u);
  EXPECT_NEAR(ess_mean(chains_of(walk)), static_cast<double>(2 * n) / (tau + std::max(even, 0.0)), 1e-8);
}

TEST(Ranks, quantities_of_ranks_do_not_change_under_increasing_maps) {
  const Sample drawn = sample({.correlation = 0.6}, 4, 501, 6);
  Sample mapped = drawn;
  for (double& value : mapped.values) value = std::exp(3 * value);
  EXPECT_EQ(ess_bulk(chains_of(drawn)), ess_bulk(chains_of(mapped)));
  EXPECT_EQ(ess_tail(chains_of(drawn)), ess_tail(chains_of(mapped)));
  EXPECT_EQ(ess_quantile(chains_of(drawn), 0.3), ess_quantile(chains_of(mapped), 0.3));
}

TEST(Ranks, rhat_does_not_change_under_linear_maps) {
  const Sample drawn = sample({.correlation = 0.6, .shift = 0.2}, 4, 500, 6);
  Sample mapped = drawn;
  for (double& value : mapped.values) value = 4 - 0.5 * value;
  EXPECT_NEAR(rhat(chains_of(drawn)), rhat(chains_of(mapped)), 1e-12);
}

TEST(Ranks, nothing_depends_on_the_order_of_chains) {
  const Sample drawn = sample({.correlation = 0.6, .shift = 0.2}, 2, 300, 6);
  Sample turned = drawn;
  std::rotate(turned.values.begin(), turned.values.begin() + 300, turned.values.end());
  EXPECT_NEAR(rhat(chains_of(drawn)), rhat(chains_of(turned)), 1e-12);
  EXPECT_NEAR(ess_bulk(chains_of(drawn)), ess_bulk(chains_of(turned)), 1e-8);
}

// 200 values are sorted by comparison, 400 by their bytes.
TEST(Ranks, both_sorts_order_all_kinds_of_numbers) {
  for (const std::size_t draws : {200u, 400u}) {
    Random random(9);
    std::vector<double> values;
    for (std::size_t i = 0; i < draws; ++i) {
      const double sign = random.uniform() < 0.5 ? -1 : 1;
      values.push_back(sign * std::exp(400 * random.normal() * 0.4));
    }
    values[0] = 0.0;
    values[1] = -0.0;
    values[2] = std::numeric_limits<double>::denorm_min();
    values[3] = -std::numeric_limits<double>::denorm_min();
    const ChainSummary found = summarize({values, 1, draws});
    EXPECT_EQ(found.q5, quantile(values, 0.05));
    EXPECT_EQ(found.q50, quantile(values, 0.5));
    EXPECT_EQ(found.q95, quantile(values, 0.95));
  }
}

TEST(Unusable, constant_or_not_finite_or_short) {
  const std::vector<double> constant(400, 0.1);
  std::vector<double> nearly(400, 1.0), with_nan(constant), with_inf(constant), tiny(400);
  for (std::size_t i = 0; i < 400; i += 3) nearly[i] = 1 + std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < 400; ++i) with_nan[i] = with_inf[i] = static_cast<double>(i % 7);
  with_nan[7] = std::numeric_limits<double>::quiet_NaN();
  with_inf[7] = kInf;
  for (const auto& values : {constant, nearly, with_nan, with_inf}) {
    const Chains chains{values, 4, 100};
    EXPECT_TRUE(std::isnan(rhat(chains)));
    EXPECT_TRUE(std::isnan(rhat_basic(chains)));
    EXPECT_TRUE(std::isnan(ess_bulk(chains)));
    EXPECT_TRUE(std::isnan(ess_tail(chains)));
    EXPECT_TRUE(std::isnan(ess_mean(chains)));
    EXPECT_TRUE(std::isnan(ess_sd(chains)));
    EXPECT_TRUE(std::isnan(mcse_mean(chains)));
    EXPECT_TRUE(std::isnan(mcse_sd(chains)));
    EXPECT_TRUE(std::isnan(mcse_quantile(chains, 0.5)));
    EXPECT_TRUE(std::isnan(tail_khat(chains)));
    EXPECT_TRUE(std::isnan(summarize(chains).rhat));
  }
  EXPECT_EQ(mean(constant), 0.1);
  EXPECT_EQ(summarize({constant, 4, 100}).q95, 0.1);
  EXPECT_TRUE(std::isnan(mean(with_inf)));
  EXPECT_TRUE(std::isnan(sd(with_nan)));
  EXPECT_TRUE(std::isnan(quantile(with_nan, 0.5)));
  EXPECT_TRUE(std::isnan(rhat({std::span(with_nan).subspan(10, 9), 3, 3})));
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(rhat({{}, 0, 0})));
  EXPECT_TRUE(std::isnan(summarize({{}, 4, 0}).mean));
}

TEST(Usable, small_scales_and_two_values) {
  Sample tiny = sample({.correlation = 0.3}, 4, 100, 8);
  const double ess = ess_mean(chains_of(tiny));
  for (double& value : tiny.values) value *= 0x1p-200;
  EXPECT_NEAR(ess_mean(chains_of(tiny)), ess, 1e-9);
  std::vector<double> halves(400);
  for (std::size_t i = 0; i < 400; ++i) halves[i] = static_cast<double>((i / 3) % 2);
  while (std::count(halves.begin(), halves.end(), 1.0) > 200)
    *std::find(halves.begin(), halves.end(), 1.0) = 0;
  while (std::count(halves.begin(), halves.end(), 1.0) < 200)
    *std::find(halves.begin(), halves.end(), 0.0) = 1;
  EXPECT_NEAR(rhat({halves, 4, 100}), 1, 0.02);
}

TEST(Sizes, values_are_chains_times_draws) {
  const std::vector<double> values(10, 1.0);
  EXPECT_THROW(rhat({values, 4, 3}), Error);
  EXPECT_THROW(summarize({values, 4, 3}), Error);
  EXPECT_THROW(loo(values, 2, 2, 3), Error);
  EXPECT_THROW(loo_pit(values, values, values, 1, 2), Error);
}

TEST(Quantile, of_type_7) {
  const std::vector<double> values = {4, 1, 3, 2};
  EXPECT_EQ(quantile(values, 0), 1);
  EXPECT_EQ(quantile(values, 1), 4);
  EXPECT_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1), 1.3);
  EXPECT_TRUE(std::isnan(quantile(values, 1.1)));
  std::vector<double> hundred_and_one(101);
  for (std::size_t i = 0; i < 101; ++i) hundred_and_one[i] = std::sqrt(static_cast<double>(i));
  for (std::size_t percent = 0; percent <= 100; ++percent)
    EXPECT_EQ(quantile(hundred_and_one, static_cast<double>(percent) / 100), hundred_and_one[percent]);
}

// Momenta of d dimensions drawn anew, positions that follow freely: both halves of the energy vary equally,
// and the steps of the energy have twice the variance of a half.
TEST(EBfmi, independent_energies_have_two_and_a_random_walk_has_none) {
  const Sample independent = autoregression(0, 1, 20000, 2);
  EXPECT_NEAR(e_bfmi(independent.values), 2, 0.05);
  const Sample slow = autoregression(0.99, 1, 20000, 2);
  EXPECT_NEAR(e_bfmi(slow.values), 2 * (1 - 0.99), 0.01);
  EXPECT_TRUE(std::isnan(e_bfmi(std::vector<double>(10, 1.0))));
}

}  // namespace
}  // namespace kullback::stats::test
