// log p(k) = r log(1 - p) + k log p + log Gamma(r + k) - log k! - log Gamma(r); the last three are
// -log B(r, k + 1) - log(r + k), which keeps its digits for large r or k.
#include "dist/negative_binomial.hpp"

#include "dist/numerics.hpp"

namespace kullback::dist {

NegativeBinomial::NegativeBinomial(const Parameter& total_count, const Probs& probs) {
  take({{&total_count_, &total_count}, {&probs_, &probs.value}});
  settle(slots());
}

NegativeBinomial::NegativeBinomial(const Parameter& total_count, const Logits& logits) {
  take({{&total_count_, &total_count}, {&logits_, &logits.value}});
  settle(slots());
}

Tensor NegativeBinomial::probs() const { return probs_.defined() ? probs_ : at::sigmoid(logits_); }
Tensor NegativeBinomial::logits() const { return logits_.defined() ? logits_ : at::logit(probs_); }

Constraint NegativeBinomial::support() const { return constraints::nonnegative_integer(); }

// A Poisson draw with a gamma distributed rate.
Tensor NegativeBinomial::draw(IntArrayRef shape) const {
  return at::poisson(at::_standard_gamma(total_count_.expand(shape)) * logits().exp());
}

Tensor NegativeBinomial::log_density(const Tensor& value) const {
  const auto k = as_type_of(value, total_count_);
  const auto ways = (-log_beta(total_count_, k + 1) - at::log(total_count_ + k)).masked_fill(k.eq(0), 0);
  if (logits_.defined()) {
    return total_count_ * at::log_sigmoid(-logits_) + k * at::log_sigmoid(logits_) + ways;
  }
  return at::special_xlog1py(total_count_, -probs_) + at::xlogy(k, probs_) + ways;
}

Tensor NegativeBinomial::mean() const { return total_count_ * logits().exp(); }
Tensor NegativeBinomial::variance() const { return mean() / at::sigmoid(-logits()); }
Tensor NegativeBinomial::mode() const { return ((total_count_ - 1) * logits().exp()).floor().clamp_min(0); }

}  // namespace kullback::dist
