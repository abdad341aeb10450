// The normal distribution of vectors, by the Cholesky factor of its covariance, by the covariance or by its
// inverse.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class MultivariateNormal final : public Family<MultivariateNormal> {
 public:
  static constexpr const char* kName = "MultivariateNormal";

  MultivariateNormal(Tensor loc, const ScaleTril& scale_tril);
  MultivariateNormal(Tensor loc, const Covariance& covariance);
  MultivariateNormal(Tensor loc, const Precision& precision);

  const Tensor& loc() const { return loc_; }
  const Tensor& scale_tril() const { return scale_tril_; }
  Tensor covariance() const { return at::matmul(scale_tril_, scale_tril_.mT()); }
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
  friend Family<MultivariateNormal>;
  std::vector<Slot> slots();
  void begin(const char* parameter, const Tensor& matrix);

  Tensor loc_;
  Tensor scale_tril_;
};

}  // namespace kullback::dist
