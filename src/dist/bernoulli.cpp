// With log odds l, log p(v) = log sigmoid((2v - 1) l): exact far out on both sides, and three operations.
// It holds for v = 0 and 1 only. With probabilities, v log p + (1 - v) log(1 - p) where 0 log 0 = 0.
#include "dist/bernoulli.hpp"

#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

Bernoulli::Bernoulli(const Probs& probs) {
  take({{&probs_, &probs.value}});
  settle(slots());
}

Bernoulli::Bernoulli(const Logits& logits) {
  take({{&logits_, &logits.value}});
  settle(slots());
}

Tensor Bernoulli::probs() const { return probs_.defined() ? probs_ : at::sigmoid(logits_); }
Tensor Bernoulli::logits() const { return logits_.defined() ? logits_ : at::logit(probs_); }

Constraint Bernoulli::support() const { return constraints::boolean(); }

Tensor Bernoulli::draw(IntArrayRef shape) const { return at::bernoulli(probs().expand(shape)); }

Tensor Bernoulli::log_density(const Tensor& value) const {
  if (logits_.defined()) {
    return at::log_sigmoid(at::addcmul(-logits_, as_type_of(value, logits_), logits_, 2));
  }
  const auto v = as_type_of(value, probs_);
  return at::xlogy(v, probs_) + at::special_xlog1py(1 - v, -probs_);
}

Tensor Bernoulli::entropy() const {
  if (logits_.defined()) {
    return -at::sigmoid(logits_) * at::log_sigmoid(logits_) -
           at::sigmoid(-logits_) * at::log_sigmoid(-logits_);
  }
  return at::special_entr(probs_) - at::special_xlog1py(1 - probs_, -probs_);
}

Tensor Bernoulli::mean() const { return probs(); }
Tensor Bernoulli::variance() const {
  return logits_.defined() ? at::sigmoid(logits_) * at::sigmoid(-logits_) : probs_ * (1 - probs_);
}
Tensor Bernoulli::mode() const {
  return logits_.defined() ? logits_.gt(0).to(logits_.scalar_type())
                           : probs_.gt(0.5).to(probs_.scalar_type());
}

Tensor Bernoulli::enumerate_support() const {
  const auto& like = probs_.defined() ? probs_ : logits_;
  Shape shape(batch_shape().size() + 1, 1);
  shape[0] = 2;
  const auto values = at::arange(2, like.options().requires_grad(false));
  return values.view(shape).expand(joined(Shape{2}, batch_shape()));
}

}  // namespace kullback::dist
