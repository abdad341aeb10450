// Semi-amortised (Kim, Wiseman, Miller, Sontag and Rush 2018): the encoder's outputs are refined for each row
// by steps up the gradient of the ELBO, and the decoder learns at the refined ones. The encoder learns
// through all steps, with exact second derivatives (they use finite differences), or, stopped, by the ELBO at
// its own outputs.
// Iterative (Marino, Yue and Mandt 2018): a network makes the steps. Encoder and network learn by the mean of
// the ELBO over all estimates, the decoder by the last one.
#include "deep/counts.hpp"
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

constexpr auto kSteps =
    CountOption("refine_steps", 5, "Steps that refine the posterior of a row").from(1).to(100'000);
constexpr auto kRate = NumberOption("refine_rate", 0.1, "Length of the refining steps").above(0);
constexpr auto kMomentum =
    NumberOption("refine_momentum", 0.5, "Part of a refining step that goes on in the next").from(0).below(1);
constexpr auto kClip = NumberOption("refine_clip", 5, "Longest gradient of a row").above(0);
enum class RefineGradient { through, stopped };
constexpr auto kRefineGradient =
    ChoiceOption("refine_gradient", RefineGradient::through, "through|stopped",
                 "How the encoder learns: through the refining steps, or by the bound before them");

constexpr const OptionRecord* kSemiAmortisedOptions[] = {&kSamples,  &kSteps, &kRate,
                                                         &kMomentum, &kClip,  &kRefineGradient};
constexpr const OptionRecord* kIterativeOptions[] = {&kSamples, &kSteps};

}  // namespace

extern const VaeObjectiveRecord kSemiAmortisedObjective;
const VaeObjectiveRecord kSemiAmortisedObjective{
    .name = "semi-amortised",
    .summary = "the evidence lower bound after steps that refine the encoder's posterior for each row",
    .use_when =
        "The amortisation gap is large, or the latent variables collapse; a step of training costs "
        "as many times more as there are refining steps.",
    .citation = "Kim, Wiseman, Miller, Sontag, Rush 2018, Semi-amortized variational autoencoders",
    .options = kSemiAmortisedOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<SemiAmortised>(
          Refinement{.steps = count_of(values, kSteps),
                     .rate = values[kRate],
                     .momentum = values[kMomentum],
                     .clip = values[kClip],
                     .samples = count_of(values, kSamples),
                     .is_through = values[kRefineGradient] == RefineGradient::through});
    }};

extern const VaeObjectiveRecord kIterativeObjective;
const VaeObjectiveRecord kIterativeObjective{
    .name = "iterative",
    .summary = "the evidence lower bound after steps of a network that refines the posterior of each row",
    .use_when = "With --posterior iterative: the amortisation gap is large.",
    .citation = "Marino, Yue, Mandt 2018, Iterative amortized inference",
    .options = kIterativeOptions,
    .make = [](const OptionValues& values, const VaeSpec&) -> std::unique_ptr<VaeObjective> {
      return std::make_unique<IterativelyAmortised>(count_of(values, kSteps), count_of(values, kSamples));
    }};

}  // namespace kullback::deep
