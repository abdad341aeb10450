// From rows to a folder with a trained diffusion model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/ranks.hpp"
#include "deep/diffusion/fit/model.hpp"
#include "deep/train/training_run.hpp"
#include "run/options.hpp"

namespace kullback::deep::diffusion {

struct FitRequest {
  RowsRequest rows = {};
  Model model = {};  // what the data decide is filled in
  double rate = 0;   // 0: chosen by the kind of data
  Schedule schedule = Schedule::cosine;
  double label_dropout = 0.1;
  double averaging = 0.999;
  double validation = 0.1;
  TrainOptions train = {};       // epochs 0: chosen by the number of rows; without files
  run::RunOptions options = {};  // for the record: all that were chosen
  torch::Device device = torch::kCPU;
  std::filesystem::path out = {};
  bool force = false;
};

// Throws Error; a folder that was made is left only where something was learned.
FitOutcome fit_diffusion(const FitRequest& request, const Ranks& ranks, const run::Watch& watch);

}  // namespace kullback::deep::diffusion
