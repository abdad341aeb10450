// The normal distribution with covariance W W' + diag(d): W has few columns, and nothing of size n by n is
// made.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class LowRankMultivariateNormal final : public Family<LowRankMultivariateNormal> {
 public:
  static constexpr const char* kName = "LowRankMultivariateNormal";

  // Shapes batch + [n], batch + [n, rank], batch + [n].
  LowRankMultivariateNormal(Tensor loc, Tensor factor, Tensor diagonal);

  const Tensor& loc() const { return loc_; }
  const Tensor& factor() const { return factor_; }
  const Tensor& diagonal() const { return diagonal_; }
  Tensor covariance() const;
  // The Cholesky factor of I + W' diag(1/d) W.
  Tensor capacitance_tril() const;
  Tensor log_determinant() const;                          // of the covariance
  Tensor squared_distance(const Tensor& deviation) const;  // v' covariance^-1 v
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
  friend Family<LowRankMultivariateNormal>;
  std::vector<Slot> slots();
  Tensor log_determinant(const Tensor& capacitance) const;
  Tensor squared_distance(const Tensor& deviation, const Tensor& capacitance) const;

  Tensor loc_;
  Tensor factor_;
  Tensor diagonal_;
};

}  // namespace kullback::dist
