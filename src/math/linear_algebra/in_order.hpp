// Loops that add in the order of the textbook, term after term, for lower triangles stored row after row (and
// Cholesky factors in place in columns): without the overhead that Eigen's routines have where matrices are
// small, and with bits that depend on no block size.
#pragma once

#include "math/instruction_set.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::math::linear::in_order {

// Above this size Eigen's blocks are faster than these loops (bench/linear_algebra.cpp).
inline constexpr std::size_t kLargest = 512;

KULLBACK_INLINE double element(const ConstView& a, std::size_t i, std::size_t j) {
  return a.storage == Storage::rows ? a.data[i * a.stride + j] : a.data[j * a.stride + i];
}

// For lower.storage == rows: how many pivots are positive. What stands above the diagonal is lost; where a
// pivot is not positive it stands in its place, and the rest is unspecified.
std::size_t factor_rows(const ConstView& a, const View& lower);
// The same in place in columns.
std::size_t factor_columns(const View& a);

// For lower.storage == rows and one vector.
void solve_lower(const ConstView& lower, double* x);
void solve_lower_transposed(const ConstView& lower, double* x);

}  // namespace kullback::math::linear::in_order
