// The exponential distribution with mean 1 / rate.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Exponential final : public Family<Exponential> {
 public:
  static constexpr const char* kName = "Exponential";

  explicit Exponential(const Parameter& rate);
  const Tensor& rate() const { return rate_; }
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
  friend Family<Exponential>;
  std::vector<Slot> slots() { return {{"rate", &rate_, constraints::positive()}}; }

  Tensor rate_;
};

}  // namespace kullback::dist
