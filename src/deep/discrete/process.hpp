// Noise for rows of categories or counts: a Markov process that takes data to a state without information, a
// bound on log p(x) by which its reversal is learned, and the reversal in steps.
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
#include "deep/train/noise.hpp"

namespace kullback::deep::discrete {

// Column i of a row has one of the values 0 .. values[i] - 1.
struct Space {
  std::vector<std::int64_t> values = {};

  std::int64_t dims() const { return static_cast<std::int64_t>(values.size()); }
  std::int64_t most() const;  // values of a column
};

// What is known of the data given a state; a trained network, or in tests the exact answer.
class Denoiser {
 public:
  virtual ~Denoiser() = default;
  // state and t [rows] (double) are what the process makes of them. Result [rows, dims, outputs]: of
  // categories the logarithms of their chances, of counts what is still to come.
  virtual torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const = 0;
};

// What a network sees of a state.
struct NetInput {
  torch::Tensor x;  // [rows, inputs, dims]
  torch::Tensor c;  // [rows]: how much noise there is, within about [-2, 2]
};

struct DrawOptions {
  std::int64_t steps = 100;
  double eta = 0;  // of processes that have it
  // After each step: how many are done, of how many, and the rows as they would be shown.
  std::function<void(std::int64_t done, std::int64_t steps, const torch::Tensor& shown)> on_step = {};
  std::function<bool()> should_stop = {};  // asked after each step; the rows are returned as they are
};

class Process {
 public:
  virtual ~Process() = default;

  // Numbers of a column that a network sees, and gives.
  virtual std::int64_t inputs() const = 0;
  virtual std::int64_t outputs() const = 0;
  virtual NetInput seen(const torch::Tensor& state, const torch::Tensor& t) const = 0;
  // From a network's numbers [rows, dims, outputs] to what a Denoiser gives.
  virtual torch::Tensor meant(const torch::Tensor& raw, const torch::Tensor& state,
                              const torch::Tensor& t) const = 0;

  // An estimate of a lower bound on log p(x) in nats, [rows], of rows x int64 [rows, dims]. uniform (double
  // [rows]) says at which time, where one time is drawn: spread evenly it makes means over rows more exact.
  virtual torch::Tensor bound(const Denoiser& denoiser, const torch::Tensor& x, const torch::Tensor& uniform,
                              const Noise& noise) const = 0;
  // Of the denoiser, for one estimate.
  virtual std::int64_t bound_evaluations() const { return 1; }
  // What training makes small, [rows]; where not said otherwise the negative bound.
  virtual torch::Tensor loss(const Denoiser& denoiser, const torch::Tensor& x, const Noise& noise) const;

  // New rows, int64 [rows, dims], by LibTorch's generator.
  virtual torch::Tensor draw(const Denoiser& denoiser, std::int64_t rows,
                             const DrawOptions& options) const = 0;
  // How many steps draw() takes where so many are asked for.
  virtual std::int64_t steps_taken(std::int64_t asked) const { return asked; }
};

// What a process is made for: rows of a space, numbers of this type and device.
struct Setting {
  Space space = {};
  torch::TensorOptions number = torch::kFloat32;
};

struct ProcessRecord {
  std::string_view name;
  std::string_view summary;
  std::string_view citation;
  bool takes_counts = false;  // columns are counts; else categories
  bool has_steps = true;      // draw() takes as many steps as asked for
  bool has_eta = false;
  OptionTable options;  // of its training
  std::unique_ptr<Process> (*make)(const OptionValues& values, const Setting& setting);
};
std::span<const ProcessRecord* const> processes();
const ProcessRecord& process_named(const std::string& name);
std::unique_ptr<Process> make_process(const std::string& name, const Setting& setting,
                                      const OptionValues& values = {});

// Reports a step; whether to stop.
bool after_step(const DrawOptions& options, std::int64_t done, std::int64_t steps,
                const torch::Tensor& shown);

}  // namespace kullback::deep::discrete
