// Equal draws from weighted ones: how often each is taken, and that moments are the weighted ones.
#include "posterior/equal_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "posterior/summary.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

// A normal of sd 1.5 with weights that make it standard.
Posterior weighted(std::size_t draws = 4000) {
  Posterior posterior = make_posterior({normal("mu", 0, 1.5), normal("nu")}, 1, draws);
  add_stat(posterior, "path__",
           [](const Chain&, std::size_t, std::size_t d) { return static_cast<double>(d); });
  Chain& chain = posterior.chains[0];
  for (std::size_t i = 0; i < draws; ++i) {
    const double x = chain.columns[i];
    chain.log_q.push_back(-0.5 * x * x / 2.25);
    chain.log_weight.push_back(700 - 0.5 * x * x + 0.5 * x * x / 2.25);
  }
  return posterior;
}

TEST(EqualWeights, EachDrawIsTakenAsItsWeightSays) {
  const Posterior posterior = weighted(50);
  const std::vector<double> weights = posterior.weights();
  const std::vector<std::size_t> chosen = equally_weighted(posterior, 3);
  ASSERT_EQ(chosen.size(), 50u);
  std::map<std::size_t, double> times;
  for (const std::size_t draw : chosen) times[draw] += 1;
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_LT(std::abs(times[i] - 50 * weights[i]), 1) << i;
  EXPECT_FALSE(std::is_sorted(chosen.begin(), chosen.end()));
  EXPECT_EQ(chosen, equally_weighted(posterior, 3));
  EXPECT_NE(chosen, equally_weighted(posterior, 4));
}

TEST(EqualWeights, MomentsAreTheWeightedOnes) {
  const Posterior posterior = weighted();
  const Posterior equal = with_equal_weights(posterior, 1);
  EXPECT_TRUE(equal.log_weight().empty());
  EXPECT_TRUE(equal.log_q().empty());
  EXPECT_TRUE(equal.chains[0].is_resampled);
  const std::vector<SummaryRow> exact = summarize(posterior, false), plain = summarize(equal, false);
  ASSERT_EQ(exact.size(), plain.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(plain[i].mean, exact[i].mean, 0.02 * exact[i].sd) << exact[i].name;
    EXPECT_NEAR(plain[i].sd, exact[i].sd, 0.02 * exact[i].sd) << exact[i].name;
  }
  EXPECT_NEAR(plain[1].sd, 1, 0.05);
  // Columns, densities and stats are of the same draws.
  const auto path = static_cast<std::size_t>(equal.stat("path__")[17]);
  EXPECT_EQ(equal.column(1)[17], posterior.column(1)[path]);
  EXPECT_EQ(equal.log_density()[17], posterior.log_density()[path]);
}

TEST(EqualWeights, OfNoWeightNothingIsTaken) {
  Posterior posterior = weighted(3);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  posterior.chains[0].log_weight = {-kInfinity, 0, -kInfinity};
  EXPECT_EQ(equally_weighted(posterior, 1), (std::vector<std::size_t>{1, 1, 1}));
}

TEST(EqualWeights, WithoutWeightsAllStayAsTheyAre) {
  const Posterior posterior = make_posterior({normal("mu")}, 2, 5);
  EXPECT_TRUE(equally_weighted(posterior, 1).empty());
  EXPECT_EQ(with_equal_weights(posterior, 1).column(0), posterior.column(0));
  EXPECT_EQ(with_equal_weights(posterior, 1).chains.size(), 2u);
}

}  // namespace
}  // namespace kullback::posterior
