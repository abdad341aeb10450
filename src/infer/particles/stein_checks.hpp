// What particles and their gradients say of the particles' means and variances, by Stein's identity.
#pragma once

#include <cstddef>
#include <vector>

#include "base/finding.hpp"
#include "density/log_density.hpp"

namespace kullback::infer {

struct SteinChecks {
  // -mean((theta_i - its mean) gradient_i), by coordinate: 1 on average for draws from the density; where
  // that is Gaussian and particles have a multiple of its covariance, the multiple.
  std::vector<double> variance_ratios;
  std::vector<double> ratio_errors;  // standard errors of as many independent draws
  // The particles' covariance times their mean gradient, by coordinate and in their standard deviations:
  // where the density is Gaussian and has this covariance, how far its mean is from theirs.
  std::vector<double> mean_shifts;

  double mean_ratio() const;          // the same in all linear coordinates
  std::size_t least_ratio() const;    // the coordinate that is most standard errors below 1
  std::size_t largest_shift() const;  // a coordinate, by absolute value
};

// Lanes are particles: coordinate a of particle k is at a * count + k.
SteinChecks stein_checks(const std::vector<double>& theta, const std::vector<double>& gradient,
                         std::size_t count);

// Codes "variance-collapse", "variance-excess", "mean-shift".
Findings stein_findings(const SteinChecks& checks, const density::LogDensity& density, std::size_t count);

}  // namespace kullback::infer
