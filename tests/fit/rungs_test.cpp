// Every transition of the ladder, with judges that say what the test tells them to.
#include "fit/rungs.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kullback::fit {
namespace {

using Names = std::vector<std::string>;

// What a judge says of a rung: whether the tolerance is met, and what it adds to the facts.
struct Judged {
  bool is_met = false;
  std::function<void(LadderFacts&)> learn = [](LadderFacts&) {};
};

// The rungs that a ladder climbs where the judge says `judged` of each; it says nothing of those not named.
Names climbed(std::span<const RungRecord> rungs, LadderFacts facts,
              const std::map<std::string_view, Judged>& judged) {
  Names names;
  climb(rungs, facts, [&](const RungRecord& rung) {
    names.emplace_back(rung.name);
    const auto found = judged.find(rung.name);
    if (found == judged.end()) return false;
    found->second.learn(facts);
    return found->second.is_met;
  });
  return names;
}

Judged weights_of(double khat) {
  return {.is_met = false, .learn = [=](LadderFacts& facts) { facts.khat = khat; }};
}

Judged chains_that(bool diverged, bool disagree) {
  return {.is_met = false, .learn = [=](LadderFacts& facts) {
            facts.diverged = diverged;
            facts.disagree = disagree;
          }};
}

Judged uneven_weights() { return weights_of(2.0); }

TEST(Rungs, TheFirstThatMeetsTheToleranceIsTheLast) {
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 10}, {{"laplace", {.is_met = true}}}), Names{"laplace"});
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 10}, {{"fullrank", {.is_met = true}}}),
            (Names{"laplace", "fullrank"}));
  EXPECT_EQ(climbed(chain_rungs(), {.dim = 10}, {{"nuts", {.is_met = true}}}), Names{"nuts"});
}

TEST(Rungs, ManyCoordinatesHaveNoFullCovariance) {
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 256}, {}), (Names{"laplace", "fullrank"}));
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 257}, {{"lowrank", weights_of(0.5)}}),
            (Names{"pathfinder", "lowrank"}));
}

TEST(Rungs, AFlowFollowsAGaussianThatWasNear) {
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 40}, {{"fullrank", weights_of(0.9)}}),
            (Names{"laplace", "fullrank", "flow"}));
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 40}, {{"fullrank", uneven_weights()}}),
            (Names{"laplace", "fullrank"}));
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 41}, {{"fullrank", weights_of(0.9)}}),
            (Names{"laplace", "fullrank"}));
}

TEST(Rungs, AFlowNeedsAnApproximationWithDraws) {
  EXPECT_EQ(climbed(approximation_rungs(), {.dim = 2}, {}), (Names{"laplace", "fullrank"}));
}

TEST(Rungs, ChainsThatAreOnlyTooShortEndTheLadder) {
  EXPECT_EQ(climbed(chain_rungs(), {}, {{"nuts", chains_that(false, false)}}), Names{"nuts"});
}

TEST(Rungs, DivergencesAreMetWithSmallSteps) {
  EXPECT_EQ(climbed(chain_rungs(), {},
                    {{"nuts", chains_that(true, false)}, {"nuts-small-steps", chains_that(true, false)}}),
            (Names{"nuts", "nuts-small-steps"}));
}

TEST(Rungs, ChainsThatDisagreeAreTempered) {
  EXPECT_EQ(climbed(chain_rungs(), {}, {{"nuts", chains_that(false, true)}}), (Names{"nuts", "tempering"}));
  EXPECT_EQ(climbed(chain_rungs(), {},
                    {{"nuts", chains_that(true, true)}, {"nuts-small-steps", chains_that(false, true)}}),
            (Names{"nuts", "nuts-small-steps", "tempering"}));
}

TEST(Rungs, SmallStepsThatMakeChainsAgreeNeedNoTempering) {
  EXPECT_EQ(climbed(chain_rungs(), {},
                    {{"nuts", chains_that(true, true)}, {"nuts-small-steps", chains_that(false, false)}}),
            (Names{"nuts", "nuts-small-steps"}));
}

TEST(Rungs, NoLadderHasMoreThanItsIntervalsAllowFor) {
  for (const std::size_t dim : {2, 40, 41, 256, 257, 10000}) {
    const auto approximations = climbed(approximation_rungs(), {.dim = dim}, {{"fullrank", weights_of(0.1)}});
    EXPECT_LE(approximations.size() + chain_rungs().size(), kMostRungs) << dim;
  }
}

}  // namespace
}  // namespace kullback::fit
