// The isometry V from R^n onto the vectors of R^(n+1) that sum to zero (a Helmert matrix), used by simplexes
// and sum-to-zero types. With w_i = y_i / sqrt(i (i + 1)), i = 1..n:  z_k = w_{k+1} + ... + w_n - k w_k,  k =
// 0..n. V^T V = 1, so that V^T is its inverse on sum-to-zero vectors and ignores constants.
#pragma once

#include <cmath>
#include <cstddef>

namespace kullback {

// z (n + 1 numbers, every z_step) = V y (n numbers, every y_step).
inline void helmert(std::size_t n, const double* y, std::size_t y_step, double* z, std::size_t z_step) {
  double sum = 0;
  for (std::size_t k = n; k > 0; --k) {
    const auto i = static_cast<double>(k);
    const double w = y[(k - 1) * y_step] / std::sqrt(i * (i + 1));
    z[k * z_step] = sum - i * w;
    sum += w;
  }
  z[0] = sum;
}

// y += V^T z.
inline void add_helmert_transpose(std::size_t n, const double* z, std::size_t z_step, double* y,
                                  std::size_t y_step) {
  double sum = 0;
  for (std::size_t k = 1; k <= n; ++k) {
    const auto i = static_cast<double>(k);
    sum += z[(k - 1) * z_step];
    y[(k - 1) * y_step] += (sum - i * z[k * z_step]) / std::sqrt(i * (i + 1));
  }
}

}  // namespace kullback
