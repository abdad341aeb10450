// Rank sums of Mann and Whitney: with n1 chosen of n = n1 + n2 draws and R the sum of the chosen ones' ranks,
// auc = (R - n1 (n1 + 1) / 2) / (n1 n2), whose variance is (n + 1) / (12 n1 n2) where nothing separates them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

namespace {

std::vector<std::size_t> ascending(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

}  // namespace

Separation separation(const std::vector<double>& values, const std::vector<char>& chosen) {
  Separation result;
  const auto count = static_cast<double>(values.size());
  const auto of_chosen = static_cast<double>(std::count(chosen.begin(), chosen.end(), 1));
  const double others = count - of_chosen;
  if (of_chosen == 0 || others == 0) return result;

  const std::vector<std::size_t> order = ascending(values);
  double rank_sum = 0;
  double seen = 0;
  double largest_gap = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    double tied = 0;
    for (; last < order.size() && values[order[last]] == values[order[first]]; ++last)
      tied += chosen[order[last]];
    rank_sum += tied * (static_cast<double>(first + last) + 1) / 2;
    seen += tied;
    const double below = static_cast<double>(last);
    const double gap = seen / of_chosen - below / count;
    if (last < order.size() && std::fabs(gap) > std::fabs(largest_gap)) {
      largest_gap = gap;
      result.cut = (values[order[last - 1]] + values[order[last]]) / 2;
      result.cut_quantile = below / count;
      result.is_below = gap > 0;
      result.beyond = static_cast<std::size_t>(gap > 0 ? seen : of_chosen - seen);
    }
    first = last;
  }
  result.auc = (rank_sum - of_chosen * (of_chosen + 1) / 2) / (of_chosen * others);
  result.z = (result.auc - 0.5) / std::sqrt((count + 1) / (12 * of_chosen * others));
  return result;
}

}  // namespace kullback::posterior
