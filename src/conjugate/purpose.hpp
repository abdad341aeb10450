// What the random numbers of a conjugate model's fit are for: streams are Random(seed, start, purpose,
// index).
#pragma once

#include <cstdint>

namespace kullback::conjugate {

enum class Purpose : std::uint32_t {
  sample = 1,  // units that a start is made from
  start,
  minibatch,
};

}  // namespace kullback::conjugate
