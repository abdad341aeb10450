#include "deep/flow/flow.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"

namespace kullback::deep {

Flowed FlowLayer::inverse(const Parameters&, const torch::Tensor&, const torch::Tensor&) const {
  throw Error(ErrorKind::internal, "this flow has no inverse that could be computed.");
}

Flow::Flow(std::vector<std::unique_ptr<FlowLayer>> layers, ContextUse use)
    : layers_(std::move(layers)), use_(use) {
  for (const auto& layer : layers_) context_ = layer->context() + (use == ContextUse::own ? context_ : 0);
}

torch::Tensor Flow::context_of(std::size_t layer, const torch::Tensor& context) const {
  if (use_ == ContextUse::shared || context_ == 0) return context;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < layer; ++i) first += layers_[i]->context();
  return context.narrow(-1, first, layers_[layer]->context());
}

Flowed Flow::forward(const Parameters& parameters, const torch::Tensor& z,
                     const torch::Tensor& context) const {
  Flowed result{z, {}};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    Flowed next = layers_[i]->forward(parameters, result.z, context_of(i, context));
    result.log_det = result.log_det.defined() ? result.log_det + next.log_det : next.log_det;
    result.z = next.z;
  }
  return result;
}

bool Flow::has_inverse() const {
  for (const auto& layer : layers_)
    if (!layer->has_inverse()) return false;
  return true;
}

Flowed Flow::inverse(const Parameters& parameters, const torch::Tensor& z,
                     const torch::Tensor& context) const {
  Flowed result{z, {}};
  for (std::size_t i = layers_.size(); i-- > 0;) {
    Flowed next = layers_[i]->inverse(parameters, result.z, context_of(i, context));
    result.log_det = result.log_det.defined() ? result.log_det + next.log_det : next.log_det;
    result.z = next.z;
  }
  return result;
}

std::size_t add_context_slot(Layout& layout, const std::string& name, const Flow& flow) {
  return layout.add({.name = name, .shape = {flow.context()}, .role = Role::weight, .gain = 0.1});
}

torch::Tensor context_for_all(const torch::Tensor& slot, std::int64_t dims) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(dims), 1);
  shape.front() = slot.size(0);
  shape.back() = slot.size(1);
  return slot.view(shape);
}

torch::Tensor above_minus_one(const torch::Tensor& x) {
  return at::softplus(x + std::log(std::numbers::e - 1)) - 1;
}

}  // namespace kullback::deep
