// Langevin dynamics in the posterior. With q = sigma / alpha at a time, the state over alpha is x + q n, and
// its log density has the gradient alpha score. Two parts:
//
// 1. The ladder (Song, Ermon 2019; Jalal et al. 2021). At each of a falling ladder of times, a few steps
//      x <- x + e C g + sqrt(2 e) C^(1/2) n,   g = alpha score(alpha x) + grad log N(y; A(x), noise^2 + q^2 J
//      J^T):
//    the likelihood is as wide as the noise of the level makes it. C = (I / q^2 + J^T (noise^2 + q^2 J
//    J^T)^-1 J)^-1 bounds the covariance of the target from below, as no noised density is more curved than
//    its noise: steps with e < 1 are stable at every level. This part is not exact; it brings each chain into
//    a mode.
// 2. Adjusted steps at the last time, where the likelihood is p(y | x) itself, with C = (I + J^T J /
// noise^2)^-1
//    and e by dual averaging. The score gives the log density along the way from x to its proposal x' by
//    Simpson's rule, log p(x') - log p(x) = (x' - x) (s(x) + 4 s((x + x') / 2) + s(x')) / 6 (Sjoberg et al.
//    2023), exactly where the score is a cubic on that line, as of a normal; so Metropolis's rule applies.
//
// The chains have the posterior with the prior of x + q n, where q is --end-noise. They do not cross between
// modes that are far apart: the shares of such modes are those of the ladder, about right and not exact.
// Between modes a learned score is wrong at little noise, as it saw no data there, and many adjusted steps
// drift to where it is wrong: they are to be no more than it takes to mix within a mode.
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "deep/chains/dual_averaging.hpp"
#include "deep/counts.hpp"
#include "deep/diffusion/conditioning/method.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kChains = CountOption("chains", 64, "Each its own way from noise").from(1).to(10'000'000);
constexpr auto kSteps = CountOption("steps", 100, "Noise levels of the ladder").from(1).to(10'000'000);
constexpr auto kInnerSteps =
    CountOption("inner_steps", 5, "Langevin steps at each level").from(1).to(10'000'000);
constexpr auto kLadderSize =
    NumberOption("ladder_size", 0.3, "Of a step of the ladder, below 1").above(0).below(1);
constexpr auto kAdjustedSteps =
    CountOption("adjusted_steps", 200, "At the last level; the first half warms up").from(2).to(10'000'000);
constexpr auto kKept = CountOption("kept", 10, "Draws of each chain that are kept").from(1).to(10'000'000);

constexpr double kTarget = 0.57;  // acceptance that is best for Langevin in many dimensions

struct LangevinOptions {
  std::int64_t chains = 64;
  std::int64_t steps = 100;
  std::int64_t inner = 5;
  std::int64_t adjusted = 200;  // the first half warms up
  std::int64_t kept = 10;
  double size = 0.3;
};

// Where a chain is: the prior's gradient there, and the likelihood.
struct Place {
  torch::Tensor x, prior, gradient;  // [rows, dims]; gradient: of both
  torch::Tensor log_likelihood;      // double [rows]
};

class LangevinPosterior final : public Method {
 public:
  explicit LangevinPosterior(LangevinOptions options) : options_(options) {}

  std::int64_t rows(std::int64_t) const override { return options_.chains; }

  Restored run(const Sde& sde, const Score& score, const Measurement& measurement,
               const RestoreOptions& options) const override {
    refuse_velocity(sde);
    const torch::NoGradGuard no_gradient;
    const std::vector<double> times = restoring_times(sde, options_.steps, options);
    const std::int64_t steps = options_.steps + options_.adjusted;
    Restored result;
    torch::Tensor x = draw_prior(sde, options_.chains, score.dims(), measurement.options());
    x = x / alpha_at(sde, times.front());
    for (std::size_t i = 1; i < times.size() && !result.is_interrupted; ++i) {
      x = descend(sde, score, measurement, x, times[i]);
      check_finite(x, times[i]);
      result.is_interrupted = after_step(options, static_cast<std::int64_t>(i), steps);
    }
    adjust(sde, score, measurement, x, times.back(), options, result);
    result.evaluations = options_.steps * options_.inner + 2 * options_.adjusted + 1;
    return result;
  }

 private:
  static double alpha_at(const Sde& sde, double t) {
    return level(sde, torch::full({1}, t, torch::kFloat64)).alpha.item<double>();
  }
  static torch::Tensor prior_gradient(const Sde& sde, const Score& score, const torch::Tensor& x, double t) {
    const double alpha = alpha_at(sde, t);
    return alpha * score.at(alpha * x, time_of(t, x));
  }

  torch::Tensor descend(const Sde& sde, const Score& score, const Measurement& measurement, torch::Tensor x,
                        double t) const {
    const double ratio = ratio_of(sde, t), squared = ratio * ratio;
    const Measurement::Metric metric{.prior = 1 / squared, .spread = squared};
    for (std::int64_t i = 0; i < options_.inner; ++i) {
      const torch::Tensor gradient = prior_gradient(sde, score, x, t) + measurement.gradient(x, squared);
      x = x + options_.size * measurement.times_covariance(gradient, metric, 1) +
          std::sqrt(2 * options_.size) * measurement.times_covariance(torch::randn_like(x), metric, 0.5);
    }
    return x;
  }

  static Place place_at(const Sde& sde, const Score& score, const Measurement& measurement,
                        const torch::Tensor& x, double t) {
    const torch::Tensor prior = prior_gradient(sde, score, x, t);
    return {.x = x,
            .prior = prior,
            .gradient = prior + measurement.gradient(x),
            .log_likelihood = measurement.log_likelihood(x).to(torch::kFloat64)};
  }

  void adjust(const Sde& sde, const Score& score, const Measurement& measurement, const torch::Tensor& start,
              double t, const RestoreOptions& options, Restored& result) const {
    const Measurement::Metric metric{};
    DualAveraging sizes(torch::TensorOptions(torch::kFloat64), 1, kTarget);
    const std::int64_t warm_up = options_.adjusted / 2, left = options_.adjusted - warm_up;
    std::vector<torch::Tensor> kept;
    double accepted = 0;
    Place now = place_at(sde, score, measurement, start, t);
    for (std::int64_t i = 1; i <= options_.adjusted && !result.is_interrupted; ++i) {
      const double size = sizes.step_sizes().item<double>();
      const torch::Tensor noise = torch::randn_like(now.x);
      const torch::Tensor proposal = now.x + size * measurement.times_covariance(now.gradient, metric, 1) +
                                     std::sqrt(2 * size) * measurement.times_covariance(noise, metric, 0.5);
      const Place next = place_at(sde, score, measurement, proposal, t);
      const torch::Tensor middle = prior_gradient(sde, score, (now.x + proposal) / 2, t);
      // The noise that would bring it back.
      const torch::Tensor back =
          measurement.times_covariance(
              now.x - proposal - size * measurement.times_covariance(next.gradient, metric, 1), metric,
              -0.5) /
          std::sqrt(2 * size);
      const auto sum = [](const torch::Tensor& terms) { return terms.to(torch::kFloat64).sum(1); };
      const torch::Tensor log_ratio = sum((proposal - now.x) * (now.prior + 4 * middle + next.prior) / 6) +
                                      next.log_likelihood - now.log_likelihood -
                                      sum(back.square() - noise.square()) / 2;
      const torch::Tensor chance = at::nan_to_num(log_ratio, -INFINITY, 0, -INFINITY).clamp_max(0).exp();
      const torch::Tensor takes = torch::rand_like(chance) < chance, column = takes.unsqueeze(1);
      now = {.x = at::where(column, next.x, now.x),
             .prior = at::where(column, next.prior, now.prior),
             .gradient = at::where(column, next.gradient, now.gradient),
             .log_likelihood = at::where(takes, next.log_likelihood, now.log_likelihood)};
      if (i <= warm_up) {
        sizes.update(chance.mean().to(torch::kCPU).view({1, 1}));
        if (i == warm_up) sizes.finish();
      } else {
        accepted += chance.mean().item<double>() / static_cast<double>(left);
        const auto wanted = [&](std::int64_t steps) { return steps * options_.kept / left; };
        if (wanted(i - warm_up) > wanted(i - warm_up - 1)) kept.push_back(now.x);
      }
      result.is_interrupted = after_step(options, options_.steps + i, options_.steps + options_.adjusted);
    }
    if (kept.empty()) kept.push_back(now.x);  // interrupted
    result.x = at::stack(kept, 1);
    result.acceptance = accepted;
    result.step_size = sizes.step_sizes().item<double>();
  }

  LangevinOptions options_;
};

constexpr const OptionRecord* kOptions[] = {&kChains,     &kSteps,         &kInnerSteps,
                                            &kLadderSize, &kAdjustedSteps, &kKept};

}  // namespace

extern const MethodRecord k_langevin_posterior;
const MethodRecord k_langevin_posterior = {
    .name = "langevin",
    .summary = "Langevin down a ladder of noise levels, then adjusted steps: exact within a mode",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Method> {
      LangevinOptions options{.chains = count_of(values, kChains),
                              .steps = count_of(values, kSteps),
                              .inner = count_of(values, kInnerSteps),
                              .adjusted = count_of(values, kAdjustedSteps),
                              .kept = count_of(values, kKept),
                              .size = values[kLadderSize]};
      options.kept = std::min(options.kept, options.adjusted - options.adjusted / 2);
      return std::make_unique<LangevinPosterior>(options);
    }};

}  // namespace kullback::deep::diffusion
