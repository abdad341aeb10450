// y = log softmax((l + Gumbel noise)/T), n classes:
//   log p(y) = log Gamma(n) + (n - 1) log T + sum of log softmax(l - T y).
// On the simplex the density at x = exp y is less by the sum of y.
#include "dist/relaxed_categorical.hpp"

#include <cmath>

#include "dist/numerics.hpp"

namespace kullback::dist {

std::vector<Distribution::Slot> ExpRelaxedCategorical::slots() {
  return {{"temperature", &temperature_, constraints::positive()},
          {"logits", &logits_, constraints::finite_vector()}};
}

ExpRelaxedCategorical::ExpRelaxedCategorical(const Parameter& temperature, const Probs& probs) {
  Tensor p;
  take({{&p, &probs.value}, {&temperature_, &temperature}});
  if (validates()) require("probs", constraints::nonnegative().independent(1), p);
  logits_ = p.clamp_min(tiny(p)).log();
  settle(slots(), {logits_.size(-1)});
}

ExpRelaxedCategorical::ExpRelaxedCategorical(const Parameter& temperature, const Logits& logits) {
  take({{&logits_, &logits.value}, {&temperature_, &temperature}});
  settle(slots(), {logits_.size(-1)});
}

Constraint ExpRelaxedCategorical::support() const { return constraints::real_vector(); }

Tensor ExpRelaxedCategorical::draw(IntArrayRef shape) const {
  return at::log_softmax((logits_ + standard_gumbel(shape, logits_)) / temperature_.unsqueeze(-1), -1);
}

Tensor ExpRelaxedCategorical::log_density(const Tensor& value) const {
  const auto n = static_cast<double>(logits_.size(-1));
  const auto scores = at::log_softmax(logits_ - temperature_.unsqueeze(-1) * value, -1).sum(-1);
  return scores + (n - 1) * temperature_.log() + std::lgamma(n);
}

RelaxedOneHotCategorical::RelaxedOneHotCategorical(ExpRelaxedCategorical logarithm)
    : logarithm_(std::move(logarithm)) {
  set_validates(logarithm_.validates());
  set_shapes(logarithm_.batch_shape(), logarithm_.event_shape());
}

RelaxedOneHotCategorical::RelaxedOneHotCategorical(const Parameter& temperature, const Probs& probs)
    : RelaxedOneHotCategorical(ExpRelaxedCategorical(temperature, probs)) {}

RelaxedOneHotCategorical::RelaxedOneHotCategorical(const Parameter& temperature, const Logits& logits)
    : RelaxedOneHotCategorical(ExpRelaxedCategorical(temperature, logits)) {}

Constraint RelaxedOneHotCategorical::support() const { return constraints::simplex(); }

Tensor RelaxedOneHotCategorical::draw(IntArrayRef shape) const {
  const auto samples = shape.size() - batch_shape().size() - 1;
  return logarithm_.rsample(shape.slice(0, samples)).exp();
}

Tensor RelaxedOneHotCategorical::log_density(const Tensor& value) const {
  const auto y = value.log();
  return logarithm_.log_prob(y) - y.sum(-1);
}

Any RelaxedOneHotCategorical::expand(IntArrayRef batch_shape) const {
  return RelaxedOneHotCategorical(*logarithm_.expand(batch_shape).as<ExpRelaxedCategorical>());
}

Any RelaxedOneHotCategorical::map(const TensorMap& f) const {
  return RelaxedOneHotCategorical(*logarithm_.map(f).as<ExpRelaxedCategorical>());
}

}  // namespace kullback::dist
