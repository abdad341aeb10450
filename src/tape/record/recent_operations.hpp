// Scalar operations recorded lately, by function and operands, so that what a loop says again and again is
// recorded once: of log(theta[doc[n]]) over words n one for each document. A table with one place for each
// hash, where a newer operation replaces an older one: what it forgets, `simplify` finds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/elementwise.hpp"
#include "tape/record/value.hpp"

namespace kullback::tape {

class RecentOperations final {
 public:
  static constexpr Id kNone = 0xFFFF'FFFFU;

  Id find(const math::Elementwise& f, std::span<const Id> operands) const;  // its result, or kNone
  void add(const math::Elementwise& f, std::span<const Id> operands, Id result);
  void clear();

 private:
  struct Entry {
    std::uint32_t f = kNone;  // number of the function
    Id a = kNone;
    Id b = kNone;
    Id result = kNone;
  };
  std::size_t place(const Entry& entry) const;
  void grow();

  std::vector<Entry> entries_;  // a power of two of them
  std::size_t added_ = 0;
};

}  // namespace kullback::tape
