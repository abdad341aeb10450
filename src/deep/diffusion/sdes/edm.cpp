// dx = sqrt(2 t') dw at t' = T t: alpha = 1, sigma = T t (Karras et al. 2022). In t from 0 to 1 that is
// sqrt(2 T^2 t) dw. It ends at sigma = --sigma-min.
#include "deep/diffusion/sdes/growing_noise.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kSigmaMin = NumberOption("sigma_min", 0.002, "Sd of the noise where sampling ends").above(0);
constexpr auto kSigmaMax = NumberOption("sigma_max", 80, "Sd of the noise at the end").above(0);
constexpr const OptionRecord* kOptions[] = {&kSigmaMin, &kSigmaMax};

class Edm final : public GrowingNoise {
 public:
  using GrowingNoise::GrowingNoise;

  double t_min() const override { return sigma().low / sigma().high; }

 private:
  torch::Tensor variance(const torch::Tensor& t) const override { return (sigma().high * t).square(); }
  torch::Tensor variance_rate(const torch::Tensor& t) const override {
    return 2 * sigma().high * sigma().high * t;
  }
};

std::unique_ptr<Sde> make(const OptionValues& values) {
  return std::make_unique<Edm>(sigma_range(values, kSigmaMin, kSigmaMax));
}

}  // namespace

extern const SdeRecord k_edm;
const SdeRecord k_edm = {.name = "edm",
                         .summary = "Variance-exploding, the noise grows linearly in time",
                         .options = kOptions,
                         .make = make};

}  // namespace kullback::deep::diffusion
