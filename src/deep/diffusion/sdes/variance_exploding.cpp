// dx = sqrt(d sigma^2 / dt) dw with sigma = a (b / a)^t: alpha = 1 (Song et al. 2021). At t = 0 data have the
// noise a already.
#include <cmath>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "deep/diffusion/sdes/one_block.hpp"

namespace kullback::deep::diffusion {

namespace {

class VarianceExploding final : public Sde {
 public:
  VarianceExploding(double low, double high) : low_(low), high_(high) {}

  Coefficients at(const torch::Tensor& t) const override {
    const double slope = std::log(high_ / low_);
    const torch::Tensor variance = low_ * low_ * at::exp(2 * slope * t);
    return one_block(torch::zeros_like(t), 2 * slope * variance, torch::ones_like(t), variance);
  }
  double t_min() const override { return 0; }
  std::vector<double> prior_variance() const override { return {high_ * high_ + 1}; }

 private:
  double low_, high_;
};

std::unique_ptr<Sde> make(const Settings& settings) {
  const double low = settings.positive("sigma-min"), high = settings.positive("sigma-max");
  if (high <= low)
    throw Error(ErrorKind::usage, filled("--sigma-min {} is not below --sigma-max {}.", low, high),
                "Noise must grow: 0.01 and 50.");
  return std::make_unique<VarianceExploding>(low, high);
}

}  // namespace

extern const SdeRecord k_variance_exploding;
const SdeRecord k_variance_exploding = {.name = "ve",
                                        .summary = "Variance-exploding: noise is added, signal stays",
                                        .options = {{"sigma-min", "0.01", "sd of the noise at the beginning"},
                                                    {"sigma-max", "50", "sd of the noise at the end"}},
                                        .make = make};

}  // namespace kullback::deep::diffusion
