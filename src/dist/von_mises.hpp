// The von Mises distribution of an angle in (-pi, pi].
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class VonMises final : public Family<VonMises> {
 public:
  static constexpr const char* kName = "VonMises";

  VonMises(const Parameter& loc, const Parameter& concentration);
  const Tensor& loc() const { return loc_; }
  const Tensor& concentration() const { return concentration_; }
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
  friend Family<VonMises>;
  std::vector<Slot> slots() {
    return {{"loc", &loc_, constraints::finite()},
            {"concentration", &concentration_, constraints::nonnegative()}};
  }

  Tensor loc_;
  Tensor concentration_;
};

}  // namespace kullback::dist
