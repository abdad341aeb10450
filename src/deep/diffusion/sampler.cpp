#include "deep/diffusion/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "deep/diffusion/records.hpp"
#include "deep/part.hpp"

namespace kullback::deep::diffusion {

#define KULLBACK_SAMPLER(record) extern const SamplerRecord record;
#include "deep/diffusion/samplers.def"
#undef KULLBACK_SAMPLER

namespace {

// Of one number, by its own step.
double ratio_at(const Sde& sde, double t) {
  const Level here = level(sde, torch::full({1}, t, torch::kFloat64));
  return (here.sigma / here.alpha).item<double>();
}

}  // namespace

std::span<const SamplerRecord* const> samplers() {
  static const std::array kRecords = {
#define KULLBACK_SAMPLER(record) &record,
#include "deep/diffusion/samplers.def"
#undef KULLBACK_SAMPLER
  };
  return kRecords;
}

const SamplerRecord& sampler_named(const std::string& name) {
  return record_named(samplers(), name, "sampler");
}

std::unique_ptr<Sampler> make_sampler(const std::string& name, const OptionValues& values) {
  return sampler_named(name).make(values);
}

std::vector<double> time_grid(const Sde& sde, std::int64_t steps, Grid grid, double t_min) {
  const bool by_ratio = grid == Grid::edm || grid == Grid::log_ratio;
  if (by_ratio && sde.blocks() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("--grid {} needs one level of noise, and with --sde cld a velocity has another.",
                            text_of(kGrid, grid)),
                "Choose --grid uniform or quadratic.");
  const auto forward = [&](double x) {
    return grid == Grid::uniform     ? x
           : grid == Grid::quadratic ? std::sqrt(x)
           : grid == Grid::edm       ? std::pow(x, 1.0 / 7)
                                     : std::log(x);
  };
  const auto back = [&](double x) {
    return grid == Grid::uniform     ? x
           : grid == Grid::quadratic ? x * x
           : grid == Grid::edm       ? std::pow(x, 7)
                                     : std::exp(x);
  };
  // The logarithm of no noise at all is not a number to begin a grid with.
  const double low = by_ratio ? std::max(ratio_at(sde, t_min), 1e-6) : t_min;
  const double high = by_ratio ? ratio_at(sde, sde.t_max()) : sde.t_max();
  std::vector<double> times;
  for (std::int64_t i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps);
    const double value = back(forward(high) + (forward(low) - forward(high)) * part);
    times.push_back(by_ratio ? time_of_ratio(sde, value) : value);
  }
  times.front() = sde.t_max();
  times.back() = t_min;
  return times;
}

torch::Tensor draw(const Transition& transition) {
  return transition.mean + apply(transition.root, torch::randn_like(transition.mean));
}

Transition euler_transition(const Sde& sde, const Score& score, const torch::Tensor& state, double t,
                            double s) {
  const torch::Tensor time = time_of(t, state);
  const Coefficients at = sde.at(time);
  const torch::Tensor drift = apply(at.drift, state) - apply(at.diffusion, score.at(state, time));
  return {.mean = state - (t - s) * drift, .root = root(at.diffusion * (t - s))};
}

// With a = alpha_s / alpha_t and the variance v = sigma_t^2 - (alpha_t / alpha_s)^2 sigma_s^2 of z_t given
// z_s: q(z_s | z_t, x) has the variance eta^2 v sigma_s^2 / sigma_t^2 =: d^2 and the mean alpha_s x +
// sqrt(sigma_s^2 - d^2) (z_t - alpha_t x) / sigma_t (Song, Meng, Ermon 2021).
Transition ancestral_transition(const Sde& sde, const Score& score, const torch::Tensor& state, double t,
                                double s, double eta) {
  const torch::Tensor time = time_of(t, state);
  const Level now = level(sde, time), next = level(sde, time_of(s, state));
  const torch::Tensor between = now.sigma.square() - (now.alpha / next.alpha).square() * next.sigma.square();
  const torch::Tensor variance = eta * eta * between.clamp_min(0) * (next.sigma / now.sigma).square();
  const auto number = [&](const torch::Tensor& x) { return x.to(state.scalar_type()); };
  const torch::Tensor x = denoised(sde, score, state, time);
  const torch::Tensor noise = (state - number(now.alpha) * x) / number(now.sigma);
  const torch::Tensor left = (next.sigma.square() - variance).clamp_min(0).sqrt();
  return {.mean = number(next.alpha) * x + number(left) * noise, .root = variance.sqrt().view({1, 1, 1})};
}

torch::Tensor flow_velocity(const Sde& sde, const Score& score, const torch::Tensor& state,
                            const torch::Tensor& t) {
  const Coefficients at = sde.at(t);
  return apply(at.drift, state) - apply(at.diffusion, score.at(state, t)) / 2;
}

void check_finite(const torch::Tensor& state, double t) {
  if (at::isfinite(state).all().item<bool>()) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("the reverse process ceased to be finite at time {} (1 is noise, 0 is data).", t),
              "Take more --steps; if that does not help, train again with a lower --rate.");
}

bool after_step(const SampleOptions& options, std::int64_t done, std::int64_t steps, double t,
                const torch::Tensor& state) {
  check_finite(state, t);
  if (options.on_step) options.on_step(done, steps, state);
  return options.should_stop && options.should_stop();
}

torch::Tensor finished(const Sde& sde, const Score& score, const torch::Tensor& state, double t,
                       const SampleOptions& options) {
  return options.is_denoised && sde.blocks() == 1 ? denoised(sde, score, state, time_of(t, state)) : state;
}

double end_time(const Sde& sde, const SampleOptions& options) {
  return options.t_min < 0 ? sde.t_min() : options.t_min;
}

}  // namespace kullback::deep::diffusion
