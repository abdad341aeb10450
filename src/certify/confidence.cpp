#include "certify/confidence.hpp"

#include <algorithm>
#include <cmath>

#include "stats/t_quantile.hpp"

namespace kullback::certify {

double interval_factor(std::size_t intervals, double dof) {
  constexpr double kLeastDof = 2;
  constexpr double kMostDof = 1e9;  // beyond it is normal
  const double tail = kFamilyError / 2 / static_cast<double>(std::max<std::size_t>(intervals, 1));
  return -stats::t_quantile(tail, static_cast<std::size_t>(std::clamp(dof, kLeastDof, kMostDof)));
}

}  // namespace kullback::certify
