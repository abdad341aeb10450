// dx = sqrt(d sigma^2 / dt) dw with sigma = a (b / a)^t: alpha = 1 (Song et al. 2021). At t = 0 data have the
// noise a already.
#include <cmath>

#include "deep/diffusion/sdes/growing_noise.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kSigmaMin = NumberOption("sigma_min", 0.01, "Sd of the noise at the beginning").above(0);
constexpr auto kSigmaMax = NumberOption("sigma_max", 50, "Sd of the noise at the end").above(0);
constexpr const OptionRecord* kOptions[] = {&kSigmaMin, &kSigmaMax};

class VarianceExploding final : public GrowingNoise {
 public:
  using GrowingNoise::GrowingNoise;

  double t_min() const override { return 0; }

 private:
  double slope() const { return std::log(sigma().high / sigma().low); }
  torch::Tensor variance(const torch::Tensor& t) const override {
    return sigma().low * sigma().low * at::exp(2 * slope() * t);
  }
  torch::Tensor variance_rate(const torch::Tensor& t) const override { return 2 * slope() * variance(t); }
};

std::unique_ptr<Sde> make(const OptionValues& values) {
  return std::make_unique<VarianceExploding>(sigma_range(values, kSigmaMin, kSigmaMax));
}

}  // namespace

extern const SdeRecord k_variance_exploding;
const SdeRecord k_variance_exploding = {.name = "ve",
                                        .summary = "Variance-exploding: noise is added, signal stays",
                                        .options = kOptions,
                                        .make = make};

}  // namespace kullback::deep::diffusion
