// y ~ N(f(x), exp(v(x))): the network has a second output, raw, for the log variance (Nix & Weigend 1994). It
// is bounded, v = v0 + 10 tanh(raw / 10) with v0 = 2 log(1/2) of a standardised target, as gaussian.cpp
// starts: a wild step leaves finite numbers. Fisher's information of (f, raw) is diag(exp(-v), (dv/draw)^2 /
// 2).
#include <cmath>
#include <numbers>

#include "deep/bnn/likelihood.hpp"

namespace kullback::deep {

namespace {

constexpr double kStartLogVariance = -1.3862943611198906;
constexpr double kBound = 10;

class Heteroscedastic final : public Likelihood {
 public:
  std::int64_t outputs() const override { return 2; }

  torch::Tensor log_density(const Parameters&, const torch::Tensor& outputs,
                            const torch::Tensor& target) const override {
    const torch::Tensor log_variance = this->log_variance(outputs);
    const torch::Tensor difference = target - outputs.select(2, 0);
    return -0.5 *
           (difference * difference * at::exp(-log_variance) + log_variance + std::log(2 * std::numbers::pi));
  }

  Predictive predict(const Parameters&, const torch::Tensor& outputs) const override {
    return {.mean = outputs.select(2, 0), .variance = at::exp(log_variance(outputs))};
  }

  torch::Tensor output_hessian(const Parameters&, const torch::Tensor& outputs) const override {
    const torch::Tensor slope = 1 - at::tanh(outputs.select(2, 1) / kBound).square();
    return at::diag_embed(at::stack({at::exp(-log_variance(outputs)), 0.5 * slope * slope}, 2));
  }

 private:
  static torch::Tensor log_variance(const torch::Tensor& outputs) {
    return kStartLogVariance + kBound * at::tanh(outputs.select(2, 1) / kBound);
  }
};

}  // namespace

extern const LikelihoodRecord kHeteroscedasticLikelihood;
const LikelihoodRecord kHeteroscedasticLikelihood{
    .name = "heteroscedastic",
    .summary = "a number whose noise depends on the inputs",
    .make = [](const LikelihoodSpec&) -> std::unique_ptr<Likelihood> {
      return std::make_unique<Heteroscedastic>();
    }};

}  // namespace kullback::deep
