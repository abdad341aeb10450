// Inverse temperatures of one leg, from the reference (0) to the target (1).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::infer {

// Before anything is known: cubes, dense where the reference is.
std::vector<double> first_ladder(std::size_t count);

// Moves those between 0 and 1 so that each gap would have the same share of the rejections, taking the
// barrier as linear within a gap; rejections[k] is the rate between k and k + 1.
void place_temperatures(std::span<double> betas, std::span<const double> rejections);

}  // namespace kullback::infer
