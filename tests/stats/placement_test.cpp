#include "stats/placement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/random.hpp"

namespace kullback::stats {
namespace {

using Draw = std::function<double(Random&)>;

struct PValues {
  double location = 1;
  double spread = 1;
};

// Truths and draws of `fits` posteriors.
PValues test(const Draw& truth, const Draw& draw, std::size_t fits, std::uint64_t seed) {
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < fits; ++i) {
    Random random(seed, static_cast<std::uint32_t>(i), 77, 0);
    std::vector<double> draws;
    for (int s = 0; s < 300; ++s) draws.push_back(draw(random));
    placements.push_back(place(draws, {}, truth(random)));
  }
  return {location_p_value(placements), spread_p_value(placements)};
}

double normal(Random& random) { return random.normal(); }
double cauchy(Random& random) { return std::tan(M_PI * (random.uniform() - 0.5)); }
double lognormal(Random& random) { return std::exp(2 * random.normal()); }
double uniform(Random& random) { return random.uniform(); }

// Bounds lie above the p-values themselves: fewer than the nominal share are below.
TEST(Placement, OfExactPosteriorsIsRarelyCalledWrong) {
  for (const Draw& of : {Draw(normal), Draw(cauchy), Draw(lognormal), Draw(uniform)}) {
    int below = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const PValues p = test(of, of, 60, seed);
      below += p.location < 0.05 || p.spread < 0.05 ? 1 : 0;
    }
    EXPECT_LE(below, 15);  // two tests of 0.05 in 100
  }
}

TEST(Placement, FindsSdsThatAreWrongByAHalf) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_LT(test([](Random& r) { return 1.5 * r.normal(); }, normal, 200, seed).spread, 1e-3);
    EXPECT_LT(test([](Random& r) { return 0.5 * r.normal(); }, normal, 200, seed).spread, 1e-3);
    EXPECT_LT(test([](Random& r) { return 0.6 + r.normal(); }, normal, 200, seed).location, 1e-3);
    EXPECT_LT(test([](Random& r) { return -0.6 + r.normal(); }, normal, 200, seed).location, 1e-3);
  }
}

// One fit of a hundred that is off by 86 sds makes a spread of 8.6, and ranks do not see it.
TEST(Placement, FindsOneFitThatIsFarOff) {
  int index = 0;
  const Draw once = [&](Random& r) { return index++ == 37 ? 86.0 : r.normal(); };
  EXPECT_LT(test(once, normal, 100, 1).spread, 1e-3);
  index = 0;
  EXPECT_GT(test(once, cauchy, 100, 1).spread, 0.01);  // where draws have such tails it is nothing
}

TEST(Placement, OfConstantsSaysNothing) {
  const std::vector<double> draws(50, 3.0);
  const std::vector<Placement> placements = {place(draws, {}, 3.0)};
  EXPECT_EQ(location_p_value(placements), 1);
  EXPECT_EQ(spread_p_value(placements), 1);
}

TEST(Placement, IsStandardisedWithTheValueAmongTheDraws) {
  const std::vector<double> draws = {0, 0, 2};
  EXPECT_DOUBLE_EQ(place(draws, {}, 2).z, 1);
  const std::vector<double> weights = {0.5, 0.0, 0.5};
  EXPECT_DOUBLE_EQ(place(draws, weights, 4).z,
                   (4 - 1.75) / std::sqrt((1.5 * 1.75 * 1.75 + 1.5 * 0.25 * 0.25 + 2.25 * 2.25) / 4));
}

}  // namespace
}  // namespace kullback::stats
