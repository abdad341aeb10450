// Annealed Langevin dynamics (Song, Ermon 2019, 2020): at each of a falling ladder of noise levels a few
// steps
//   z <- z + e score + sqrt(2 e) n,   e = size sigma^2.
#include "deep/counts.hpp"
#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kInnerSteps =
    CountOption("inner_steps", 10, "Langevin steps at each level").from(1).to(100'000);
constexpr auto kLangevinSize =
    NumberOption("langevin_size", 0.1, "Of a Langevin step, in units of the variance of the noise").above(0);

class AnnealedLangevin final : public Sampler {
 public:
  AnnealedLangevin(std::int64_t inner, double size) : inner_(inner), size_(size) {}

  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    refuse_velocity(sde, "langevin");
    return walk(sde, score, start, options, [&](torch::Tensor state, double t, double s) {
      const torch::Tensor time = time_of(s, state);
      const Level now = level(sde, time_of(t, state)), next = level(sde, time);
      const auto number = [&](const torch::Tensor& x) { return x.to(state.scalar_type()); };
      state = state * number(next.alpha / now.alpha);  // the signal of the next level
      const torch::Tensor length = number(size_ * next.sigma.square());
      for (std::int64_t i = 0; i < inner_; ++i)
        state = state + length * score.at(state, time) + (2 * length).sqrt() * torch::randn_like(state);
      return state;
    });
  }
  std::int64_t evaluations(std::int64_t steps) const override { return steps * inner_; }

 private:
  std::int64_t inner_;
  double size_;
};

constexpr const OptionRecord* kOptions[] = {&kInnerSteps, &kLangevinSize};

}  // namespace

extern const SamplerRecord k_annealed_langevin;
const SamplerRecord k_annealed_langevin = {
    .name = "langevin",
    .summary = "Annealed Langevin: a few Langevin steps at each of a ladder of noise levels",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Sampler> {
      return std::make_unique<AnnealedLangevin>(count_of(values, kInnerSteps), values[kLangevinSize]);
    }};

}  // namespace kullback::deep::diffusion
