// The constrained values behind coordinates of theta, as far as each depends on its own coordinate alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::infer {

// Lanes are particles: coordinate a of particle k is at a * count + k.
struct MirrorValues {
  std::vector<double> values;  // theta itself where the support is real, or depends on other coordinates
  std::vector<double> slopes;  // their derivatives by theta
};

MirrorValues mirror_values(std::span<const density::Support> supports, const std::vector<double>& theta,
                           std::size_t count);

}  // namespace kullback::infer
