#include "fit/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "fit/begin.hpp"
#include "fit/fit.hpp"
#include "fit/fixed.hpp"
#include "fit/ladder.hpp"
#include "fit/options.hpp"
#include "infer/vi/options.hpp"
#include "kullback_version.hpp"
#include "model/streamed_rows.hpp"
#include "run/folder.hpp"
#include "run/own_files.hpp"

namespace kullback::fit {

namespace {

std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

// Not a program or starting values in memory.
bool is_file(const std::string& path) {
  std::error_code none;  // a text may be too long for a path
  return std::filesystem::exists(path, none);
}

std::vector<std::string> absolute(std::vector<std::string> paths) {
  for (std::string& path : paths) path = absolute(path);
  return paths;
}

std::vector<std::string> absolute_streams(std::vector<std::string> streams) {
  for (std::string& stream : streams) {
    const model::StreamedFile file = model::streamed_file(stream);
    stream = (file.name.empty() ? "" : file.name + "=") + absolute(file.path);
  }
  return streams;
}

// The converse of take_recorded. Paths do not depend on the folder that the user is in.
OptionValues recorded_of(const Request& request) {
  const Inputs& inputs = request.inputs;
  OptionValues values;
  values.set(option::kInit, is_file(request.init) ? absolute(request.init) : request.init);
  if (request.tolerance) values.set(option::kTolerance, *request.tolerance);
  if (request.wasserstein) values.set(option::kWasserstein, true);
  if (request.budget) values.set(option::kBudget, *request.budget);
  if (!inputs.row_size.empty())
    values.set(option::kMinibatch,
               inputs.row_size + "=" + request.options.text_of(infer::option::kBatchSize));
  if (!inputs.strata.empty()) values.set(option::kStrata, inputs.strata);
  if (!inputs.streams.empty()) values.put(option::kStream, absolute_streams(inputs.streams));
  if (!inputs.include_paths.empty()) values.put(option::kIncludePath, absolute(inputs.include_paths));
  if (request.method->name == "optimize") values.set(option::kJacobian, request.jacobian);
  return values;
}

// The options of a record are the ladder's own, then: its answer may be of any method, and a default
// tolerance is no wish.
void take_ladder(const OptionValues& values, Request& request) {
  if (const std::optional<std::size_t> chains = values.given(option::kLadderChains)) {
    request.method = &auto_method();
    request.options = {};
    request.chains = *chains;
  }
  if (values[option::kToleranceIsDefault]) request.tolerance.reset();
}

const infer::Method* method_named(const std::string& name) {
  if (name == fixed_method().name) return &fixed_method();
  return name == auto_method().name ? &auto_method() : infer::find_method(name);
}

// --force is refused beside --resume: a new fit has a command of its own.
std::string begin_again(const std::filesystem::path& path, const run::RunRecord& record) {
  const bool replaces = path.filename() == run::kNextFolder;
  const std::filesystem::path folder = replaces ? path.parent_path() : path;
  return fmt::format("`kullback fit {}{}{} --out {} --force`.", record.program,
                     record.data.empty() ? "" : " ", record.data, folder.string());
}

}  // namespace

run::RunRecord begin_record(const Inputs& inputs, const LoadedModel& model, std::uint64_t seed) {
  run::RunRecord record;
  record.version = kVersion;
  record.program = is_file(inputs.program) ? absolute(inputs.program) : inputs.program;
  record.program_hash = content_hash(model.program->text);
  record.data = absolute(inputs.data);
  record.data_hash = model.data_hash;
  for (const posterior::DataVariable& variable : model.data)
    record.data_variables.push_back({variable.name, variable.dims, variable.is_int, variable.is_observed});
  record.seed = seed;
  record.chains = 1;
  record.status = "running";
  record.started = run::utc_now();
  return record;
}

run::RunRecord make_record(const Request& request, const LoadedModel& model) {
  run::RunRecord record = begin_record(request.inputs, model, request.seed);
  record.method = request.method->name;
  record.chains = request.chains;
  record.options.set(request.method->options, request.options);
  record.options.set_given(recorded_options(), recorded_of(request));
  if (request.inputs.data.empty() && model.data_text != nullptr && !request.out.empty())
    record.data = kept_data_path(request.out).string();
  return record;
}

void note_ladder(run::RunRecord& record, std::size_t chains, bool is_tolerance_asked) {
  record.options.set(option::kLadderChains, chains);
  if (!is_tolerance_asked) record.options.set(option::kToleranceIsDefault, true);
}

void continue_record(const std::filesystem::path& folder, run::RunRecord& now) {
  const run::RunRecord before = run::read_run_record((folder / "run.json").string());
  if (before.kind != run::Kind::posterior) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: holds {}, not a fit that could go on.", folder.string(),
                            run::record_of(before.kind).what),
                "Predictions and simulations are made again from their command.");
  }
  if (before.program_hash != now.program_hash) {
    throw Error(ErrorKind::bad_input,
                (folder / "model.stan").string() + ": is not what it was when the run began.",
                "Put the old program back, or fit again: " + begin_again(folder, before));
  }
  if (before.data_hash != now.data_hash) {
    throw Error(ErrorKind::bad_input, before.data + ": is not what it was when the run began.",
                "Put the old data back, or fit again: " + begin_again(folder, before));
  }
  if (before.version != now.version) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the run was begun by kullback {}, but this is {}.", before.version, now.version),
                "Go on with that version, or fit again: " + begin_again(folder, before));
  }
  now = before;
  now.findings.clear();
  now.gradients = 0;  // the algorithms' own counts go on
  now.status = "running";
}

void note_include_paths(const Inputs& inputs, run::RunRecord& record) {
  if (!inputs.include_paths.empty()) record.options.set(option::kIncludePath, absolute(inputs.include_paths));
}

void take_recorded(const OptionValues& values, Request& request) {
  Inputs& inputs = request.inputs;
  const auto set = [&](const ListOption& option, std::vector<std::string>& target) {
    if (const auto given = values.given(option)) target.assign(given->begin(), given->end());
  };
  request.init = values[option::kInit];
  request.tolerance = values.given(option::kTolerance);
  request.wasserstein = values[option::kWasserstein];
  request.budget = values.given(option::kBudget);
  const std::string_view minibatch = values[option::kMinibatch];  // how many rows is an option of the method
  inputs.row_size = minibatch.substr(0, minibatch.find('='));
  inputs.strata = values[option::kStrata];
  set(option::kStream, inputs.streams);
  set(option::kIncludePath, inputs.include_paths);
}

infer::Options options_of(const run::RunRecord& record) {
  for (const auto& [name, value] : record.options) {
    if (find_option(infer::all_options(), name) != nullptr ||
        find_option(recorded_options(), name) != nullptr)
      continue;
    throw Error(ErrorKind::bad_input, fmt::format("run.json: its option '{}' is not known.", name),
                "Another version of kullback wrote it; fit again.");
  }
  infer::Options options;
  run::read_recorded(infer::all_options(), record.options, options);
  return options;
}

bool is_markov(const run::RunRecord& record) {
  const infer::Method* method = infer::find_method(record.method);
  return method != nullptr && method->has_chains;
}

Request request_of(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "run.json")) {
    throw Error(
        ErrorKind::missing_file,
        folder.string() + (std::filesystem::is_directory(folder) ? ": holds no fit (it has no run.json)."
                           : std::filesystem::exists(folder) ? ": is a file; the folder of a fit is needed."
                                                             : ": there is no such folder."),
        "`kullback fit MODEL DATA --out DIR` makes one.");
  }
  const run::RunRecord record = run::open_folder(folder);
  Request request;
  request.method = method_named(record.method);
  if (request.method == nullptr) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: the method '{}' is not known.",
                                                  (folder / "run.json").string(), record.method));
  }
  request.inputs.program = record.program;
  request.inputs.data = record.data;
  request.options = options_of(record);
  request.seed = record.seed;
  request.chains = record.chains;
  OptionValues recorded;
  run::read_recorded(recorded_options(), record.options, recorded);
  take_recorded(recorded, request);
  take_ladder(recorded, request);
  request.jacobian = recorded.given(option::kJacobian).value_or(true);
  const std::filesystem::path kept = folder / kKeptData;
  if (std::filesystem::path(record.data).filename() == kKeptData && std::filesystem::exists(kept))
    request.inputs.data = kept.string();  // the folder may have been moved
  // The copy is what was run; its includes stand beside the original. Of a library there is no copy.
  const std::filesystem::path copy = folder / "model.stan";
  const bool is_listed = std::any_of(record.files.begin(), record.files.end(),
                                     [](const auto& file) { return file.name == "model.stan"; });
  if (is_listed && !std::filesystem::exists(copy))
    throw Error(ErrorKind::missing_file, copy.string() + ": the file is missing; the run wrote it.",
                "The folder is incomplete; fit again with --force.");
  if (std::filesystem::exists(copy)) {
    request.inputs.include_paths.push_back(std::filesystem::path(record.program).parent_path().string());
    request.inputs.program = copy.string();
  }
  request.out = folder;
  request.resume = true;
  return request;
}

}  // namespace kullback::fit
