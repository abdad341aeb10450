#include "stats/uniformity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace kullback::stats::test {
namespace {

// By counting all walks.
double reaches_by_counting(int n, int m) {
  int reached = 0;
  for (int walk = 0; walk < (1 << n); ++walk) {
    int sum = 0;
    bool has = false;
    for (int k = 0; k < n; ++k) {
      sum += (walk >> k & 1) != 0 ? 1 : -1;
      has = has || std::abs(sum) >= m;
    }
    reached += has;
  }
  return static_cast<double>(reached) / (1 << n);
}

TEST(Uniformity, WalksAreCounted) {
  for (int n = 1; n <= 12; ++n) {
    for (int m = 1; m <= n; ++m)
      EXPECT_NEAR(walk_reaches(static_cast<std::size_t>(n), static_cast<std::size_t>(m)),
                  reaches_by_counting(n, m), 1e-14);
  }
  EXPECT_EQ(walk_reaches(5, 6), 0);
  // sup |W| of a Brownian motion is above 2.241403 with probability 0.05.
  EXPECT_NEAR(walk_reaches(10000, 224), 0.05, 0.002);
}

TEST(Uniformity, SymmetryByHand) {
  const double u[] = {0.9, 0.95, 0.2, 0.55};  // signs by distance: + + - +
  const SymmetryTest test = symmetry_test(u);
  EXPECT_DOUBLE_EQ(test.statistic, 0.5);
  EXPECT_DOUBLE_EQ(test.p_value, reaches_by_counting(4, 2));
  const double ties[] = {0.9, 0.1, 0.9, 0.1};
  EXPECT_EQ(symmetry_test(ties).p_value, 1);
}

// Kolmogorov's exact distribution for 10 numbers: P(D >= 0.40925) = 0.05, P(D >= 0.48893) = 0.01 (tables of
// Miller 1956).
TEST(Uniformity, KolmogorovsTables) {
  const auto p_of = [](double d) {
    std::vector<double> u;  // largest difference d, at the last number
    for (int i = 0; i < 10; ++i) u.push_back(std::min((i + 0.5) / 10, 1 - d));
    return uniformity_p_value(u);
  };
  EXPECT_NEAR(p_of(0.40925), 0.05, 0.001);
  EXPECT_NEAR(p_of(0.48893), 0.01, 0.001);
}

template <class Map>
std::vector<double> shares_below_one_percent(Map map) {
  constexpr int kRuns = 2000;
  int symmetry = 0, uniformity = 0, crowding = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Random random(run);
    std::vector<double> u;
    for (int i = 0; i < 150; ++i) u.push_back(map(random.uniform()));
    symmetry += symmetry_test(u).p_value < 0.01;
    uniformity += uniformity_p_value(u) < 0.01;
    crowding += normal_p_value(end_crowding(u)) < 0.01;
  }
  return {symmetry / 2000.0, uniformity / 2000.0, crowding / 2000.0};
}

TEST(Uniformity, LevelsAreKept) {  // 0.01 and 4 standard errors of 0.0022
  for (const double share : shares_below_one_percent([](double u) { return u; })) EXPECT_LT(share, 0.019);
}

TEST(Uniformity, EachSeesItsOwn) {
  const auto low = shares_below_one_percent([](double u) { return u * u; });
  EXPECT_GT(low[0], 0.95);
  EXPECT_GT(low[1], 0.95);
  const auto narrow =
      shares_below_one_percent([](double u) { return 0.5 + 0.5 * std::sin(M_PI * (u - 0.5)); });
  EXPECT_LT(narrow[0], 0.019) << "symmetric";
  EXPECT_GT(narrow[2], 0.95);
}

TEST(Uniformity, CrowdingHasADirection) {
  const double ends[] = {0.01, 0.99, 0.02, 0.97};
  const double middle[] = {0.45, 0.55, 0.5, 0.52};
  EXPECT_GT(end_crowding(ends), 0);
  EXPECT_LT(end_crowding(middle), 0);
  EXPECT_NEAR(normal_p_value(1.959963984540054), 0.05, 1e-12);
}

}  // namespace
}  // namespace kullback::stats::test
