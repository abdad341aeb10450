// The kernelised Stein discrepancy of points from a density, of which only the score (the gradient of the log
// density) at the points is needed: no normalising constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stats/radial_kernel.hpp"

namespace kullback::stats {

// Point after point, `dim` numbers each.
struct ScoredPoints {
  std::span<const double> points;
  std::span<const double> scores;
  std::size_t dim = 0;

  std::size_t count() const { return dim == 0 ? 0 : points.size() / dim; }
};

struct KsdOptions {
  std::size_t replicates = 0;  // of the bootstraps; 0: no p-value and no interval
  std::uint64_t seed = 1;
  double level = 0.99;  // of the interval
};

struct Ksd {
  double squared_v = 0;    // V-statistic of KSD^2: all pairs; 0 or more, and biased upwards
  double squared_u = 0;    // U-statistic: unbiased, may be negative; NaN for one point
  double u_error = 0;      // standard error of squared_u where the points are not from the density
  double independent = 0;  // what squared_v is on average for as many independent draws from the density
  double p_value = 0;      // of independent draws; NaN without replicates
  double u_lower = 0;      // interval of KSD^2 for independent points, not necessarily of the density; NaN
  double u_upper = 0;      // without replicates
};

// Keeps count^2 numbers. Throws an internal error where points and scores are not of one size. NaN for no
// points or coordinates.
Ksd kernel_stein_discrepancy(const ScoredPoints& scored, const RadialKernel& kernel,
                             const KsdOptions& options = {});

// Of all pairs of points; 0 for fewer than two.
double median_squared_distance(std::span<const double> points, std::size_t dim);

}  // namespace kullback::stats
