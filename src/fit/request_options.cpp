#include "fit/request_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "fit/fit.hpp"
#include "fit/judge.hpp"
#include "fit/ladder.hpp"
#include "fit/minibatch_options.hpp"
#include "fit/record.hpp"
#include "infer/optimize/options.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

bool is_fit_option(std::string_view name) { return find_option(fit_options(), name) != nullptr; }

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
void set_draws_for(double tolerance, Request& request) {
  if (request.method->has_log_q && !request.options.is_given(infer::option::kDraws))
    request.options.set(infer::option::kDraws, draws_for(tolerance));
  if (!request.options.is_given(infer::option::kResample))
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
        "Leave it out, or take `--method laplace`, fullrank or advi.");
  }
}

void check_budget(const Request& request) {
  if (request.method != &auto_method()) {
    throw Error(ErrorKind::usage,
                fmt::format("--budget cannot be used with `--method {}`.", request.method->name),
                "Leave it out, or take `--method auto`: it ends the ladder of methods.");
  }
}

// Everything that decides the draws is in the folder; to read it twice would hide which counts.
void check_resume_alone(const GivenTexts& given, const Inputs& inputs) {
  constexpr const OptionRecord* kBeside[] = {&option::kResume, &option::kThreads, &option::kCheckpoint,
                                             &option::kSensitivity, &option::kMaxMemory};
  const bool is_alone =
      inputs.program.empty() && std::all_of(given.begin(), given.end(), [&](const auto& one) {
        return find_option(kBeside, one.first) != nullptr;
      });
  if (is_alone) return;
  throw Error(
      ErrorKind::usage,
      "--resume takes program, data, seed and options of the method from the folder; others were given.",
      "Beside it go --threads, --checkpoint, --sensitivity, --max-memory, --report and --quiet.");
}

// How a run goes, which decides no draws.
void take_how(const OptionValues& values, Request& request) {
  request.threads = values[option::kThreads];
  request.checkpoint_seconds = values[option::kCheckpoint];
  request.sensitivity = values[option::kSensitivity];
  if (values.is_given(option::kMaxMemory)) request.inputs.max_memory = values[option::kMaxMemory];
}

}  // namespace

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

infer::Options options_of(const infer::Method& method, const GivenTexts& given) {
  infer::Options options;
  for (const auto& [name, text] : given) {
    const OptionRecord* option = find_option(method.options, name);
    if (option == nullptr) refuse_option(method, name);
    options.put(*option, read_option(*option, text));
  }
  return options;
}

void check_names(const GivenTexts& given) {
  std::vector<std::string> flags;
  for (const OptionRecord* option : fit_options()) flags.push_back(flag_of(option->name));
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

Request make_request(const GivenTexts& given, Inputs inputs) {
  GivenTexts of_fit, of_method;
  for (const auto& [name, text] : given) (is_fit_option(name) ? of_fit : of_method)[name] = text;
  const OptionValues values = read_options(fit_options(), of_fit, "kullback fit");
  Request request;
  request.inputs = std::move(inputs);
  request.method = &method_named(std::string(values[option::kMethod]));
  take_minibatch(*request.method, values, of_method);
  request.options = options_of(*request.method, of_method);
  request.seed = values[option::kSeed];
  request.chains = values[option::kChains];
  request.force = values[option::kForce];
  request.out = values[option::kOut];
  request.jacobian = request.method->name != "optimize";
  take_recorded(values, request);
  take_how(values, request);
  if (request.wasserstein) check_wasserstein(request);
  if (request.budget) check_budget(request);
  if (request.tolerance) set_draws_for(*request.tolerance, request);
  return request;
}

Request make_resuming_request(const GivenTexts& given, const Inputs& inputs) {
  check_resume_alone(given, inputs);
  const OptionValues values = read_options(fit_options(), given, "kullback fit");
  const std::filesystem::path out = values[option::kResume];
  Request request = request_of(run::current_folder(out));
  request.out = out;
  take_how(values, request);
  return request;
}

}  // namespace kullback::fit
