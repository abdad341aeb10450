// Predictor-corrector (Song et al. 2021): after each step of the reverse SDE, Langevin steps
//   z <- z + e score + sqrt(2 e) n,   e = 2 (r |n| / |score|)^2,
// with the norms as means over rows, bring the state nearer to the density of its time.
#include "deep/counts.hpp"
#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kCorrections = CountOption("corrections", 1, "Langevin steps at each time").from(1).to(1000);
constexpr auto kSnr = NumberOption("snr", 0.1, "Size of the Langevin steps: gradient against noise").above(0);

class PredictorCorrector final : public Sampler {
 public:
  PredictorCorrector(std::int64_t corrections, double snr) : corrections_(corrections), snr_(snr) {}

  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    refuse_velocity(sde, "pc");
    return walk(sde, score, start, options, [&](const torch::Tensor& state, double t, double s) {
      torch::Tensor next = draw(euler_transition(sde, score, state, t, s));
      for (std::int64_t i = 0; i < corrections_; ++i) next = corrected(score, next, s);
      return next;
    });
  }
  std::int64_t evaluations(std::int64_t steps) const override { return steps * (1 + corrections_); }

 private:
  torch::Tensor corrected(const Score& score, const torch::Tensor& state, double t) const {
    const torch::Tensor gradient = score.at(state, time_of(t, state));
    const torch::Tensor noise = torch::randn_like(state);
    const torch::Tensor ratio = noise.norm(2, 1).mean() / gradient.norm(2, 1).mean();
    const torch::Tensor length = 2 * (snr_ * ratio).square();
    return state + length * gradient + (2 * length).sqrt() * noise;
  }

  std::int64_t corrections_;
  double snr_;
};

constexpr const OptionRecord* kOptions[] = {&kCorrections, &kSnr};

}  // namespace

extern const SamplerRecord k_predictor_corrector;
const SamplerRecord k_predictor_corrector = {
    .name = "pc",
    .summary = "Predictor-corrector: Euler-Maruyama, and Langevin steps at each time",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Sampler> {
      return std::make_unique<PredictorCorrector>(count_of(values, kCorrections), values[kSnr]);
    }};

}  // namespace kullback::deep::diffusion
