// The gamma distribution with mean concentration / rate.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Gamma final : public Family<Gamma> {
 public:
  static constexpr const char* kName = "Gamma";

  Gamma(const Parameter& concentration, const Parameter& rate);
  const Tensor& concentration() const { return concentration_; }
  const Tensor& rate() const { return rate_; }
  Constraint support() const override;
  bool has_rsample() const override { return true; }
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;
  Tensor cdf(const Tensor& value) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<Gamma>;
  std::vector<Slot> slots() {
    return {{"concentration", &concentration_, constraints::positive()},
            {"rate", &rate_, constraints::positive()}};
  }

  Tensor concentration_;
  Tensor rate_;
};

}  // namespace kullback::dist
