// q(z | x) = N(mean, diag(sd^2)); the encoder gives mean and log sd.
#include <cmath>
#include <numbers>

#include "deep/vae/latent_family.hpp"

namespace kullback::deep {

namespace {

class GaussianPosterior final : public LatentPosterior {
 public:
  GaussianPosterior(torch::Tensor mean, torch::Tensor log_sd)
      : mean_(std::move(mean)), log_sd_(std::move(log_sd)), sd_(log_sd_.exp()) {}

  LatentDraws rsample(std::int64_t samples, const Noise& noise, bool wants_log_q) const override {
    const torch::Tensor standard = noise.normal({samples, mean_.size(0), mean_.size(1)}, mean_.options(), 1);
    LatentDraws draws{.z = at::addcmul(mean_, sd_, standard)};
    // log q(mean + sd e) = log N(e; 0, I) - sum log sd: it depends on the parameters through sd alone.
    if (wants_log_q) draws.log_q = constant() - 0.5 * standard.square().sum(2) - log_sd_.sum(1);
    return draws;
  }

  torch::Tensor log_density(const torch::Tensor& z) const override {
    return constant() - 0.5 * ((z - mean_) / sd_).square().sum(2) - log_sd_.sum(1);
  }

  std::unique_ptr<LatentPosterior> stopped() const override {
    return std::make_unique<GaussianPosterior>(mean_.detach(), log_sd_.detach());
  }

  Moments moments() const override { return {.mean = mean_, .sd = sd_}; }

  torch::Tensor kl_to_standard() const override {
    return (0.5 * (mean_.square() + sd_.square() - 1) - log_sd_).sum(1);
  }

 private:
  double constant() const {
    return -0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(mean_.size(1));
  }

  torch::Tensor mean_, log_sd_, sd_;
};

class GaussianFamily final : public LatentFamily {
 public:
  explicit GaussianFamily(std::int64_t latent) : latent_(latent) {}

  std::int64_t encoder_outputs() const override { return 2 * latent_; }

  std::unique_ptr<LatentPosterior> at(const Parameters&, const torch::Tensor& outputs, Mode) override {
    return std::make_unique<GaussianPosterior>(outputs.narrow(1, 0, latent_),
                                               outputs.narrow(1, latent_, latent_));
  }

 private:
  std::int64_t latent_;
};

}  // namespace

extern const LatentFamilyRecord kGaussianFamily;
const LatentFamilyRecord kGaussianFamily{
    .name = "gaussian",
    .summary = "independent normal latent variables",
    .use_when = "Start here.",
    .citation = "Kingma, Welling 2014, Auto-encoding variational Bayes",
    .options = {},
    .make = [](const Settings&, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      return std::make_unique<GaussianFamily>(spec.latent);
    }};

}  // namespace kullback::deep
