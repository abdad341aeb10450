#include <array>

#include "deep/bnn/posterior.hpp"

namespace kullback::deep {

#define KULLBACK_POSTERIOR(record) extern const PosteriorRecord record;
#include "deep/bnn/posteriors.def"
#undef KULLBACK_POSTERIOR

std::span<const PosteriorRecord* const> posteriors() {
  static const std::array kRecords = {
#define KULLBACK_POSTERIOR(record) &record,
#include "deep/bnn/posteriors.def"
#undef KULLBACK_POSTERIOR
  };
  return kRecords;
}

const PosteriorRecord* find_posterior(std::string_view name) {
  for (const PosteriorRecord* record : posteriors())
    if (record->name == name) return record;
  return nullptr;
}

namespace {

template <class Change>
Predictive change_each(const Predictive& from, const Change& change) {
  Predictive result;
  if (from.mean.defined()) result.mean = change(from.mean);
  if (from.variance.defined()) result.variance = change(from.variance);
  if (from.log_probs.defined()) result.log_probs = change(from.log_probs);
  if (from.mean_variance.defined()) result.mean_variance = change(from.mean_variance);
  return result;
}

}  // namespace

Predictive one_draw(const Predictive& predictive) {
  return change_each(predictive, [](const torch::Tensor& tensor) { return tensor.unsqueeze(1); });
}

Predictive as_draws(const Predictive& predictive, std::int64_t draws) {
  return change_each(predictive, [&](const torch::Tensor& tensor) {
    std::vector<std::int64_t> shape = tensor.sizes().vec();
    shape[0] /= draws;
    shape.insert(shape.begin() + 1, draws);
    return tensor.reshape(shape);
  });
}

Predictive predict_draws(const BayesNet& net, const torch::Tensor& draws, const torch::Tensor& x) {
  const torch::NoGradGuard no_gradient;
  PlainRule plain;
  const torch::Tensor repeated = draws.size(1) == 1 ? x : x.repeat_interleave(draws.size(1), 0);
  const Predictive all = net.predict(net.split(draws.flatten(0, 1)), repeated, plain);
  return as_draws(all, draws.size(1));
}

}  // namespace kullback::deep
