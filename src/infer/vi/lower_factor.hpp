// A lower triangular matrix L with positive diagonal as unconstrained numbers, and what families need of L
// with many draws at once. The numbers are its columns one after another, with the logarithm of each diagonal
// element in its place; of a diagonal L the logarithms alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::infer {

enum class Shape : unsigned char { triangle, diagonal };

// Draws are size() * lanes numbers, lanes innermost.
class LowerFactor final {
 public:
  explicit LowerFactor(std::size_t size, Shape shape = Shape::triangle)
      : size_(size), shape_(shape), values_(shape == Shape::triangle ? size * size : size) {}

  std::size_t size() const { return size_; }
  std::size_t parameters() const { return is_diagonal() ? size_ : size_ * (size_ + 1) / 2; }
  bool is_diagonal() const { return shape_ == Shape::diagonal; }
  // The place of L(row, column) among the parameters, row >= column; of a diagonal L, row = column.
  std::size_t place(std::size_t row, std::size_t column) const {
    return is_diagonal() ? row : column * size_ - column * (column + 1) / 2 + row;
  }

  // L of these parameters; the rest is about the L last set.
  void set(std::span<const double> packed);
  // The parameters of a dense L, column after column, or (where that is empty) of a diagonal of `sd`. A
  // diagonal shape takes the norms of the rows, `sd`.
  void pack(std::span<const double> dense, std::span<const double> sd, std::span<double> packed) const;

  // The parameters of `scale` times the L of these parameters.
  void scale_by(double scale, std::span<double> packed) const;

  double at(std::size_t row, std::size_t column) const {
    if (is_diagonal()) return row == column ? values_[row] : 0;
    return values_[column * size_ + row];
  }
  std::vector<double> dense() const;  // column after column, zeros above
  double log_det() const { return log_det_; }
  double row_norm(std::size_t row) const;  // sd of that coordinate of L z

  void times(std::size_t lanes, const double* z, double* result) const;  // L z; result is not z
  void solve(std::size_t lanes, double* x) const;                        // L^-1 x, in place
  void solve_transposed(std::size_t lanes, double* x) const;             // L^-T x, in place
  // Adds the derivative of sum_k a_k . (L z_k) to the parameters.
  void add_outer(std::size_t lanes, const double* a, const double* z, std::span<double> packed);
  // Of m + L z: the parameters (m, L) change q by about as much in these units, from the diagonal of the
  // Fisher information. That of m_i and of L(i, j) is the precision P_ii = (L L')^-1_ii, that of log L(i, i)
  // is P_ii L(i, i)^2 + 1.
  void units(std::span<double> mean, std::span<double> packed) const;
  // Adds `scale` times the derivative of log det L.
  void add_log_det(double scale, std::span<double> packed) const;

 private:
  std::size_t size_;
  Shape shape_;
  std::vector<double> values_;  // size * size, column after column; the diagonal of a diagonal shape
  std::vector<double> slope_;   // memory to work in
  double log_det_ = 0;
};

// Of a normal with covariance L L' (dense, column after column, `size` rows): the same factor of the
// coordinates [first, first + count) given the others, whose precision is that block of the whole's.
std::vector<double> conditional_lower(std::span<const double> lower, std::size_t size, std::size_t first,
                                      std::size_t count);

}  // namespace kullback::infer
