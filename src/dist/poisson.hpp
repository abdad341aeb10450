// The Poisson distribution.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Poisson final : public Family<Poisson> {
 public:
  static constexpr const char* kName = "Poisson";

  explicit Poisson(const Parameter& rate);
  const Tensor& rate() const { return rate_; }
  Constraint support() const override;
  bool has_rsample() const override { return false; }
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<Poisson>;
  std::vector<Slot> slots() { return {{"rate", &rate_, constraints::nonnegative()}}; }

  Tensor rate_;
};

}  // namespace kullback::dist
