// The distribution of |x|, x Cauchy around 0.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class HalfCauchy final : public Family<HalfCauchy> {
 public:
  static constexpr const char* kName = "HalfCauchy";

  explicit HalfCauchy(const Parameter& scale);
  const Tensor& scale() const { return scale_; }
  Constraint support() const override;
  bool has_rsample() const override { return true; }
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<HalfCauchy>;
  std::vector<Slot> slots() { return {{"scale", &scale_, constraints::positive()}}; }

  Tensor scale_;
};

}  // namespace kullback::dist
