// Draws are the winners of a race: class k with probability p_k arrives first when its time is exponential
// with rate p_k. Unlike at::multinomial it never waits for a GPU, and classes of probability 0 never win.
#include "dist/categorical.hpp"

#include <cmath>

#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

Categorical::Categorical(const Probs& probs) {
  take({{&probs_, &probs.value}});
  settle(slots());
  probs_ = probs_ / probs_.sum(-1, true);
}

Categorical::Categorical(const Logits& logits) {
  take({{&logits_, &logits.value}});
  settle(slots());
}

// A log weight may be minus infinity, so NaN alone is refused there.
std::vector<Distribution::Slot> Categorical::slots() {
  return {{"probs", &probs_, constraints::nonnegative().independent(1)},
          {"logits", &logits_, constraints::real_vector()}};
}

Tensor Categorical::probs() const { return probs_.defined() ? probs_ : at::softmax(logits_, -1); }
Tensor Categorical::logits() const { return logits_.defined() ? at::log_softmax(logits_, -1) : probs_.log(); }

Constraint Categorical::support() const { return constraints::integer_below(num_classes()); }

Tensor Categorical::draw(IntArrayRef shape) const {
  const auto& weights = probs_.defined() ? probs_ : logits_;
  const auto times = standard_exponential(joined(shape, Shape{num_classes()}), weights);
  return (probs_.defined() ? probs_ / times : logits_ - times.log_()).argmax(-1);
}

Tensor Categorical::log_density(const Tensor& value) const {
  const auto table = logits();
  const auto index = value.to(at::kLong);
  if (index.sizes() == IntArrayRef(batch_shape()) && table.dim() == index.dim() + 1) {
    return table.gather(-1, index.unsqueeze(-1)).squeeze(-1);
  }
  Shape shape = batch_shape();
  broadcast_into(shape, index.sizes());
  return table.expand(joined(shape, Shape{num_classes()}))
      .gather(-1, index.expand(shape).unsqueeze(-1))
      .squeeze(-1);
}

Tensor Categorical::entropy() const { return at::special_entr(probs()).sum(-1); }

Tensor Categorical::mean() const { return at::full_like(over_batch(probs().select(-1, 0)), NAN); }
Tensor Categorical::variance() const { return mean(); }
Tensor Categorical::mode() const { return (probs_.defined() ? probs_ : logits_).argmax(-1); }

Tensor Categorical::enumerate_support() const {
  Shape shape(batch_shape().size() + 1, 1);
  shape[0] = num_classes();
  const auto classes = at::arange(
      num_classes(), (probs_.defined() ? probs_ : logits_).options().dtype(at::kLong).requires_grad(false));
  return classes.view(shape).expand(joined(Shape{num_classes()}, batch_shape()));
}

}  // namespace kullback::dist
