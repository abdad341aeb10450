// Levels of a pixel as intervals of a logistic distribution, or of a mixture of them (Kingma et al. 2016;
// Salimans et al. 2017): P(level) = F((x + h - m) / s) - F((x - h - m) / s) with half the spacing h, and all
// of the tails at 0 and 1. With a and b the two arguments,
//   F(a) - F(b) = F(a) F(-b) (1 - exp(b - a)),
// whose logarithm is exact in both tails; the first factor is 1 at the last level, the second at the first.
#include <cmath>

#include "deep/counts.hpp"
#include "deep/vae/decoder_likelihood.hpp"
#include "deep/vae/likelihoods/levels.hpp"

namespace kullback::deep {

namespace {

constexpr auto kComponents =
    CountOption("components", 1, "Logistic distributions mixed for each pixel").from(1).to(100);

constexpr double kSmallestLogScale = -7;
constexpr double kStartLogScale = -2;

class DiscretisedLogistic final : public DecoderLikelihood {
 public:
  DiscretisedLogistic(std::int64_t components, std::int64_t levels)
      : components_(components), levels_(levels), half_(0.5 / static_cast<double>(levels - 1)) {}

  std::int64_t outputs_per_pixel() const override { return components_ == 1 ? 2 : 3 * components_; }

  torch::Tensor log_density(const Parameters&, const torch::Tensor& outputs,
                            const torch::Tensor& x) const override {
    const torch::Tensor center = block(outputs, 0), log_scale = log_scales(outputs);
    const torch::Tensor level = x.unsqueeze(0).unsqueeze(2);  // [1, rows, 1, pixels]
    const torch::Tensor rate = at::exp(-log_scale);
    const torch::Tensor above = (level + half_ - center) * rate, below = (level - half_ - center) * rate;
    const torch::Tensor is_first = level<half_, is_last = level> 1 - half_;
    const torch::Tensor zero = torch::zeros({}, outputs.options());
    const torch::Tensor log_width = at::log(-at::expm1(rate * (-2 * half_)));
    torch::Tensor log_probs = at::where(is_last, zero, -at::softplus(-above)) +
                              at::where(is_first, zero, -at::softplus(below)) +
                              at::where(at::logical_or(is_first, is_last), zero, log_width);
    if (components_ > 1)
      log_probs = at::logsumexp(log_probs + at::log_softmax(block(outputs, 2), 2), {2}, true);
    return log_probs.sum({2, 3});
  }

  torch::Tensor mean(const Parameters&, const torch::Tensor& outputs) const override {
    const torch::Tensor center = block(outputs, 0).clamp(0, 1);
    if (components_ == 1) return center.squeeze(2);
    return (at::softmax(block(outputs, 2), 2) * center).sum(2);
  }

  torch::Tensor sample(const Parameters&, const torch::Tensor& outputs, const Noise& noise) const override {
    torch::Tensor center = block(outputs, 0), log_scale = log_scales(outputs);
    if (components_ > 1) {
      const torch::Tensor weights = block(outputs, 2);
      const torch::Tensor chosen = choose(weights, noise.uniform(weights.sizes(), weights.options(), 1), 2);
      center = center.gather(2, chosen);
      log_scale = log_scale.gather(2, chosen);
    }
    const torch::Tensor uniform = noise.uniform(center.sizes(), center.options(), 1).clamp(1e-7, 1 - 1e-7);
    const torch::Tensor value = center + at::exp(log_scale) * at::logit(uniform);
    return nearest_level(value.squeeze(2), levels_) / static_cast<double>(levels_ - 1);
  }

  // Components start at equal distances around the mean.
  torch::Tensor start_bias(const torch::Tensor& rows) const override {
    const torch::Tensor mean = rows.mean(0);
    std::vector<torch::Tensor> blocks;
    for (std::int64_t i = 0; i < components_; ++i) {
      const double place = (static_cast<double>(i) + 0.5) / static_cast<double>(components_) - 0.5;
      blocks.push_back(components_ == 1 ? mean : mean + place);
    }
    blocks.push_back(torch::full({components_ * mean.size(0)}, kStartLogScale, rows.options()));
    if (components_ > 1) blocks.push_back(torch::zeros({components_ * mean.size(0)}, rows.options()));
    return at::cat(blocks);
  }

 private:
  // Centers, logs of scales, logits of weights: [samples, rows, components, pixels].
  torch::Tensor block(const torch::Tensor& outputs, std::int64_t kind) const {
    return outputs.view({outputs.size(0), outputs.size(1), outputs_per_pixel(), -1})
        .narrow(2, kind * components_, components_);
  }

  torch::Tensor log_scales(const torch::Tensor& outputs) const {
    return block(outputs, 1).clamp_min(kSmallestLogScale);
  }

  std::int64_t components_, levels_;
  double half_;
};

constexpr const OptionRecord* kOptions[] = {&kLevels, &kComponents};

}  // namespace

extern const DecoderLikelihoodRecord kDiscretisedLogisticDecoder;
const DecoderLikelihoodRecord kDiscretisedLogisticDecoder{
    .name = "discretised-logistic",
    .summary = "levels of a pixel as intervals of logistic distributions",
    .needs_unit_range = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<DecoderLikelihood> {
      return std::make_unique<DiscretisedLogistic>(count_of(values, kComponents), count_of(values, kLevels));
    }};

}  // namespace kullback::deep
