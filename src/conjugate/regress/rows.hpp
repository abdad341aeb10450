// Rows of a table in blocks for kernels: standardised, column after column, with a column of ones before
// them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "conjugate/data.hpp"
#include "conjugate/regress/posterior.hpp"

namespace kullback::conjugate::regress {

// x goes to (x - centre) / scale. The target is the last.
struct Units {
  std::vector<double> centre;
  std::vector<double> scale;
};
// Weighted means and standard deviations; 1 in place of a deviation of 0, and of all where not `scales`.
Units units_of(const Batch& sample, bool scales);

constexpr std::size_t kBlockRows = 256;

class RowBlock final {
 public:
  // `columns` of the table, the target included.
  explicit RowBlock(std::size_t columns);

  // Rows begin .. begin + rows(); at most kBlockRows.
  void load(const Batch& batch, std::size_t begin, std::size_t end, const Units& units);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }  // 1, x, target
  // kBlockRows numbers; zeros beyond rows().
  double* column(std::size_t j) { return values_.data() + j * kBlockRows; }
  const double* column(std::size_t j) const { return values_.data() + j * kBlockRows; }
  double* target() { return column(columns_ - 1); }
  const double* target() const { return column(columns_ - 1); }

  // Sets the first `columns` to those of `other`, each times `weights`.
  void copy_weighted(const RowBlock& other, std::size_t columns, const double* weights);

 private:
  std::size_t columns_;
  std::size_t rows_ = 0;
  std::vector<double> values_;
};

// sums[i (i + 1) / 2 + j] += sum over rows of a_i b_j, for j <= i < columns.
void add_gram(const RowBlock& a, const RowBlock& b, std::size_t columns, double* sums);
// sums[j] += sum over rows of weights * column j.
void add_products(const RowBlock& block, std::size_t columns, const double* weights, double* sums);
// result = sum over j of mean[j] * column j, for all rows of the block.
void predict(const RowBlock& block, std::span<const double> mean, double* result);
// result = |F x|^2 for all rows of the block.
void squared_scales(const RowBlock& block, std::size_t columns, const Spread& spread, double* result);

}  // namespace kullback::conjugate::regress
