// ELBO = E_q log p(x | z) - KL(q(z | x) || p(z)), the divergence in closed form where it exists, and its
// relatives: with a weight on the divergence (beta, annealed), seen through noise (denoising), with an
// encoder that gives the same for an image and its shifted copy (consistency), with a divergence of the mean
// posterior (infovae).
#include "deep/counts.hpp"
#include "deep/vae/objective.hpp"
#include "deep/vae/objectives/corruption.hpp"

namespace kullback::deep {

namespace {

torch::Tensor mean_of_draws(const torch::Tensor& values) {
  return values.size(0) == 1 ? values.squeeze(0) : values.mean(0);
}

torch::Tensor divergence(const Terms& terms) {
  return terms.kl.defined() ? terms.kl : mean_of_draws(terms.log_q - terms.log_prior);
}

ObjectiveLoss loss_of(const torch::Tensor& bound, const Terms& terms) {
  return {.rows = terms.penalty.defined() ? terms.penalty - bound : -bound, .bound = bound.detach()};
}

class Elbo final : public VaeObjective {
 public:
  explicit Elbo(std::int64_t samples) : samples_(samples) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_, .closed_kl = true});
    return loss_of(mean_of_draws(terms.log_likelihood) - divergence(terms), terms);
  }

 private:
  std::int64_t samples_;
};

// The weight of the divergence rises from 0 to `beta` over the first part of the training.
class WeightedElbo final : public VaeObjective {
 public:
  WeightedElbo(std::int64_t samples, double beta, double warm_up)
      : samples_(samples), beta_(beta), warm_up_(warm_up) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_, .closed_kl = true});
    torch::Tensor weighted = divergence(terms) * beta_;
    if (warm_up_ > 0) weighted = weighted * (pass.progress / warm_up_).clamp_max(1).to(weighted.dtype());
    return loss_of(mean_of_draws(terms.log_likelihood) - weighted, terms);
  }

 private:
  std::int64_t samples_;
  double beta_, warm_up_;
};

// Im, Ahn, Memisevic, Bengio 2017: draws of q(z | corrupted x) explain x itself.
class Denoising final : public VaeObjective {
 public:
  Denoising(std::int64_t samples, double strength) : samples_(samples), strength_(strength) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(corrupt(pass.x, pass.vae.spec(), strength_, pass.noise));
    const Terms terms = pass.terms(*q, {.samples = samples_, .closed_kl = true});
    return loss_of(mean_of_draws(terms.log_likelihood) - divergence(terms), terms);
  }

 private:
  std::int64_t samples_;
  double strength_;
};

// Sinha, Dieng 2021: ELBO(x) + ELBO(x') - weight KL(q(z | x') || q(z | x)) with x' a shifted copy; the
// divergence by the draws of q(z | x').
class Consistent final : public VaeObjective {
 public:
  Consistent(std::int64_t samples, double weight, std::int64_t pixels)
      : samples_(samples), weight_(weight), pixels_(pixels) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_, .closed_kl = true});
    const torch::Tensor bound = mean_of_draws(terms.log_likelihood) - divergence(terms);

    const torch::Tensor moved = shift(pass.x, pass.vae.spec(), pixels_, pass.noise);
    const auto moved_q = pass.posterior(moved);
    const Terms moved_terms =
        pass.vae.terms(pass.parameters, moved, pass.label, *moved_q, pass.noise, {.samples = samples_});
    const torch::Tensor moved_bound = mean_of_draws(moved_terms.log_weight());
    const torch::Tensor difference = mean_of_draws(moved_terms.log_q - q->log_density(moved_terms.z));

    ObjectiveLoss loss = loss_of(bound, terms);
    loss.rows = loss.rows - moved_bound + weight_ * difference;
    if (moved_terms.penalty.defined()) loss.rows = loss.rows + moved_terms.penalty;
    return loss;
  }

 private:
  std::int64_t samples_;
  double weight_;
  std::int64_t pixels_;
};

// Zhao, Song, Ermon 2019: E log p(x | z) - (1 - a) KL(q(z | x) || p) - (a + l - 1) MMD^2(q(z), p(z)), the
// maximum mean discrepancy by its unbiased estimate from the minibatch with the kernel exp(-|z - z'|^2 / (2
// dimensions)).
class InfoVae final : public VaeObjective {
 public:
  InfoVae(double alpha, double lambda) : alpha_(alpha), lambda_(lambda) {}

  std::int64_t samples() const override { return 1; }
  bool mixes_rows() const override { return true; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = 1, .closed_kl = true});
    const torch::Tensor bound = mean_of_draws(terms.log_likelihood) - (1 - alpha_) * divergence(terms);
    ObjectiveLoss loss = loss_of(bound, terms);
    const torch::Tensor z = terms.z.squeeze(0);
    const torch::Tensor from_prior =
        pass.vae.prior().sample(pass.vae, pass.parameters, z.size(0), pass.noise);
    loss.shared = (alpha_ + lambda_ - 1) * discrepancy(z, from_prior);
    return loss;
  }

 private:
  static torch::Tensor kernel(const torch::Tensor& a, const torch::Tensor& b) {
    const torch::Tensor squares =
        a.square().sum(1).unsqueeze(1) + b.square().sum(1).unsqueeze(0) - 2 * at::mm(a, b.t());
    return at::exp(squares.clamp_min(0) * (-0.5 / static_cast<double>(a.size(1))));
  }

  // The diagonals of k(a, a) and k(b, b) are 1.
  static torch::Tensor discrepancy(const torch::Tensor& a, const torch::Tensor& b) {
    const auto rows = static_cast<double>(a.size(0));
    const double pairs = rows * (rows - 1);
    return (kernel(a, a).sum() + kernel(b, b).sum() - 2 * rows) / pairs -
           kernel(a, b).sum() * (2 / (rows * rows));
  }

  double alpha_, lambda_;
};

constexpr auto kBeta = NumberOption("beta", 4, "Weight of the divergence").from(0);
constexpr auto kWarmUp =
    NumberOption("warm_up", 0, "Part of the training in which the weight rises from 0").from(0).to(1);
constexpr auto kLastBeta = NumberOption("beta", 1, "Weight of the divergence in the end").from(0);
constexpr auto kLongWarmUp =
    NumberOption("warm_up", 0.2, "Part of the training in which the weight rises from 0").from(0).to(1);
constexpr auto kCorruption =
    NumberOption("corruption", 0.1,
                 "Probability that a pixel becomes 0 or 1 at random; of other data, sd of normal noise")
        .above(0);
constexpr auto kConsistency =
    NumberOption("consistency", 0.1, "Weight of the divergence between the two posteriors").above(0);
constexpr auto kShift = CountOption("shift", 2, "Pixels that an image moves at most").from(1).to(100'000);
constexpr auto kInfoAlpha = NumberOption("info_alpha", 0, "1 takes the divergence of each row out");
constexpr auto kInfoLambda =
    NumberOption("info_lambda", 100, "Weight of the divergence of the mean posterior");

constexpr const OptionRecord* kElboOptions[] = {&kSamples};
constexpr const OptionRecord* kBetaOptions[] = {&kSamples, &kBeta, &kWarmUp};
constexpr const OptionRecord* kAnnealedOptions[] = {&kSamples, &kLastBeta, &kLongWarmUp};
constexpr const OptionRecord* kDenoisingOptions[] = {&kSamples, &kCorruption};
constexpr const OptionRecord* kConsistencyOptions[] = {&kSamples, &kConsistency, &kShift};
constexpr const OptionRecord* kInfoOptions[] = {&kInfoAlpha, &kInfoLambda};

template <const NumberOption& beta, const NumberOption& warm_up>
std::unique_ptr<VaeObjective> make_weighted(const OptionValues& values, const VaeSpec&) {
  return std::make_unique<WeightedElbo>(count_of(values, kSamples), values[beta], values[warm_up]);
}

}  // namespace

extern const VaeObjectiveRecord kVaeObjective;
const VaeObjectiveRecord kVaeObjective{
    .name = "vae",
    .summary = "the evidence lower bound",
    .use_when = "Start here.",
    .citation = "Kingma, Welling 2014, Auto-encoding variational Bayes",
    .options = kElboOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<Elbo>(count_of(values, kSamples));
    }};

extern const VaeObjectiveRecord kBetaObjective;
const VaeObjectiveRecord kBetaObjective{
    .name = "beta",
    .summary = "the ELBO with a weight on the divergence from the prior",
    .use_when =
        "You want latent variables that vary independently (weight above 1) or sharper "
        "reconstructions (below 1).",
    .citation =
        "Higgins et al. 2017, beta-VAE: learning basic visual concepts with a constrained variational "
        "framework",
    .options = kBetaOptions,
    .make = make_weighted<kBeta, kWarmUp>};

extern const VaeObjectiveRecord kAnnealedObjective;
const VaeObjectiveRecord kAnnealedObjective{
    .name = "annealed",
    .summary = "the ELBO, whose divergence counts more and more at the beginning",
    .use_when = "Latent variables go unused early in the training.",
    .citation =
        "Bowman et al. 2016, Generating sentences from a continuous space; Sonderby et al. 2016, Ladder "
        "variational autoencoders",
    .options = kAnnealedOptions,
    .make = make_weighted<kLastBeta, kLongWarmUp>};

extern const VaeObjectiveRecord kDenoisingObjective;
const VaeObjectiveRecord kDenoisingObjective{
    .name = "denoising",
    .summary = "the ELBO with an encoder that sees corrupted rows",
    .use_when = "You want codes that do not mind noise.",
    .citation =
        "Im, Ahn, Memisevic, Bengio 2017, Denoising criterion for variational auto-encoding framework",
    .options = kDenoisingOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<Denoising>(count_of(values, kSamples), values[kCorruption]);
    }};

extern const VaeObjectiveRecord kConsistencyObjective;
const VaeObjectiveRecord kConsistencyObjective{
    .name = "consistency",
    .summary = "the ELBO with an encoder that gives the same for a row and its shifted copy",
    .use_when = "You want codes for another task that do not depend on small shifts.",
    .citation = "Sinha, Dieng 2021, Consistency regularization for variational auto-encoders",
    .options = kConsistencyOptions,
    .needs_density = true,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<Consistent>(count_of(values, kSamples), values[kConsistency],
                                          count_of(values, kShift));
    }};

extern const VaeObjectiveRecord kInfoVaeObjective;
const VaeObjectiveRecord kInfoVaeObjective{
    .name = "infovae",
    .summary = "the ELBO with a discrepancy between the prior and the mean posterior",
    .use_when = "Latent variables go unused, or samples from the prior look unlike the data.",
    .citation =
        "Zhao, Song, Ermon 2019, InfoVAE: balancing learning and inference in variational autoencoders",
    .options = kInfoOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<InfoVae>(values[kInfoAlpha], values[kInfoLambda]);
    }};

}  // namespace kullback::deep
