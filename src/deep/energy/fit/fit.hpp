// From rows to a folder with a trained energy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "deep/energy/fit/model.hpp"
#include "deep/energy/fit/trainee.hpp"
#include "deep/train/training_run.hpp"
#include "run/options.hpp"

namespace kullback::deep {

struct EbmFitRequest {
  RowsRequest rows = {};
  EbmModel model = {};  // what the data decide is filled in
  // Those of the parts that were given, for a part that the data choose.
  GivenTexts energy_options = {}, sampler_options = {};
  EbmTraining training = {};
  double validation = 0.1;       // part of the rows that is held out; 0: none
  TrainOptions train = {};       // epochs 0: chosen by the number of rows; without files
  run::RunOptions options = {};  // for the record: all that were chosen
  torch::Device device = torch::kCPU;
  std::filesystem::path out = {};
  bool force = false;
};

// Throws Error; a folder that was made is left only where something was learned.
FitOutcome fit_ebm(const EbmFitRequest& request, const Ranks& ranks, const run::Watch& watch);

}  // namespace kullback::deep
