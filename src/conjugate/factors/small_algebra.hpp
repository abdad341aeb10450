// Small dense matrices, row after row: products, Cholesky factors, axes of symmetric matrices.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::conjugate {

class Square final {
 public:
  explicit Square(std::size_t dim) : dim_(dim), cells_(dim * dim) {}
  static Square identity(std::size_t dim);
  // From a packed lower triangle.
  static Square symmetric(std::span<const double> packed, std::size_t dim);

  std::size_t dim() const { return dim_; }
  double& operator()(std::size_t i, std::size_t j) { return cells_[i * dim_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return cells_[i * dim_ + j]; }
  const std::vector<double>& cells() const { return cells_; }

  Square transposed() const;
  Square operator*(const Square& right) const;
  // a this a'
  Square congruent(const Square& a) const { return a * *this * a.transposed(); }

 private:
  std::size_t dim_;
  std::vector<double> cells_;
};

// Lower L with L L' = a; false where `a` is not positive definite.
bool cholesky(const Square& a, Square& l);
Square lower_inverse(const Square& l);
// Columns are orthonormal eigenvectors of the symmetric `a`, whose eigenvalues go to `values`. Jacobi's
// method: a few sweeps of dim^3 operations each, accurate for small eigenvalues too (Demmel and Veselic
// 1992).
Square axes(Square a, std::vector<double>& values);

}  // namespace kullback::conjugate
