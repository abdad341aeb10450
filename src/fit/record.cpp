#include "fit/record.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "fit/begin.hpp"
#include "fit/fit.hpp"
#include "fit/fixed.hpp"
#include "fit/ladder.hpp"
#include "infer/option_text.hpp"
#include "kullback_version.hpp"
#include "model/streamed_rows.hpp"

namespace kullback::fit {

namespace {

constexpr const char* kInit = "init";
constexpr const char* kTolerance = "tolerance";
constexpr const char* kWasserstein = "wasserstein";
constexpr const char* kBudget = "budget";
constexpr const char* kLadderChains = "ladder_chains";
constexpr const char* kJacobian = "jacobian";
constexpr const char* kMinibatch = "minibatch";  // the size whose index is the row
constexpr const char* kStrata = "strata";
constexpr const char* kStream = "stream";             // several: one a line
constexpr const char* kIncludePath = "include_path";  // several: one a line

std::string absolute(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
}

// Not a program or starting values in memory.
bool is_file(const std::string& path) {
  std::error_code none;  // a text may be too long for a path
  return std::filesystem::exists(path, none);
}

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += absolute(path) + "\n";
  return text;
}

void split_into(const std::string& text, std::vector<std::string>& paths) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    paths.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

// With paths that do not depend on the folder that the user is in.
std::string streams_text(const std::vector<std::string>& streams) {
  std::string text;
  for (const std::string& stream : streams) {
    const model::StreamedFile file = model::streamed_file(stream);
    text += (file.name.empty() ? "" : file.name + "=") + absolute(file.path) + "\n";
  }
  return text;
}

// Not an option of the method.
bool is_of_request(const std::string& name) {
  return name == kInit || name == kIncludePath || name == kJacobian || name == kMinibatch ||
         name == kStrata || name == kStream || name == kTolerance || name == kBudget || name == kLadderChains;
}

const infer::Method* method_named(const std::string& name) {
  if (name == fixed_method().name) return &fixed_method();
  return name == auto_method().name ? &auto_method() : infer::find_method(name);
}

}  // namespace

posterior::RunRecord begin_record(const Inputs& inputs, const LoadedModel& model, std::uint64_t seed) {
  posterior::RunRecord record;
  record.version = kVersion;
  record.program = is_file(inputs.program) ? absolute(inputs.program) : inputs.program;
  record.program_hash = posterior::content_hash(model.program->text);
  record.data = absolute(inputs.data);
  record.data_hash = model.data_hash;
  for (const posterior::DataVariable& variable : model.data)
    record.data_variables.push_back({variable.name, variable.dims, variable.is_int});
  record.seed = seed;
  record.chains = 1;
  record.status = "running";
  record.started = posterior::utc_now();
  return record;
}

posterior::RunRecord make_record(const Request& request, const LoadedModel& model) {
  posterior::RunRecord record = begin_record(request.inputs, model, request.seed);
  record.method = request.method->name;
  record.chains = request.chains;
  for (const std::string_view name : request.method->options)
    record.options[std::string(name)] = infer::option_text(request.options, name);
  if (request.inputs.data.empty() && !model.data_text.empty() && !request.out.empty())
    record.data = kept_data_path(request.out).string();
  record.options[kInit] = is_file(request.init) ? absolute(request.init) : request.init;
  if (!request.inputs.include_paths.empty())
    record.options[kIncludePath] = joined(request.inputs.include_paths);
  if (request.tolerance) record.options[kTolerance] = fmt::format("{}", *request.tolerance);
  if (request.wasserstein) record.options[kWasserstein] = "true";
  if (request.budget) record.options[kBudget] = fmt::format("{}", *request.budget);
  if (!request.jacobian) record.options[kJacobian] = "false";
  if (!request.inputs.row_size.empty()) record.options[kMinibatch] = request.inputs.row_size;
  if (!request.inputs.streams.empty()) record.options[kStream] = streams_text(request.inputs.streams);
  if (!request.inputs.strata.empty()) record.options[kStrata] = request.inputs.strata;
  return record;
}

void note_ladder(posterior::RunRecord& record, std::size_t chains) {
  record.options[kLadderChains] = std::to_string(chains);
}

void continue_record(const std::filesystem::path& folder, posterior::RunRecord& now) {
  const posterior::RunRecord before = posterior::read_run_record((folder / "run.json").string());
  if (before.kind != "posterior") {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: holds {}, not a fit that could go on.", folder.string(), before.kind),
                "--resume DIR is for the folder of 'kullback fit'.");
  }
  if (before.program_hash != now.program_hash) {
    throw Error(ErrorKind::bad_input,
                (folder / "model.stan").string() + ": is not what it was when the run began.",
                "Put the old program back, or start anew with --force.");
  }
  if (before.data_hash != now.data_hash) {
    throw Error(ErrorKind::bad_input, before.data + ": is not what it was when the run began.",
                "Put the old data back, or start anew with --force.");
  }
  if (before.version != now.version) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the run was begun by kullback {}, but this is {}.", before.version, now.version),
                "Go on with that version, or start anew with --force.");
  }
  now = before;
  now.findings.clear();
  now.gradients = 0;  // the algorithms' own counts go on
  now.status = "running";
}

infer::Options options_of(const posterior::RunRecord& record) {
  infer::Options options;
  for (const auto& [name, text] : record.options) {
    if (!is_of_request(name)) infer::set_option(options, name, text);
  }
  return options;
}

bool is_markov(const posterior::RunRecord& record) {
  const infer::Method* method = infer::find_method(record.method);
  return method != nullptr && method->has_chains;
}

Request request_of(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "run.json")) {
    throw Error(
        ErrorKind::missing_file,
        folder.string() + (std::filesystem::is_directory(folder) ? ": holds no fit (it has no run.json)."
                                                                 : ": there is no such folder."),
        "kullback fit MODEL DATA --out DIR makes one.");
  }
  const posterior::RunRecord record = posterior::read_run_record((folder / "run.json").string());
  Request request;
  request.method = method_named(record.method);
  if (request.method == nullptr) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: the method '{}' is not known.",
                                                  (folder / "run.json").string(), record.method));
  }
  request.inputs.program = record.program;
  request.inputs.data = record.data;
  request.options = options_of(record);
  for (const auto& [name, text] : record.options) {
    if (name == kInit) request.init = text;
    if (name == kIncludePath) split_into(text, request.inputs.include_paths);
    if (name == kTolerance) request.tolerance = std::stod(text);
    if (name == kWasserstein) request.wasserstein = text == "true";
    if (name == kBudget) request.budget = std::stod(text);
    if (name == kJacobian) request.jacobian = text != "false";
    if (name == kMinibatch) request.inputs.row_size = text;
    if (name == kStrata) request.inputs.strata = text;
    if (name == kStream) split_into(text, request.inputs.streams);
  }
  // The copy is what was run; its includes stand beside the original. Of a library there is no copy.
  const std::filesystem::path copy = folder / "model.stan";
  if (std::filesystem::exists(copy)) {
    request.inputs.include_paths.push_back(std::filesystem::path(record.program).parent_path().string());
    request.inputs.program = copy.string();
  }
  request.seed = record.seed;
  request.chains = record.chains;
  if (const auto ladder = record.options.find(kLadderChains); ladder != record.options.end()) {
    request.method = &auto_method();
    request.options = {};
    request.chains = std::stoull(ladder->second);
  }
  request.out = folder;
  request.resume = true;
  return request;
}

}  // namespace kullback::fit
