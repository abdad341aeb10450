// The rungs of the ladder, from the cheapest to the most expensive, each with the condition on which it is
// climbed.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

namespace kullback::fit {

// What is known when the next rung is chosen. Conditions see nothing else: neither sentences nor the clock.
struct LadderFacts {
  std::size_t dim = 0;
  // Of the importance weights of the best approximation so far; infinite where there is none.
  double khat = std::numeric_limits<double>::infinity();
  // Of the chains of the last rung.
  bool diverged = false;
  bool disagree = false;
};

struct RungRecord {
  std::string_view name;  // of its folder
  std::string_view method;
  bool (*is_climbed)(const LadderFacts&);
  std::size_t most_draws = 0;  // of each chain; 0: the method is an approximation
  double target_accept = 0;    // 0: the method's default
};

std::span<const RungRecord> approximation_rungs();
std::span<const RungRecord> chain_rungs();

// Rungs that one ladder can climb at most: their intervals hold together.
inline constexpr std::size_t kMostRungs = 6;

// Calls `climb` for each rung whose condition holds when its turn comes, until it returns true: the ladder is
// done. `climb` keeps the facts up to date.
bool climb(std::span<const RungRecord> rungs, const LadderFacts& facts,
           const std::function<bool(const RungRecord&)>& climb);

}  // namespace kullback::fit
