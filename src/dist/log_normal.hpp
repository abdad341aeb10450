// The distribution of exp(x), x normal with mean `loc` and standard deviation `scale`.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class LogNormal final : public Family<LogNormal> {
 public:
  static constexpr const char* kName = "LogNormal";

  LogNormal(const Parameter& loc, const Parameter& scale);
  const Tensor& loc() const { return loc_; }
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
  friend Family<LogNormal>;
  std::vector<Slot> slots() {
    return {{"loc", &loc_, constraints::finite()}, {"scale", &scale_, constraints::positive()}};
  }

  Tensor loc_;
  Tensor scale_;
};

}  // namespace kullback::dist
