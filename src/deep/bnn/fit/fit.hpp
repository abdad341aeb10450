// From a table to a folder with a trained network, and from there to predictions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/bnn/fit/evaluate.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/train/training_run.hpp"
#include "run/options.hpp"

namespace kullback::deep {

struct FitRequest {
  std::vector<std::filesystem::path> data = {};
  std::string target = {};
  std::string labels = {};  // of images: the file with their classes
  std::string image = {};   // of a table whose columns are pixels: "28x28"
  std::vector<std::string> ignored = {};
  std::string likelihood = "auto";
  Network network = {};     // what the data decide is filled in
  double validation = 0.1;  // part of the rows that is held out; 0: none
  TrainOptions train = {};  // epochs, batch 0: chosen by the data and the posterior; without files
  bool has_patience = false;
  run::RunOptions options = {};  // for the record: all that were chosen
  torch::Device device = torch::kCPU;
  std::optional<std::int64_t> device_memory = {};  // bytes for rows; not given: half of what is free
  int threads = 0;  // 0: one for small networks, which more would slow down, else the cores of the machine
  std::filesystem::path out = {};
  bool force = false;
};

// Throws Error; a folder that was made is left only where something was learned.
FitOutcome fit(const FitRequest& request, const Ranks& ranks, const run::Watch& watch);

struct PredictRequest {
  std::filesystem::path folder = {};
  std::vector<std::filesystem::path> data = {};
  std::string labels = {};                      // of images: the file with their classes; empty: unknown
  std::vector<std::filesystem::path> ood = {};  // rows of another origin; empty: none
  std::filesystem::path out = {};
  bool force = false;
  std::int64_t draws = 0;  // 0: as trained
  torch::Device device = torch::kCPU;
};

struct PredictOutcome {
  std::size_t rows = 0;
  std::size_t known = 0;   // rows whose target is there
  std::size_t filled = 0;  // cells that were missing
  Figures figures = {};
  double ood_auroc = 0;
  bool has_ood = false;
};

PredictOutcome predict(const PredictRequest& request);

}  // namespace kullback::deep
