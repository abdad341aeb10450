// Successes, each of probability `probs`, before `total_count` failures; the mean is total_count exp(logits).
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class NegativeBinomial final : public Family<NegativeBinomial> {
 public:
  static constexpr const char* kName = "NegativeBinomial";

  NegativeBinomial(const Parameter& total_count, const Probs& probs);
  NegativeBinomial(const Parameter& total_count, const Logits& logits);

  const Tensor& total_count() const { return total_count_; }
  Tensor probs() const;
  Tensor logits() const;
  Constraint support() const override;
  bool has_rsample() const override { return false; }
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor mode() const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<NegativeBinomial>;
  std::vector<Slot> slots() {
    return {{"total_count", &total_count_, constraints::positive()},
            {"probs", &probs_, constraints::unit_interval()},
            {"logits", &logits_, constraints::finite()}};
  }

  Tensor total_count_;
  Tensor probs_;  // one of the two is defined
  Tensor logits_;
};

}  // namespace kullback::dist
