// dx = -beta x / 2 dt + sqrt(beta) dw: alpha = exp(-B / 2), sigma^2 = 1 - exp(-B), B the integral of beta
// (Song et al. 2021). Data with variance 1 keep it.
#include "deep/diffusion/sdes/one_block.hpp"
#include "deep/diffusion/sdes/rate.hpp"

namespace kullback::deep::diffusion {

namespace {

class VariancePreserving final : public Sde {
 public:
  explicit VariancePreserving(std::unique_ptr<Rate> rate) : rate_(std::move(rate)) {}

  Coefficients at(const torch::Tensor& t) const override {
    const torch::Tensor beta = rate_->at(t), whole = rate_->integral(t);
    return one_block(beta / -2, beta, at::exp(whole / -2), -at::expm1(-whole));
  }

 private:
  std::unique_ptr<Rate> rate_;
};

}  // namespace

extern const SdeRecord k_variance_preserving;
const SdeRecord k_variance_preserving = {.name = "vp",
                                         .summary = "Variance-preserving: signal fades as noise comes",
                                         .options = kRateOptions,
                                         .make = [](const OptionValues& values) -> std::unique_ptr<Sde> {
                                           return std::make_unique<VariancePreserving>(rate_of(values));
                                         }};

}  // namespace kullback::deep::diffusion
