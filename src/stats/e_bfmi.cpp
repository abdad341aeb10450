// The mean squared step of the energy over its variance: momenta are drawn anew at each transition, and where
// their energy varies much less than the total, chains cannot move between energies.
#include <cmath>
#include <limits>

#include "stats/chains.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {

double e_bfmi(std::span<const double> energies) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (energies.size() < 2 || !are_finite(energies)) return nan;
  double steps = 0;
  for (std::size_t i = 1; i < energies.size(); ++i) {
    const double step = energies[i] - energies[i - 1];
    steps += step * step;
  }
  const double result = steps / static_cast<double>(energies.size() - 1) / variance(energies);
  return std::isfinite(result) ? result : nan;
}

}  // namespace kullback::stats
