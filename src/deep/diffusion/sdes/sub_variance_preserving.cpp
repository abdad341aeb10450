// dx = -beta x / 2 dt + sqrt(beta (1 - exp(-2 B))) dw: alpha = exp(-B / 2), sigma = 1 - exp(-B), never above
// that of the variance-preserving SDE (Song et al. 2021).
#include "deep/diffusion/sdes/one_block.hpp"
#include "deep/diffusion/sdes/rate.hpp"

namespace kullback::deep::diffusion {

namespace {

class SubVariancePreserving final : public Sde {
 public:
  explicit SubVariancePreserving(std::unique_ptr<Rate> rate) : rate_(std::move(rate)) {}

  Coefficients at(const torch::Tensor& t) const override {
    const torch::Tensor beta = rate_->at(t), whole = rate_->integral(t);
    return one_block(beta / -2, -beta * at::expm1(-2 * whole), at::exp(whole / -2),
                     at::expm1(-whole).square());
  }

 private:
  std::unique_ptr<Rate> rate_;
};

}  // namespace

extern const SdeRecord k_sub_variance_preserving;
const SdeRecord k_sub_variance_preserving = {
    .name = "sub-vp",
    .summary = "Less noise than vp on the way to the same end",
    .options = kRateOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Sde> {
      return std::make_unique<SubVariancePreserving>(rate_of(values));
    }};

}  // namespace kullback::deep::diffusion
