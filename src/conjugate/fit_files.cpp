#include "conjugate/fit_files.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "conjugate/write.hpp"
#include "posterior/json_text.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::conjugate {

namespace {

namespace dom = simdjson::dom;
using posterior::json_number;

constexpr const char* kKinds[] = {"table", "documents", "sequences"};

std::string json_list(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const std::string& word : words) text += (text.size() > 1 ? ", " : "") + json_string(word);
  return text + "]";
}

std::string json_map(const std::map<std::string, std::string>& words) {
  std::string text = "{";
  for (const auto& [name, value] : words)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", json_string(name), json_string(value));
  return text + "}";
}

std::string json_levels(const std::vector<std::vector<std::string>>& levels) {
  std::string text = "[";
  for (const auto& words : levels) text += (text.size() > 1 ? ", " : "") + json_list(words);
  return text + "]";
}

std::string json_numbers(const Figures& figures) {
  std::string text = "{";
  for (const auto& [name, value] : figures)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", json_string(name), json_number(value));
  return text + "}";
}

std::vector<std::string> words_of(const dom::array& array) {
  std::vector<std::string> words;
  for (const dom::element word : array) words.emplace_back(std::string_view(word));
  return words;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::bad_input, path.string() + ": " + what, "Fit the model again.");
}

// Throws simdjson_error, as below.
void read_summary(const dom::element& json, Outcome& outcome) {
  for (const auto [name, value] : dom::object(json["terms"])) outcome.terms.emplace_back(name, double(value));
  for (const dom::element start : dom::array(json["starts"])) {
    StartOutcome& read = outcome.trained.starts.emplace_back();
    read.elbo = double(start["elbo"]);
    read.passes = std::uint64_t(start["passes"]);
    read.is_converged = bool(start["converged"]);
  }
  outcome.trained.best = std::uint64_t(json["best_start"]) - 1;
  if (outcome.trained.best >= outcome.trained.starts.size())
    throw simdjson::simdjson_error(simdjson::INDEX_OUT_OF_BOUNDS);
}

// Throws simdjson_error where something is missing or of another type.
void read_model(const dom::element& json, LoadedFit& fit) {
  fit.record = find_model(std::string_view(json["verb"]), std::string_view(json["kind"]));
  for (const auto [name, value] : dom::object(json["settings"]))
    fit.values[std::string(name)] = std::string(std::string_view(value));
  fit.shape.units = std::uint64_t(json["units"]);
  fit.shape.columns = std::uint64_t(json["size"]);
  fit.shape.names = words_of(json["columns"]);
  for (const dom::element words : dom::array(json["levels"])) fit.shape.levels.push_back(words_of(words));
  fit.data.target = std::string(std::string_view(json["target"]));
  fit.data.sequence = std::string(std::string_view(json["sequence"]));
  fit.data.ignored = words_of(json["ignored"]);
}

}  // namespace

std::string model_json(const Request& request, const Settings& settings, const Shape& shape) {
  const ModelRecord& model = *request.model;
  return fmt::format(
      "{{\n  \"verb\": {},\n  \"kind\": {},\n  \"settings\": {},\n  \"data\": {},\n  \"units\": {},\n"
      "  \"size\": {},\n  \"columns\": {},\n  \"levels\": {},\n  \"target\": {},\n  \"ignored\": {},\n"
      "  \"sequence\": {},\n  \"state\": \"state.npy\"\n}}\n",
      json_string(model.verb), json_string(model.kind), json_map(settings.values()),
      json_string(kKinds[static_cast<int>(model.data)]), shape.units, shape.columns, json_list(shape.names),
      json_levels(shape.levels), json_string(request.data.target), json_list(request.data.ignored),
      json_string(request.data.sequence));
}

std::string summary_json(const Outcome& outcome) {
  const TrainOutcome& trained = outcome.trained;
  const StartOutcome& best = trained.starts[trained.best];
  std::string starts;
  for (const StartOutcome& start : trained.starts) {
    starts +=
        fmt::format("{}\n    {{\"elbo\": {}, \"passes\": {}, \"converged\": {}}}", starts.empty() ? "" : ",",
                    json_number(start.elbo), start.passes, start.is_converged);
  }
  return fmt::format(
      "{{\n  \"units\": {},\n  \"elbo\": {},\n  \"elbo_per_unit\": {},\n  \"terms\": {},\n  \"passes\": {},\n"
      "  \"converged\": {},\n  \"best_start\": {},\n  \"starts\": [{}\n  ],\n  \"figures\": {},\n"
      "  \"seconds\": {},\n  \"findings\": {}\n}}\n",
      outcome.shape.units, json_number(best.elbo),
      json_number(best.elbo / static_cast<double>(outcome.shape.units)), json_numbers(outcome.terms),
      best.passes, best.is_converged, trained.best + 1, starts, json_numbers(outcome.figures),
      json_number(outcome.record.seconds), posterior::json_findings(outcome.record.findings));
}

std::unique_ptr<TableWriter> unit_writer(const std::filesystem::path& folder, const Model& model,
                                         const Source& source) {
  return std::make_unique<TableWriter>(folder / (model.unit_table() + ".csv"),
                                       model.unit_columns(source.shape()),
                                       source.unit_names().empty() ? "" : "name");
}

ResultTable trace_table(const TrainOutcome& trained) {
  ResultTable table{.name = "trace", .columns = {"start", "pass", "elbo", "seconds"}, .cells = {}};
  for (std::size_t start = 0; start < trained.starts.size(); ++start) {
    for (const TracePoint& point : trained.starts[start].trace) {
      const double cells[] = {static_cast<double>(start + 1), static_cast<double>(point.pass), point.elbo,
                              point.seconds};
      table.cells.insert(table.cells.end(), std::begin(cells), std::end(cells));
    }
  }
  return table;
}

bool is_conjugate_fit(const std::filesystem::path& folder) {
  std::error_code none;
  return std::filesystem::exists(folder / "model.json", none);
}

LoadedFit load_fit(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "model.json";
  if (!is_conjugate_fit(folder)) {
    throw Error(ErrorKind::missing_file,
                folder.string() + ": holds no fitted mixture, topics, hmm, factors or regress.",
                "Name the folder that such a command wrote.");
  }
  if (std::filesystem::exists(folder / "run.json")) posterior::open_folder(folder);  // checks its files
  LoadedFit fit;
  dom::parser parser;
  try {
    read_model(parser.parse(read_file(path)), fit);
  } catch (const simdjson::simdjson_error& error) {
    refuse(path, fmt::format("is not what a fit writes: {}.", error.what()));
  }
  if (fit.record == nullptr) refuse(path, "names a model that this version of Kullback does not have.");
  fit.shape.kind = fit.record->data;
  fit.model = fit.record->make(Settings(fit.record->options, fit.values), fit.shape);
  fit.state = read_npy(folder / "state.npy");
  fit.model->set_state(fit.state);
  fit.model->prepare();
  return fit;
}

Outcome read_outcome(const std::filesystem::path& folder) {
  const LoadedFit fit = load_fit(folder);
  Outcome outcome{.record = posterior::read_run_record((folder / "run.json").string()),
                  .trained = {},
                  .shape = fit.shape};
  const std::filesystem::path path = folder / "summary.json";
  dom::parser parser;
  try {
    read_summary(parser.parse(read_file(path)), outcome);
  } catch (const simdjson::simdjson_error& error) {
    refuse(path, fmt::format("is not what a fit writes: {}.", error.what()));
  }
  outcome.trained.is_interrupted = outcome.record.status == "interrupted";
  outcome.figures = fit.model->figures();
  outcome.tables = fit.model->tables(fit.shape);
  return outcome;
}

}  // namespace kullback::conjugate
