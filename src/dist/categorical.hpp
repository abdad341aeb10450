// One of `num_classes` classes, as a whole number. Probabilities and log weights need not be normalised.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class Categorical final : public Family<Categorical> {
 public:
  static constexpr const char* kName = "Categorical";

  explicit Categorical(const Probs& probs);
  explicit Categorical(const Logits& logits);

  Tensor probs() const;   // normalised
  Tensor logits() const;  // log probabilities
  int64_t num_classes() const { return (probs_.defined() ? probs_ : logits_).size(-1); }
  Constraint support() const override;
  bool has_rsample() const override { return false; }
  Tensor entropy() const override;
  Tensor mean() const override;      // classes have none: NaN
  Tensor variance() const override;  // NaN
  Tensor mode() const override;
  Tensor enumerate_support() const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<Categorical>;
  std::vector<Slot> slots();

  Tensor probs_;  // one of the two is defined
  Tensor logits_;
};

}  // namespace kullback::dist
