// x -> log(1 + (e - 1) exp(x)) - 1: increasing from the reals onto (-1, inf), 0 at 0, and its derivative.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kullback::infer::flows {

struct AboveMinusOne {
  double value = 0;
  double slope = 0;
};

inline AboveMinusOne above_minus_one(double x) {
  const double shifted = x + std::log(std::numbers::e - 1);
  const double softplus = std::max(shifted, 0.0) + std::log1p(std::exp(-std::abs(shifted)));
  return {softplus - 1, 1 / (1 + std::exp(-shifted))};
}

}  // namespace kullback::infer::flows
