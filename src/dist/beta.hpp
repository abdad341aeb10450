// The beta distribution, density x^(a - 1) (1 - x)^(b - 1) / B(a, b).
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Beta final : public Family<Beta> {
 public:
  static constexpr const char* kName = "Beta";

  Beta(const Parameter& a, const Parameter& b);
  const Tensor& a() const { return a_; }
  const Tensor& b() const { return b_; }
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
  friend Family<Beta>;
  std::vector<Slot> slots() {
    return {{"a", &a_, constraints::positive()}, {"b", &b_, constraints::positive()}};
  }

  Tensor a_;
  Tensor b_;
};

}  // namespace kullback::dist
