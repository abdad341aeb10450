// A probability for each level of each pixel: softmax of as many outputs.
#include "deep/counts.hpp"
#include "deep/vae/decoder_likelihood.hpp"
#include "deep/vae/likelihoods/levels.hpp"

namespace kullback::deep {

namespace {

class Categorical final : public DecoderLikelihood {
 public:
  explicit Categorical(std::int64_t levels) : levels_(levels) {}

  std::int64_t outputs_per_pixel() const override { return levels_; }

  torch::Tensor log_density(const Parameters&, const torch::Tensor& outputs,
                            const torch::Tensor& x) const override {
    const torch::Tensor log_probs = at::log_softmax(by_level(outputs), 2);
    const torch::Tensor level = nearest_level(x, levels_).to(torch::kInt64).unsqueeze(0).unsqueeze(2);
    const torch::Tensor index = level.expand({outputs.size(0), x.size(0), 1, x.size(1)});
    return log_probs.gather(2, index).sum({2, 3});
  }

  torch::Tensor mean(const Parameters&, const torch::Tensor& outputs) const override {
    const torch::Tensor value = torch::linspace(0, 1, levels_, outputs.options()).view({1, 1, levels_, 1});
    return (at::softmax(by_level(outputs), 2) * value).sum(2);
  }

  torch::Tensor sample(const Parameters&, const torch::Tensor& outputs, const Noise& noise) const override {
    const torch::Tensor logits = by_level(outputs);
    const torch::Tensor uniform = noise.uniform(logits.sizes(), logits.options(), 1);
    return choose(logits, uniform, 2).squeeze(2).to(outputs.dtype()) / static_cast<double>(levels_ - 1);
  }

 private:
  // [samples, rows, levels, pixels]
  torch::Tensor by_level(const torch::Tensor& outputs) const {
    return outputs.view({outputs.size(0), outputs.size(1), levels_, -1});
  }

  std::int64_t levels_;
};

constexpr const OptionRecord* kOptions[] = {&kLevels};

}  // namespace

extern const DecoderLikelihoodRecord kCategoricalDecoder;
const DecoderLikelihoodRecord kCategoricalDecoder{
    .name = "categorical",
    .summary = "a probability for each level of a pixel",
    .needs_unit_range = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<DecoderLikelihood> {
      return std::make_unique<Categorical>(count_of(values, kLevels));
    }};

}  // namespace kullback::deep
