#include "fit/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/option_values.hpp"
#include "fit/begin.hpp"
#include "fit/fit.hpp"
#include "fit/fixed.hpp"
#include "fit/ladder.hpp"
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

std::string joined(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += absolute(path) + "\n";
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
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

// How an option of the request that no method reads stands in the record: as a text, empty where it was not
// given.
struct KeptOption {
  std::string_view name;
  std::string (*write)(const Request&);
  void (*read)(const std::string& text, Request&);
};

std::string write_init(const Request& r) { return is_file(r.init) ? absolute(r.init) : r.init; }
void read_init(const std::string& text, Request& r) { r.init = text; }

std::string number_or_empty(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : std::string();
}

double number_in(const std::string& text, const char* name) {
  if (const std::optional<double> number = read_number(text)) return *number;
  throw Error(ErrorKind::bad_input,
              fmt::format("run.json: its option '{}' is '{}', which is no number.", name, text),
              "The file is damaged; fit again.");
}

std::string write_tolerance(const Request& r) { return number_or_empty(r.tolerance); }
void read_tolerance(const std::string& text, Request& r) { r.tolerance = number_in(text, "tolerance"); }

std::string write_wasserstein(const Request& r) { return r.wasserstein ? "true" : ""; }
void read_wasserstein(const std::string& text, Request& r) { r.wasserstein = text == "true"; }

std::string write_budget(const Request& r) { return number_or_empty(r.budget); }
void read_budget(const std::string& text, Request& r) { r.budget = number_in(text, "budget"); }

// The size whose index is the row; how many rows there are is the method's batch_size.
std::string write_minibatch(const Request& r) { return r.inputs.row_size; }
void read_minibatch(const std::string& text, Request& r) { r.inputs.row_size = text; }

std::string write_strata(const Request& r) { return r.inputs.strata; }
void read_strata(const std::string& text, Request& r) { r.inputs.strata = text; }

std::string write_stream(const Request& r) { return streams_text(r.inputs.streams); }
void read_stream(const std::string& text, Request& r) { r.inputs.streams = lines_of(text); }

std::string write_include_path(const Request& r) { return joined(r.inputs.include_paths); }
void read_include_path(const std::string& text, Request& r) { r.inputs.include_paths = lines_of(text); }

// Of kullback optimize.
std::string write_jacobian(const Request& r) { return r.jacobian ? "" : "false"; }
void read_jacobian(const std::string& text, Request& r) { r.jacobian = text != "false"; }

// The ladder's own: chains of its chain rungs, whatever method the answer is of, and whether the tolerance is
// its default rather than the user's.
constexpr std::string_view kLadderChains = "ladder_chains";
constexpr std::string_view kDefaultToleranceTaken = "tolerance_is_default";
std::string write_nothing(const Request&) { return {}; }

void read_ladder_chains(const std::string& text, Request& r) {
  const std::optional<std::uint64_t> chains = read_count(text);
  if (!chains || *chains == 0)
    throw Error(ErrorKind::bad_input,
                fmt::format("run.json: its option '{}' is '{}', which is no count.", kLadderChains, text),
                "The file is damaged; fit again.");
  r.method = &auto_method();
  r.options = {};
  r.chains = *chains;
}

void read_default_tolerance(const std::string& text, Request& r) {
  if (text == "true") r.tolerance.reset();
}

#define KULLBACK_KEEP_option(name) {#name, write_##name, read_##name},
#define KULLBACK_KEEP_field(name)
#define KULLBACK_KEEP_unkept(name)
#define KULLBACK_FIT_OPTION(name, kind, kept, type, fallback, help) KULLBACK_KEEP_##kept(name)
constexpr KeptOption kKeptOptions[] = {
#include "fit/options.def"
    {"jacobian", write_jacobian, read_jacobian},
    {kLadderChains, write_nothing, read_ladder_chains},
    {kDefaultToleranceTaken, write_nothing, read_default_tolerance},  // after the tolerance
};
#undef KULLBACK_FIT_OPTION
#undef KULLBACK_KEEP_unkept
#undef KULLBACK_KEEP_field
#undef KULLBACK_KEEP_option

// Not an option of the method.
bool is_of_request(const std::string& name) {
  return std::any_of(std::begin(kKeptOptions), std::end(kKeptOptions),
                     [&](const KeptOption& kept) { return kept.name == name; });
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
  for (const OptionRecord* option : request.method->options)
    record.options[std::string(option->name)] = request.options.text_of(*option);
  if (request.inputs.data.empty() && model.data_text != nullptr && !request.out.empty())
    record.data = kept_data_path(request.out).string();
  for (const KeptOption& kept : kKeptOptions) {
    if (std::string text = kept.write(request); !text.empty())
      record.options[std::string(kept.name)] = std::move(text);
  }
  return record;
}

void note_ladder(run::RunRecord& record, std::size_t chains, bool is_tolerance_asked) {
  record.options[std::string(kLadderChains)] = std::to_string(chains);
  if (!is_tolerance_asked) record.options[std::string(kDefaultToleranceTaken)] = "true";
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

infer::Options options_of(const run::RunRecord& record) {
  infer::Options options;
  for (const auto& [name, text] : record.options) {
    if (is_of_request(name)) continue;
    const OptionRecord* option = find_option(infer::all_options(), name);
    if (option == nullptr)
      throw Error(ErrorKind::bad_input, fmt::format("run.json: its option '{}' is not known.", name),
                  "Another version of kullback wrote it; fit again.");
    try {
      options.put(*option, read_option(*option, text));
    } catch (const Error& error) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("run.json: its option '{}' is '{}': {}", name, text, error.message()),
                  "The file is damaged; fit again.");
    }
  }
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
  for (const KeptOption& kept : kKeptOptions) {
    if (const auto found = record.options.find(std::string(kept.name)); found != record.options.end())
      kept.read(found->second, request);
  }
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
