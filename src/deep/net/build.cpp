#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "deep/net/net.hpp"

namespace kullback::deep {

namespace {

class Builder final {
 public:
  Builder(Layout& layout, std::string prefix, Activation activation)
      : layout_(layout), prefix_(std::move(prefix)), activation_(activation) {}

  // `is_output`: no activation follows, so fresh weights keep the size of what they sum.
  Layer linear(std::int64_t inputs, std::int64_t outputs, bool is_output) {
    Affine affine{.kind = Affine::Kind::linear, .inputs = inputs, .outputs = outputs};
    return slots_for(affine, {outputs, inputs}, inputs, is_output);
  }

  Layer conv(std::int64_t inputs, std::int64_t outputs, std::int64_t kernel) {
    Affine affine{.kind = Affine::Kind::conv,
                  .inputs = inputs,
                  .outputs = outputs,
                  .kernel = kernel,
                  .padding = kernel / 2};
    return slots_for(affine, {outputs, inputs, kernel, kernel}, inputs * kernel * kernel, false);
  }

  Layer activation() const { return {.kind = Layer::Kind::activation, .activation = activation_}; }

 private:
  Layer slots_for(Affine affine, std::vector<std::int64_t> shape, std::int64_t fan_in, bool is_output) {
    affine.name = prefix_ + "." + std::to_string(++count_);
    const double gain = is_output ? 1 : gain_of(activation_);
    affine.weight = layout_.add({.name = affine.name + ".weight",
                                 .shape = std::move(shape),
                                 .role = Role::weight,
                                 .fan_in = fan_in,
                                 .gain = gain});
    affine.bias = layout_.add(
        {.name = affine.name + ".bias", .shape = {affine.outputs}, .role = Role::bias, .fan_in = fan_in});
    return {.kind = Layer::Kind::affine, .affine = std::move(affine)};
  }

  Layout& layout_;
  std::string prefix_;
  Activation activation_;
  int count_ = 0;
};

void add_hidden(std::vector<Layer>& layers, Builder& builder, std::int64_t& inputs,
                const std::vector<std::int64_t>& hidden, bool is_residual) {
  for (const std::int64_t units : hidden) {
    std::vector<Layer> block = {builder.linear(inputs, units, false), builder.activation()};
    if (is_residual && units == inputs) {
      layers.push_back({.kind = Layer::Kind::residual, .inner = std::move(block)});
    } else {
      for (Layer& layer : block) layers.push_back(std::move(layer));
    }
    inputs = units;
  }
}

}  // namespace

Net mlp(Layout& layout, const std::string& prefix, const MlpSpec& spec) {
  Builder builder(layout, prefix, spec.activation);
  std::vector<Layer> layers;
  std::int64_t inputs = spec.inputs;
  add_hidden(layers, builder, inputs, spec.hidden, spec.is_residual);
  layers.push_back(builder.linear(inputs, spec.outputs, true));
  return Net(std::move(layers));
}

Net conv_net(Layout& layout, const std::string& prefix, const ConvSpec& spec) {
  Builder builder(layout, prefix, spec.activation);
  std::vector<Layer> layers = {
      {.kind = Layer::Kind::reshape, .shape = {spec.channels, spec.height, spec.width}}};
  std::int64_t channels = spec.channels, height = spec.height, width = spec.width;
  std::int64_t widest = channels * height * width;
  for (const std::int64_t filters : spec.filters) {
    if (height < 2 || width < 2) {
      throw Error(ErrorKind::usage,
                  "images of " + std::to_string(spec.height) + " x " + std::to_string(spec.width) +
                      " are too small for " + std::to_string(spec.filters.size()) +
                      " convolutions with pooling.",
                  "Give fewer of them.");
    }
    layers.push_back(builder.conv(channels, filters, spec.kernel));
    widest = std::max(widest, height * width * std::max(channels * spec.kernel * spec.kernel, filters));
    layers.push_back(builder.activation());
    layers.push_back({.kind = Layer::Kind::max_pool});
    channels = filters;
    height /= 2;
    width /= 2;
  }
  std::int64_t inputs = channels * height * width;
  layers.push_back({.kind = Layer::Kind::reshape, .shape = {inputs}});
  for (const std::int64_t units : spec.hidden) widest = std::max(widest, units);
  add_hidden(layers, builder, inputs, spec.hidden, false);
  layers.push_back(builder.linear(inputs, spec.outputs, true));
  return Net(std::move(layers), widest);
}

}  // namespace kullback::deep
