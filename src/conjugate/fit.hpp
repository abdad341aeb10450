// A fit of a conjugate model, from files to a folder of results.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conjugate/data.hpp"
#include "conjugate/fit_options.hpp"
#include "conjugate/train.hpp"
#include "run/progress.hpp"
#include "run/record.hpp"

namespace kullback::conjugate {

struct Outcome {
  run::RunRecord record;
  TrainOutcome trained;
  Shape shape;
  Terms terms = {};  // of the bound
  Figures figures = {};
  std::vector<ResultTable> tables = {};
  std::filesystem::path folder = {};  // where the files are
};

// Only the first rank's outcome is complete. The request says the seed and the folder. Throws Error.
Outcome fit(const Request& request, const Ranks& ranks, const run::Watch& watch);

// A fit read from its folder, ready for new data.
struct LoadedFit {
  const ModelRecord* record = nullptr;
  OptionValues values;  // of the model
  Shape shape;
  SourceRequest data;  // how columns were chosen; no paths
  std::unique_ptr<Model> model;
  std::vector<double> state;
};
bool is_conjugate_fit(const std::filesystem::path& folder);
LoadedFit load_fit(const std::filesystem::path& folder);
// What the fit said when it ended, without states and statistics.
Outcome read_outcome(const std::filesystem::path& folder);

// Lines of new units to OUT/NAME.csv, and how well they were predicted to OUT/summary.json.
struct PredictRequest {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> data;
  std::filesystem::path out;
  std::filesystem::path vocabulary = {};
  bool force = false;
  bool streams = false;
  bool allows_empty_documents = false;
};
struct PredictOutcome {
  std::filesystem::path file;
  std::uint64_t units = 0;
  Model::Score score;  // NaN where the data do not allow one
};
PredictOutcome predict(const PredictRequest& request);

}  // namespace kullback::conjugate
