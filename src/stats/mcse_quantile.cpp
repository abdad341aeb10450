// The standard error of a quantile of probability p: k draws out of ESS are below it, and p given k has a
// Beta(ESS p + 1, ESS (1 - p) + 1) distribution; its 16 % and 84 % quantiles, taken to the ordered draws, are
// two standard errors apart.
#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/chains.hpp"

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// The standard normal distribution at -1 and 1, with the digits that `posterior` and ArviZ use: they choose
// which of the ordered draws is taken.
constexpr double kBelowMinusOne = 0.1586553;
constexpr double kBelowOne = 0.8413447;

using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

double nth(std::vector<double>& values, double place) {
  const double last = static_cast<double>(values.size());
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::clamp(place, 1.0, last) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

double mcse_quantile(const Chains& chains, double probability) {
  const double ess = ess_quantile(chains, probability);
  if (std::isnan(ess)) return kNaN;
  const double a = ess * probability + 1, b = ess * (1 - probability) + 1;
  const double count = static_cast<double>(chains.values.size());
  std::vector<double> values(chains.values.begin(), chains.values.end());
  const double low = nth(values, std::floor(boost::math::ibeta_inv(a, b, kBelowMinusOne, Policy()) * count));
  const double high = nth(values, std::ceil(boost::math::ibeta_inv(a, b, kBelowOne, Policy()) * count));
  return (high - low) / 2;
}

}  // namespace kullback::stats
