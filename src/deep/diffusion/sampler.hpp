// From noise to data: the reverse process in steps, as an SDE
//   dz = (F z - G G^T score) dt + G dw
// or as the ODE with the same marginals (Song et al. 2021)
//   dz = (F z - G G^T score / 2) dt.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/diffusion/score.hpp"
#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

// Times from t_max down to t_min.
enum class Grid {
  automatic,  // edm where there is one level of noise, else uniform; chosen before a grid is made
  uniform,    // in t
  quadratic,  // in sqrt(t)
  edm,        // (sigma / alpha)^(1 / 7), Karras et al. 2022
  log_ratio,  // log(sigma / alpha)
};
inline constexpr auto kGrid =
    ChoiceOption("grid", Grid::automatic, "auto|uniform|quadratic|edm|log-ratio",
                 "Where in time the steps are; auto: edm, of a ladder and of cld uniform");
// steps + 1 times. edm and log_ratio need an SDE without a velocity.
std::vector<double> time_grid(const Sde& sde, std::int64_t steps, Grid grid, double t_min);

struct SampleOptions {
  std::int64_t steps = 100;
  Grid grid = Grid::uniform;
  double t_min = -1;         // below 0: the SDE's own
  bool is_denoised = false;  // the mean of the data given the last state takes its place (no velocity)
  // After each step: how many are done, of how many (0: not known), and the state.
  std::function<void(std::int64_t done, std::int64_t steps, const torch::Tensor& state)> on_step = {};
  std::function<bool()> should_stop = {};  // asked after each step; the state is returned as it is
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // `start` [rows, blocks * dims] is a state at t_max; the result one at t_min. Numbers come from LibTorch's
  // generator. Throws Error bad_input where the state ceases to be finite.
  virtual torch::Tensor run(const Sde& sde, const Score& score, const torch::Tensor& start,
                            const SampleOptions& options) const = 0;
  // Of the score, for so many steps; 0: not known beforehand.
  virtual std::int64_t evaluations(std::int64_t steps) const { return steps; }
};

// One step as a normal distribution: the state at s < t is mean + apply(root, standard normal).
struct Transition {
  torch::Tensor mean;  // [rows, blocks * dims]
  torch::Tensor root;  // [1, blocks, blocks], lower triangular
};
torch::Tensor draw(const Transition& transition);
// Euler-Maruyama.
Transition euler_transition(const Sde& sde, const Score& score, const torch::Tensor& state, double t,
                            double s);
// q(z_s | z_t, x) with x at its mean given z_t; eta 1: ancestral (DDPM where the times are its own), 0: DDIM.
// No velocity.
Transition ancestral_transition(const Sde& sde, const Score& score, const torch::Tensor& state, double t,
                                double s, double eta = 1);
// dz/dt of the probability flow.
torch::Tensor flow_velocity(const Sde& sde, const Score& score, const torch::Tensor& state,
                            const torch::Tensor& t);

struct SamplerRecord {
  std::string_view name;
  std::string_view summary;
  OptionTable options;
  std::unique_ptr<Sampler> (*make)(const OptionValues& values);
};
std::span<const SamplerRecord* const> samplers();
const SamplerRecord& sampler_named(const std::string& name);
std::unique_ptr<Sampler> make_sampler(const std::string& name, const OptionValues& values = {});

// Throws Error bad_input that says at which time.
void check_finite(const torch::Tensor& state, double t);
// What every sampler does after a step: checks, reports; whether to stop.
bool after_step(const SampleOptions& options, std::int64_t done, std::int64_t steps, double t,
                const torch::Tensor& state);
// The state at t, or the mean of the data given it where the options ask for that.
torch::Tensor finished(const Sde& sde, const Score& score, const torch::Tensor& state, double t,
                       const SampleOptions& options);
double end_time(const Sde& sde, const SampleOptions& options);

}  // namespace kullback::deep::diffusion
