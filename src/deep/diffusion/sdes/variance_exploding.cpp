// dx = sqrt(d sigma^2 / dt) dw with sigma = a (b / a)^t: alpha = 1 (Song et al. 2021). At t = 0 data have the
// noise a already.
#include <cmath>

#include "deep/diffusion/sdes/growing_noise.hpp"

namespace kullback::deep::diffusion {

namespace {

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

std::unique_ptr<Sde> make(const Settings& settings) {
  return std::make_unique<VarianceExploding>(sigma_range(settings, "0.01 and 50"));
}

}  // namespace

extern const SdeRecord k_variance_exploding;
const SdeRecord k_variance_exploding = {.name = "ve",
                                        .summary = "Variance-exploding: noise is added, signal stays",
                                        .options = {{"sigma-min", "0.01", "sd of the noise at the beginning"},
                                                    {"sigma-max", "50", "sd of the noise at the end"}},
                                        .make = make};

}  // namespace kullback::deep::diffusion
