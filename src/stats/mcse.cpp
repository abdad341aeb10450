// Standard errors of the mean and the sd from chains.
//
// The sd: by the delta method sqrt(var(s^2) / (4 s^2)), with var(s^2) = (mu_4 - mu_2^2) / ESS of the squared
// deviations, normal or not (Kenney and Keeping 1951, p. 141).
#include <cmath>
#include <limits>
#include <vector>

#include "stats/chains.hpp"
#include "stats/halves.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mcse_mean(const Chains& chains) { return sd(chains.values) / std::sqrt(ess_mean(chains)); }

double mcse_sd(const Chains& chains) {
  if (!are_usable(chains)) return kNaN;
  const double center = mean(chains.values);
  std::vector<double> squares(chains.values.begin(), chains.values.end());
  for (double& value : squares) value = (value - center) * (value - center);
  const double second = mean(squares);
  const double fourth =
      dot(squares.data(), squares.data(), squares.size()) / static_cast<double>(squares.size());
  return std::sqrt((fourth - second * second) / ess_sd(chains) / second / 4);
}

}  // namespace kullback::stats
