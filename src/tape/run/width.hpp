// How many draws of a tape are best evaluated together.
#pragma once

#include <cstddef>

namespace kullback::tape {

struct Tape;

// How many lanes at most are best evaluated together, a power of 2. 1 where copying the operands of functions
// that know one lane would cost more than lanes gain; else 8 (leaving the cache costs less, measured up to
// 18 MB); up to 64 of a tape so small that their numbers stay in the first cache: what an evaluation and an
// operation cost besides their numbers is shared by more draws; 32 where reading the data is what costs. Of
// the tape alone: the same on every run.
inline constexpr std::size_t kLanesTogether = 8;
inline constexpr std::size_t kMostLanesTogether = 64;
std::size_t best_width(const Tape& tape);
// Of scalar operations only: two draws together pay already.
bool is_all_packed(const Tape& tape);

}  // namespace kullback::tape
