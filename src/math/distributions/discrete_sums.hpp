// Cumulative functions of discrete distributions by summing masses outwards from the variate: all terms are
// positive, so that even far tails keep their relative accuracy. Private to math/distributions/*.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {

// sum_k mass(k) / mass(start) over a side, and the same weighted with up to three slopes, as log and means.
struct MassSum {
  double log_sum = kNegativeInfinity;  // relative to mass(start)
  std::array<double, 3> mean{};        // of the slopes, weighted with the masses
};

// step(ratio, slopes): moves one away from the variate: ratio = mass(next) / mass(now), and changes the
// slopes to those of the next; ratio 0 ends the sum.
template <class Step>
MassSum sum_masses(std::array<double, 3> slopes, Step step) {
  constexpr double kBig = 0x1p900;
  constexpr int kMaxTerms = 100'000'000;
  double term = 1;
  double sum = 1;
  std::array<double, 3> weighted = slopes;
  double log_scale = 0;
  for (int i = 0; i < kMaxTerms; ++i) {
    double ratio = 0;
    step(ratio, slopes);
    term *= ratio;
    if (!(term > 0)) break;
    sum += term;
    for (std::size_t j = 0; j < 3; ++j) weighted[j] += term * slopes[j];
    if (ratio < 1 && term * ratio < 1e-18 * sum * (1 - ratio)) break;
    if (sum > kBig) {
      term /= kBig;
      sum /= kBig;
      for (double& w : weighted) w /= kBig;
      log_scale += std::log(kBig);
    }
  }
  for (double& w : weighted) w /= sum;
  return {std::log(sum) + log_scale, weighted};
}

// log cdf and log ccdf and their slopes, where one side's log and mean slopes are known. For P + Q = 1:
// d log Q = -(P / Q) d log P.
struct Sides {
  double log_cdf = 0;
  double log_ccdf = kNegativeInfinity;
  std::array<double, 3> cdf_slopes{};
  std::array<double, 3> ccdf_slopes{};

  static Sides from_lower(double log_cdf, std::array<double, 3> slopes) {
    Sides sides;
    sides.log_cdf = std::min(log_cdf, 0.0);
    sides.log_ccdf = log1m_exp(sides.log_cdf);
    sides.cdf_slopes = slopes;
    for (std::size_t j = 0; j < 3; ++j) {
      sides.ccdf_slopes[j] = slopes[j] == 0 ? 0 : -slopes[j] * std::exp(sides.log_cdf - sides.log_ccdf);
    }
    return sides;
  }
  static Sides from_upper(double log_ccdf, std::array<double, 3> slopes) {
    const Sides mirrored = from_lower(log_ccdf, slopes);
    return {mirrored.log_ccdf, mirrored.log_cdf, mirrored.ccdf_slopes, mirrored.cdf_slopes};
  }
  static Sides all_below() { return {}; }  // the variate is at or above the largest value
  static Sides all_above() {               // the variate is below the smallest
    Sides sides;
    std::swap(sides.log_cdf, sides.log_ccdf);
    return sides;
  }
};

}  // namespace kullback::math
