// R-hat of halves is sqrt(((n - 1) W + B) / (n W)) with W the mean of the variances within halves and B / n
// the variance of their means, n draws each (Gelman et al. 2013, section 11.4).
#include "stats/halves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

// A quantity that ought to be constant (the diagonal of a correlation matrix) often is so only up to
// rounding.
bool is_constant(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double rounding = 4 * std::numeric_limits<double>::epsilon();
  return *high - *low <= rounding * std::max(std::abs(*low), std::abs(*high));
}

}  // namespace

Halves cut(const Chains& chains) {
  const double origin = chains.values[0];
  return cut(chains, [origin](double value) { return value - origin; });
}

HalfMoments moments(const Halves& halves) {
  const std::size_t count = halves.halves;
  HalfMoments result{std::vector<double>(count, 0.0)};
  for (std::size_t i = 0; i < halves.draws; ++i)
    for (std::size_t h = 0; h < count; ++h) result.means[h] += halves.values[i * count + h];
  for (double& mean : result.means) mean /= static_cast<double>(halves.draws);

  double squares = 0;
  for (std::size_t i = 0; i < halves.draws; ++i)
    for (std::size_t h = 0; h < count; ++h) {
      const double deviation = halves.values[i * count + h] - result.means[h];
      squares += deviation * deviation;
    }
  result.variance_within = squares / static_cast<double>(count * (halves.draws - 1));
  result.variance_of_means = variance(result.means);
  return result;
}

double rhat_of(const Halves& halves) {
  const HalfMoments of = moments(halves);
  const double n = static_cast<double>(halves.draws);
  return std::sqrt(of.variance_of_means / of.variance_within + (n - 1) / n);
}

bool are_usable(const Chains& chains) {
  check_size(chains);
  return chains.draws >= kMinDraws && chains.chains > 0 && are_finite(chains.values) &&
         !is_constant(chains.values);
}

}  // namespace kullback::stats
