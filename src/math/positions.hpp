// Numbers of an operand for a stretch of elements as one contiguous array, lanes innermost: position
// i * lanes + k. Private to src/math and src/tape.
#pragma once

#include <cstddef>

#include "math/operand.hpp"

namespace kullback::math {

// All lanes of `count` elements.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t lanes = 1;
};

// Whether the positions of any stretch of a call with so many elements lie one after another in the operand.
inline bool lies_there(const Operand& x, std::size_t elements, std::size_t lanes) {
  return (elements == 1 || (x.index == nullptr && x.step == 1)) && (x.has_lanes() || lanes == 1);
}

// Copies them to `buffer`: count * lanes numbers.
void copy_positions(const Operand& x, const Stretch& stretch, double* buffer);

// In place where they lie there, else copied.
inline const double* read_positions(const Operand& x, const Stretch& stretch, double* buffer) {
  if (lies_there(x, stretch.count, stretch.lanes)) return x.value + x.at(stretch.first) * stretch.lanes;
  copy_positions(x, stretch, buffer);
  return buffer;
}

// Adds products to the adjoints of an operand that varies; where one number serves all elements, their sum.
// Sets the adjoints of one that assigns.
void add_positions(const Operand& x, const Stretch& stretch, const double* products);

// The same with factor * products, `factor` being one number for each lane (each: for each position).
struct Scaled {
  const double* products = nullptr;
  const double* factor = nullptr;
  bool each = false;
};
void add_scaled_positions(const Operand& x, const Stretch& stretch, const Scaled& scaled);

}  // namespace kullback::math
