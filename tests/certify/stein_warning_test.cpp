#include "certify/stein_warning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::certify::test {
namespace {

std::vector<double> normal_draws(std::size_t count, const std::vector<double>& mean,
                                 const std::vector<double>& sd, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> draws;
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < mean.size(); ++i) draws.push_back(mean[i] + sd[i] * random.normal());
  }
  return draws;
}

const std::vector<double> kMean{3, -50};
const std::vector<double> kSd{0.01, 20};

TEST(SteinWarning, RareWhereTheDrawsAreThePosteriors) {
  auto target = infer::gaussian(kMean, kSd);
  int warnings = 0, outside = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const SteinWarning warning =
        stein_warning(target, normal_draws(150, kMean, kSd, seed), {.replicates = 200});
    warnings += warning.is_warning;
    outside += warning.lower > 0 || warning.upper < 0;
  }
  EXPECT_LE(warnings, 3);  // 0.6 expected; 4 or more have probability 0.003
  EXPECT_LE(outside, 3);
}

TEST(SteinWarning, SeesAShiftOfHalfASd) {
  auto target = infer::gaussian(kMean, kSd);
  const SteinWarning warning = stein_warning(target, normal_draws(2000, {3.005, -50}, kSd, 7));
  EXPECT_TRUE(warning.is_warning);
  EXPECT_GT(warning.lower, 0);
  EXPECT_EQ(warning.draws, 500u);
  EXPECT_EQ(warning.gradients, 500u);
  EXPECT_EQ(target.evaluations, 500u);
}

// A large sample stands for the truth.
TEST(SteinWarning, IntervalContainsTheDiscrepancy) {
  auto target = infer::gaussian({0}, {1});
  const double truth =
      stein_warning(target, normal_draws(3000, {0.6}, {1}, 99), {.max_draws = 3000, .replicates = 1})
          .ksd_squared;
  int contained = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const SteinWarning warning =
        stein_warning(target, normal_draws(200, {0.6}, {1}, 1000 + seed), {.replicates = 200});
    contained += warning.lower <= truth && truth <= warning.upper;
  }
  EXPECT_GE(contained, 56);
}

TEST(SteinWarning, IsBlindToSharesOfModes) {  // hence never more than a warning
  auto target = infer::two_modes(1, 6, 0.9);
  Random random(3);
  std::vector<double> draws;
  for (int n = 0; n < 300; ++n) draws.push_back((n % 2 == 0 ? -6 : 6) + random.normal());
  EXPECT_GT(stein_warning(target, draws).p_value, 0.01)
      << "half of the draws in a mode with a tenth of the mass";
}

TEST(SteinWarning, DrawsOutsideTheSupportAreCountedAndWarnedOf) {
  infer::Target half(1, [](const double* theta, double* gradient) {
    gradient[0] = -1;
    return theta[0] > 0 ? -theta[0] : -std::numeric_limits<double>::infinity();
  });
  Random random(3);
  std::vector<double> draws;
  for (int n = 0; n < 200; ++n) draws.push_back(random.normal());
  const SteinWarning warning = stein_warning(half, draws);
  EXPECT_GT(warning.failed, 70u);
  EXPECT_EQ(warning.failed + warning.draws, 200u);
  EXPECT_TRUE(warning.is_warning);
  const SteinWarning none = stein_warning(half, std::vector<double>(50, -1.0));
  EXPECT_TRUE(std::isnan(none.p_value));
  EXPECT_TRUE(none.is_warning);
  EXPECT_NE(to_json(none).find("\"is_warning\": true"), std::string::npos);
}

}  // namespace
}  // namespace kullback::certify::test
