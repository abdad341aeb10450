// Inside stats: where among ordered values a quantile of type 7 lies.
#pragma once

#include <cstddef>

namespace kullback::stats {

struct QuantilePlace {
  std::size_t below = 0;  // index of the ordered value at or below
  double fraction = 0;    // of the way to the next
};
// count > 0, 0 <= probability <= 1.
QuantilePlace quantile_place(std::size_t count, double probability);

}  // namespace kullback::stats
