// Names the part of a variable that violates its constraint.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "math/transform.hpp"
#include "math/type.hpp"

namespace kullback::math {

// "[2, 3]": the index of the array's item, then row and column where one number is meant; empty for a
// variable as a whole. `kind` is that of an item.
std::string violation_index(const Violation& violation, std::span<const std::size_t> array_dims, Kind kind);

}  // namespace kullback::math
