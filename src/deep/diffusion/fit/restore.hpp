// Rows restored from what was observed of them, with a trained model as the prior.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deep/diffusion/conditioning/method.hpp"
#include "deep/diffusion/fit/model.hpp"

namespace kullback::deep::diffusion {

// The rows that a model is of.
RowShape row_shape_of(const Model& model);

// Observed rows [rows, gives().size] in the data's own units, NaN where a number is missing. Columns of a CSV
// file that have names of the model's are taken by name where the operator gives rows like those it takes; a
// column that is not there is missing altogether. Throws Error that names the file.
torch::Tensor read_observed(const Model& model, const Operator& operation, const std::filesystem::path& file);

struct RestoreRequest {
  std::string method = "tsmc";
  OptionValues method_options = {};
  double noise_sd = 0;
  std::int64_t count = 64;  // draws of a row
  double end_noise = 0.03;
  std::optional<std::int64_t> label = {};  // of a conditional model; not given: as one that knows none
  double guidance = 0;
  std::uint64_t seed = 1;
  std::function<void(std::int64_t row, std::int64_t step, std::int64_t steps)> on_step = {};
  std::function<bool()> should_stop = {};
};

// In the data's own units, double, on the CPU.
struct RestoredRow {
  torch::Tensor draws;                 // [count, dims]
  torch::Tensor mean, sd, mean_error;  // [dims]; the error: Monte Carlo, NaN where runs are not several
  std::int64_t seen = 0;               // numbers of the observed row
  std::optional<double> least_ess = {}, last_ess = {}, acceptance = {}, step_size = {};
  std::optional<Evidence> evidence = {};  // log p(y), y in its own units
};

struct RestoredRows {
  std::vector<RestoredRow> rows;
  std::int64_t evaluations = 0;  // of the network, for each particle or chain
  std::int64_t at_once = 0;      // particles or chains
  bool is_interrupted = false;   // those rows that were done are there
};

// Seeds LibTorch's generators by the model's seed, the request's and the number of the row: a row's result
// does not depend on the others.
RestoredRows restore_rows(const Built& built, const Operator& operation, const torch::Tensor& observed,
                          const RestoreRequest& request);

}  // namespace kullback::deep::diffusion
