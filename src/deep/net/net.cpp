#include "deep/net/net.hpp"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

torch::Tensor apply_layers(const std::vector<Layer>& layers, const Parameters& parameters, torch::Tensor x,
                           AffineRule& rule);

// [nets, rows, channels, height, width] through an operation on [rows, channels, height, width].
template <class Operation>
torch::Tensor by_image(const torch::Tensor& x, const Operation& operation) {
  const torch::Tensor flat = operation(x.flatten(0, 1));
  std::vector<std::int64_t> shape = {x.size(0), x.size(1)};
  for (std::int64_t i = 1; i < flat.dim(); ++i) shape.push_back(flat.size(i));
  return flat.view(shape);
}

torch::Tensor apply_layer(const Layer& layer, const Parameters& parameters, const torch::Tensor& x,
                          AffineRule& rule) {
  switch (layer.kind) {
    case Layer::Kind::affine: return rule.apply(layer.affine, parameters, x);
    case Layer::Kind::activation: return activate(layer.activation, x);
    case Layer::Kind::max_pool:
      return by_image(
          x, [&](const torch::Tensor& images) { return at::max_pool2d(images, layer.pool, layer.pool); });
    case Layer::Kind::average_pool:
      return by_image(
          x, [&](const torch::Tensor& images) { return at::avg_pool2d(images, layer.pool, layer.pool); });
    case Layer::Kind::reshape: {
      std::vector<std::int64_t> shape = {x.size(0), x.size(1)};
      shape.insert(shape.end(), layer.shape.begin(), layer.shape.end());
      return x.reshape(shape);
    }
    case Layer::Kind::residual: return x + apply_layers(layer.inner, parameters, x, rule);
  }
  throw Error(ErrorKind::internal, "a layer has no kind.");
}

torch::Tensor apply_layers(const std::vector<Layer>& layers, const Parameters& parameters, torch::Tensor x,
                           AffineRule& rule) {
  for (const Layer& layer : layers) x = apply_layer(layer, parameters, x, rule);
  return x;
}

void collect(const std::vector<Layer>& layers, std::vector<const Affine*>& found) {
  for (const Layer& layer : layers) {
    if (layer.kind == Layer::Kind::affine) found.push_back(&layer.affine);
    collect(layer.inner, found);
  }
}

// Nets as groups of one convolution: [rows, nets * channels, height, width]. `bias` may be undefined: none.
template <class Convolve>
torch::Tensor by_group(const torch::Tensor& weight, const torch::Tensor& bias, const torch::Tensor& x,
                       const Convolve& convolve) {
  const std::int64_t nets = weight.size(0), rows = x.size(1);
  const torch::Tensor grouped =
      nets == 1 ? x.squeeze(0) : x.transpose(0, 1).reshape({rows, nets * x.size(2), x.size(3), x.size(4)});
  const torch::Tensor result =
      convolve(grouped, weight.flatten(0, 1), bias.defined() ? bias.flatten(0, 1) : bias, nets);
  if (nets == 1) return result.unsqueeze(0);
  return result.view({rows, nets, result.size(1) / nets, result.size(2), result.size(3)}).transpose(0, 1);
}

torch::Tensor shared_by(const torch::Tensor& x, std::int64_t nets) {
  if (x.size(0) == nets) return x;
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] = nets;
  return x.expand(shape);
}

// `bias` may be undefined: none.
torch::Tensor product(const Affine& layer, const torch::Tensor& weight, const torch::Tensor& bias,
                      const torch::Tensor& x) {
  const std::int64_t nets = weight.size(0);
  switch (layer.kind) {
    case Affine::Kind::linear:
      if (nets == 1)
        return at::linear(x.squeeze(0), weight.squeeze(0), bias.defined() ? bias.squeeze(0) : bias)
            .unsqueeze(0);
      if (!bias.defined()) return at::bmm(shared_by(x, nets), weight.transpose(1, 2));
      return at::baddbmm(bias.unsqueeze(1), shared_by(x, nets), weight.transpose(1, 2));
    case Affine::Kind::conv:
      return by_group(weight, bias, shared_by(x, nets),
                      [&](const auto& images, const auto& w, const auto& b, std::int64_t groups) {
                        return at::conv2d(images, w, b, layer.stride, layer.padding, 1, groups);
                      });
    case Affine::Kind::conv_transpose:
      return by_group(weight, bias, shared_by(x, nets),
                      [&](const auto& images, const auto& w, const auto& b, std::int64_t groups) {
                        return at::conv_transpose2d(images, w, b, layer.stride, layer.padding,
                                                    layer.output_padding, groups);
                      });
  }
  throw Error(ErrorKind::internal, "an affine layer has no kind.");
}

class NotFinite final : public AffineRule {
 public:
  torch::Tensor apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) override {
    torch::Tensor result = plain_.apply(layer, parameters, x);
    if (found.empty() && !at::isfinite(result).all().item<bool>()) found = layer.name;
    return result;
  }

  std::string found;

 private:
  PlainRule plain_;
};

}  // namespace

torch::Tensor apply_affine(const Affine& layer, const torch::Tensor& weight, const torch::Tensor& bias,
                           const torch::Tensor& x) {
  if (!layer.is_brief || !c10::GradMode::is_enabled()) return product(layer, weight, bias, x);
  const auto brief = [](const torch::Tensor& tensor) { return tensor.to(torch::kBFloat16); };
  const torch::Tensor result = product(layer, brief(weight), {}, brief(x)).to(x.scalar_type());
  const torch::Tensor by_row = bias.unsqueeze(1);
  return result + (layer.kind == Affine::Kind::linear ? by_row : by_row.unsqueeze(3).unsqueeze(4));
}

torch::Tensor PlainRule::apply(const Affine& layer, const Parameters& parameters, const torch::Tensor& x) {
  return apply_affine(layer, parameters[layer.weight], parameters[layer.bias], x);
}

Net::Net(std::vector<Layer> layers, std::int64_t widest) : layers_(std::move(layers)), widest_(widest) {
  std::vector<const Affine*> found = affines();
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto* affine = const_cast<Affine*>(found[i]);  // of layers_, which is ours
    affine->index = i;
    affine->is_last = i + 1 == found.size();
    if (widest == 0) widest_ = std::max({widest_, affine->inputs, affine->outputs});
  }
}

void Net::use_bfloat16() {
  for (const Affine* found : affines()) {
    auto* affine = const_cast<Affine*>(found);  // of layers_, which is ours
    affine->is_brief = !affine->is_last;
  }
}

torch::Tensor Net::forward(const Parameters& parameters, const torch::Tensor& x, AffineRule& rule) const {
  return apply_layers(layers_, parameters, x, rule);
}

torch::Tensor Net::forward(const Parameters& parameters, const torch::Tensor& x) const {
  PlainRule plain;
  return forward(parameters, x, plain);
}

torch::Tensor Net::features(const Parameters& parameters, const torch::Tensor& x, AffineRule& rule) const {
  if (layers_.empty() || layers_.back().kind != Layer::Kind::affine)
    throw Error(ErrorKind::internal, "a net without a last affine layer has no features.");
  torch::Tensor result = x;
  for (std::size_t i = 0; i + 1 < layers_.size(); ++i)
    result = apply_layer(layers_[i], parameters, result, rule);
  return result;
}

std::vector<const Affine*> Net::affines() const {
  std::vector<const Affine*> found;
  collect(layers_, found);
  return found;
}

std::string Net::first_not_finite(const Parameters& parameters, const torch::Tensor& x) const {
  const torch::NoGradGuard no_gradient;
  NotFinite rule;
  forward(parameters, x, rule);
  return rule.found;
}

}  // namespace kullback::deep
