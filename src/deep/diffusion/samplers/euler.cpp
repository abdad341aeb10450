// Euler-Maruyama: weak order 1.
#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

class Euler final : public Sampler {
 public:
  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    return walk(sde, score, start, options, [&](const torch::Tensor& state, double t, double s) {
      return draw(euler_transition(sde, score, state, t, s));
    });
  }
};

}  // namespace

extern const SamplerRecord k_euler;
const SamplerRecord k_euler = {
    .name = "euler",
    .summary = "Euler-Maruyama steps of the reverse SDE",
    .options = {},
    .make = [](const OptionValues&) -> std::unique_ptr<Sampler> { return std::make_unique<Euler>(); }};

}  // namespace kullback::deep::diffusion
