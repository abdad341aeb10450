// The ordered logistic mass of one outcome between two cut points: what ordered_logistic and its GLM share.
//   log p = log inv_logit(lambda - low) + log inv_logit(high - lambda) + log(1 - exp(low - high))
//   with q = 1 / expm1(high - low):   by high: inv_logit(lambda - high) + q,   by low: -inv_logit(low -
//   lambda) - q, by lambda: inv_logit(low - lambda) - inv_logit(lambda - high); low = -inf for the first
//   category, high = inf for the last.
#pragma once

#include <cmath>

#include "math/logistic_pair.hpp"

namespace kullback::math::density {

struct OrderedLogistic {
  double value;
  double by_location;
  double by_low;
  double by_high;
};

inline OrderedLogistic ordered_logistic(double lambda, double low, double high) {
  const LogisticPair above = logistic_pair(lambda - low);
  const LogisticPair below = logistic_pair(high - lambda);
  const double width = high - low;
  double log_width = 0;  // log(1 - exp(-width))
  double q = 0;
  if (width < 1e300) {
    log_width = width > 0.693147180559945309 ? std::log1p(-std::exp(-width)) : std::log(-std::expm1(-width));
    q = 1 / std::expm1(width);
  }
  return {above.log_probability + below.log_probability + log_width, above.complement - below.complement,
          -above.complement - q, below.complement + q};
}

}  // namespace kullback::math::density
