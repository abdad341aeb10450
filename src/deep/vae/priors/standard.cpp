// z ~ N(0, I).
#include <cmath>
#include <numbers>

#include "deep/vae/latent_prior.hpp"

namespace kullback::deep {

namespace {

class Standard final : public LatentPrior {
 public:
  explicit Standard(std::int64_t latent) : latent_(latent) {}

  torch::Tensor log_density(const Vae&, const Parameters&, const torch::Tensor& z) const override {
    return -0.5 * z.square().sum(2) - 0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(latent_);
  }

  torch::Tensor sample(const Vae&, const Parameters& parameters, std::int64_t count,
                       const Noise& noise) const override {
    return noise.normal({count, latent_}, parameters[0].options(), 0);
  }

  bool is_standard() const override { return true; }

 private:
  std::int64_t latent_;
};

}  // namespace

extern const LatentPriorRecord kStandardLatentPrior;
const LatentPriorRecord kStandardLatentPrior{
    .name = "gaussian",
    .summary = "independent standard normal latent variables",
    .use_when = "Start here; samples and maps of the latent variables are easy to read.",
    .citation = "Kingma, Welling 2014, Auto-encoding variational Bayes",
    .options = {},
    .make = [](const OptionValues&, const VaeSpec& spec) -> std::unique_ptr<LatentPrior> {
      return std::make_unique<Standard>(spec.latent);
    }};

}  // namespace kullback::deep
