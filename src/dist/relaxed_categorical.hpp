// The Concrete relaxation of a one-hot vector: a differentiable point of the simplex, near a corner at low
// temperatures. ExpRelaxedCategorical is its logarithm, safe from underflow.
#pragma once

#include "dist/distribution.hpp"

namespace kullback::dist {

class ExpRelaxedCategorical final : public Family<ExpRelaxedCategorical> {
 public:
  static constexpr const char* kName = "ExpRelaxedCategorical";

  ExpRelaxedCategorical(const Parameter& temperature, const Probs& probs);
  ExpRelaxedCategorical(const Parameter& temperature, const Logits& logits);

  const Tensor& temperature() const { return temperature_; }
  const Tensor& logits() const { return logits_; }  // as given: not normalised
  Constraint support() const override;
  bool has_rsample() const override { return true; }

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<ExpRelaxedCategorical>;
  std::vector<Slot> slots();

  Tensor temperature_;
  Tensor logits_;
};

class RelaxedOneHotCategorical final : public Distribution {
 public:
  RelaxedOneHotCategorical(const Parameter& temperature, const Probs& probs);
  RelaxedOneHotCategorical(const Parameter& temperature, const Logits& logits);
  explicit RelaxedOneHotCategorical(ExpRelaxedCategorical logarithm);

  const ExpRelaxedCategorical& logarithm() const { return logarithm_; }
  std::string name() const override { return "RelaxedOneHotCategorical"; }
  Constraint support() const override;
  bool has_rsample() const override { return true; }
  Any expand(IntArrayRef batch_shape) const override;
  Any map(const TensorMap& f) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  ExpRelaxedCategorical logarithm_;
};

}  // namespace kullback::dist
