// Beta variates from two gamma variates, compared as logarithms: for small shapes both underflow.
#pragma once

#include <cmath>

#include "base/random.hpp"

namespace kullback::math {

inline double random_log_gamma(Random& random, double shape) {
  if (shape >= 1.0) return std::log(random.gamma(shape));
  return std::log(random.gamma(shape + 1.0)) + std::log(random.uniform()) / shape;
}

inline double random_beta(Random& random, double alpha, double beta) {
  const double a = random_log_gamma(random, alpha);
  const double b = random_log_gamma(random, beta);
  return 1.0 / (1.0 + std::exp(b - a));
}

}  // namespace kullback::math
