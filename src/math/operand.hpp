// The operands of batched kernels. A batched instruction works on `count` elements for `lanes` draws at
// once; lanes are innermost, so that they fill vector registers even for scalar models.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kullback::math {

// Element i of lane k is value[at(i) * lanes + k] where the operand varies with the parameters or is spread,
// and value[at(i)] where it is constant (data) and not repeated for each lane.
struct Operand {
  const double* value = nullptr;
  double* adjoint = nullptr;             // null: constant. Same layout as value
  const std::uint32_t* index = nullptr;  // gather: at(i) = index[i]; null: at(i) = i * step
  std::uint32_t step = 0;                // 0: one value for all elements; 1: contiguous
  bool spread = false;                   // a constant that is repeated for each lane; not broadcast
  bool assigns = false;                  // backward: the adjoints are set, not added to; not broadcast

  std::size_t at(std::size_t i) const { return index != nullptr ? index[i] : i * step; }
  bool has_lanes() const { return adjoint != nullptr || spread; }
  bool is_broadcast() const { return index == nullptr && step == 0; }
};

}  // namespace kullback::math
