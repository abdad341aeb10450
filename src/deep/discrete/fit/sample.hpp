// New rows from a trained model of discrete states.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "deep/data/png.hpp"
#include "deep/discrete/fit/model.hpp"

namespace kullback::deep::discrete {

struct DrawRequest {
  std::int64_t count = 64;
  std::int64_t steps = 100;
  double eta = 0;
  std::uint64_t seed = 1;
  std::int64_t strip = 0;  // so many states of the way are kept
  std::function<void(std::int64_t rows, std::int64_t step, std::int64_t steps)> on_step = {};
  std::function<bool()> should_stop = {};
};

struct Drawn {
  torch::Tensor x;               // int64 [rows, dims], on the CPU
  torch::Tensor strip;           // [states, rows, dims], of the first rows; undefined: none
  std::int64_t evaluations = 0;  // of the network by one row
  bool is_interrupted = false;
};

// Seeds LibTorch's generators by the model's seed and the request's.
Drawn draw_rows(const Built& built, const DrawRequest& request);

// A table with the names of the categories, or counts: CSV, or .npy of the values' numbers; images as a .png
// grid too. Throws Error.
void write_states(const std::filesystem::path& file, const Model& model, const torch::Tensor& x);
Picture samples_picture(const Model& model, const torch::Tensor& x);
// A row for each of a few samples, from noise on the left to data. Only of images.
Picture strip_picture(const Model& model, const torch::Tensor& strip);

}  // namespace kullback::deep::discrete
