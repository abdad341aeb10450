// Pixels with so many equally spaced levels from 0 to 1.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "base/settings.hpp"

namespace kullback::deep {

inline const Option kLevelsOption = {"levels", "256", "levels of a pixel from 0 to 1"};

inline std::int64_t levels_of(const Settings& settings) {
  return static_cast<std::int64_t>(settings.count("levels", 2, 65536));
}

// The nearest level, as a number from 0 to levels - 1.
inline torch::Tensor nearest_level(const torch::Tensor& x, std::int64_t levels) {
  return (x * static_cast<double>(levels - 1)).round().clamp(0, static_cast<double>(levels - 1));
}

// One of the first `dim` choices with probability proportional to exp(logits): the largest of logits plus
// Gumbel noise made of uniform numbers.
inline torch::Tensor choose(const torch::Tensor& logits, const torch::Tensor& uniform, std::int64_t dim) {
  const torch::Tensor gumbel = -at::log(-at::log(uniform.clamp(1e-20, 1 - 1e-7)));
  return (logits + gumbel).argmax(dim, true);
}

}  // namespace kullback::deep
