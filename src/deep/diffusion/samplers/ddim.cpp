// DDIM (Song, Meng, Ermon 2021): the step of ancestral sampling with eta times its noise; eta = 0 solves the
// probability flow to order 1.
#include <fmt/format.h>

#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kEta = NumberOption("eta", 0, "Part of the ancestral noise that is added")
                          .from(0)
                          .to(1)
                          .hinted("0 adds no noise, 1 as much as ancestral sampling.");

class Ddim final : public Sampler {
 public:
  explicit Ddim(double eta) : eta_(eta) {}

  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    refuse_velocity(sde, "ddim");
    return walk(sde, score, start, options, [&](const torch::Tensor& state, double t, double s) {
      const Transition step = ancestral_transition(sde, score, state, t, s, eta_);
      return eta_ == 0 ? step.mean : draw(step);
    });
  }

 private:
  double eta_;
};

constexpr const OptionRecord* kOptions[] = {&kEta};

}  // namespace

extern const SamplerRecord k_ddim;
const SamplerRecord k_ddim = {.name = "ddim",
                              .summary = "DDIM: few large steps, without noise unless --eta says so",
                              .options = kOptions,
                              .make = [](const OptionValues& values) -> std::unique_ptr<Sampler> {
                                return std::make_unique<Ddim>(values[kEta]);
                              }};

}  // namespace kullback::deep::diffusion
