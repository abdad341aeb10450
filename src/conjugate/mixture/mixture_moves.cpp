// Two components that share a group of units stay two for hundreds of passes of coordinate ascent, and for
// ever under the noise of minibatches: units change sides one by one. So the driver is offered to join them
// (Ueda, Nakano, Ghahramani, Hinton 2000; Hughes, Sudderth 2013).
//
// Where q(z_n) moves what it gives k to j, the sums of statistics add up, and with q(theta) at its optimum
// the bound is the sum of the log-partitions of weights and components, and the entropy of the units. Of the
// latter's loss, sum_n (r_nj + r_nk) h(r_nj / (r_nj + r_nk)), with h the entropy of a coin, the statistics
// tell only that it is between 0 and (N_j + N_k) h(N_j / (N_j + N_k)); a pass over the data tells the rest.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conjugate/mixture/mixture.hpp"

namespace kullback::conjugate::mixture {

namespace {

constexpr double kEmpty = 1e-3;         // units: nothing to join
constexpr double kWorthSorting = 1e-2;  // nats
constexpr std::size_t kSingleTrials = 5;

double entropy(double a, double b) { return a * std::log1p(b / a) + b * std::log1p(a / b); }

}  // namespace

double Mixture::weights_partition(std::vector<double> counts, bool sorted) const {
  if (sorted && weights_.is_process()) std::sort(counts.begin(), counts.end(), std::greater<>());
  return weights_.log_partition(weights_.target(counts));
}

std::vector<Mixture::Join> Mixture::joins(const Statistics& statistics) const {
  const std::vector<double> counts(statistics.values.begin(),
                                   statistics.values.begin() + static_cast<std::ptrdiff_t>(count()));
  const std::vector<double> natural =
      components_->target(counts, std::span(statistics.values).subspan(count()));
  std::vector<std::size_t> used;
  for (std::size_t k = 0; k < count(); ++k) {
    if (counts[k] > kEmpty) used.push_back(k);
  }
  std::vector<double> alone(count());
  for (const std::size_t k : used) alone[k] = components_->log_partition(natural, std::vector{k});
  const double none = components_->log_partition(natural, {});
  const double weights = weights_partition(counts, false);
  std::vector<Join> found;
  for (std::size_t a = 0; a < used.size(); ++a) {
    for (std::size_t b = a + 1; b < used.size(); ++b) {
      const std::size_t j = used[a], k = used[b];
      std::vector<double> joined = counts;
      joined[j] += joined[k];
      joined[k] = 0;
      const double hoped = components_->log_partition(natural, std::vector{j, k}) - alone[j] - alone[k] +
                           none + weights_partition(std::move(joined), true) - weights;
      if (hoped > 0) found.push_back({k, j, hoped - entropy(counts[j], counts[k]), hoped});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Join& a, const Join& b) { return a.sure > b.sure; });
  return found;
}

void Mixture::apply(const Join& join, std::span<double> statistics) const {
  statistics[join.into] += statistics[join.from];
  statistics[join.from] = 0;
  const std::span<double> rest = statistics.subspan(count());
  const std::vector<std::size_t> from = components_->places(join.from), into = components_->places(join.into);
  for (std::size_t i = 0; i < from.size(); ++i) {
    rest[into[i]] += rest[from[i]];
    rest[from[i]] = 0;
  }
}

// The prior of sticks expects large components first. 0 for a Dirichlet, which has no order.
double Mixture::gain_of_sorting(std::span<const double> statistics) const {
  const std::vector<double> counts(statistics.begin(),
                                   statistics.begin() + static_cast<std::ptrdiff_t>(count()));
  return weights_partition(counts, true) - weights_partition(counts, false);
}

void Mixture::sort_by_size(std::span<double> statistics) const {
  std::vector<std::size_t> order(count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return statistics[a] > statistics[b]; });
  const std::vector<double> before(statistics.begin(), statistics.end());
  for (std::size_t k = 0; k < count(); ++k) {
    statistics[k] = before[order[k]];
    const std::vector<std::size_t> to = components_->places(k), from = components_->places(order[k]);
    for (std::size_t i = 0; i < to.size(); ++i) statistics[count() + to[i]] = before[count() + from[i]];
  }
}

// The `trial`-th attempt. First all pairs that surely gain at once, then the better half of them, and so on
// to the best pair; then some of the others, one by one.
std::vector<Mixture::Join> Mixture::choose(const std::vector<Join>& candidates, std::size_t trial) const {
  std::vector<Join> chosen;
  std::vector<char> taken(count());
  for (const Join& join : candidates) {
    if (taken[join.from] != 0 || taken[join.into] != 0 || (join.sure <= 0 && !chosen.empty())) continue;
    chosen.push_back(join);
    taken[join.from] = taken[join.into] = 1;
  }
  for (; trial > 0 && !chosen.empty(); --trial) chosen.resize(chosen.size() / 2);
  if (chosen.empty() && trial + 1 < std::min(kSingleTrials, candidates.size())) {
    chosen.push_back(candidates[trial + 1]);
  }
  return chosen;
}

bool Mixture::propose(const Statistics& statistics, std::size_t refused) {
  if (!joins_ || adopted_ || count() < 2) return false;
  const std::vector<Join> candidates = joins(statistics);
  const std::vector<Join> chosen = choose(candidates, refused);
  Statistics changed = statistics;
  for (const Join& join : chosen) apply(join, changed.values);
  const double sorting = gain_of_sorting(changed.values);
  // Last of all the order alone.
  const bool was_last = refused > 0 && choose(candidates, refused - 1).empty();
  if (chosen.empty() && (was_last || sorting < kWorthSorting)) return false;
  if (sorting > 0) sort_by_size(changed.values);
  set_from(changed);
  return true;
}

}  // namespace kullback::conjugate::mixture
