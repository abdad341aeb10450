// Each pixel is 1 with probability sigmoid(output): log p = x * output - softplus(output), also for x between
// 0 and 1 (a lower bound on the mean over binarisations by that probability).
#include "deep/vae/decoder_likelihood.hpp"
#include "deep/vae/fused.hpp"
#include "deep/vae/likelihoods/levels.hpp"

namespace kullback::deep {

namespace {

class Bernoulli final : public DecoderLikelihood {
 public:
  explicit Bernoulli(bool binarises) : binarises_(binarises) {}

  std::int64_t outputs_per_pixel() const override { return 1; }

  torch::Tensor observe(const torch::Tensor& rows, const Noise& noise) const override {
    if (!binarises_) return rows;
    return noise.uniform(rows.sizes(), rows.options(), 0).lt_(rows);  // 0 or 1 in their own type
  }

  torch::Tensor log_density(const Parameters&, const torch::Tensor& outputs,
                            const torch::Tensor& x) const override {
    return log_bernoulli(outputs, x);
  }

  torch::Tensor mean(const Parameters&, const torch::Tensor& outputs) const override {
    return at::sigmoid(outputs);
  }

  torch::Tensor sample(const Parameters&, const torch::Tensor& outputs, const Noise& noise) const override {
    return (noise.uniform(outputs.sizes(), outputs.options(), 1) < at::sigmoid(outputs)).to(outputs.dtype());
  }

  torch::Tensor start_bias(const torch::Tensor& rows) const override {
    return at::logit(rows.mean(0).clamp(1e-3, 1 - 1e-3));
  }

 private:
  bool binarises_;
};

constexpr const OptionRecord* kOptions[] = {&kBinarise};

}  // namespace

extern const DecoderLikelihoodRecord kBernoulliDecoder;
const DecoderLikelihoodRecord kBernoulliDecoder{
    .name = "bernoulli",
    .summary = "pixels that are 0 or 1",
    .needs_unit_range = true,
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<DecoderLikelihood> {
      return std::make_unique<Bernoulli>(values[kBinarise] == Binarise::stochastic);
    }};

}  // namespace kullback::deep
