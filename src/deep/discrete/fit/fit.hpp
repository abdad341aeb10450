// From rows of categories or counts to a folder with a trained model.
#pragma once

#include <filesystem>

#include "base/ranks.hpp"
#include "deep/discrete/fit/model.hpp"
#include "deep/discrete/training.hpp"
#include "deep/train/training_run.hpp"
#include "run/options.hpp"

namespace kullback::deep::discrete {

constexpr const char* kKind = "discrete-diffusion";  // of the record

struct FitRequest {
  RowsRequest rows = {};
  Model model = {};  // what the data decide is filled in
  Limits limits = {};
  Training training = {};
  double validation = 0.1;
  TrainOptions train = {};       // epochs 0: chosen by the number of rows; without files
  run::RunOptions options = {};  // for the record: all that were chosen
  torch::Device device = torch::kCPU;
  std::filesystem::path out = {};
  bool force = false;
};

// Throws Error; a folder that was made is left only where something was learned.
FitOutcome fit_discrete(const FitRequest& request, const Ranks& ranks, const run::Watch& watch);

}  // namespace kullback::deep::discrete
