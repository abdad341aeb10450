// Functions of arrays that work on all lanes at once. The others are called for one lane after another, with
// copies.
#pragma once

#include <cstddef>
#include <span>

#include "math/array_op.hpp"

namespace kullback::tape {

// As math::ArrayCall, but what varies has its lanes innermost: number i of lane k is at i * lanes + k.
// Scratch is scratch_size * lanes numbers, laid out as the function likes.
struct LaneCall {
  std::size_t lanes = 1;
  std::span<const math::DenseArgument> arguments;
  math::Terms terms;
  bool with_gradient = true;  // backward() may follow
  double* result = nullptr;
  double* scratch = nullptr;
  const double* result_adjoint = nullptr;
  std::span<double* const> adjoints;
};

struct LaneKernel {
  void (*forward)(const LaneCall& call) = nullptr;
  void (*backward)(const LaneCall& call) = nullptr;
};

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

// Null where the function has none for these operands (bit j: operand j varies).
const LaneKernel* find_lane_kernel(const math::ArrayOp& f, unsigned varying);

// normal_residuals (collapse_normal.cpp).
extern const LaneKernel kNormalResidualLanes;
// lane_glm.cpp; null where it has none.
const LaneKernel* find_glm_lanes(const math::ArrayOp& f, unsigned varying);
// lane_sums.cpp.
extern const LaneKernel kSumLanes;
extern const LaneKernel kDotSelfLanes;

}  // namespace kullback::tape
