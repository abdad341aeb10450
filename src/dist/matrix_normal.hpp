// The normal distribution of matrices M + A E B', E of independent standard normal numbers: rows have
// covariance A A', columns B B' (their Kronecker product is the covariance of all numbers).
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class MatrixNormal final : public Family<MatrixNormal> {
 public:
  static constexpr const char* kName = "MatrixNormal";

  // Shapes batch + [n, p], batch + [n, n], batch + [p, p].
  MatrixNormal(Tensor loc, const ScaleTril& rows, const ScaleTril& columns);

  const Tensor& loc() const { return loc_; }
  const Tensor& row_scale_tril() const { return rows_; }
  const Tensor& column_scale_tril() const { return columns_; }
  // A^-1 X B'^-1.
  Tensor whitened(const Tensor& deviation) const;
  Tensor half_log_determinant() const;  // of the covariance of all numbers
  Constraint support() const override;
  bool has_rsample() const override { return true; }
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<MatrixNormal>;
  std::vector<Slot> slots();
  double count() const { return static_cast<double>(loc_.size(-2) * loc_.size(-1)); }

  Tensor loc_;
  Tensor rows_;
  Tensor columns_;
};

}  // namespace kullback::dist
