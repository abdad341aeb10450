// q(z | x) = N(mean, diag(sd^2)); the encoder gives mean and log sd. Two floors under the divergence from the
// standard normal prior keep latent variables in use. With d nats for each of them:
//   delta (Razavi et al. 2019): sd in (low, high) and mean^2 >= 2 d + 1 + log sd^2 - sd^2, so that
//     KL = (mean^2 + sd^2 - 1 - log sd^2) / 2 >= d for every row;
//   batch-norm (Zhu et al. 2020): means are normalised over the minibatch to variance 2 d around a learned
//   shift,
//     so that the mean of KL over the rows is at least d.
#include <cmath>
#include <numbers>

#include "deep/vae/fused.hpp"
#include "deep/vae/latent_family.hpp"

namespace kullback::deep {

namespace {

constexpr double kLowestSd = 0.05;  // delta
constexpr double kHighestSd = 1;
constexpr double kMomentum = 0.1;  // batch-norm: of the running averages
constexpr double kSmall = 1e-5;

class GaussianPosterior final : public LatentPosterior {
 public:
  GaussianPosterior(torch::Tensor mean, torch::Tensor log_sd)
      : mean_(std::move(mean)), log_sd_(std::move(log_sd)), sd_(log_sd_.exp()) {}

  LatentDraws rsample(std::int64_t samples, const Noise& noise, bool wants_log_q) const override {
    const torch::Tensor standard = noise.normal({samples, mean_.size(0), mean_.size(1)}, mean_.options(), 1);
    // Without the first dimension where it has one draw: what has been broadcast is summed on the way back.
    LatentDraws draws{.z = samples == 1 ? at::addcmul(mean_, sd_, standard.squeeze(0)).unsqueeze(0)
                                        : at::addcmul(mean_, sd_, standard)};
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

  torch::Tensor kl_to_standard() const override { return kl_to_standard_normal(mean_, log_sd_, sd_); }

 private:
  double constant() const {
    return -0.5 * std::log(2 * std::numbers::pi) * static_cast<double>(mean_.size(1));
  }

  torch::Tensor mean_, log_sd_, sd_;
};

enum class Floor { none, delta, batch_norm };
constexpr auto kFloor =
    ChoiceOption("floor", Floor::none, "none|delta|batch-norm", "Against unused latent variables");
constexpr auto kFloorNats =
    NumberOption("floor_nats", 1, "Least divergence from the prior of all latent variables together")
        .above(0);

class GaussianFamily final : public LatentFamily {
 public:
  GaussianFamily(std::int64_t latent, Floor floor, double nats)
      : latent_(latent), floor_(floor), nats_(nats / static_cast<double>(latent)) {}

  std::int64_t encoder_outputs() const override { return 2 * latent_; }
  bool mixes_rows() const override { return floor_ == Floor::batch_norm; }

  // The running averages are slots without a gradient: they are saved and loaded with all else. That of the
  // variance is kept less 1.
  void add_slots(Layout& layout) override {
    if (floor_ != Floor::batch_norm) return;
    shift_ = layout.add({.name = "floor.shift", .shape = {latent_}});
    running_mean_ = layout.add({.name = "floor.running_mean", .shape = {latent_}});
    running_variance_ = layout.add({.name = "floor.running_variance_less_1", .shape = {latent_}});
  }

  std::unique_ptr<LatentPosterior> at(const Parameters& parameters, const torch::Tensor& outputs,
                                      Mode mode) override {
    const std::vector<torch::Tensor> halves = outputs.split(latent_, 1);
    const torch::Tensor &mean = halves[0], &log_sd = halves[1];
    switch (floor_) {
      case Floor::none: break;
      case Floor::delta: return above_floor(mean, log_sd);
      case Floor::batch_norm:
        return std::make_unique<GaussianPosterior>(normalised(parameters, mean, mode), log_sd);
    }
    return std::make_unique<GaussianPosterior>(mean, log_sd);
  }

 private:
  std::unique_ptr<LatentPosterior> above_floor(const torch::Tensor& mean, const torch::Tensor& log_sd) const {
    const torch::Tensor sd = kLowestSd + (kHighestSd - kLowestSd) * at::sigmoid(log_sd);
    const torch::Tensor least_square = 2 * nats_ + 1 + 2 * at::log(sd) - sd.square();
    return std::make_unique<GaussianPosterior>(at::sqrt(least_square.clamp_min(kSmall)) + at::softplus(mean),
                                               at::log(sd));
  }

  torch::Tensor normalised(const Parameters& parameters, const torch::Tensor& mean, Mode mode) const {
    torch::Tensor center, variance;
    if (mode == Mode::train) {
      center = mean.mean(0, true);
      variance = (mean - center).square().mean(0, true);
      const torch::NoGradGuard no_gradient;
      parameters[running_mean_].data().lerp_(center.detach(), kMomentum);
      parameters[running_variance_].data().lerp_(variance.detach() - 1, kMomentum);
    } else {
      center = parameters[running_mean_].detach();
      variance = parameters[running_variance_].detach() + 1;
    }
    const double sd = std::sqrt(2 * nats_);
    return (mean - center) * at::rsqrt(variance + kSmall) * sd + parameters[shift_];
  }

  std::int64_t latent_;
  Floor floor_;
  double nats_;  // of each latent variable
  std::size_t shift_ = 0, running_mean_ = 0, running_variance_ = 0;
};

constexpr const OptionRecord* kOptions[] = {&kFloor, &kFloorNats};

}  // namespace

extern const LatentFamilyRecord kGaussianFamily;
const LatentFamilyRecord kGaussianFamily{
    .name = "gaussian",
    .summary = "independent normal latent variables",
    .use_when = "Start here.",
    .citation =
        "Kingma, Welling 2014, Auto-encoding variational Bayes; Razavi, van den Oord, Poole, Vinyals 2019, "
        "Preventing posterior collapse with delta-VAEs; Zhu et al. 2020, A batch normalized inference "
        "network keeps the KL vanishing away",
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      return std::make_unique<GaussianFamily>(spec.latent, values[kFloor], values[kFloorNats]);
    }};

}  // namespace kullback::deep
