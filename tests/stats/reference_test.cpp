// Values of the R packages `posterior` and `loo`, of the same samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/chains.hpp"
#include "stats/loo.hpp"
#include "stats/psis.hpp"
#include "stats/summary.hpp"
#include "tests/stats/generator.hpp"

namespace kullback::stats::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-9;

void expect_near(const char* quantity, double found, double expected, double tolerance = kTolerance) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(found)) << quantity << " is " << found;
  else if (std::isinf(expected))
    EXPECT_EQ(found, expected) << quantity;
  else
    EXPECT_NEAR(found, expected, tolerance * std::abs(expected) + 1e-13) << quantity;
}

struct ChainValues {
  double mean, sd, q5, q50, q95, rhat, rhat_basic, ess_bulk, ess_tail, ess_mean, ess_sd, ess_q10, ess_q100,
      mcse_mean, mcse_sd, mcse_q5, mcse_q50, nested_1, nested_2, khat, khat_one_chain;
};
struct ChainCase {
  const char* name;
  Recipe recipe;
  std::size_t chains, draws;
  std::uint64_t seed;
  ChainValues expected;
};
const std::vector<ChainCase> kChainCases = {
#include "tests/stats/data/chains.inc"
};

void expect_diagnostics(const Chains& chains, const ChainValues& of) {
  expect_near("rhat", rhat(chains), of.rhat);
  expect_near("rhat_basic", rhat_basic(chains), of.rhat_basic);
  expect_near("ess_bulk", ess_bulk(chains), of.ess_bulk);
  expect_near("ess_tail", ess_tail(chains), of.ess_tail);
  expect_near("ess_mean", ess_mean(chains), of.ess_mean);
  expect_near("ess_sd", ess_sd(chains), of.ess_sd);
  expect_near("ess_q10", ess_quantile(chains, 0.1), of.ess_q10);
  expect_near("ess_q100", ess_quantile(chains, 1), of.ess_q100);
  expect_near("mcse_mean", mcse_mean(chains), of.mcse_mean);
  expect_near("mcse_sd", mcse_sd(chains), of.mcse_sd);
  expect_near("mcse_q5", mcse_quantile(chains, 0.05), of.mcse_q5);
  expect_near("mcse_q50", mcse_quantile(chains, 0.5), of.mcse_q50);
  expect_near("nested_1", nested_rhat(chains, 1), of.nested_1);
  if (chains.chains % 2 == 0) expect_near("nested_2", nested_rhat(chains, 2), of.nested_2);
  expect_near("khat", tail_khat(chains), of.khat);
  expect_near("khat of one chain", tail_khat(chains.values), of.khat_one_chain);
}

void expect_summary(const ChainSummary& found, const ChainValues& of) {
  expect_near("mean", found.mean, of.mean);
  expect_near("sd", found.sd, of.sd);
  expect_near("mcse_mean", found.mcse_mean, of.mcse_mean);
  expect_near("q5", found.q5, of.q5);
  expect_near("q50", found.q50, of.q50);
  expect_near("q95", found.q95, of.q95);
  expect_near("ess_bulk", found.ess_bulk, of.ess_bulk);
  expect_near("ess_tail", found.ess_tail, of.ess_tail);
  expect_near("rhat", found.rhat, of.rhat);
}

TEST(References, chains) {
  for (const ChainCase& of : kChainCases) {
    SCOPED_TRACE(of.name);
    const Sample drawn = sample(of.recipe, of.chains, of.draws, of.seed);
    const Chains chains{drawn.values, of.chains, of.draws};
    expect_near("mean", mean(chains.values), of.expected.mean);
    expect_near("sd", sd(chains.values), of.expected.sd);
    expect_near("q5", quantile(chains.values, 0.05), of.expected.q5);
    expect_near("q50", quantile(chains.values, 0.5), of.expected.q50);
    expect_near("q95", quantile(chains.values, 0.95), of.expected.q95);
    expect_diagnostics(chains, of.expected);
    expect_summary(summarize(chains), of.expected);
  }
}

struct WeightCase {
  const char* name;
  Recipe recipe;
  std::size_t draws;
  std::uint64_t seed;
  double efficiency;
  struct {
    double khat, ess, first, largest, tilted;
  } expected;
};
const std::vector<WeightCase> kWeightCases = {
#include "tests/stats/data/weights.inc"
};

TEST(References, weights) {
  for (const WeightCase& of : kWeightCases) {
    SCOPED_TRACE(of.name);
    const Sample raw = sample(of.recipe, 1, of.draws, of.seed);
    const Psis psis = smooth_weights(raw.values, of.efficiency);
    const auto largest = std::max_element(raw.values.begin(), raw.values.end()) - raw.values.begin();
    double tilted = 0;
    for (std::size_t i = 0; i < of.draws; ++i)
      tilted += std::exp(psis.log_weights[i]) * static_cast<double>(i + 1);
    expect_near("khat", psis.khat, of.expected.khat);
    expect_near("ess", psis.ess, of.expected.ess);
    expect_near("first", psis.log_weights[0], of.expected.first);
    expect_near("largest", psis.log_weights[static_cast<std::size_t>(largest)], of.expected.largest);
    expect_near("tilted", tilted, of.expected.tilted);
  }
}

// The inputs of make_references.py: loo_inputs.
struct LooInputs {
  static constexpr std::size_t kObservations = 12, kChains = 4, kDraws = 250;
  std::vector<double> y, log_lik, predictive;
};

LooInputs loo_inputs() {
  LooInputs result;
  const Sample bells = sample({.correlation = 0.6}, LooInputs::kChains, LooInputs::kDraws, 77);
  const Sample noises = sample({}, LooInputs::kChains, LooInputs::kDraws, 78);
  const Sample integers = sample({.noise = "integer"}, LooInputs::kChains, LooInputs::kDraws, 79);
  const double count = LooInputs::kObservations;
  for (int n = 0; n < static_cast<int>(LooInputs::kObservations); ++n) {
    const double y = n % 2 == 1 ? 3 * (n / count - 0.5) : static_cast<double>(n % 3 - 1);
    const double scale = 1 + 12 * n / count;
    result.y.push_back(y);
    for (std::size_t s = 0; s < bells.values.size(); ++s) {
      const double mu = 0.25 * bells.values[s];
      result.log_lik.push_back(-(y - mu) * (y - mu) * scale / 2);
      result.predictive.push_back(n % 2 == 1 ? mu + noises.values[s] : integers.values[s]);
    }
  }
  return result;
}

const std::vector<std::vector<double>> kLoo = {
#include "tests/stats/data/loo.inc"
};

TEST(References, loo) {
  LooInputs in = loo_inputs();
  const Loo found = loo(in.log_lik, in.kObservations, in.kChains, in.kDraws);
  for (double& value : in.log_lik) value /= 2;
  const Difference difference = compare(found, loo(in.log_lik, in.kObservations, in.kChains, in.kDraws));
  expect_near("elpd", found.elpd, kLoo[0][0]);
  expect_near("elpd_se", found.elpd_se, kLoo[0][1]);
  expect_near("p_loo", found.p_loo, kLoo[0][2]);
  expect_near("p_loo_se", found.p_loo_se, kLoo[0][3]);
  expect_near("difference", difference.elpd, kLoo[0][4]);
  expect_near("difference_se", difference.se, kLoo[0][5]);
  for (std::size_t n = 0; n < in.kObservations; ++n) {
    expect_near("elpd of an observation", found.pointwise[n], kLoo[n + 1][0]);
    expect_near("khat of an observation", found.khat[n], kLoo[n + 1][1]);
  }
}

TEST(References, loo_pit) {
  const LooInputs in = loo_inputs();
  const auto pit = loo_pit(in.y, in.predictive, in.log_lik, in.kChains, in.kDraws);
  for (std::size_t n = 0; n < in.kObservations; ++n) expect_near("PIT", pit[n], kLoo[n + 1][2]);
}

}  // namespace
}  // namespace kullback::stats::test
