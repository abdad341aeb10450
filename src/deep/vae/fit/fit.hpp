// From rows to a folder with a trained autoencoder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/ranks.hpp"
#include "deep/train/training_run.hpp"
#include "deep/vae/fit/model.hpp"
#include "run/options.hpp"

namespace kullback::deep {

struct VaeFitRequest {
  RowsRequest rows = {};
  bool is_conditional = false;      // the labels are given to both networks
  VaeModel model = {};              // what the data decide is filled in; decoder "auto": chosen by the data
  GivenTexts decoder_options = {};  // those that were given
  double rate = 1e-3;
  Schedule schedule = Schedule::constant;
  double validation = 0.1;  // part of the rows that is held out; 0: none
  TrainOptions train = {};  // epochs 0: chosen by the number of rows; without files
  bool has_patience = false;
  run::RunOptions options = {};  // for the record: all that were chosen
  torch::Device device = torch::kCPU;
  std::optional<std::int64_t> device_memory = {};  // bytes for rows; not given: half of what is free
  std::filesystem::path out = {};
  bool force = false;
};

// Throws Error; a folder that was made is left only where something was learned.
FitOutcome fit_vae(const VaeFitRequest& request, const Ranks& ranks, const run::Watch& watch);

}  // namespace kullback::deep
