#include "certify/confidence.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>

namespace kullback::certify {

double interval_factor(std::size_t intervals, double dof) {
  constexpr double kLeastDof = 2;
  const double tail = kFamilyError / 2 / static_cast<double>(std::max<std::size_t>(intervals, 1));
  const boost::math::students_t distribution(std::max(dof, kLeastDof));
  return boost::math::quantile(boost::math::complement(distribution, tail));
}

}  // namespace kullback::certify
