// Semi-amortised (Kim, Wiseman, Miller, Sontag and Rush 2018): the encoder's outputs are refined for each row
// by steps up the gradient of the ELBO, and the decoder learns at the refined ones. The encoder learns
// through all steps, with exact second derivatives (they use finite differences), or, stopped, by the ELBO at
// its own outputs.
// Iterative (Marino, Yue and Mandt 2018): a network makes the steps. Encoder and network learn by the mean of
// the ELBO over all estimates, the decoder by the last one.
#include "deep/vae/refine.hpp"

namespace kullback::deep {

namespace {

class SemiAmortised final : public VaeObjective {
 public:
  explicit SemiAmortised(const Refinement& how) : how_(how) {}

  std::int64_t samples() const override { return how_.samples; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const torch::Tensor outputs = pass.vae.encode(pass.parameters, pass.x, pass.label);
    const torch::Tensor bound = elbo_at(pass, refine(pass, outputs, how_), how_.samples);
    if (how_.is_through) return {.rows = -bound, .bound = bound.detach()};
    return {.rows = -bound, .encoder_rows = -elbo_at(pass, outputs, how_.samples), .bound = bound.detach()};
  }

 private:
  Refinement how_;
};

class IterativelyAmortised final : public VaeObjective {
 public:
  IterativelyAmortised(std::int64_t steps, std::int64_t samples) : steps_(steps), samples_(samples) {}

  std::int64_t samples() const override { return samples_; }

  ObjectiveLoss loss(const Pass& pass) const override {
    const torch::Tensor outputs = pass.vae.encode(pass.parameters, pass.x, pass.label);
    const Iterates iterates = iterate(pass, outputs, steps_, samples_);
    const torch::Tensor last = iterates.bounds.back();
    return {.rows = -last, .encoder_rows = -at::stack(iterates.bounds).mean(0), .bound = last.detach()};
  }

 private:
  std::int64_t steps_, samples_;
};

const Option kSteps{"refine-steps", "5", "steps that refine the posterior of a row"};
const Option kSamples{"samples", "1", "draws of the latent variables of a row"};

std::int64_t count(const Settings& settings, const std::string& name) {
  return static_cast<std::int64_t>(settings.count(name, 1, 100000));
}

}  // namespace

extern const VaeObjectiveRecord kSemiAmortisedObjective;
const VaeObjectiveRecord kSemiAmortisedObjective{
    .name = "semi-amortised",
    .summary = "the evidence lower bound after steps that refine the encoder's posterior for each row",
    .use_when =
        "The amortisation gap is large, or the latent variables collapse; a step of training costs "
        "as many times more as there are refining steps.",
    .citation = "Kim, Wiseman, Miller, Sontag, Rush 2018, Semi-amortized variational autoencoders",
    .options = {kSamples,
                kSteps,
                {"refine-rate", "0.1", "length of the refining steps"},
                {"refine-momentum", "0.5", "part of a refining step that goes on in the next"},
                {"refine-clip", "5", "longest gradient of a row"},
                {"refine-gradient", "through",
                 "how the encoder learns: through (the refining steps), or "
                 "stopped (by the bound before them)"}},
    .make = [](const Settings& settings, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<SemiAmortised>(
          Refinement{.steps = count(settings, "refine-steps"),
                     .rate = settings.positive("refine-rate"),
                     .momentum = settings.number("refine-momentum"),
                     .clip = settings.positive("refine-clip"),
                     .samples = count(settings, "samples"),
                     .is_through = settings.choice("refine-gradient", {"through", "stopped"}) == 0});
    }};

extern const VaeObjectiveRecord kIterativeObjective;
const VaeObjectiveRecord kIterativeObjective{
    .name = "iterative",
    .summary = "the evidence lower bound after steps of a network that refines the posterior of each row",
    .use_when = "With --posterior iterative: the amortisation gap is large.",
    .citation = "Marino, Yue, Mandt 2018, Iterative amortized inference",
    .options = {kSamples, kSteps},
    .make = [](const Settings& settings, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<IterativelyAmortised>(count(settings, "refine-steps"),
                                                    count(settings, "samples"));
    }};

}  // namespace kullback::deep
