// Distances between two samples, their noise and their p-values, against closed forms and over repeated
// samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/divergence.hpp"
#include "stats/divergence/marginal.hpp"

namespace kullback::stats::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> normals(std::size_t count, double mean, double sd, std::uint64_t seed) {
  Random random(seed, 1);
  std::vector<double> result(count);
  for (double& of : result) of = mean + sd * random.normal();
  return result;
}

// Standard normal at all times; neighbours correlate by rho.
std::vector<double> autoregressive(std::size_t chains, std::size_t draws, double rho, std::uint64_t seed) {
  std::vector<double> result;
  for (std::size_t chain = 0; chain < chains; ++chain) {
    Random random(seed, static_cast<std::uint32_t>(chain), 2);
    double x = random.normal();
    for (std::size_t i = 0; i < draws; ++i) {
      x = rho * x + std::sqrt(1 - rho * rho) * random.normal();
      result.push_back(x);
    }
  }
  return result;
}

MarginalDistance independent(const std::vector<double>& x, const std::vector<double>& y) {
  static const MarginalComparison compare;
  return compare(sample_of(x, static_cast<double>(x.size())), sample_of(y, static_cast<double>(y.size())));
}

TEST(MarginalDistance, OfTwoSamplesByHand) {
  const std::vector<double> x{0, 1, 2, 3}, y{1, 2, 3, 4};
  const double unit = sd(x);
  const MarginalDistance apart = independent(x, y);
  EXPECT_DOUBLE_EQ(apart.wasserstein, 1 / unit);
  EXPECT_DOUBLE_EQ(apart.shift, 1 / unit);
  EXPECT_DOUBLE_EQ(apart.shift_error, std::sqrt(2 * unit * unit / 4) / unit);
  EXPECT_DOUBLE_EQ(apart.sd_ratio, 1);
  EXPECT_DOUBLE_EQ(apart.largest_gap, 0.25);
  const MarginalDistance back = independent(y, x);
  EXPECT_DOUBLE_EQ(back.wasserstein, apart.wasserstein);
  EXPECT_DOUBLE_EQ(back.shift, -apart.shift);
  EXPECT_EQ(independent(x, x).wasserstein, 0);
  EXPECT_EQ(independent(x, x).p_value, 1);
}

// W1 of normal distributions in closed form, in units of sqrt((1 + s^2) / 2); the interval holds it, and is
// not wider than three standard errors of a mean.
TEST(MarginalDistance, IsTheClosedFormWithinItsNoise) {
  const std::size_t count = 20000;
  const std::vector<double> x = normals(count, 0, 1, 1);
  for (const auto& [shift, scale] : {std::pair(0.1, 1.0), {1.0, 2.0}, {0.0, 0.5}, {5.0, 1.0}}) {
    const MarginalDistance apart = independent(x, normals(count, shift, scale, 2));
    const double unit = std::sqrt((1 + scale * scale) / 2);
    EXPECT_NEAR(apart.wasserstein, wasserstein(Normal{0, 1}, Normal{shift, scale}, 1) / unit, apart.noise);
    EXPECT_LT(apart.noise, 3 * std::sqrt(2.0 / count));
    EXPECT_NEAR(apart.shift, shift / unit, 4 * apart.shift_error);
    EXPECT_NEAR(apart.sd_ratio, scale, 4 * apart.sd_ratio_error);
    EXPECT_LT(apart.p_value, 1e-10);
  }
}

struct Rates {
  double below_20 = 0, below_5 = 0, below_1 = 0;  // of p-values
  double closer_than_noise = 0;
  double gap_below_noise = 0;
  double inflation = 0;  // spread of shift / shift_error
};

template <class Draw>
Rates rates_of(std::size_t repetitions, const Draw& draw) {
  Rates rates;
  const double each = 1 / static_cast<double>(repetitions);
  const MarginalComparison compare;
  double squares = 0;
  for (std::size_t r = 0; r < repetitions; ++r) {
    const MarginalDistance apart = draw(compare, r);
    rates.below_20 += each * (apart.p_value < 0.2);
    rates.below_5 += each * (apart.p_value < 0.05);
    rates.below_1 += each * (apart.p_value < 0.01);
    rates.closer_than_noise += each * (apart.wasserstein < apart.noise);
    rates.gap_below_noise += each * (apart.largest_gap < apart.gap_noise);
    squares += each * std::pow(apart.shift / apart.shift_error, 2);
  }
  rates.inflation = std::sqrt(squares);
  return rates;
}

// 2000 pairs of samples of one distribution: a rate of 0.05 is known to 0.005, one of 0.2 to 0.009; the
// bounds are three and a half standard errors, and 0.01 for the 400 replicates of the noise itself.
void expect_nominal(const Rates& rates) {
  EXPECT_NEAR(rates.below_20, 0.2, 0.05);
  EXPECT_NEAR(rates.below_5, 0.05, 0.027);
  EXPECT_LT(rates.below_1, 0.01 + 3.5 * std::sqrt(0.01 * 0.99 / 2000));
  EXPECT_NEAR(rates.closer_than_noise, 0.95, 0.027);
  EXPECT_NEAR(rates.gap_below_noise, 0.96,
              0.037);  // largest gaps take few values: the rate is at least nominal
}

// No p-value is too small too often, and they are not a third of what they could be.
void expect_at_most_nominal(const Rates& rates, double repetitions) {
  const auto most = [&](double rate) { return rate + 3.5 * std::sqrt(rate * (1 - rate) / repetitions); };
  EXPECT_LT(rates.below_20, most(0.2));
  EXPECT_GT(rates.below_20, 0.2 / 3);
  EXPECT_LT(rates.below_5, most(0.05));
  EXPECT_GT(rates.below_5, 0.05 / 3);
  EXPECT_LT(rates.below_1, most(0.01));
}

TEST(MarginalDistance, NoiseIsThatOfIndependentDraws) {
  expect_nominal(rates_of(2000, [](const MarginalComparison& compare, std::size_t r) {
    const auto x = normals(300, 5, 2, 10 + r), y = normals(700, 5, 2, 100000 + r);
    return compare(sample_of(x, 300), sample_of(y, 700));
  }));
}

TEST(MarginalDistance, NoiseIsThatOfAFewDraws) {
  expect_nominal(rates_of(2000, [](const MarginalComparison& compare, std::size_t r) {
    const auto x = normals(40, 0, 1, 10 + r), y = normals(25, 0, 1, 100000 + r);
    return compare(sample_of(x, 40), sample_of(y, 25));
  }));
}

// A skewed distribution with a heavy right tail, exp of a normal number: its few largest draws make the noise
// too large rather than too small.
TEST(MarginalDistance, NoiseIsThatOfSkewedDraws) {
  const Rates rates = rates_of(2000, [](const MarginalComparison& compare, std::size_t r) {
    auto x = normals(400, 0, 1, 10 + r), y = normals(400, 0, 1, 200000 + r);
    for (double& of : x) of = std::exp(of);
    for (double& of : y) of = std::exp(of);
    return compare(sample_of(x, 400), sample_of(y, 400));
  });
  expect_at_most_nominal(rates, 2000);
}

// Chains whose draws are worth 1/3 of their number. The smallest of several estimated sizes counts, so that
// the noise is taken to be a little larger than it is.
TEST(MarginalDistance, NoiseIsThatOfChains) {
  const Rates rates = rates_of(1000, [](const MarginalComparison& compare, std::size_t r) {
    const auto x = autoregressive(4, 400, 0.5, 10 + r), y = autoregressive(4, 400, 0.5, 300000 + r);
    return compare(sample_of(Chains{x, 4, 400}), sample_of(Chains{y, 4, 400}));
  });
  expect_at_most_nominal(rates, 1000);
  EXPECT_NEAR(rates.inflation, 1, 0.1);
}

// Beyond the noise the p-value is an upper bound that does not give much away: of a shift of k standard
// errors it lies between the normal one of k and of 0.8 k.
TEST(MarginalDistance, SmallPValuesAreBoundsThatAreNotLoose) {
  const std::vector<double> x = normals(4000, 0, 1, 1);
  for (const double k : {4.0, 6.0, 12.0, 30.0}) {
    std::vector<double> y = x;
    for (double& of : y) of += k * std::sqrt(2.0 / 4000);
    const double p = independent(x, y).p_value;
    EXPECT_GT(p, std::erfc(k / std::sqrt(2.0)) / 2) << k;
    EXPECT_LT(p, std::erfc(0.8 * k / std::sqrt(2.0)) / 2) << k;
  }
}

// The interval, in units that are taken as known, holds the true distance in at least 95 % of 1000 samples,
// less three standard errors of 0.007; of far distances too, whose gap between the modes must not count as
// noise.
TEST(MarginalDistance, IntervalsHoldWhatTheySay) {
  for (const auto& [shift, scale] : {std::pair(0.15, 1.0), {0.0, 1.3}, {6.0, 1.0}}) {
    const double truth = wasserstein(Normal{0, 1}, Normal{shift, scale}, 1);
    std::size_t held = 0;
    double widest = 0;
    for (std::uint64_t r = 0; r < 1000; ++r) {
      const std::vector<double> x = normals(400, 0, 1, 20 + r), y = normals(400, shift, scale, 400000 + r);
      const MarginalDistance apart = independent(x, y);
      const double unit = std::sqrt((sd(x) * sd(x) + sd(y) * sd(y)) / 2);
      held += std::abs(apart.wasserstein * unit - truth) < apart.noise * unit;
      widest = std::max(widest, apart.noise);
    }
    EXPECT_GT(held, 930u) << shift;
    EXPECT_LT(widest, 4 * std::sqrt(2.0 / 400)) << shift;
  }
}

TEST(MarginalDistance, ConstantsAndFaults) {
  const std::vector<double> one(50, 1.0), two(50, 2.0), x = normals(50, 1, 1, 3);
  EXPECT_EQ(independent(one, one).wasserstein, 0);
  EXPECT_EQ(independent(one, one).p_value, 1);
  EXPECT_EQ(independent(one, two).wasserstein, kInf);
  EXPECT_EQ(independent(one, two).p_value, 0);
  EXPECT_EQ(independent(two, one).shift, -kInf);
  const MarginalDistance half = independent(one, x);
  EXPECT_GT(half.wasserstein, half.noise);
  EXPECT_EQ(half.sd_ratio, kInf);
  const std::vector<double> nan{1, 2, NAN};
  EXPECT_THROW(independent(nan, x), Error);
  EXPECT_THROW(independent(x, std::vector<double>{}), Error);
}

// Two posteriors whose modes have other masses: half and half, and one alone. W1 is half of their distance.
TEST(MarginalDistance, AMissingMode) {
  std::vector<double> x = normals(4000, 0, 1, 4);
  const std::vector<double> y = normals(4000, 0, 1, 5);
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] += 10;
  const MarginalDistance apart = independent(x, y);
  const double unit = std::sqrt((26 + 1) / 2.0);  // variances: 1 + 25 of the mixture, 1
  EXPECT_NEAR(apart.wasserstein, 5 / unit, 0.05);
  EXPECT_NEAR(apart.largest_gap, 0.5, 0.02);
  EXPECT_LT(apart.p_value, 1e-16);
  EXPECT_NEAR(apart.sd_ratio, 1 / std::sqrt(26.0), 0.01);
}

}  // namespace
}  // namespace kullback::stats::test
