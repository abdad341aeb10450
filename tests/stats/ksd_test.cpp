// The kernelised Stein discrepancy against values of 40 digits (kernels differentiated numerically by mpmath)
// and against what is known of Gaussians.
#include "stats/ksd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace kullback::stats::test {
namespace {

using Kind = RadialKernel::Kind;

// Scores are those of x ~ normal(0, 1), y ~ normal((x^2 - 1) / 2, 1).
const std::vector<double> kPoints{0.3, -1.2, 1.1, 0.4, -0.7, 0.9, 2.0, -0.5};
const std::vector<double> kScores{-0.5235, 0.745, -0.7755, -0.295, -0.1085, -1.155, -6.0, 2.0};

TEST(Ksd, ReferenceValues) {
  const Ksd rbf = kernel_stein_discrepancy({kPoints, kScores, 2}, {Kind::rbf, 0.8});
  EXPECT_NEAR(rbf.squared_v, 2.9046600711727219, 1e-14);
  EXPECT_NEAR(rbf.squared_u, -0.74072821760303751, 1e-14);
  EXPECT_NEAR(rbf.u_error, 0.37707824623770152, 1e-14);
  EXPECT_NEAR(rbf.independent, 3.460206234375, 1e-14);
  EXPECT_TRUE(std::isnan(rbf.p_value));
  const Ksd imq = kernel_stein_discrepancy({kPoints, kScores, 2}, {Kind::imq, 1.3});
  EXPECT_NEAR(imq.squared_v, 3.1129136582755558, 1e-14);
  EXPECT_NEAR(imq.squared_u, 0.18413258097983382, 1e-14);
  EXPECT_NEAR(imq.u_error, 0.59501182616644605, 1e-14);
  EXPECT_NEAR(imq.independent, 2.9748142225406805, 1e-14);
}

TEST(Ksd, DerivativesOfKernelsAreThoseByDifferences) {
  for (const Kind kind : {Kind::rbf, Kind::imq}) {
    const RadialKernel kernel{kind, 1.7};
    EXPECT_EQ(derivatives(kernel, 0).value, 1);
    for (const double s : {0.1, 1.0, 5.0, 30.0}) {
      const double h = 1e-4 * s;
      const RadialDerivatives at = derivatives(kernel, s);
      const RadialDerivatives above = derivatives(kernel, s + h);
      const RadialDerivatives below = derivatives(kernel, s - h);
      EXPECT_NEAR(at.first, (above.value - below.value) / (2 * h), 1e-7 * std::abs(at.first));
      EXPECT_NEAR(at.second, (above.first - below.first) / (2 * h), 1e-7 * std::abs(at.second));
      double value = 0;
      double slope = 0;
      values_and_slopes(kernel, {&s, 1}, &value, &slope);
      EXPECT_DOUBLE_EQ(value, at.value);
      EXPECT_DOUBLE_EQ(slope, at.first);
    }
  }
}

std::vector<double> normal_draws(Random& random, std::size_t count, double mean) {
  std::vector<double> draws;
  for (std::size_t i = 0; i < count; ++i) draws.push_back(mean + random.normal());
  return draws;
}

// The score of the standard normal distribution.
std::vector<double> negated(std::vector<double> x) {
  for (double& value : x) value = -value;
  return x;
}

// Scores of N(0, 1) and N(m, 1) differ by m, so that KSD^2 = m^2 E k(x, y), x - y ~ N(0, 2).
TEST(Ksd, OfAShiftedGaussianIsKnown) {
  Random random(11);
  const double shift = 0.6;
  const double h = 1.5;
  const std::vector<double> x = normal_draws(random, 1500, shift);
  const Ksd ksd = kernel_stein_discrepancy({x, negated(x), 1}, {Kind::rbf, h}, {.replicates = 200});
  EXPECT_LT(std::abs(ksd.squared_u - shift * shift / std::sqrt(1 + 2 / (h * h))), 4.5 * ksd.u_error);
  EXPECT_LT(ksd.u_error, 0.03);
  EXPECT_EQ(ksd.p_value, 1.0 / 201);
}

// Under the density p-values are uniform, and V is on average what `independent` says.
TEST(Ksd, OfDrawsFromTheDensity) {
  constexpr std::size_t kSets = 300;
  std::size_t rejected = 0;
  double v = 0;
  double expected = 0;
  double squares = 0;
  for (std::uint32_t set = 0; set < kSets; ++set) {
    Random random(5, set);
    const std::vector<double> x = normal_draws(random, 2 * 40, 0);
    const Ksd ksd =
        kernel_stein_discrepancy({x, negated(x), 2}, {Kind::imq, 1}, {.replicates = 99, .seed = set + 1});
    rejected += ksd.p_value <= 0.1 ? 1 : 0;
    v += ksd.squared_v / kSets;
    squares += ksd.squared_v * ksd.squared_v / kSets;
    expected += ksd.independent / kSets;
  }
  const double error = std::sqrt((squares - v * v) / kSets);
  EXPECT_LT(std::abs(v - expected), 4.5 * error);
  EXPECT_LT(std::abs(static_cast<double>(rejected) / kSets - 0.1), 4.5 * std::sqrt(0.09 / kSets));
}

TEST(Ksd, MedianAndBandwidth) {
  const std::vector<double> points{0, 0, 3, 4, 0, 1};  // squared distances 25, 1, 18
  EXPECT_EQ(median_squared_distance(points, 2), 18);
  EXPECT_EQ(median_squared_distance({points.data(), 2}, 2), 0);
  EXPECT_DOUBLE_EQ(median_bandwidth(Kind::imq, 18, 3), std::sqrt(18.0));
  EXPECT_DOUBLE_EQ(median_bandwidth(Kind::rbf, 18, 3), std::sqrt(9 / std::log(4.0)));
  EXPECT_EQ(median_bandwidth(Kind::rbf, 0, 3), 1);
}

TEST(Ksd, OfLittleOrNothing) {
  EXPECT_TRUE(std::isnan(kernel_stein_discrepancy({{}, {}, 2}, {}).squared_v));
  const std::vector<double> one{1.0, 2.0};
  const Ksd ksd = kernel_stein_discrepancy({one, one, 2}, {Kind::imq, 0.5});
  EXPECT_DOUBLE_EQ(ksd.squared_v, 5 + 2 / 0.25);  // |score|^2 + dim / h^2
  EXPECT_TRUE(std::isnan(ksd.squared_u));
  EXPECT_THROW(kernel_stein_discrepancy({one, {one.data(), 1}, 2}, {}), Error);
  EXPECT_THROW(kernel_stein_discrepancy({one, one, 3}, {}), Error);
}

}  // namespace
}  // namespace kullback::stats::test
