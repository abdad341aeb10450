#include <algorithm>
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

namespace {

// Rows that are evaluated at once, of all nets and draws together: what is in memory is that many times the
// widest layer.
constexpr std::int64_t kRowsAtOnce = 1 << 19;

Predictive predict_at_once(const BayesNet& net, const torch::Tensor& draws, const torch::Tensor& x) {
  PlainRule plain;
  const torch::Tensor repeated = draws.size(1) == 1 ? x : x.repeat_interleave(draws.size(1), 0);
  return as_draws(net.predict(net.split(draws.flatten(0, 1)), repeated, plain), draws.size(1));
}

torch::Tensor joined(const std::vector<Predictive>& parts, torch::Tensor Predictive::*member) {
  if (!(parts.front().*member).defined()) return {};
  std::vector<torch::Tensor> tensors;
  for (const Predictive& part : parts) tensors.push_back(part.*member);
  return at::cat(tensors, 1);
}

}  // namespace

Predictive predict_draws(const BayesNet& net, const torch::Tensor& draws, const torch::Tensor& x) {
  const torch::NoGradGuard no_gradient;
  const std::int64_t rows = std::max<std::int64_t>(1, draws.size(0) * x.size(1));
  const std::int64_t at_once = std::max<std::int64_t>(1, kRowsAtOnce / rows);
  if (draws.size(1) <= at_once) return predict_at_once(net, draws, x);
  std::vector<Predictive> parts;
  for (const torch::Tensor& part : draws.split(at_once, 1)) parts.push_back(predict_at_once(net, part, x));
  return {.mean = joined(parts, &Predictive::mean),
          .variance = joined(parts, &Predictive::variance),
          .log_probs = joined(parts, &Predictive::log_probs),
          .mean_variance = joined(parts, &Predictive::mean_variance)};
}

}  // namespace kullback::deep
