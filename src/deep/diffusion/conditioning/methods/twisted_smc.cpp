// Twisted sequential Monte Carlo (Wu, Trippe, Naesseth, Blei, Cunningham 2023). Particles walk down the
// reverse process z_T, ..., z_0 in steps p(z_s | z_t). These are ancestral ones, with x at its mean D(z) =
// E[x | z], whose variance d^2 grows by that of x around its mean: z_s depends on x by c = alpha_s -
// sqrt(sigma_s^2 - d^2) alpha_t / sigma_t, and v = d^2 + c^2 r^2. For data that are standard normal each step
// is then exact. A twisting function guesses p(y | z_t):
//   psi_t(z) = N(y; A(D(z)), noise^2 + r^2 J J^T),   r^2 = q^2 tau^2 / (q^2 + tau^2),
// with q = sigma / alpha: r^2 is the variance of x given z if x has the variance tau^2. A step is proposed
// from
//   q(z_s | z_t) = N(mean + v grad log psi_t(z_t), v),   where p(z_s | z_t) = N(mean, v),
// and weighs p(z_s | z_t) psi_s(z_s) / (q(z_s | z_t) psi_t(z_t)). With z_s = mean + v g + sqrt(v) n the ratio
// of the densities is exp(-v |g|^2 / 2 - sqrt(v) g n). The last twisting function is the likelihood itself,
// of x = D(z) at the last time, so the guesses cancel: as particles grow in number, the weighted x follow
// p(x) p(y | x) / p(y) for the x that the steps make without y, and the product of the mean weights is p(y).
// What is left is the error of the steps, which more --steps lessen, and of a learned score.
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "deep/counts.hpp"
#include "deep/diffusion/conditioning/method.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kParticles = CountOption("particles", 256, "Of a run").from(2).to(10'000'000);
constexpr auto kRuns =
    CountOption("runs", 4, "Independent of each other, for the Monte Carlo error").from(1).to(10'000'000);
constexpr auto kSteps = CountOption("steps", 200, "From noise to data").from(1).to(10'000'000);
constexpr auto kResampleBelow =
    NumberOption("resample_below", 0.5, "Effective part of the particles below which they are resampled")
        .above(0)
        .below(1);
constexpr auto kTwistSd =
    NumberOption("twist_sd", 1, "Sd of x that guesses of p(y | state) reckon with").above(0);

struct TwistedOptions {
  std::int64_t particles = 256;
  std::int64_t runs = 4;
  std::int64_t steps = 200;
  double threshold = 0.5;  // of the effective part of the particles: below it they are resampled
  double tau = 1;
};

// A score that was evaluated already.
class Known final : public Score {
 public:
  explicit Known(torch::Tensor value) : value_(std::move(value)) {}
  std::int64_t dims() const override { return value_.size(1); }
  torch::Tensor at(const torch::Tensor&, const torch::Tensor&) const override { return value_; }

 private:
  torch::Tensor value_;
};

struct Particles {
  torch::Tensor state, score, x, slope;  // [rows, dims]; slope: of log psi in the state
  torch::Tensor log_psi;                 // double [runs, particles]
};

class TwistedSmc final : public Method {
 public:
  explicit TwistedSmc(TwistedOptions options) : options_(options) {}

  std::int64_t rows(std::int64_t) const override { return options_.runs * options_.particles; }

  Restored run(const Sde& sde, const Score& score, const Measurement& measurement,
               const RestoreOptions& options) const override {
    refuse_velocity(sde);
    const torch::NoGradGuard no_gradient;
    const std::vector<double> times = restoring_times(sde, options_.steps, options);
    const auto twisted = [&](const torch::Tensor& state, std::size_t i) {
      return twist(sde, score, measurement, state, {times[i], i + 1 == times.size(), options.at_once});
    };
    const auto particles = static_cast<double>(options_.particles);
    Particles now = twisted(draw_prior(sde, rows(0), score.dims(), measurement.options()), 0);
    torch::Tensor log_weight = now.log_psi.clone();
    torch::Tensor log_evidence = torch::zeros({options_.runs}, log_weight.options());
    Restored result;
    torch::Tensor least = torch::full({options_.runs}, particles, log_weight.options());
    const auto ess = [&] { return 1 / at::softmax(log_weight, 1).square().sum(1); };
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      least = at::minimum(least, ess());
      resample(now, log_weight, log_evidence, ess() < options_.threshold * particles);
      Particles next = twisted(step(sde, now, times[i], times[i + 1], log_weight), i + 1);
      log_weight = log_weight + next.log_psi - now.log_psi;
      now = std::move(next);
      check_finite(now.state, times[i + 1]);
      result.is_interrupted = after_step(options, static_cast<std::int64_t>(i) + 1, options_.steps);
      if (result.is_interrupted) break;
    }
    const torch::Tensor last = ess();
    result.x = now.x.view({options_.runs, options_.particles, -1});
    result.log_weight = log_weight;
    result.log_evidence = log_evidence + at::logsumexp(log_weight, 1) - std::log(particles);
    result.least_ess = at::minimum(least, last).mean().item<double>();
    result.last_ess = last.mean().item<double>();
    result.evaluations = options_.steps + 1;
    return result;
  }

 private:
  struct When {
    double t;
    bool is_last;
    std::int64_t at_once;
  };
  double spread_at(const Sde& sde, double t) const {
    const double ratio = ratio_of(sde, t), squared = ratio * ratio, tau = options_.tau * options_.tau;
    return squared * tau / (squared + tau);
  }
  Particles twist(const Sde& sde, const Score& score, const Measurement& measurement,
                  const torch::Tensor& state, When when) const {
    std::vector<Particles> parts;
    for (const torch::Tensor& piece : state.split(when.at_once))
      parts.push_back(twist_piece(sde, score, measurement, piece, when));
    if (parts.size() == 1) return shaped(parts.front());
    const auto joined = [&](torch::Tensor Particles::*part) {
      std::vector<torch::Tensor> all;
      for (const Particles& piece : parts) all.push_back(piece.*part);
      return at::cat(all);
    };
    return shaped({.state = state,
                   .score = joined(&Particles::score),
                   .x = joined(&Particles::x),
                   .slope = joined(&Particles::slope),
                   .log_psi = joined(&Particles::log_psi)});
  }
  Particles shaped(Particles particles) const {
    particles.log_psi = particles.log_psi.view({options_.runs, options_.particles});
    return particles;
  }
  Particles twist_piece(const Sde& sde, const Score& score, const Measurement& measurement,
                        const torch::Tensor& state, When when) const {
    const torch::AutoGradMode with_gradient(true);
    const double spread = when.is_last ? 0 : spread_at(sde, when.t);
    const torch::Tensor leaf = state.detach().requires_grad_(), time = time_of(when.t, state);
    const torch::Tensor value = score.at(leaf, time);
    const torch::Tensor x = denoised(sde, Known(value), leaf, time);
    const torch::Tensor log_psi = measurement.log_likelihood(x, spread);
    const torch::Tensor slope = torch::autograd::grad({log_psi.sum()}, {leaf})[0];
    return {.state = state,
            .score = value.detach(),
            .x = x.detach(),
            .slope = slope,
            .log_psi = log_psi.detach()};
  }

  // The next states; adds the ratio of the densities to the weights.
  torch::Tensor step(const Sde& sde, const Particles& now, double t, double s,
                     torch::Tensor& log_weight) const {
    const Transition plain = ancestral_transition(sde, Known(now.score), now.state, t, s);
    const Level here = level(sde, time_of(t, now.state)), there = level(sde, time_of(s, now.state));
    const torch::Tensor variance = plain.root.flatten().square();
    const torch::Tensor kept = (there.sigma.square() - variance).clamp_min(0).sqrt() / here.sigma;
    const torch::Tensor by_x = there.alpha - kept * here.alpha;
    const torch::Tensor root =
        (variance + by_x.square() * spread_at(sde, t)).sqrt().to(now.state.scalar_type());
    const torch::Tensor noise = torch::randn_like(now.state), push = root * now.slope;
    const torch::Tensor ratio = -(push.square() / 2 + push * noise).to(torch::kFloat64).sum(1);
    log_weight = log_weight + ratio.view_as(log_weight);
    return plain.mean + root * (push + noise);
  }

  // Those runs that need it; nothing is read back from the device.
  void resample(Particles& now, torch::Tensor& log_weight, torch::Tensor& log_evidence,
                const torch::Tensor& is_due) const {
    const torch::Tensor due = is_due.unsqueeze(1);
    const torch::Tensor itself =
        torch::arange(options_.particles, log_weight.options().dtype(torch::kInt64)).expand_as(log_weight);
    const torch::Tensor first =
        (torch::arange(options_.runs, itself.options()) * options_.particles).unsqueeze(1);
    const torch::Tensor index =
        (at::where(due, systematic(log_weight, options_.particles), itself) + first).flatten();
    for (torch::Tensor* part : {&now.state, &now.score, &now.x, &now.slope})
      *part = part->index_select(0, index);
    now.log_psi = now.log_psi.flatten().index_select(0, index).view_as(log_weight);
    const torch::Tensor gained =
        at::logsumexp(log_weight, 1) - std::log(static_cast<double>(options_.particles));
    log_evidence = at::where(is_due, log_evidence + gained, log_evidence);
    log_weight = at::where(due, torch::zeros_like(log_weight), log_weight);
  }

  TwistedOptions options_;
};

constexpr const OptionRecord* kOptions[] = {&kParticles, &kRuns, &kSteps, &kResampleBelow, &kTwistSd};

}  // namespace

extern const MethodRecord k_twisted_smc;
const MethodRecord k_twisted_smc = {
    .name = "tsmc",
    .summary = "Twisted sequential Monte Carlo: exact as particles grow in number; gives the evidence",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Method> {
      return std::make_unique<TwistedSmc>(TwistedOptions{.particles = count_of(values, kParticles),
                                                         .runs = count_of(values, kRuns),
                                                         .steps = count_of(values, kSteps),
                                                         .threshold = values[kResampleBelow],
                                                         .tau = values[kTwistSd]});
    }};

}  // namespace kullback::deep::diffusion
