// Whether a container can be had, before it is made.
#pragma once

#include "tape/record/value.hpp"

namespace kullback::tape {

// The product of the sizes. Throws std::bad_alloc where so many numbers cannot be numbered, or do not fit
// into the memory that is free.
std::size_t checked_count(const Dims& dims);

}  // namespace kullback::tape
