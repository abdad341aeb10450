// The sum of many normal log densities, faster than element by element. Private to normal.cpp.
#pragma once

#include "math/distribution.hpp"

namespace kullback::math {

// As Density::batch. False, and nothing done but partials overwritten, where it does not apply: few elements,
// results for each, other numbers of lanes than 1, 2, 4, 8, or a result that is not finite.
bool normal_sum(const DensityCall& call);

}  // namespace kullback::math
