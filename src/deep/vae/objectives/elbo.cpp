// ELBO = E_q log p(x | z) - KL(q(z | x) || p(z)), the divergence in closed form where it exists.
#include "deep/vae/objective.hpp"

namespace kullback::deep {

namespace {

class Elbo final : public VaeObjective {
 public:
  explicit Elbo(std::int64_t samples) : samples_(samples) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const auto q = pass.posterior(pass.x);
    const Terms terms = pass.terms(*q, {.samples = samples_, .closed_kl = true});
    const torch::Tensor bound =
        terms.kl.defined() ? terms.log_likelihood.mean(0) - terms.kl : terms.log_weight().mean(0);
    return {.rows = terms.penalty.defined() ? terms.penalty - bound : -bound, .bound = bound.detach()};
  }

 private:
  std::int64_t samples_;
};

}  // namespace

extern const VaeObjectiveRecord kVaeObjective;
const VaeObjectiveRecord kVaeObjective{
    .name = "vae",
    .summary = "the evidence lower bound",
    .use_when = "Start here.",
    .citation = "Kingma, Welling 2014, Auto-encoding variational Bayes",
    .options = {{"samples", "1", "draws of the latent variables of a row"}},
    .make = [](const Settings& settings, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<Elbo>(static_cast<std::int64_t>(settings.count("samples", 1, 100000)));
    }};

}  // namespace kullback::deep
