// y ~ N(f(x), s^2) with one s for all rows: known, or a parameter log s that starts at log(1/2) of a
// standardised target.
#include <cmath>
#include <numbers>

#include "deep/bnn/likelihood.hpp"

namespace kullback::deep {

namespace {

constexpr double kStartLogNoise = -0.6931471805599453;

class Gaussian final : public Likelihood {
 public:
  explicit Gaussian(double noise) : noise_(noise) {}

  std::int64_t outputs() const override { return 1; }

  void add_slots(Layout& layout) override {
    if (noise_ == 0) slot_ = layout.add({.name = "likelihood.log_noise", .shape = {}});
  }

  torch::Tensor log_density(const Parameters& parameters, const torch::Tensor& outputs,
                            const torch::Tensor& target) const override {
    const torch::Tensor log_noise = this->log_noise(parameters, outputs);
    const torch::Tensor scaled = (target - outputs.squeeze(2)) * at::exp(-log_noise);
    return -0.5 * scaled * scaled - log_noise - 0.5 * std::log(2 * std::numbers::pi);
  }

  Predictive predict(const Parameters& parameters, const torch::Tensor& outputs) const override {
    const torch::Tensor mean = outputs.squeeze(2);
    return {.mean = mean, .variance = at::exp(2 * log_noise(parameters, outputs)).expand_as(mean)};
  }

  torch::Tensor output_hessian(const Parameters& parameters, const torch::Tensor& outputs) const override {
    const torch::Tensor precision = at::exp(-2 * log_noise(parameters, outputs));
    return precision.unsqueeze(2).unsqueeze(3).expand({outputs.size(0), outputs.size(1), 1, 1});
  }

 private:
  // [nets, 1]
  torch::Tensor log_noise(const Parameters& parameters, const torch::Tensor& outputs) const {
    if (noise_ > 0) return torch::full({1, 1}, std::log(noise_), outputs.options());
    return (parameters[slot_] + kStartLogNoise).unsqueeze(1);
  }

  double noise_;
  std::size_t slot_ = 0;
};

}  // namespace

extern const LikelihoodRecord kGaussianLikelihood;
const LikelihoodRecord kGaussianLikelihood{
    .name = "gaussian",
    .summary = "a number with the same noise everywhere",
    .make = [](const LikelihoodSpec& spec) -> std::unique_ptr<Likelihood> {
      return std::make_unique<Gaussian>(spec.noise);
    }};

}  // namespace kullback::deep
