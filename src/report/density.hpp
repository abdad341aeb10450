// Estimates of marginal densities, small enough that ten thousand fit on a page.
#pragma once

#include <span>
#include <string>

namespace kullback::report {

// A curve at kPoints equal steps from low to high; heights in 64ths of the largest, each a digit of base 64.
// Empty where the values are constant or not all finite.
struct DensityCurve {
  static constexpr std::size_t kPoints = 48;

  double low = 0;
  double high = 0;
  std::string heights;
};

// `weights` sum to 1, or are empty.
DensityCurve density_curve(std::span<const double> values, std::span<const double> weights);

}  // namespace kullback::report
