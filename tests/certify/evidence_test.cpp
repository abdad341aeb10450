// p is normal(0, 1) times a constant, q = normal(0, s): all figures are known in closed form but IW(K).
#include "certify/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/psis.hpp"

namespace kullback::certify::test {
namespace {

constexpr double kLogConstant = 7.5;

double log_ratio(double x, double s) {
  return kLogConstant - 0.5 * x * x + 0.5 * x * x / (s * s) + std::log(s);
}

std::vector<double> ratios(double s, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(log_ratio(s * random.normal(), s));
  return values;
}

double elbo_of(double s) { return kLogConstant - 0.5 * (s * s - 1) + std::log(s); }
// log(E w^b) / b
double power_bound(double s, double b) {
  return kLogConstant + ((b - 1) * std::log(s) - 0.5 * std::log(b + (1 - b) / (s * s))) / b;
}

double iw_by_simulation(double s, std::size_t k, std::size_t groups, double& error) {
  double sum = 0, squares = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    double total = 0;
    for (const double r : ratios(s, k, 100000 + g)) total += std::exp(r - kLogConstant);
    const double value = kLogConstant + std::log(total / static_cast<double>(k));
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(groups);
  error = std::sqrt((squares / n - sum * sum / n / n) / n);
  return sum / n;
}

TEST(Evidence, ClosedFormsOfAWiderApproximation) {
  constexpr double s = 1.5;
  const Evidence evidence = estimate_evidence(ratios(s, 20000, 1));
  EXPECT_LT(evidence.khat, kUpperKhat);
  EXPECT_NEAR(evidence.elbo.value, elbo_of(s), 4 * evidence.elbo.standard_error);
  EXPECT_NEAR(evidence.smoothed.value, kLogConstant, 4 * evidence.smoothed.standard_error);
  EXPECT_NEAR(evidence.raw.value, kLogConstant, 4 * evidence.raw.standard_error);
  ASSERT_TRUE(evidence.cubo && evidence.renyi);
  EXPECT_NEAR(evidence.cubo->value, power_bound(s, 2), 4 * evidence.cubo->standard_error);
  EXPECT_NEAR(evidence.cubo->value, kLogConstant + 0.5 * std::log(s * s / std::sqrt(2 * s * s - 1)), 0.01);
  EXPECT_NEAR(evidence.renyi->value, power_bound(s, 1.5), 4 * evidence.renyi->standard_error);
  EXPECT_LT(evidence.elbo.lower, evidence.elbo.value);
  EXPECT_NEAR((evidence.elbo.upper - evidence.elbo.value) / evidence.elbo.standard_error, 2.576, 0.01);
}

TEST(Evidence, ImportanceBoundsAreThoseOfIndependentGroups) {
  constexpr double s = 0.6;  // narrow: the bounds differ
  double sum10 = 0, sum100 = 0, variance10 = 0, variance100 = 0;
  constexpr std::size_t kRuns = 40;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Evidence evidence = estimate_evidence(ratios(s, 1003, 500 + run));
    ASSERT_EQ(evidence.bounds.size(), 2u);
    sum10 += evidence.bounds[0].figure.value / kRuns;
    sum100 += evidence.bounds[1].figure.value / kRuns;
    variance10 += std::pow(evidence.bounds[0].figure.standard_error / kRuns, 2);
    variance100 += std::pow(evidence.bounds[1].figure.standard_error / kRuns, 2);
  }
  double error10 = 0, error100 = 0;
  const double iw10 = iw_by_simulation(s, 10, 20000, error10);
  const double iw100 = iw_by_simulation(s, 100, 5000, error100);
  EXPECT_NEAR(sum10, iw10, 4 * std::sqrt(variance10 + error10 * error10));
  EXPECT_NEAR(sum100, iw100, 4 * std::sqrt(variance100 + error100 * error100));
  EXPECT_GT(iw100 - iw10, 10 * std::hypot(error10, error100)) << "the test could not tell them apart";
}

TEST(Evidence, BoundsNeverFallInAnySample) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const double s : {0.2, 0.8, 1.0001, 3.0}) {
      const Evidence evidence = estimate_evidence(ratios(s, 807 + seed, seed));
      double last = evidence.elbo.value;
      ASSERT_EQ(evidence.bounds.size(), 2u);
      for (const ImportanceBound& bound : evidence.bounds) {
        EXPECT_GE(bound.figure.value, last - 1e-12);
        last = bound.figure.value;
      }
      EXPECT_LE(last, evidence.raw.value + 1e-12) << "the mean of all is the widest window";
    }
  }
}

TEST(Evidence, FewDrawsHaveFewerBounds) {
  EXPECT_EQ(estimate_evidence(ratios(1.2, 79, 1)).bounds.size(), 0u);
  EXPECT_EQ(estimate_evidence(ratios(1.2, 80, 1)).bounds.size(), 1u);
  EXPECT_EQ(estimate_evidence(ratios(1.2, 800, 1)).bounds.size(), 2u);
}

// The intervals of 99 % contain the truth in about 99 of 100 samples.
TEST(Evidence, IntervalsContainTheTruth) {
  constexpr double s = 1.2;
  constexpr int kRuns = 600;
  double error = 0;
  const double iw10 = iw_by_simulation(s, 10, 40000, error);
  int elbo = 0, iw = 0, smoothed = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Evidence evidence = estimate_evidence(ratios(s, 400, 9000 + static_cast<std::uint64_t>(run)));
    elbo += evidence.elbo.lower <= elbo_of(s) && elbo_of(s) <= evidence.elbo.upper;
    iw += evidence.bounds[0].figure.lower <= iw10 && iw10 <= evidence.bounds[0].figure.upper;
    smoothed += evidence.smoothed.lower <= kLogConstant && kLogConstant <= evidence.smoothed.upper;
  }
  // 0.99 less 4 standard errors of a share of 600
  EXPECT_GE(elbo, 0.97 * kRuns);
  EXPECT_GE(iw, 0.97 * kRuns);
  EXPECT_GE(smoothed, 0.97 * kRuns);
}

TEST(Evidence, NoUpperFiguresWhereTheTailIsHeavy) {
  const Evidence evidence = estimate_evidence(ratios(0.7, 4000, 3));  // k = 1 - s^2 = 0.51
  EXPECT_GT(evidence.khat, kUpperKhat);
  EXPECT_FALSE(evidence.cubo);
  EXPECT_FALSE(evidence.renyi);
  const double values[] = {0.0, 1.0, 2.0};
  EXPECT_FALSE(distance_bounds(evidence, values));
  EXPECT_NE(to_json(evidence).find("\"cubo_estimate\": null"), std::string::npos);
}

TEST(Evidence, NoIntervalOfTheEstimateWhereItCannotBeTrusted) {
  const Evidence evidence = estimate_evidence(ratios(0.3, 1000, 3));  // k = 0.91
  EXPECT_GE(evidence.khat, stats::khat_threshold(1000));
  EXPECT_TRUE(std::isnan(evidence.smoothed.lower) && std::isnan(evidence.raw.upper));
  EXPECT_FALSE(std::isnan(evidence.elbo.lower));
}

TEST(Evidence, AnExactApproximationHasNoUncertainty) {
  std::vector<double> equal(500, 3.25);
  for (std::size_t i = 0; i < equal.size(); ++i) equal[i] += 1e-14 * static_cast<double>(i % 7);
  const Evidence evidence = estimate_evidence(equal);
  EXPECT_EQ(evidence.khat, 0);
  ASSERT_TRUE(evidence.cubo);
  EXPECT_NEAR(evidence.cubo->upper, 3.25, 1e-12);
  EXPECT_NEAR(evidence.smoothed.upper, 3.25, 1e-12);
}

TEST(Evidence, ZeroWeightsAndWrongRatios) {
  std::vector<double> values = ratios(1.3, 200, 5);
  values[17] = -std::numeric_limits<double>::infinity();
  const Evidence evidence = estimate_evidence(values);
  EXPECT_EQ(evidence.elbo.value, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(evidence.elbo.lower));
  EXPECT_TRUE(std::isfinite(evidence.bounds[0].figure.value));
  EXPECT_TRUE(std::isfinite(evidence.smoothed.lower));
  values[3] = std::nan("");
  EXPECT_THROW(estimate_evidence(values), Error);
  EXPECT_THROW(estimate_evidence({values.data(), 1}), Error);
}

// The numbers: 0.1 sd needs a gap of 1.2e-3 nats for means and of 1e-6 for standard deviations.
TEST(DistanceBounds, GapsThatATolerance) {
  Random random(4);
  std::vector<double> normal;
  for (int i = 0; i < 200000; ++i) normal.push_back(5 + 3 * random.normal());
  EXPECT_NEAR(distance_bounds_of_gap(1.25e-3, normal).w1, 0.1, 1e-3);
  EXPECT_NEAR(distance_bounds_of_gap(1.04e-6, normal).w2, 0.1, 1e-3);
}

TEST(DistanceBounds, HoldForGaussians) {
  for (const double s : {1.02, 1.2, 2.0}) {
    Random random(12);
    std::vector<double> values, log_ratios;
    for (int i = 0; i < 10000; ++i) {
      values.push_back(s * random.normal());
      log_ratios.push_back(log_ratio(values.back(), s));
    }
    const auto bounds = distance_bounds(estimate_evidence(log_ratios), values);
    ASSERT_TRUE(bounds);
    EXPECT_GE(bounds->w2, std::abs(1 - 1 / s)) << "|sd error| / sd of q";
    EXPECT_GE(bounds->w1, std::sqrt(2 / 3.14159265358979) * std::abs(1 - 1 / s));
  }
}

TEST(Evidence, Json) {
  const std::string text = to_json(estimate_evidence(ratios(1.5, 1000, 1)));
  for (const char* key :
       {"\"draws\": 1000", "\"level\": 0.99", "\"khat\"", "\"elbo\"", "\"importance_bounds\": [{\"k\": 10, ",
        "\"log_evidence\"", "\"cubo_estimate\": {", "biased low"})
    EXPECT_NE(text.find(key), std::string::npos) << key << " in " << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
}

}  // namespace
}  // namespace kullback::certify::test
