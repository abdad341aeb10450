// Small square matrices, row after row, and their products; math/linear_algebra.hpp does the rest by their
// views.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "math/linear_algebra.hpp"

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
  math::linear::View view() { return math::linear::View::by_rows(cells_.data(), dim_, dim_); }
  math::linear::ConstView view() const { return math::linear::ConstView::by_rows(cells_.data(), dim_, dim_); }

  Square transposed() const;
  Square operator*(const Square& right) const;
  // a this a'
  Square congruent(const Square& a) const { return a * *this * a.transposed(); }

 private:
  std::size_t dim_;
  std::vector<double> cells_;
};

}  // namespace kullback::conjugate
