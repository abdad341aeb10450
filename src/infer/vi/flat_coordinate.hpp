// A coordinate along which a log density does not fall: then it cannot be that of a proper posterior.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "density/log_density.hpp"

namespace kullback::infer {

struct FlatCoordinate {
  std::size_t coordinate = 0;
  double length = 0;  // how far from the draws' mean the log density was seen; negative: to the left
  double fall = 0;    // of the log density on the way there
};

// Looks from the mean of the draws (draw after draw) along each coordinate, to both sides. A direction in
// which several coordinates must move together is not found. Adds to the count of evaluations.
std::optional<FlatCoordinate> find_flat_coordinate(density::LogDensity& density,
                                                   std::span<const double> draws, std::uint64_t& evaluations);

}  // namespace kullback::infer
