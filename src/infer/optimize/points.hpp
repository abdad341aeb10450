// The log density at many points, in lanes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::infer {

// `points`: point after point, dim numbers each. Minus infinity where it is not finite or was rejected.
std::vector<double> log_densities(density::LogDensity& density, std::span<const double> points,
                                  std::size_t count);

}  // namespace kullback::infer
