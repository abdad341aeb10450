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

// Null where the function has none for these operands (bit j: operand j varies).
const LaneKernel* find_lane_kernel(const math::ArrayOp& f, unsigned varying);

// normal_residuals (passes/collapse_normals.cpp).
extern const LaneKernel kNormalResidualLanes;
// lane_glm.cpp; null where it has none.
const LaneKernel* find_glm_lanes(const math::ArrayOp& f, unsigned varying);
// lane_sums.cpp.
extern const LaneKernel kSumLanes;
extern const LaneKernel kDotSelfLanes;

}  // namespace kullback::tape
