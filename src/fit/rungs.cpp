// A full covariance costs the square of the dimension, so beyond kMostDense coordinates Pathfinder and a
// covariance of low rank take the places of Laplace's approximation and the Gaussian. A flow refines a
// Gaussian that was near and arrives nowhere from one that was not; in many dimensions it costs more than
// NUTS. Of the chains, NUTS comes first, again with smaller steps where its transitions diverged, and
// tempering where its chains settled in different places.
#include "fit/rungs.hpp"

namespace kullback::fit {

namespace {

constexpr std::size_t kMostDense = 256;
constexpr std::size_t kMostForFlow = 40;
constexpr double kNearKhat = 1.0;
constexpr std::size_t kMostDraws = 16000;
constexpr std::size_t kMostTemperedDraws = 2000;
constexpr double kSmallSteps = 0.99;

bool always(const LadderFacts&) { return true; }
bool is_small(const LadderFacts& facts) { return facts.dim <= kMostDense; }
bool is_large(const LadderFacts& facts) { return !is_small(facts); }
bool suits_flow(const LadderFacts& facts) { return facts.dim <= kMostForFlow && facts.khat < kNearKhat; }
bool diverged(const LadderFacts& facts) { return facts.diverged; }
bool disagree(const LadderFacts& facts) { return facts.disagree; }

constexpr RungRecord kApproximations[] = {
    {"laplace", "laplace", is_small},   {"pathfinder", "pathfinder", is_large},
    {"fullrank", "fullrank", is_small}, {"lowrank", "lowrank", is_large},
    {"flow", "flow", suits_flow},
};

constexpr RungRecord kChains[] = {
    {"nuts", "nuts", always, kMostDraws},
    {"nuts-small-steps", "nuts", diverged, kMostDraws, kSmallSteps},
    {"tempering", "tempering", disagree, kMostTemperedDraws},
};

}  // namespace

std::span<const RungRecord> approximation_rungs() { return kApproximations; }
std::span<const RungRecord> chain_rungs() { return kChains; }

bool climb(std::span<const RungRecord> rungs, const LadderFacts& facts,
           const std::function<bool(const RungRecord&)>& climb) {
  for (const RungRecord& rung : rungs)
    if (rung.is_climbed(facts) && climb(rung)) return true;
  return false;
}

}  // namespace kullback::fit
