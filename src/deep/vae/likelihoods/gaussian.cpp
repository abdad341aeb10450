// x ~ N(mean, sd^2) for each pixel. The sd is known, one learned number for all pixels, or an output of the
// decoder for each.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/option_values.hpp"
#include "deep/vae/decoder_likelihood.hpp"

namespace kullback::deep {

namespace {

constexpr auto kNoise = TextOption("noise", "learned",
                                   "Sd of the noise: learned (one for all columns), output (by column and "
                                   "latent variables), or a number");

constexpr double kSmallestLogSd = -7;  // of an output: a pixel that never changes must not rule the bound

enum class Spread { known, learned, output };

class Gaussian final : public DecoderLikelihood {
 public:
  Gaussian(Spread spread, double sd) : spread_(spread), sd_(sd) {}

  std::int64_t outputs_per_pixel() const override { return spread_ == Spread::output ? 2 : 1; }

  void add_slots(Layout& layout) override {
    if (spread_ == Spread::learned) slot_ = layout.add({.name = "likelihood.log_sd", .shape = {}});
  }

  torch::Tensor log_density(const Parameters& parameters, const torch::Tensor& outputs,
                            const torch::Tensor& x) const override {
    const auto pixels = static_cast<double>(x.size(1));
    const double constant = -0.5 * std::log(2 * std::numbers::pi) * pixels;
    const torch::Tensor residual = x - mean(parameters, outputs);
    if (spread_ == Spread::output) {
      const torch::Tensor log_sd = log_sd_output(outputs);
      return constant - (0.5 * (residual * at::exp(-log_sd)).square() + log_sd).sum(2);
    }
    const torch::Tensor squares = residual.square().sum(2);
    if (spread_ == Spread::known) return constant - pixels * std::log(sd_) - squares * (0.5 / (sd_ * sd_));
    const torch::Tensor& log_sd = parameters[slot_];  // [1]
    return constant - pixels * log_sd - 0.5 * squares * at::exp(-2 * log_sd);
  }

  torch::Tensor mean(const Parameters&, const torch::Tensor& outputs) const override {
    return spread_ == Spread::output ? outputs.narrow(2, 0, outputs.size(2) / 2) : outputs;
  }

  torch::Tensor sample(const Parameters& parameters, const torch::Tensor& outputs,
                       const Noise& noise) const override {
    const torch::Tensor center = mean(parameters, outputs);
    const torch::Tensor standard = noise.normal(center.sizes(), center.options(), 1);
    if (spread_ == Spread::output) return center + at::exp(log_sd_output(outputs)) * standard;
    if (spread_ == Spread::known) return center + sd_ * standard;
    return center + at::exp(parameters[slot_]) * standard;
  }

  torch::Tensor start_bias(const torch::Tensor& rows) const override {
    const torch::Tensor center = rows.mean(0);
    return spread_ == Spread::output ? at::cat({center, torch::zeros_like(center)}) : center;
  }

 private:
  static torch::Tensor log_sd_output(const torch::Tensor& outputs) {
    const std::int64_t pixels = outputs.size(2) / 2;
    return outputs.narrow(2, pixels, pixels).clamp_min(kSmallestLogSd);
  }

  Spread spread_;
  double sd_;
  std::size_t slot_ = 0;
};

constexpr const OptionRecord* kOptions[] = {&kNoise};

}  // namespace

extern const DecoderLikelihoodRecord kGaussianDecoder;
const DecoderLikelihoodRecord kGaussianDecoder{
    .name = "gaussian",
    .summary = "numbers with normal noise",
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<DecoderLikelihood> {
      const std::string_view noise = values[kNoise];
      if (noise == "learned") return std::make_unique<Gaussian>(Spread::learned, 0);
      if (noise == "output") return std::make_unique<Gaussian>(Spread::output, 0);
      const auto sd = read_number(noise);
      if (!sd || !(*sd > 0) || !std::isfinite(*sd))
        throw Error(ErrorKind::usage,
                    fmt::format("--noise is '{}'; it must be learned, output or a number above 0.", noise),
                    "learned is the default.");
      return std::make_unique<Gaussian>(Spread::known, *sd);
    }};

}  // namespace kullback::deep
