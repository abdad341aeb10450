// Convolutional: each convolution (kernel 4, stride 2) halves the image, and a transposed one of the decoder
// doubles it again; residual ones have a block x + f(x) of two convolutions (kernel 3) after each.
#include "deep/vae/networks.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kHalving = 4;  // kernel; with stride 2 and padding 1 it halves and doubles exactly
constexpr double kGentle = 0.5;       // gain of the last convolution of a residual block

class Builder final {
 public:
  Builder(Layout& layout, std::string prefix, Activation activation)
      : layout_(layout), prefix_(std::move(prefix)), activation_(activation) {}

  void linear(std::int64_t inputs, std::int64_t outputs, bool is_output) {
    const Affine affine{.kind = Affine::Kind::linear, .inputs = inputs, .outputs = outputs};
    add(affine, {outputs, inputs}, inputs, is_output ? 1 : gain_of(activation_));
    if (!is_output) activate();
  }

  void halve(std::int64_t inputs, std::int64_t outputs) {
    const Affine affine{.kind = Affine::Kind::conv,
                        .inputs = inputs,
                        .outputs = outputs,
                        .kernel = kHalving,
                        .stride = 2,
                        .padding = 1};
    add(affine, {outputs, inputs, kHalving, kHalving}, inputs * kHalving * kHalving, gain_of(activation_));
    activate();
  }

  // A pixel of the result sums over a quarter of the kernel.
  void double_size(std::int64_t inputs, std::int64_t outputs, bool is_output) {
    const Affine affine{.kind = Affine::Kind::conv_transpose,
                        .inputs = inputs,
                        .outputs = outputs,
                        .kernel = kHalving,
                        .stride = 2,
                        .padding = 1};
    add(affine, {inputs, outputs, kHalving, kHalving}, inputs * kHalving * kHalving / 4,
        is_output ? 1 : gain_of(activation_));
    if (!is_output) activate();
  }

  void residual_block(std::int64_t channels) {
    std::vector<Layer> outside = std::move(layers_);
    layers_.clear();
    same(channels, gain_of(activation_));
    activate();
    same(channels, kGentle);
    Layer block{.kind = Layer::Kind::residual, .inner = std::move(layers_)};
    layers_ = std::move(outside);
    layers_.push_back(std::move(block));
  }

  void reshape(std::vector<std::int64_t> shape) {
    layers_.push_back({.kind = Layer::Kind::reshape, .shape = std::move(shape)});
  }

  Net net() { return Net(std::move(layers_)); }

 private:
  void same(std::int64_t channels, double gain) {
    const Affine affine{
        .kind = Affine::Kind::conv, .inputs = channels, .outputs = channels, .kernel = 3, .padding = 1};
    add(affine, {channels, channels, 3, 3}, channels * 9, gain);
  }

  void activate() { layers_.push_back({.kind = Layer::Kind::activation, .activation = activation_}); }

  void add(Affine affine, std::vector<std::int64_t> shape, std::int64_t fan_in, double gain) {
    affine.name = prefix_ + "." + std::to_string(++count_);
    affine.weight = layout_.add({.name = affine.name + ".weight",
                                 .shape = std::move(shape),
                                 .role = Role::weight,
                                 .fan_in = fan_in,
                                 .gain = gain});
    affine.bias = layout_.add(
        {.name = affine.name + ".bias", .shape = {affine.outputs}, .role = Role::bias, .fan_in = fan_in});
    layers_.push_back({.kind = Layer::Kind::affine, .affine = std::move(affine)});
  }

  Layout& layout_;
  std::string prefix_;
  Activation activation_;
  std::vector<Layer> layers_ = {};
  int count_ = 0;
};

bool has_convolutions(const VaeSpec& spec) {
  return spec.architecture != Architecture::mlp && spec.is_image();
}

void check_sizes(const VaeSpec& spec) {
  const std::int64_t unit = std::int64_t{1} << spec.filters.size();
  if (spec.height % unit == 0 && spec.width % unit == 0 && !spec.filters.empty()) return;
  throw Error(ErrorKind::usage,
              "images of " + std::to_string(spec.height) + " x " + std::to_string(spec.width) +
                  " cannot be halved " + std::to_string(spec.filters.size()) + " times.",
              "Give fewer or more numbers in --filters (each halves the image), or --architecture mlp.");
}

MlpSpec perceptron(const VaeSpec& spec, std::int64_t inputs, std::vector<std::int64_t> hidden,
                   std::int64_t outputs) {
  return {.inputs = inputs,
          .hidden = std::move(hidden),
          .outputs = outputs,
          .activation = spec.activation,
          .is_residual = spec.architecture == Architecture::residual};
}

std::vector<std::int64_t> reversed(std::vector<std::int64_t> numbers) {
  std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

std::int64_t label_inputs(const VaeSpec& spec) {
  return has_convolutions(spec) ? spec.labels * spec.height * spec.width : spec.labels;
}

Net encoder_net(Layout& layout, const VaeSpec& spec, std::int64_t outputs) {
  if (!has_convolutions(spec))
    return mlp(layout, "encoder", perceptron(spec, spec.pixels + spec.labels, spec.hidden, outputs));
  check_sizes(spec);
  Builder builder(layout, "encoder", spec.activation);
  builder.reshape({spec.channels + spec.labels, spec.height, spec.width});
  std::int64_t channels = spec.channels + spec.labels, shrink = 1;
  for (const std::int64_t filters : spec.filters) {
    builder.halve(channels, filters);
    if (spec.architecture == Architecture::residual) builder.residual_block(filters);
    channels = filters;
    shrink *= 2;
  }
  std::int64_t inputs = channels * (spec.height / shrink) * (spec.width / shrink);
  builder.reshape({inputs});
  for (const std::int64_t units : spec.hidden) {
    builder.linear(inputs, units, false);
    inputs = units;
  }
  builder.linear(inputs, outputs, true);
  return builder.net();
}

Net decoder_net(Layout& layout, const VaeSpec& spec, std::int64_t latent, std::int64_t outputs_per_pixel) {
  if (!has_convolutions(spec))
    return mlp(
        layout, "decoder",
        perceptron(spec, latent + spec.labels, reversed(spec.hidden), outputs_per_pixel * spec.pixels));
  check_sizes(spec);
  Builder builder(layout, "decoder", spec.activation);
  std::int64_t inputs = latent + spec.labels;
  for (const std::int64_t units : reversed(spec.hidden)) {
    builder.linear(inputs, units, false);
    inputs = units;
  }
  const std::int64_t shrink = std::int64_t{1} << spec.filters.size();
  const std::int64_t height = spec.height / shrink, width = spec.width / shrink;
  std::int64_t channels = spec.filters.back();
  builder.linear(inputs, channels * height * width, false);
  builder.reshape({channels, height, width});
  for (std::size_t i = spec.filters.size(); i-- > 0;) {
    if (spec.architecture == Architecture::residual) builder.residual_block(channels);
    const std::int64_t next = i == 0 ? outputs_per_pixel * spec.channels : spec.filters[i - 1];
    builder.double_size(channels, next, i == 0);
    channels = next;
  }
  builder.reshape({outputs_per_pixel * spec.pixels});
  return builder.net();
}

}  // namespace kullback::deep
