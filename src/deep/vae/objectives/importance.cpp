// Bounds from importance weights w = p(x, z) / q(z | x) of M groups of K draws.
//   iwae:  log mean_k w_k (Burda, Grosse, Salakhutdinov 2016)
//   miwae: mean over M of it;  ciwae: b mean_k log w_k + (1 - b) iwae;  piwae: the encoder follows miwae, all
//   else iwae of the M K draws (Rainforth et al. 2018)
// The doubly reparameterised gradient (Tucker et al. 2019), with v_k the weights normalised over the K draws:
//   decoder: sum_k v_k d log p(x, z_k);  encoder: sum_k v_k^2 d(log w_k)/dz_k dz_k, log q by z alone.
// The loss -sum_k v_k log w_k gives the first; what goes back through z_k is multiplied by v_k once more.
#include <cmath>

#include "deep/counts.hpp"
#include "deep/vae/objective.hpp"

namespace kullback::deep {

namespace {

torch::Tensor log_mean_exp(const torch::Tensor& x, std::int64_t dim) {
  return at::logsumexp(x, dim) - std::log(static_cast<double>(x.size(dim)));
}

torch::Tensor with_penalty(const torch::Tensor& rows, const Terms& terms) {
  return terms.penalty.defined() ? rows + terms.penalty : rows;
}

class GroupedBound final : public VaeObjective {
 public:
  GroupedBound(std::int64_t groups, std::int64_t samples, bool is_double)
      : groups_(groups), samples_(samples), is_double_(is_double) {}

  std::int64_t samples() const override { return groups_ * samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(
        *q, {.samples = samples(), .gradient = is_double_ ? DrawGradient::path : DrawGradient::total});
    const torch::Tensor log_weight = terms.log_weight();
    const torch::Tensor grouped = log_weight.view({groups_, samples_, -1});
    const torch::Tensor bound = log_mean_exp(grouped, 1).mean(0);
    if (!is_double_) return {.rows = with_penalty(-bound, terms), .bound = bound.detach()};
    const torch::Tensor weight = at::softmax(grouped.detach(), 1).view_as(log_weight);
    if (terms.z.requires_grad())
      terms.z.register_hook([weight](const torch::Tensor& slope) { return slope * weight.unsqueeze(2); });
    const torch::Tensor surrogate = (weight * log_weight).sum(0) * (-1.0 / static_cast<double>(groups_));
    return {.rows = with_penalty(surrogate, terms), .bound = bound.detach()};
  }

 private:
  std::int64_t groups_, samples_;
  bool is_double_;
};

class CombinedBound final : public VaeObjective {
 public:
  CombinedBound(std::int64_t samples, double share) : samples_(samples), share_(share) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_});
    const torch::Tensor log_weight = terms.log_weight();
    const torch::Tensor bound = share_ * log_weight.mean(0) + (1 - share_) * log_mean_exp(log_weight, 0);
    return {.rows = with_penalty(-bound, terms), .bound = bound.detach()};
  }

 private:
  std::int64_t samples_;
  double share_;
};

class PartialBound final : public VaeObjective {
 public:
  PartialBound(std::int64_t groups, std::int64_t samples) : groups_(groups), samples_(samples) {}

  std::int64_t samples() const override { return groups_ * samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples()});
    const torch::Tensor log_weight = terms.log_weight();
    const torch::Tensor whole = log_mean_exp(log_weight, 0);
    const torch::Tensor grouped = log_mean_exp(log_weight.view({groups_, samples_, -1}), 1).mean(0);
    return {.rows = with_penalty(-whole, terms),
            .encoder_rows = with_penalty(-grouped, terms),
            .bound = whole.detach()};
  }

 private:
  std::int64_t groups_, samples_;
};

// 1 / (1 - a) log mean_k w_k^(1 - a) (Li, Turner 2016); a -> 1 is the ELBO, a = 0 the IWAE.
class RenyiBound final : public VaeObjective {
 public:
  RenyiBound(std::int64_t samples, double alpha) : samples_(samples), alpha_(alpha) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_});
    const torch::Tensor log_weight = terms.log_weight();
    const torch::Tensor bound =
        alpha_ == 1 ? log_weight.mean(0) : log_mean_exp(log_weight * (1 - alpha_), 0) * (1 / (1 - alpha_));
    return {.rows = with_penalty(-bound, terms), .bound = bound.detach()};
  }

 private:
  std::int64_t samples_;
  double alpha_;
};

constexpr auto kManySamples = samples_option(50);
constexpr auto kGroupSamples =
    CountOption("samples", 8, "Draws of the latent variables of a row, in each group").from(1).to(100'000);
constexpr auto kGroups =
    CountOption("groups", 8, "Groups of draws, each with its own bound").from(1).to(100'000);
enum class EncoderGradient { dreg, plain };
constexpr auto kGradient = ChoiceOption("gradient", EncoderGradient::dreg, "dreg|plain",
                                        "Of the encoder; dreg: doubly reparameterised");
constexpr auto kElboShare = NumberOption("elbo_share", 0.5, "Weight of the ELBO").from(0).to(1);
constexpr auto kAlpha = NumberOption("alpha", 0.5, "Order; 1 is the ELBO, 0 the IWAE");

constexpr const OptionRecord* kIwaeOptions[] = {&kManySamples, &kGradient};
constexpr const OptionRecord* kMiwaeOptions[] = {&kGroupSamples, &kGroups, &kGradient};
constexpr const OptionRecord* kCiwaeOptions[] = {&kManySamples, &kElboShare};
constexpr const OptionRecord* kPiwaeOptions[] = {&kGroupSamples, &kGroups};
constexpr const OptionRecord* kRenyiOptions[] = {&kManySamples, &kAlpha};

bool is_doubly_reparameterised(const OptionValues& values) {
  return values[kGradient] == EncoderGradient::dreg;
}

constexpr std::string_view kRainforth =
    "Rainforth, Kosiorek, Le, Maddison, Igl, Wood, Teh 2018, Tighter variational bounds are not necessarily "
    "better";

}  // namespace

extern const VaeObjectiveRecord kIwaeObjective;
const VaeObjectiveRecord kIwaeObjective{
    .name = "iwae",
    .summary = "the importance-weighted bound",
    .use_when = "You want the best log likelihood; it costs as many decoder passes as draws.",
    .citation =
        "Burda, Grosse, Salakhutdinov 2016, Importance weighted autoencoders; Tucker, Lawson, Gu, Maddison "
        "2019, Doubly reparameterized gradient estimators for Monte Carlo objectives",
    .options = kIwaeOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<GroupedBound>(1, count_of(values, kManySamples),
                                            is_doubly_reparameterised(values));
    }};

extern const VaeObjectiveRecord kMiwaeObjective;
const VaeObjectiveRecord kMiwaeObjective{
    .name = "miwae",
    .summary = "the mean of several importance-weighted bounds",
    .use_when = "The encoder of an IWAE learns too slowly.",
    .citation = kRainforth,
    .options = kMiwaeOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<GroupedBound>(count_of(values, kGroups), count_of(values, kGroupSamples),
                                            is_doubly_reparameterised(values));
    }};

extern const VaeObjectiveRecord kCiwaeObjective;
const VaeObjectiveRecord kCiwaeObjective{
    .name = "ciwae",
    .summary = "a weighted mean of the ELBO and the importance-weighted bound",
    .use_when = "You want something between the two.",
    .citation = kRainforth,
    .options = kCiwaeOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<CombinedBound>(count_of(values, kManySamples), values[kElboShare]);
    }};

extern const VaeObjectiveRecord kPiwaeObjective;
const VaeObjectiveRecord kPiwaeObjective{
    .name = "piwae",
    .summary = "the decoder follows the importance-weighted bound of all draws, the encoder that of groups",
    .use_when = "You want an IWAE's decoder with a better encoder.",
    .citation = kRainforth,
    .options = kPiwaeOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<PartialBound>(count_of(values, kGroups), count_of(values, kGroupSamples));
    }};

extern const VaeObjectiveRecord kRenyiObjective;
const VaeObjectiveRecord kRenyiObjective{
    .name = "renyi",
    .summary = "the Renyi bound of order alpha",
    .use_when = "You want a posterior that covers more (alpha below 1) or less (above 1) than the ELBO's.",
    .citation = "Li, Turner 2016, Renyi divergence variational inference",
    .options = kRenyiOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<RenyiBound>(count_of(values, kManySamples), values[kAlpha]);
    }};

}  // namespace kullback::deep
