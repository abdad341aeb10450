// A small U-net: at each resolution a residual block of two convolutions with group normalisation, scaled and
// shifted by the embedded noise level and label; images are halved on the way down (average pooling), doubled
// on the way up (nearest neighbours), where the block sees what the way down had there.
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/diffusion/score_net.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kEmbedding = 128;
constexpr std::int64_t kGroups = 8;
constexpr double kNothing = 1e-2;  // gain of what begins almost as 0

struct Convolution {
  std::size_t weight = 0, bias = 0;
  std::int64_t padding = 1;
};

struct Dense {
  std::size_t weight = 0, bias = 0;
};

struct Block {
  std::int64_t inputs = 0, outputs = 0;
  Convolution first, second, skip;  // skip: 1 x 1, where the channels change
  Dense shift;                      // embedding to scale and shift
};

class Unet final : public ScoreNet {
 public:
  Unet(Layout& layout, const NetSpec& spec) : layout_(&layout), spec_(spec) {
    const std::vector<std::int64_t>& filters = spec.filters;
    embed_first_ = dense("embed.1", 2 * kFrequencies + 1 + spec.labels, kEmbedding);
    embed_second_ = dense("embed.2", kEmbedding, kEmbedding);
    enter_ = convolution("enter", spec.inputs / (spec.height * spec.width), filters.front(), 3, 1);
    std::int64_t channels = filters.front();
    for (std::size_t i = 0; i < filters.size(); ++i) {
      down_.push_back(block(fmt::format("down.{}", i + 1), channels, filters[i]));
      channels = filters[i];
    }
    middle_ = block("middle", channels, channels);
    for (std::size_t i = filters.size(); i-- > 0;) {
      up_.push_back(block(fmt::format("up.{}", filters.size() - i), channels + filters[i], filters[i]));
      channels = filters[i];
    }
    leave_ = convolution("leave", channels, spec.channels, 3, kNothing);
    layout_ = nullptr;
  }

  torch::Tensor forward(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& c,
                        const torch::Tensor& label) const override {
    std::vector<torch::Tensor> parts = {c.unsqueeze(1), embed(c)};
    if (label.defined()) parts.push_back(label);
    const torch::Tensor hidden = at::silu(apply(parameters, embed_first_, at::cat(parts, 1)));
    const torch::Tensor embedding = at::silu(apply(parameters, embed_second_, hidden));
    torch::Tensor y = convolve(parameters, enter_, x.view({x.size(0), -1, spec_.height, spec_.width}));
    std::vector<torch::Tensor> kept;
    for (std::size_t i = 0; i < down_.size(); ++i) {
      if (i > 0) y = at::avg_pool2d(y, 2);
      y = apply(parameters, down_[i], y, embedding);
      kept.push_back(y);
    }
    y = apply(parameters, middle_, y, embedding);
    for (std::size_t i = 0; i < up_.size(); ++i) {
      const torch::Tensor& beside = kept[kept.size() - 1 - i];
      if (i > 0) y = at::upsample_nearest2d(y, {beside.size(2), beside.size(3)});
      y = apply(parameters, up_[i], at::cat({y, beside}, 1), embedding);
    }
    return convolve(parameters, leave_, at::silu(normalised(y))).flatten(1);
  }

 private:
  Convolution convolution(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                          std::int64_t kernel, double gain) {
    Convolution result{.weight = 0, .bias = 0, .padding = kernel / 2};
    const std::int64_t fan = inputs * kernel * kernel;
    result.weight = layout_->add({.name = name + ".weight",
                                  .shape = {outputs, inputs, kernel, kernel},
                                  .role = Role::weight,
                                  .fan_in = fan,
                                  .gain = gain});
    result.bias =
        layout_->add({.name = name + ".bias", .shape = {outputs}, .role = Role::bias, .fan_in = fan});
    return result;
  }

  Dense dense(const std::string& name, std::int64_t inputs, std::int64_t outputs, double gain = 1.5) {
    Dense result;
    result.weight = layout_->add({.name = name + ".weight",
                                  .shape = {outputs, inputs},
                                  .role = Role::weight,
                                  .fan_in = inputs,
                                  .gain = gain});
    result.bias =
        layout_->add({.name = name + ".bias", .shape = {outputs}, .role = Role::bias, .fan_in = inputs});
    return result;
  }

  Block block(const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    Block result{.inputs = inputs, .outputs = outputs, .first = {}, .second = {}, .skip = {}, .shift = {}};
    result.first = convolution(name + ".1", inputs, outputs, 3, 1.5);
    result.second = convolution(name + ".2", outputs, outputs, 3, kNothing);
    result.shift = dense(name + ".shift", kEmbedding, 2 * outputs, 0.5);
    if (inputs != outputs) result.skip = convolution(name + ".skip", inputs, outputs, 1, 1);
    return result;
  }

  static torch::Tensor apply(const Parameters& p, const Dense& layer, const torch::Tensor& x) {
    return at::linear(x, p[layer.weight].squeeze(0), p[layer.bias].squeeze(0));
  }

  static torch::Tensor convolve(const Parameters& p, const Convolution& layer, const torch::Tensor& x) {
    return at::conv2d(x, p[layer.weight].squeeze(0), p[layer.bias].squeeze(0), 1, layer.padding);
  }

  static torch::Tensor normalised(const torch::Tensor& x) {
    const std::int64_t groups = x.size(1) % kGroups == 0 ? kGroups : 1;
    return at::group_norm(x, groups);
  }

  static torch::Tensor apply(const Parameters& p, const Block& b, const torch::Tensor& x,
                             const torch::Tensor& embedding) {
    const torch::Tensor y = convolve(p, b.first, at::silu(normalised(x)));
    const std::vector<torch::Tensor> both =
        apply(p, b.shift, embedding).view({x.size(0), 2 * b.outputs, 1, 1}).chunk(2, 1);
    const torch::Tensor shifted = normalised(y) * (1 + both[0]) + both[1];
    const torch::Tensor change = convolve(p, b.second, at::silu(shifted));
    return change + (b.inputs == b.outputs ? x : convolve(p, b.skip, x));
  }

  Layout* layout_;  // only while it is built
  NetSpec spec_;
  Dense embed_first_, embed_second_;
  Convolution enter_, leave_;
  std::vector<Block> down_, up_;
  Block middle_;
};

}  // namespace

std::unique_ptr<ScoreNet> make_unet(Layout& layout, const NetSpec& spec) {
  if (!spec.is_image())
    throw Error(ErrorKind::usage, "--architecture unet needs images, and these rows are none.",
                "Give --image HEIGHTxWIDTH, or --architecture mlp.");
  const std::int64_t unit = std::int64_t{1} << (spec.filters.size() - 1);
  if (spec.filters.empty() || spec.height % unit != 0 || spec.width % unit != 0)
    throw Error(
        ErrorKind::usage,
        fmt::format("images of {} x {} cannot be halved {} times.", spec.height, spec.width,
                    spec.filters.empty() ? 0 : spec.filters.size() - 1),
        "Give fewer numbers in --filters (between two of them the image is halved), or --architecture "
        "mlp.");
  return std::make_unique<Unet>(layout, spec);
}

}  // namespace kullback::deep::diffusion
