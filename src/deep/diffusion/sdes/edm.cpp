// dx = sqrt(2 t') dw at t' = T t: alpha = 1, sigma = T t (Karras et al. 2022). In t from 0 to 1 that is
// sqrt(2 T^2 t) dw. It ends at sigma = --sigma-min.
#include "base/error.hpp"
#include "base/filled.hpp"
#include "deep/diffusion/sdes/one_block.hpp"

namespace kullback::deep::diffusion {

namespace {

class Edm final : public Sde {
 public:
  Edm(double low, double high) : low_(low), high_(high) {}

  Coefficients at(const torch::Tensor& t) const override {
    return one_block(torch::zeros_like(t), 2 * high_ * high_ * t, torch::ones_like(t), (high_ * t).square());
  }
  double t_min() const override { return low_ / high_; }
  std::vector<double> prior_variance() const override { return {high_ * high_ + 1}; }

 private:
  double low_, high_;
};

std::unique_ptr<Sde> make(const Settings& settings) {
  const double low = settings.positive("sigma-min"), high = settings.positive("sigma-max");
  if (high <= low)
    throw Error(ErrorKind::usage, filled("--sigma-min {} is not below --sigma-max {}.", low, high),
                "Noise must grow: 0.002 and 80.");
  return std::make_unique<Edm>(low, high);
}

}  // namespace

extern const SdeRecord k_edm;
const SdeRecord k_edm = {.name = "edm",
                         .summary = "Variance-exploding, the noise grows linearly in time",
                         .options = {{"sigma-min", "0.002", "sd of the noise where sampling ends"},
                                     {"sigma-max", "80", "sd of the noise at the end"}},
                         .make = make};

}  // namespace kullback::deep::diffusion
