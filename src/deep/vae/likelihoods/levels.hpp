// Pixels with so many equally spaced levels from 0 to 1.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "base/option.hpp"

namespace kullback::deep {

inline constexpr auto kLevels = CountOption("levels", 256, "Levels of a pixel from 0 to 1").from(2).to(65536);

// How a level between 0 and 1 becomes one of both.
enum class Binarise { stochastic, fixed, no };
inline constexpr auto kBinarise =
    ChoiceOption("binarise", Binarise::stochastic, "stochastic|fixed|no",
                 "Of levels between 0 and 1: anew in each step, once by the seed, or no");

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
