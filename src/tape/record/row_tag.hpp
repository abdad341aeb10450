// Which row of the data a number belongs to, while a program is traced for minibatches. A number made of
// several rows knows the smallest and the largest of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kullback::tape {

struct RowTag {
  std::uint32_t low = 1;  // rows low..high; none where low > high
  std::uint32_t high = 0;

  static RowTag of(std::size_t row) {
    return {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row)};
  }
  bool none() const { return low > high; }
  bool single() const { return low == high; }
  bool several() const { return low < high; }
  bool contains(RowTag other) const { return other.none() || (low <= other.low && other.high <= high); }
  bool operator==(const RowTag& other) const {
    return (none() && other.none()) || (low == other.low && high == other.high);
  }
};

inline RowTag join(RowTag a, RowTag b) {
  if (a.none()) return b;
  if (b.none()) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace kullback::tape
