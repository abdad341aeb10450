// R-hat of halves is sqrt(((n - 1) W + B) / (n W)) with W the mean of the variances within halves and B / n
// the variance of their means, n draws each (Gelman et al. 2013, section 11.4).
#include "stats/halves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/sums.hpp"

namespace kullback::stats {
Halves cut(const Chains& chains) {
  const double origin = chains.values[0];
  return cut(chains, [origin](double value) { return value - origin; });
}

Centred center(Halves halves) {
  const std::size_t count = halves.halves;
  std::vector<double> means(count, 0.0);
  double* values = halves.values.data();
  for (std::size_t i = 0; i < halves.draws; ++i)
    for (std::size_t h = 0; h < count; ++h) means[h] += values[i * count + h];
  for (double& mean_of_half : means) mean_of_half /= static_cast<double>(halves.draws);
  for (std::size_t i = 0; i < halves.draws; ++i)
    for (std::size_t h = 0; h < count; ++h) values[i * count + h] -= means[h];
  const double within =
      dot(values, values, halves.values.size()) / static_cast<double>(count * (halves.draws - 1));
  return {std::move(halves), variance(means), within};
}

double rhat_of(const Centred& centred) {
  const double n = static_cast<double>(centred.halves.draws);
  return std::sqrt(centred.variance_of_means / centred.variance_within + (n - 1) / n);
}

bool is_constant(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double rounding = 4 * std::numeric_limits<double>::epsilon();
  return *high - *low <= rounding * std::max(std::abs(*low), std::abs(*high));
}

bool are_usable(const Chains& chains) {
  check_size(chains);
  return chains.draws >= kMinDraws && chains.chains > 0 && are_finite(chains.values) &&
         !is_constant(chains.values);
}

}  // namespace kullback::stats
