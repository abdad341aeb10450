// Mean, standard deviation and quantiles.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/chains.hpp"
#include "stats/quantile.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// The second pass removes the rounding error of the first.
double mean(std::span<const double> values) {
  if (values.empty() || !are_finite(values)) return kNaN;
  const double count = static_cast<double>(values.size());
  const double first = sum(values) / count;
  if (!std::isfinite(first)) return kNaN;  // the sum overflows
  return first + sum_of_deviations(values, first) / count;
}

double sd(std::span<const double> values) { return std::sqrt(variance(values)); }

// h = (n - 1) p is the place of the quantile among the ordered values x_0, ..., x_{n-1}. Rounding must not
// carry an integer h to its neighbour: 1 % of 100 intervals is the second value itself.
QuantilePlace quantile_place(std::size_t count, double probability) {
  const double place = static_cast<double>(count - 1) * probability;
  const double fuzz = 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, place);
  const double below = std::min(std::floor(place + fuzz), static_cast<double>(count - 1));
  const double fraction = place - below;
  return {static_cast<std::size_t>(below), fraction > fuzz ? fraction : 0.0};
}

double quantile(std::span<const double> values, double probability) {
  if (values.empty() || !(probability >= 0 && probability <= 1) || !are_finite(values)) return kNaN;
  const QuantilePlace place = quantile_place(values.size(), probability);
  std::vector<double> copy(values.begin(), values.end());
  const auto lower = copy.begin() + static_cast<std::ptrdiff_t>(place.below);
  std::nth_element(copy.begin(), lower, copy.end());
  if (place.fraction == 0) return *lower;
  return std::lerp(*lower, *std::min_element(lower + 1, copy.end()), place.fraction);
}

}  // namespace kullback::stats
