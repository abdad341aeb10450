// Ancestral sampling: each step draws from q(z_s | z_t, x) with x at its mean given z_t; with DDPM's noise
// and as many steps as it has, that of Ho et al. (2020) with the smaller of their variances.
#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

class Ancestral final : public Sampler {
 public:
  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    refuse_velocity(sde, "ancestral");
    return walk(sde, score, start, options, [&](const torch::Tensor& state, double t, double s) {
      return draw(ancestral_transition(sde, score, state, t, s));
    });
  }
};

}  // namespace

extern const SamplerRecord k_ancestral;
const SamplerRecord k_ancestral = {
    .name = "ancestral",
    .summary = "DDPM's steps: the exact step for data at their mean given the state",
    .options = {},
    .make = [](const OptionValues&) -> std::unique_ptr<Sampler> { return std::make_unique<Ancestral>(); }};

}  // namespace kullback::deep::diffusion
