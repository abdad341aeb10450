// y = (l + logistic noise)/T;  log p(y) = log T + d - 2 log(1 + e^d), d = l - T y: log T + log s(d) + log
// s(-d).
#include "dist/relaxed_bernoulli.hpp"

#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

std::vector<Distribution::Slot> LogitRelaxedBernoulli::slots() {
  return {{"temperature", &temperature_, constraints::positive()},
          {"logits", &logits_, constraints::finite()}};
}

LogitRelaxedBernoulli::LogitRelaxedBernoulli(const Parameter& temperature, const Probs& probs) {
  Tensor p;
  take({{&p, &probs.value}, {&temperature_, &temperature}});
  if (validates()) require("probs", constraints::unit_interval(), p);
  const auto margin = epsilon(p);  // log odds of exactly 0 and 1 are infinite
  logits_ = at::logit(p.clamp(margin, 1 - margin));
  settle(slots());
}

LogitRelaxedBernoulli::LogitRelaxedBernoulli(const Parameter& temperature, const Logits& logits) {
  take({{&logits_, &logits.value}, {&temperature_, &temperature}});
  settle(slots());
}

Constraint LogitRelaxedBernoulli::support() const { return constraints::real(); }

Tensor LogitRelaxedBernoulli::draw(IntArrayRef shape) const {
  return (logits_ + standard_logistic(shape, logits_)) / temperature_;
}

Tensor LogitRelaxedBernoulli::log_density(const Tensor& value) const {
  const auto d = logits_ - temperature_ * value;
  return temperature_.log() + at::log_sigmoid(d) + at::log_sigmoid(-d);
}

RelaxedBernoulli::RelaxedBernoulli(LogitRelaxedBernoulli log_odds) : log_odds_(std::move(log_odds)) {
  set_validates(log_odds_.validates());
  set_shapes(log_odds_.batch_shape(), {});
}

RelaxedBernoulli::RelaxedBernoulli(const Parameter& temperature, const Probs& probs)
    : RelaxedBernoulli(LogitRelaxedBernoulli(temperature, probs)) {}

RelaxedBernoulli::RelaxedBernoulli(const Parameter& temperature, const Logits& logits)
    : RelaxedBernoulli(LogitRelaxedBernoulli(temperature, logits)) {}

Constraint RelaxedBernoulli::support() const { return constraints::unit_interval(); }

Tensor RelaxedBernoulli::draw(IntArrayRef shape) const {
  const auto samples = shape.size() - batch_shape().size();
  return at::sigmoid(log_odds_.rsample(shape.slice(0, samples)));
}

Tensor RelaxedBernoulli::log_density(const Tensor& value) const {
  const auto log_value = value.log();
  const auto log_rest = at::log1p(-value);
  return log_odds_.log_prob(log_value - log_rest) - log_value - log_rest;
}

Any RelaxedBernoulli::expand(IntArrayRef batch_shape) const {
  return RelaxedBernoulli(*log_odds_.expand(batch_shape).as<LogitRelaxedBernoulli>());
}

Any RelaxedBernoulli::map(const TensorMap& f) const {
  return RelaxedBernoulli(*log_odds_.map(f).as<LogitRelaxedBernoulli>());
}

}  // namespace kullback::dist
