// Rank-normalised R-hat finds chains that differ in location; folded about the median, in scale. For chains
// cut in halves both also find drift (Vehtari et al. 2021).
//
// Nested R-hat is sqrt(1 + B / W), B the variance of the superchains' means, W the mean over superchains of
// the variance between the means of their chains plus the mean variance within these (Margossian et al. 2024,
// eq. 6-8).
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "stats/chains.hpp"
#include "stats/halves.hpp"
#include "stats/ranks.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Superchain {
  double mean = 0;
  double variance = 0;
};

// Of `count` chains from the first value on.
Superchain superchain(std::span<const double> values, std::size_t draws) {
  std::vector<double> means;
  double within = 0;
  for (std::size_t first = 0; first < values.size(); first += draws) {
    const auto chain = values.subspan(first, draws);
    means.push_back(mean(chain));
    within += draws > 1 ? variance(chain) : 0;
  }
  const double between = means.size() > 1 ? variance(means) : 0;
  return {mean(means), between + within / static_cast<double>(means.size())};
}

void check_superchains(const Chains& chains, std::size_t size) {
  check_size(chains);
  if (size > 0 && chains.chains % size == 0) return;
  throw Error(ErrorKind::internal, "stats: " + std::to_string(chains.chains) +
                                       " chains cannot be divided into superchains of " +
                                       std::to_string(size) + ".");
}

}  // namespace

double rhat_of_ranks(const Centred& scores, std::span<const Ranked> ascending, const Cut& cut) {
  const double bulk = rhat_of(scores);
  const auto deviations = folded(ascending);
  // Two values, each of half of the draws: no deviation differs from another, and there is no scale to
  // compare.
  if (deviations.front().value == deviations.back().value) return bulk;
  const double tail = rhat_of(center(rank_normalised(deviations, cut)));
  return std::isnan(bulk) ? kNaN : std::max(bulk, tail);
}

double rhat(const Chains& chains) {
  if (!are_usable(chains)) return kNaN;
  const Cut cut(chains);
  const auto ascending = sorted(chains);
  return rhat_of_ranks(center(rank_normalised(ascending, cut)), ascending, cut);
}

double rhat_basic(const Chains& chains) { return are_usable(chains) ? rhat_of(center(cut(chains))) : kNaN; }

double nested_rhat(const Chains& chains, std::size_t superchain_size) {
  check_superchains(chains, superchain_size);
  if (chains.values.empty() || !are_finite(chains.values)) return kNaN;
  std::vector<double> means;
  double within = 0;
  const std::size_t length = superchain_size * chains.draws;
  for (std::size_t first = 0; first < chains.values.size(); first += length) {
    const Superchain of = superchain(chains.values.subspan(first, length), chains.draws);
    means.push_back(of.mean);
    within += of.variance;
  }
  return std::sqrt(1 + variance(means) / (within / static_cast<double>(means.size())));
}

}  // namespace kullback::stats
