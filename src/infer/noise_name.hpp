// Which stream of random numbers noise, or a choice of rows, comes from.
#pragma once

#include <cstdint>

namespace kullback::infer {

struct NoiseName {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  std::uint32_t purpose = 0;  // infer::Purpose
};

}  // namespace kullback::infer
