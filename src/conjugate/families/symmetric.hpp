// Symmetric positive definite matrices in packed lower triangles, small and many: no allocation per matrix.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

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
    lower_.resize(triangle(d));
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = scale * a[packed(i, j)];
        for (std::size_t k = 0; k < j; ++k) sum -= lower_[packed(i, k)] * lower_[packed(j, k)];
        if (i != j) {
          lower_[packed(i, j)] = sum / lower_[packed(j, j)];
        } else {
          if (!(sum > 0) || !std::isfinite(sum)) return false;
          lower_[packed(i, i)] = std::sqrt(sum);
        }
      }
    }
    return true;
  }

  double log_determinant() const {
    double sum = 0;
    for (std::size_t i = 0; i < d_; ++i) sum += std::log(lower_[packed(i, i)]);
    return 2 * sum;
  }

  // x = matrix^-1 b; x may be b.
  void solve(const double* b, double* x) const {
    for (std::size_t i = 0; i < d_; ++i) {
      double sum = b[i];
      for (std::size_t k = 0; k < i; ++k) sum -= lower_[packed(i, k)] * x[k];
      x[i] = sum / lower_[packed(i, i)];
    }
    solve_transposed(x, d_);
  }

  // The inverse, packed.
  void inverse(double* result) const {
    column_.resize(d_);
    for (std::size_t j = 0; j < d_; ++j) {
      // Column j of L^-1 below j, then L'^-1 of it; only rows from j on are wanted.
      for (std::size_t i = 0; i < d_; ++i) {
        if (i < j) {
          column_[i] = 0;
          continue;
        }
        double sum = i == j ? 1.0 : 0.0;
        for (std::size_t k = j; k < i; ++k) sum -= lower_[packed(i, k)] * column_[k];
        column_[i] = sum / lower_[packed(i, i)];
      }
      for (std::size_t i = d_; i-- > j;) {
        double sum = column_[i];
        for (std::size_t k = i + 1; k < d_; ++k) sum -= lower_[packed(k, i)] * column_[k];
        column_[i] = sum / lower_[packed(i, i)];
        result[packed(i, j)] = column_[i];
      }
    }
  }

  // x = L'^-1 z: with z standard normal a draw with this matrix as precision.
  void solve_transposed(double* x, std::size_t d) const {
    for (std::size_t i = d; i-- > 0;) {
      double sum = x[i];
      for (std::size_t k = i + 1; k < d; ++k) sum -= lower_[packed(k, i)] * x[k];
      x[i] = sum / lower_[packed(i, i)];
    }
  }

 private:
  std::size_t d_ = 0;
  std::vector<double> lower_;
  mutable std::vector<double> column_;
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
