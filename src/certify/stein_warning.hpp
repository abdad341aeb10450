// The kernelised Stein discrepancy of draws of an approximation from the density: a warning, never part of a
// verdict. As a test it rejects every approximation once there are draws enough, however good it is for its
// purpose; its size is in no units of a parameter; and it hardly sees how much mass each of several separated
// modes has, as the score between them is the same whatever their shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "density/log_density.hpp"

namespace kullback::certify {

struct SteinOptions {
  std::size_t max_draws = 500;  // evaluated, evenly among those given; each pair of them is looked at
  std::size_t replicates = 500;
  double level = 0.99;  // of the interval; a warning is given where the p-value is below 1 - level
  std::uint64_t seed = 0;
};

struct SteinWarning {
  std::size_t draws = 0;      // that were used
  std::size_t gradients = 0;  // evaluations of the density
  std::size_t failed = 0;     // draws at which the density or its gradient is not finite, left out
  double ksd_squared = 0;     // unbiased, may be below 0; IMQ kernel, coordinates in sds of the draws
  double lower = 0;           // its bootstrap interval
  double upper = 0;
  double p_value = 0;  // of the hypothesis that they are independent draws from the density
  bool is_warning = false;
};

// `theta`: unconstrained draws, draw after draw, dim() numbers each. NaN and a warning where fewer than two
// draws have a finite score.
SteinWarning stein_warning(density::LogDensity& density, std::span<const double> theta,
                           const SteinOptions& options = {});

std::string to_json(const SteinWarning& warning);

}  // namespace kullback::certify
