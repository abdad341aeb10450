#include "conjugate/fit_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_fields.hpp"
#include "conjugate/write.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"
#include "run/own_files.hpp"

namespace kullback::conjugate {

namespace {

using run::json_number;

constexpr const char* kKinds[] = {"table", "documents", "sequences"};

std::string json_levels(const std::vector<std::vector<std::string>>& levels) {
  std::string text = "[";
  for (const auto& words : levels) text += (text.size() > 1 ? ", " : "") + json_texts(words);
  return text + "]";
}

std::string json_numbers(const Figures& figures) {
  std::string text = "{";
  for (const auto& [name, value] : figures)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", json_string(name), json_number(value));
  return text + "}";
}

JsonValue read_json(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string(), "Fit the model again.");
}

void read_summary(const JsonFields& json, Outcome& outcome) {
  outcome.terms = json.named_numbers("terms");
  for (const JsonFields& start : json.objects("starts")) {
    StartOutcome& read = outcome.trained.starts.emplace_back();
    read.elbo = start.number("elbo");
    read.passes = start.count("passes");
    read.is_converged = start.flag("converged");
  }
  const std::uint64_t best = json.count("best_start");
  if (best == 0 || best > outcome.trained.starts.size()) json.refuse("best_start", "the number of a start");
  outcome.trained.best = best - 1;
}

// "mean-precision" was an option's name, and a kind's own where it now has a word more; "" was not given.
GivenTexts current_names(const std::map<std::string, std::string>& settings, const ModelRecord& model) {
  GivenTexts texts;
  for (const auto& [name, text] : settings) {
    std::string current = name;
    std::replace(current.begin(), current.end(), '-', '_');
    if (find_option(model.options, current) == nullptr) current = "prior_" + current;
    if (!text.empty()) texts[current] = text;
  }
  return texts;
}

OptionValues read_model_options(const JsonFields& json, const std::string& path, const ModelRecord& model) {
  const bool is_old = json.has("settings");
  try {
    return read_options(model.options,
                        is_old ? current_names(json.words("settings"), model) : json.words("options"),
                        "--kind " + model.kind);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input, path + ": " + error.message(), "Fit the model again.");
  }
}

void read_model(const JsonFields& json, const std::string& path, LoadedFit& fit) {
  fit.record = find_model(json.text("verb"), json.text("kind"));
  if (fit.record == nullptr) json.refuse("kind", "that of a model that this version of Kullback has");
  fit.values = read_model_options(json, path, *fit.record);
  fit.shape.units = json.count("units");
  fit.shape.columns = json.count("size");
  fit.shape.names = json.texts("columns");
  fit.shape.levels = json.lists_of_texts("levels");
  fit.data.target = json.text("target");
  fit.data.sequence = json.text("sequence");
  fit.data.ignored = json.texts("ignored");
}

}  // namespace

std::string model_json(const Request& request, const Shape& shape) {
  const SourceRequest data = source_request(request);
  const ModelRecord& model = *request.model;
  return fmt::format(
      "{{\n  \"verb\": {},\n  \"kind\": {},\n  \"options\": {},\n  \"data\": {},\n  \"units\": {},\n"
      "  \"size\": {},\n  \"columns\": {},\n  \"levels\": {},\n  \"target\": {},\n  \"ignored\": {},\n"
      "  \"sequence\": {},\n  \"state\": \"state.npy\"\n}}\n",
      json_string(model.verb), json_string(model.kind),
      json_words(run::texts_of(model.options, request.values)),
      json_string(kKinds[static_cast<int>(model.data)]), shape.units, shape.columns, json_texts(shape.names),
      json_levels(shape.levels), json_string(data.target), json_texts(data.ignored),
      json_string(data.sequence));
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
      json_number(outcome.record.seconds), run::json_findings(outcome.record.findings));
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
  const std::filesystem::path path = folder / run::kRecordFile;
  std::error_code none;
  return std::filesystem::exists(path, none) && run::is_conjugate(run::read_run_record(path.string()).kind);
}

LoadedFit load_fit(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "model.json";
  if (!std::filesystem::exists(path)) {
    throw Error(ErrorKind::missing_file,
                folder.string() + ": holds no fitted mixture, topics, hmm, factors or regress.",
                "Name the folder that such a command wrote.");
  }
  if (std::filesystem::exists(folder / "run.json")) run::open_folder(folder);  // checks its files
  LoadedFit fit;
  const JsonValue json = read_json(path);
  read_model(JsonFields(json, path.string()), path.string(), fit);
  fit.shape.kind = fit.record->data;
  fit.model = fit.record->make(fit.values, fit.shape);
  fit.state = read_npy(folder / "state.npy");
  fit.model->set_state(fit.state);
  fit.model->prepare();
  return fit;
}

Outcome read_outcome(const std::filesystem::path& folder) {
  const LoadedFit fit = load_fit(folder);
  Outcome outcome{
      .record = run::read_run_record((folder / "run.json").string()), .trained = {}, .shape = fit.shape};
  const std::filesystem::path path = folder / "summary.json";
  const JsonValue json = read_json(path);
  read_summary(JsonFields(json, path.string()), outcome);
  outcome.trained.is_interrupted = outcome.record.status == "interrupted";
  outcome.figures = fit.model->figures();
  outcome.tables = fit.model->tables(fit.shape);
  return outcome;
}

}  // namespace kullback::conjugate
