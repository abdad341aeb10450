// A categorical variable as a vector of zeros and one 1.
#pragma once

#include "dist/categorical.hpp"

namespace kullback::dist {

class OneHotCategorical final : public Distribution {
 public:
  explicit OneHotCategorical(Categorical classes);
  explicit OneHotCategorical(const Probs& probs) : OneHotCategorical(Categorical(probs)) {}
  explicit OneHotCategorical(const Logits& logits) : OneHotCategorical(Categorical(logits)) {}

  const Categorical& classes() const { return classes_; }
  Tensor probs() const { return classes_.probs(); }
  Tensor logits() const { return classes_.logits(); }

  std::string name() const override { return "OneHotCategorical"; }
  Constraint support() const override;
  bool has_rsample() const override { return false; }
  // A draw whose gradient is that of the probabilities (straight through): biased, and often good enough.
  Tensor straight_through(IntArrayRef sample_shape = {}) const;
  Tensor entropy() const override { return classes_.entropy(); }
  Tensor mean() const override { return over_events(probs()); }
  Tensor variance() const override;
  Tensor mode() const override;
  Tensor enumerate_support() const override;
  Any expand(IntArrayRef batch_shape) const override;
  Any map(const TensorMap& f) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor one_hot(const Tensor& index) const;

  Categorical classes_;
};

}  // namespace kullback::dist
