// The uniform distribution between `low` and `high`.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Uniform final : public Family<Uniform> {
 public:
  static constexpr const char* kName = "Uniform";

  Uniform(const Parameter& low, const Parameter& high);
  const Tensor& low() const { return low_; }
  const Tensor& high() const { return high_; }
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
  friend Family<Uniform>;
  std::vector<Slot> slots() {
    return {{"low", &low_, constraints::finite()}, {"high", &high_, constraints::finite()}};
  }

  Tensor low_;
  Tensor high_;
};

}  // namespace kullback::dist
