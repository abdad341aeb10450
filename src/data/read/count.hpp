// Counts of words, or ratings of items.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "data/read/fault.hpp"
#include "data/read/number.hpp"

namespace kullback::data {

// Throws Error where the number cannot stand there.
inline double checked_count(double number, bool needs_counts, std::string_view found, const Where& where) {
  if (needs_counts && !(number >= 0 && number == std::trunc(number) && std::isfinite(number)))
    refuse_at(where, fmt::format("found {}, but a count (0, 1, 2, ...) is needed", shown(found)),
              "Correct it, or delete the entry.");
  if (!std::isfinite(number))
    refuse_at(where, fmt::format("found {}, but a finite number is needed", shown(found)),
              "Correct it, or delete the entry.");
  if (std::abs(number) > kLargestValue)
    refuse_at(where,
              fmt::format("found {}, which is too large to be squared (1e100 is possible)", shown(found)),
              "Correct it, or divide all of them by a number.");
  return number;
}

}  // namespace kullback::data
