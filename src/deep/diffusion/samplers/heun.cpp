// Heun's steps of the probability flow: order 2, two evaluations a step.
#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

class Heun final : public Sampler {
 public:
  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    return walk(sde, score, start, options, [&](const torch::Tensor& state, double t, double s) {
      const torch::Tensor first = flow_velocity(sde, score, state, time_of(t, state));
      const torch::Tensor guess = state - (t - s) * first;
      return state - (t - s) / 2 * (first + flow_velocity(sde, score, guess, time_of(s, state)));
    });
  }
  std::int64_t evaluations(std::int64_t steps) const override { return 2 * steps; }
};

}  // namespace

extern const SamplerRecord k_heun;
const SamplerRecord k_heun = {
    .name = "heun",
    .summary = "Heun's steps of the probability flow, two evaluations each",
    .options = {},
    .make = [](const OptionValues&) -> std::unique_ptr<Sampler> { return std::make_unique<Heun>(); }};

}  // namespace kullback::deep::diffusion
