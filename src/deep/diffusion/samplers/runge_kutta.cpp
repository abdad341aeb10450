// The probability flow by an adaptive Runge-Kutta method of order 5.
#include "deep/diffusion/runge_kutta.hpp"

#include "deep/diffusion/sampler.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kTolerance = NumberOption("tolerance", 1e-5, "Relative and absolute error of a step").above(0);

class RungeKutta final : public Sampler {
 public:
  explicit RungeKutta(OdeOptions options) : options_(options) {}

  torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                    const SampleOptions& options) const override {
    const torch::NoGradGuard no_gradient;
    const double end = end_time(sde, options);
    std::int64_t done = 0;
    const OdeResult result = solve_ode(
        [&](const torch::Tensor& state, double t) {
          return flow_velocity(sde, score, state, time_of(t, state));
        },
        start, sde.t_max(), end, options_,
        [&](double t, const torch::Tensor& state) { return after_step(options, ++done, 0, t, state); });
    return finished(sde, score, result.state, end, options);
  }
  std::int64_t evaluations(std::int64_t) const override { return 0; }

 private:
  OdeOptions options_;
};

constexpr const OptionRecord* kOptions[] = {&kTolerance};

}  // namespace

extern const SamplerRecord k_runge_kutta;
const SamplerRecord k_runge_kutta = {
    .name = "rk45",
    .summary = "The probability flow by Dormand and Prince's method, as many steps as the tolerance needs",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Sampler> {
      const double tolerance = values[kTolerance];
      return std::make_unique<RungeKutta>(OdeOptions{.relative = tolerance, .absolute = tolerance});
    }};

}  // namespace kullback::deep::diffusion
