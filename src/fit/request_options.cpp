#include "fit/request_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/option_values.hpp"
#include "fit/fit.hpp"
#include "fit/judge.hpp"
#include "fit/ladder.hpp"
#include "fit/minibatch_options.hpp"
#include "infer/optimize/options.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

constexpr std::uint64_t kMostChains = 100'000;
constexpr std::uint64_t kMostThreads = 4096;

const std::string* find(const GivenOptions& given, const char* name) {
  const auto found = given.find(name);
  return found == given.end() ? nullptr : &found->second;
}

std::uint64_t count_or(const GivenOptions& given, const char* name, std::uint64_t fallback,
                       std::pair<std::uint64_t, std::uint64_t> range) {
  const std::string* text = find(given, name);
  if (text == nullptr) return fallback;
  const std::optional<std::uint64_t> count = read_count(*text);
  if (count && *count >= range.first && *count <= range.second) return *count;
  throw Error(ErrorKind::usage,
              fmt::format("{}: {}.", flag_of(name), no_count_text(*text, range.first, range.second)));
}

std::optional<double> number_of(const GivenOptions& given, const char* name) {
  const std::string* text = find(given, name);
  if (text == nullptr) return std::nullopt;
  const std::optional<double> number = read_number(*text);
  if (!number)
    throw Error(ErrorKind::usage,
                fmt::format("{}: '{}' was given, but a number is needed.", flag_of(name), *text));
  return number;
}

double checkpoint_of(const GivenOptions& given) {
  const std::string* text = find(given, "checkpoint");
  if (text == nullptr) return Request().checkpoint_seconds;
  const std::optional<double> seconds = read_number(*text);
  if (seconds && *seconds >= 0) return *seconds;  // NaN is not
  throw Error(ErrorKind::usage,
              fmt::format("--checkpoint: '{}' was given, but a number from 0 on is needed.", *text));
}

std::size_t max_memory_of(const GivenOptions& given) {
  const std::string* text = find(given, "max_memory");
  if (text == nullptr) return 0;
  if (const std::optional<std::uint64_t> bytes = read_memory_size(*text)) return *bytes;
  throw Error(ErrorKind::usage, fmt::format("--max-memory: {}.", no_memory_size_text(*text)));
}

bool is_fit_option(std::string_view name) {
  const std::span<const FitOption> options = fit_options();
  return std::any_of(options.begin(), options.end(), [&](const FitOption& o) { return o.name == name; });
}

// Of methods that read the option, the one that is used most.
std::string_view first_reading(std::string_view option) {
  for (const infer::Method* method : infer::methods()) {
    if (reads(*method, option)) return method->name;
  }
  return {};
}

[[noreturn]] void refuse_option(const infer::Method& method, const std::string& option) {
  const std::string flag = flag_of(option);
  if (&method == &auto_method()) {
    throw Error(ErrorKind::usage, fmt::format("{} cannot be used with the default method.", flag),
                fmt::format("Add `--method {}`; it is an option of {}.", first_reading(option),
                            methods_reading(option)));
  }
  const std::string message = fmt::format("{} cannot be used with `--method {}`.", flag, method.name);
  for (const infer::Refusal& refusal : method.refusals) {
    if (refusal.option == option) throw Error(ErrorKind::usage, message, std::string(refusal.why));
  }
  throw Error(ErrorKind::usage, message,
              fmt::format("Leave it out, or take `--method {}`; it is an option of {}.",
                          first_reading(option), methods_reading(option)));
}

// An approximation's draws must be so many that their own noise is small beside the tolerance.
void set_draws_for(double tolerance, const GivenOptions& given, Request& request) {
  if (!(tolerance > 0) || !std::isfinite(tolerance)) {
    throw Error(
        ErrorKind::usage, fmt::format("--tolerance is {}; it must be above 0.", tolerance),
        "0.1 asks for means and standard deviations within a tenth of a posterior standard deviation.");
  }
  if (request.method->has_log_q && !given.contains("draws"))
    request.options.set(infer::option::kDraws, draws_for(tolerance));
  if (!given.contains("resample"))
    request.options.set(infer::option::kResample, false);  // resampled draws have no log q
}

void check_wasserstein(const Request& request) {
  if (request.method == &auto_method()) return;
  if (!request.tolerance) {
    throw Error(ErrorKind::usage, "--wasserstein is a part of the certificate, and none was asked for.",
                "Add --tolerance 0.1.");
  }
  if (!request.method->has_log_q) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--wasserstein bounds how far an approximation is from the posterior; {} has none "
                    "with a density.",
                    request.method->name),
        "Leave it out, or take `--method laplace`, fullrank or meanfield.");
  }
}

void check_budget(const Request& request) {
  if (!(*request.budget > 0) || !std::isfinite(*request.budget))
    throw Error(ErrorKind::usage,
                fmt::format("--budget is {}; it must be above 0 seconds.", *request.budget));
  if (request.method != &auto_method()) {
    throw Error(ErrorKind::usage,
                fmt::format("--budget cannot be used with `--method {}`.", request.method->name),
                "Leave it out, or take `--method auto`: it ends the ladder of methods.");
  }
}

// Everything that decides the draws is in the folder; to read it twice would hide which counts.
void check_resume_alone(const GivenOptions& given, const Inputs& inputs) {
  constexpr std::array<std::string_view, 5> kBeside = {"resume", "threads", "checkpoint", "sensitivity",
                                                       "max_memory"};
  const bool is_alone =
      inputs.program.empty() && std::all_of(given.begin(), given.end(), [&](const auto& option) {
        return std::find(kBeside.begin(), kBeside.end(), option.first) != kBeside.end();
      });
  if (is_alone) return;
  throw Error(
      ErrorKind::usage,
      "--resume takes program, data, seed and options of the method from the folder; others were given.",
      "Beside it go --threads, --checkpoint, --sensitivity, --max-memory, --report and --quiet.");
}

}  // namespace

std::span<const FitOption> fit_options() {
  static constexpr FitOption kOptions[] = {
#define KULLBACK_FIT_OPTION(name, kind, kept, type, fallback, help) \
  {#name, OptionKind::kind, Kept::kept == Kept::option, type, fallback, help},
#include "fit/options.def"
#undef KULLBACK_FIT_OPTION
  };
  return kOptions;
}

bool reads(const infer::Method& method, std::string_view option) {
  return find_option(method.options, option) != nullptr;
}

std::string methods_reading(std::string_view option) {
  std::string names;
  for (const infer::Method* method : infer::methods()) {
    if (reads(*method, option)) names += (names.empty() ? "" : ", ") + std::string(method->name);
  }
  return names;
}

const infer::Method& method_named(const std::string& name) {
  if (const infer::Method* method = infer::find_method(name)) return *method;
  if (name == auto_method().name) return auto_method();
  std::vector<std::string_view> names;
  names.push_back(auto_method().name);
  for (const infer::Method* method : infer::methods()) names.push_back(method->name);
  const std::string_view near = nearest_name(name, names);
  throw Error(ErrorKind::usage, fmt::format("there is no method '{}'.", name),
              near.empty() ? "kullback methods lists them." : fmt::format("Did you mean '{}'?", near));
}

infer::Options options_of(const infer::Method& method, const GivenOptions& given) {
  infer::Options options;
  for (const auto& [name, text] : given) {
    const OptionRecord* option = find_option(method.options, name);
    if (option == nullptr) refuse_option(method, name);
    options.put(*option, read_option(*option, text));
  }
  return options;
}

std::vector<std::string> items_of(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\n', at), list.size());
    items.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

void check_names(const GivenOptions& given) {
  std::vector<std::string> flags;
  for (const FitOption& option : fit_options()) flags.push_back(flag_of(option.name));
  for (const OptionRecord* option : infer::all_options()) flags.push_back(flag_of(option->name));
  for (const auto& [name, text] : given) {
    const std::string flag = flag_of(name);
    if (std::find(flags.begin(), flags.end(), flag) != flags.end()) continue;
    const std::vector<std::string_view> candidates(flags.begin(), flags.end());
    const std::string_view near = nearest_name(flag, candidates);
    throw Error(
        ErrorKind::usage, fmt::format("kullback fit has no option '{}'.", flag),
        near.empty() ? "kullback fit --help shows the usage." : fmt::format("Did you mean '{}'?", near));
  }
}

Request make_request(const GivenOptions& given, Inputs inputs) {
  Request request;
  request.inputs = std::move(inputs);
  if (const std::string* paths = find(given, "include_path")) request.inputs.include_paths = items_of(*paths);
  if (given.contains("max_memory")) request.inputs.max_memory = max_memory_of(given);
  const std::string* method = find(given, "method");
  request.method = method != nullptr ? &method_named(*method) : &auto_method();
  GivenOptions of_method = given;
  take_minibatch(*request.method, of_method, request.inputs);
  std::erase_if(of_method, [](const auto& option) { return is_fit_option(option.first); });
  request.options = options_of(*request.method, of_method);
  request.seed = count_or(given, "seed", 0, {0, std::numeric_limits<std::uint64_t>::max()});
  request.chains = count_or(given, "chains", request.chains, {1, kMostChains});
  request.threads = count_or(given, "threads", 0, {1, kMostThreads});
  if (const std::string* init = find(given, "init")) request.init = *init;
  request.force = given.contains("force");
  request.checkpoint_seconds = checkpoint_of(given);
  request.sensitivity = given.contains("sensitivity");
  request.tolerance = number_of(given, "tolerance");
  request.wasserstein = given.contains("wasserstein");
  request.budget = number_of(given, "budget");
  if (request.wasserstein) check_wasserstein(request);
  if (request.budget) check_budget(request);
  if (request.tolerance) set_draws_for(*request.tolerance, of_method, request);
  if (const std::string* out = find(given, "out")) request.out = *out;
  request.jacobian = request.method->name != "optimize";
  return request;
}

Request make_resuming_request(const GivenOptions& given, const Inputs& inputs) {
  check_resume_alone(given, inputs);
  const std::filesystem::path out = given.at("resume");
  Request request = request_of(run::current_folder(out));
  request.out = out;
  request.threads = count_or(given, "threads", 0, {1, kMostThreads});
  request.sensitivity = given.contains("sensitivity");
  request.checkpoint_seconds = checkpoint_of(given);
  request.inputs.max_memory = max_memory_of(given);
  return request;
}

}  // namespace kullback::fit
