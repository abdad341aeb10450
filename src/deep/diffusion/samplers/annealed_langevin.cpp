// Annealed Langevin dynamics (Song, Ermon 2019, 2020): at each of a falling ladder of noise levels a few
// steps
//   z <- z + e score + sqrt(2 e) n,   e = size sigma^2.
#include "deep/diffusion/samplers/stepwise.hpp"

namespace kullback::deep::diffusion {

namespace {

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

}  // namespace

extern const SamplerRecord k_annealed_langevin;
const SamplerRecord k_annealed_langevin = {
    .name = "langevin",
    .summary = "Annealed Langevin: a few Langevin steps at each of a ladder of noise levels",
    .options = {{"inner-steps", "10", "Langevin steps at each level"},
                {"langevin-size", "0.1", "of a Langevin step, in units of the variance of the noise"}},
    .make = [](const Settings& settings) -> std::unique_ptr<Sampler> {
      return std::make_unique<AnnealedLangevin>(
          static_cast<std::int64_t>(settings.count("inner-steps", 1, 100'000)),
          settings.positive("langevin-size"));
    }};

}  // namespace kullback::deep::diffusion
