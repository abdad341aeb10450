// Counts as LibTorch has them, and lists of counts, from options.
#pragma once

#include <cstdint>
#include <vector>

#include "base/option.hpp"

namespace kullback::deep {

inline std::int64_t count_of(const OptionValues& values, const CountOption& option) {
  return static_cast<std::int64_t>(values[option]);
}

// "200,200" of an option, or "none". Throws Error usage.
std::vector<std::int64_t> counts_of(const OptionValues& values, const TextOption& option);

}  // namespace kullback::deep
