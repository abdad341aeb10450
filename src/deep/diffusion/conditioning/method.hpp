// Draws of x given y, with a diffusion model as the prior of x.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/diffusion/conditioning/measurement.hpp"
#include "deep/diffusion/sampler.hpp"

namespace kullback::deep::diffusion {

struct RestoreOptions {
  std::int64_t count = 64;  // of draws
  // The noise at which the way from noise to data ends, as its sd for data with the sd 1; the SDE's own end
  // where that has more. A learned score is the less to be trusted the less noise there is.
  double end_noise = 0.03;
  Grid grid = Grid::log_ratio;
  std::int64_t at_once = 1'000'000;  // rows whose slopes the device has room for
  std::function<void(std::int64_t done, std::int64_t steps)> on_step = {};
  std::function<bool()> should_stop = {};
};

// In the model's units. Runs are independent of each other: their differences show the Monte Carlo error.
struct Restored {
  torch::Tensor x;           // [runs, draws of a run, dims]
  torch::Tensor log_weight;  // double [runs, draws of a run]; undefined: all weigh the same
  // Of twisted SMC: the effective number of its particles, at the least and at the end, means over runs.
  std::optional<double> least_ess = {}, last_ess = {};
  torch::Tensor log_evidence = {};  // of each run, in the units of y; undefined: not known
  std::optional<double> acceptance = {}, step_size = {};  // of adjusted steps
  std::int64_t evaluations = 0;                           // of the network by one row
  bool is_interrupted = false;
};

class Method {
 public:
  virtual ~Method() = default;
  // Particles or chains, for so many draws.
  virtual std::int64_t rows(std::int64_t count) const = 0;
  // Numbers come from LibTorch's generator. Throws Error bad_input where a state ceases to be finite.
  virtual Restored run(const Sde& sde, const Score& score, const Measurement& measurement,
                       const RestoreOptions& options) const = 0;
};

struct MethodRecord {
  std::string_view name;
  std::string_view summary;
  OptionTable options;
  std::unique_ptr<Method> (*make)(const OptionValues& values);
};
std::span<const MethodRecord* const> methods();
// Throws Error usage that lists the names.
const MethodRecord& method_named(const std::string& name);
std::unique_ptr<Method> make_method(const std::string& name, const OptionValues& values = {});

// The mean of a function of draws, [runs, draws, k] to [k], with the error that the differences between runs
// show (NaN of a single run). Runs weigh as their evidence does where that is known.
struct Average {
  torch::Tensor value, error;  // double [k]
};
Average average(const Restored& restored, const torch::Tensor& values);
// [count, dims]: draws of equal weight, by systematic resampling where they have others; the same draw may
// appear twice.
torch::Tensor equal_draws(const Restored& restored, std::int64_t count);
// log of the mean evidence, with its error; NaN, NaN where there is none.
struct Evidence {
  double log_value = 0, error = 0;
};
Evidence evidence_of(const Restored& restored);

// ---- For methods.

// Throws Error usage where the SDE has a velocity.
void refuse_velocity(const Sde& sde);
// Times from t_max down to the end.
std::vector<double> restoring_times(const Sde& sde, std::int64_t steps, const RestoreOptions& options);
// sigma / alpha at t.
double ratio_of(const Sde& sde, double t);
// Reports and asks; whether to stop.
bool after_step(const RestoreOptions& options, std::int64_t done, std::int64_t steps);
// Indices [runs, count] of systematic resampling by log weights [runs, n] (double).
torch::Tensor systematic(const torch::Tensor& log_weight, std::int64_t count);

}  // namespace kullback::deep::diffusion
