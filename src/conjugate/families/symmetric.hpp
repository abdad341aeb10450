// Symmetric positive definite matrices in packed lower triangles, small and many: no allocation per matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "math/linear_algebra.hpp"

namespace kullback::conjugate {

constexpr std::size_t triangle(std::size_t d) { return d * (d + 1) / 2; }
constexpr std::size_t packed(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }  // j <= i
constexpr std::size_t packed_any(std::size_t i, std::size_t j) { return i < j ? packed(j, i) : packed(i, j); }

// The Cholesky factor of a packed matrix, kept between calls for its memory.
class PackedCholesky final {
 public:
  // Of scale * a. False where that is not positive definite.
  bool factor(std::size_t d, const double* a, double scale = 1) {
    d_ = d;
    lower_.resize(d * d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) lower_[i * d + j] = scale * a[packed(i, j)];
    return math::linear::cholesky(lower(), math::linear::View::by_rows(lower_.data(), d, d));
  }

  double log_determinant() const { return math::linear::log_determinant_of_cholesky(lower()); }

  // x = matrix^-1 b; x may be b.
  void solve(const double* b, double* x) const {
    if (x != b) std::copy_n(b, d_, x);
    math::linear::solve_cholesky(lower(), math::linear::View::vector(x, d_));
  }

  // The inverse, packed.
  void inverse(double* result) {
    inverse_.resize(d_ * d_);
    math::linear::inverse_of_cholesky(lower(), math::linear::View::by_rows(inverse_.data(), d_, d_));
    for (std::size_t i = 0; i < d_; ++i)
      for (std::size_t j = 0; j <= i; ++j) result[packed(i, j)] = inverse_[i * d_ + j];
  }

 private:
  math::linear::ConstView lower() const { return math::linear::ConstView::by_rows(lower_.data(), d_, d_); }

  std::size_t d_ = 0;
  std::vector<double> lower_;    // row after row, whole
  std::vector<double> inverse_;  // the same
};

// One per thread.
inline PackedCholesky& shared_cholesky() {
  thread_local PackedCholesky cholesky;
  return cholesky;
}

// Packed from whole and back.
inline void pack(std::size_t d, const double* whole, double scale, double* result) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      result[packed(i, j)] = scale * 0.5 * (whole[i * d + j] + whole[j * d + i]);
}
inline void unpack(std::size_t d, const double* a, double scale, double* whole) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) whole[i * d + j] = scale * a[packed_any(i, j)];
}
// Elements off the diagonal times `factor`: 2 makes statistics of a matrix, 1/2 takes it back.
inline void scale_off_diagonal(std::size_t d, double factor, double* a) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j) a[packed(i, j)] *= factor;
}

}  // namespace kullback::conjugate
