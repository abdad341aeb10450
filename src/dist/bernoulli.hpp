// 0 or 1, by the probability of 1 or its log odds.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Bernoulli final : public Family<Bernoulli> {
 public:
  static constexpr const char* kName = "Bernoulli";

  explicit Bernoulli(const Probs& probs);
  explicit Bernoulli(const Logits& logits);

  Tensor probs() const;
  Tensor logits() const;
  Constraint support() const override;
  bool has_rsample() const override { return false; }
  Tensor entropy() const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;
  Tensor enumerate_support() const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<Bernoulli>;
  std::vector<Slot> slots() {
    return {{"probs", &probs_, constraints::unit_interval()}, {"logits", &logits_, constraints::finite()}};
  }

  Tensor probs_;  // one of the two is defined
  Tensor logits_;
};

}  // namespace kullback::dist
