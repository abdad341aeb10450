// Rank sums of Mann and Whitney: with n1 chosen of n = n1 + n2 draws and R the sum of the chosen ones' ranks,
// auc = (R - n1 (n1 + 1) / 2) / (n1 n2), whose variance is (n + 1) / (12 n1 n2) where nothing separates them.
#include <algorithm>
#include <cmath>

#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

namespace {

struct Draw {
  double value;
  char is_chosen;
};

std::vector<Draw> ascending(const std::vector<double>& values, const std::vector<char>& chosen) {
  std::vector<Draw> draws(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) draws[i] = {values[i], chosen[i]};
  std::sort(draws.begin(), draws.end(), [](const Draw& a, const Draw& b) { return a.value < b.value; });
  return draws;
}

}  // namespace

Separation separation(const std::vector<double>& values, const std::vector<char>& chosen) {
  Separation result;
  const auto count = static_cast<double>(values.size());
  const auto of_chosen = static_cast<double>(std::count(chosen.begin(), chosen.end(), 1));
  const double others = count - of_chosen;
  const bool has_order =
      std::none_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (of_chosen == 0 || others == 0 || !has_order) return result;

  const std::vector<Draw> sorted = ascending(values, chosen);
  double rank_sum = 0;
  double seen = 0;
  double largest_gap = 0;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    double tied = 0;
    for (; last < sorted.size() && sorted[last].value == sorted[first].value; ++last)
      tied += sorted[last].is_chosen;
    rank_sum += tied * (static_cast<double>(first + last) + 1) / 2;
    seen += tied;
    const double below = static_cast<double>(last);
    const double gap = seen / of_chosen - below / count;
    if (last < sorted.size() && std::fabs(gap) > std::fabs(largest_gap)) {
      largest_gap = gap;
      result.cut = (sorted[last - 1].value + sorted[last].value) / 2;
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
