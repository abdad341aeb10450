// The logarithm of the share of an interval that an unconstrained coordinate stands for.
#pragma once

#include <cmath>

namespace kullback::infer {

// log inv_logit(theta), without overflow.
inline double log_share(double theta) {
  return theta < 0 ? theta - std::log1p(std::exp(theta)) : -std::log1p(std::exp(-theta));
}

}  // namespace kullback::infer
