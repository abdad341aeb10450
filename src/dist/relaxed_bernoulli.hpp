// The Concrete relaxation of a Bernoulli variable (Maddison et al. 2017; Jang et al. 2017): a differentiable
// number in (0, 1) that is near 0 or 1 at low temperatures. LogitRelaxedBernoulli is its log odds, safe from
// rounding to 0 or 1.
#pragma once

#include "dist/bernoulli.hpp"

namespace kullback::dist {

class LogitRelaxedBernoulli final : public Family<LogitRelaxedBernoulli> {
 public:
  static constexpr const char* kName = "LogitRelaxedBernoulli";

  LogitRelaxedBernoulli(const Parameter& temperature, const Probs& probs);
  LogitRelaxedBernoulli(const Parameter& temperature, const Logits& logits);

  const Tensor& temperature() const { return temperature_; }
  const Tensor& logits() const { return logits_; }
  Constraint support() const override;
  bool has_rsample() const override { return true; }

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  friend Family<LogitRelaxedBernoulli>;
  std::vector<Slot> slots();

  Tensor temperature_;
  Tensor logits_;
};

class RelaxedBernoulli final : public Distribution {
 public:
  RelaxedBernoulli(const Parameter& temperature, const Probs& probs);
  RelaxedBernoulli(const Parameter& temperature, const Logits& logits);
  explicit RelaxedBernoulli(LogitRelaxedBernoulli log_odds);

  const LogitRelaxedBernoulli& log_odds() const { return log_odds_; }
  std::string name() const override { return "RelaxedBernoulli"; }
  Constraint support() const override;
  bool has_rsample() const override { return true; }
  Any expand(IntArrayRef batch_shape) const override;
  Any map(const TensorMap& f) const override;

 protected:
  Tensor draw(IntArrayRef shape) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  LogitRelaxedBernoulli log_odds_;
};

}  // namespace kullback::dist
