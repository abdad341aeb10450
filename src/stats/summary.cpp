#include "stats/summary.hpp"

#include <cmath>
#include <limits>

#include "stats/halves.hpp"
#include "stats/ranks.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Moments and quantiles exist for constant and for few draws too.
ChainSummary without_diagnostics(const Chains& chains) {
  const auto values = chains.values;
  return {
      mean(values), sd(values), kNaN, quantile(values, 0.05), quantile(values, 0.5), quantile(values, 0.95),
      kNaN,         kNaN,       kNaN};
}

}  // namespace

ChainSummary summarize(const Chains& chains) {
  if (!are_usable(chains)) return without_diagnostics(chains);
  const Cut cut_of(chains);
  const auto ascending = sorted(chains);
  const Centred scores = center(rank_normalised(ascending, cut_of));

  ChainSummary result;
  result.mean = mean(chains.values);
  result.sd = sd(chains.values);
  result.mcse_mean = result.sd / std::sqrt(ess_of(center(cut(chains))));
  result.q5 = quantile(ascending, 0.05);
  result.q50 = quantile(ascending, 0.5);
  result.q95 = quantile(ascending, 0.95);
  result.rhat = rhat_of_ranks(scores, ascending, cut_of);
  result.ess_bulk = ess_of(scores);
  result.ess_tail = smaller(ess_below(chains, result.q5), ess_below(chains, result.q95));
  return result;
}

}  // namespace kullback::stats
