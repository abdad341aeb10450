// Log likelihoods of rows under a trained energy, with what is known of their errors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/finding.hpp"
#include "deep/energy/annealing.hpp"
#include "deep/energy/fit/model.hpp"

namespace kullback::deep {

struct EbmLoglikOptions {
  AnnealingOptions annealing = {};
  std::int64_t raise_rows = 100;  // of the conservative figure; 0: none
  std::int64_t raise_chains = 16;
};

// Nats a row, as densities in the data's units or probabilities.
struct EbmLoglik {
  std::int64_t rows = 0;
  bool is_levels = false;                 // levels were moved within their intervals at random
  double bits_per_dim = 0;                // of the annealed figure, where rows are levels or 0 and 1
  torch::Tensor row_values = {};          // [rows], by annealing: -E - log Z
  double mean = 0;                        // of those
  double over_rows = 0;                   // standard error of the mean, from row to row
  LogEstimate log_partition = {};         // of the model's numbers, forward: on average too low
  std::optional<LogEstimate> upper = {};  // reverse, from exact draws: on average too high
  std::optional<double> exact = {};       // log Z
  std::string exact_by = {};              // in words
  // RAISE, of the first rows: its mean, its standard error (of annealing), and the annealed mean of the same
  // rows.
  std::int64_t raise_rows = 0;
  double raise = 0, raise_error = 0, same_rows = 0;
  double acceptance = 1;
  Findings findings = {};
};

EbmLoglik loglik_of(const BuiltEbm& built, const torch::Tensor& prepared, const EbmLoglikOptions& options);

std::string loglik_json(const EbmLoglik& loglik);
std::string loglik_text(const EbmLoglik& loglik);

}  // namespace kullback::deep
