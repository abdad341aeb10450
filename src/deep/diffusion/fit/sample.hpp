// New rows from a trained model.
#pragma once

#include <torch/types.h>

#include <functional>
#include <optional>

#include "deep/diffusion/fit/model.hpp"
#include "deep/diffusion/sampler.hpp"

namespace kullback::deep::diffusion {

// heun, of a ladder langevin.
std::string default_sampler(const Model& model);

struct DrawRequest {
  std::int64_t count = 64;
  std::string sampler = {};  // empty: the default
  OptionValues sampler_options = {};
  std::int64_t steps = 100;
  Grid grid = Grid::automatic;
  std::optional<std::int64_t> label = {};  // of a conditional model; not given: each in turn
  bool without_label = false;              // of a conditional model: draws that know none
  double guidance = 0;
  std::uint64_t seed = 1;
  std::int64_t at_once = 0;  // rows; 0: so many that they keep the device busy, and not more
  std::int64_t strip = 0;    // so many states of the way are kept
  std::function<void(std::int64_t rows, std::int64_t step, std::int64_t steps)> on_step = {};
  std::function<bool()> should_stop = {};
};

struct Drawn {
  torch::Tensor x;      // [rows, dims], the model's units, on the CPU
  torch::Tensor strip;  // [states, rows, dims], of the first rows; undefined: none
  std::string sampler;
  std::int64_t evaluations = 0;  // of the network by one row; 0: not known
  bool is_interrupted = false;
};

// Seeds LibTorch's generators by the model's seed and the request's.
Drawn draw_rows(const Built& built, const DrawRequest& request);

}  // namespace kullback::deep::diffusion
