// Where a chain starts, and whether the gradient there can be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.hpp"
#include "density/log_density.hpp"

namespace kullback::infer {

struct StartOptions {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  double radius = 2;  // coordinates are uniform on (-radius, radius); 0: the origin, tried once
  std::size_t tries = 100;
};

struct FoundStart {
  std::vector<double> theta;  // of the last try
  bool is_ok = false;         // density and gradient are finite
  std::size_t tries = 0;
  std::string message;  // of the density, at the last try that failed
};

FoundStart find_start(density::LogDensity& density, const StartOptions& options);

// The gradient at theta against differences of the density: coordinate by coordinate up to dim 50, along some
// random directions above. Nothing where they agree, or where a difference cannot be taken (the edge of the
// support).
std::optional<Finding> check_gradient_at(density::LogDensity& density, const std::vector<double>& theta,
                                         std::uint64_t seed);

}  // namespace kullback::infer
