// A fit of a conjugate model, from files to a folder of results.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conjugate/data.hpp"
#include "conjugate/record.hpp"
#include "conjugate/train.hpp"
#include "run/progress.hpp"
#include "run/record.hpp"

namespace kullback::run {
class RunFolder;
}

namespace kullback::conjugate {

struct Request {
  const ModelRecord* model = nullptr;
  std::map<std::string, std::string> values = {};  // of the model's options that were given
  SourceRequest data = {};
  TrainOptions train = {};
  std::filesystem::path out = {};               // of a run that has begun, where it writes
  std::shared_ptr<run::RunFolder> folder = {};  // on the first rank, of a run that has begun
  std::filesystem::path prior = {};  // folder of an earlier fit whose posterior is this one's prior; or empty
  bool force = false;
  bool writes_units = true;  // the table with a line for each unit
};

struct Outcome {
  run::RunRecord record;
  TrainOutcome trained;
  Shape shape;
  Terms terms = {};  // of the bound
  Figures figures = {};
  std::vector<ResultTable> tables = {};
  std::filesystem::path folder = {};  // where the files are
};

// Only the first rank's outcome is complete. Throws Error.
Outcome fit(Request request, const Ranks& ranks, const run::Watch& watch);

// A fit read from its folder, ready for new data.
struct LoadedFit {
  const ModelRecord* record = nullptr;
  std::map<std::string, std::string> values;
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
