// Minibatches of finite sums: SVRG and SAGA.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/infer/scheme_runs.hpp"

namespace kullback::infer {
namespace {

class Reduced : public ::testing::TestWithParam<const char*> {};

TEST_P(Reduced, ReachesThePosteriorOfAFiniteSum) {
  RowSum target(200);
  Options options;
  options.set("batch_size", 20);
  auto run = begin(target, {"meanfield", "elbo", GetParam()}, options);
  run->finish();
  EXPECT_TRUE(target.sees_all());
  EXPECT_TRUE(run->scheme->findings().empty());
  const GaussianGuess found = run->gaussian();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.mean[i], target.means()[i], 0.15 * found.sd[i]);
    EXPECT_NEAR(std::log(found.sd[i] * std::sqrt(target.precisions()[i])), 0, 0.1);
  }
}

TEST_P(Reduced, RefusesMoreRowsThanThereAre) {
  RowSum target(10);
  Options options;
  options.set("batch_size", 11);
  EXPECT_NE(refusal(target, {"meanfield", "elbo", GetParam()}, options).find("the data have 10 rows"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Reduced, ::testing::Values("svrg", "saga"));

TEST(Minibatches, ChooseEachSetAsOften) {
  const Minibatches batches({1, 0, 0}, 5, 2);
  std::vector<int> counts(25);
  const int tries = 20000;
  for (int n = 0; n < tries; ++n) {
    const auto rows = batches.at(static_cast<std::uint32_t>(n));
    ASSERT_EQ(rows.size(), 2U);
    ASSERT_LT(rows[0], rows[1]);
    ++counts[rows[0] * 5 + rows[1]];
  }
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = a + 1; b < 5; ++b)
      EXPECT_NEAR(counts[a * 5 + b], tries / 10, 5 * std::sqrt(tries * 0.09));
  }
  EXPECT_EQ(batches.at(3), batches.at(3));
  std::set<std::uint32_t> seen;
  for (const auto& block : batches.partition()) seen.insert(block.begin(), block.end());
  EXPECT_EQ(seen.size(), 5U);
  EXPECT_EQ(batches.partition().back().size(), 1U);
}

}  // namespace
}  // namespace kullback::infer
