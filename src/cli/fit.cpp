#include "fit/fit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "cli/fit_run.hpp"
#include "cli/fit_text.hpp"
#include "cli/method_options.hpp"
#include "cli/minibatch_option.hpp"
#include "cli/option_values.hpp"
#include "cli/verb.hpp"
#include "fit/judge.hpp"
#include "fit/ladder.hpp"
#include "posterior/files.hpp"

namespace kullback::cli {

namespace {

struct FitArguments {
  fit::Inputs inputs;
  std::string method = "auto";
  GivenOptions given;
  MinibatchArguments minibatch;
  std::optional<std::uint64_t> seed;
  std::size_t chains = 4;
  std::size_t threads = 0;
  std::string init = "2";
  std::string out;
  std::string resume;
  bool force = false;
  double checkpoint = 1;
  bool sensitivity = false;
  std::optional<double> tolerance;
  bool wasserstein = false;
  std::optional<double> budget;
  bool report = false;
  bool quiet = false;
};

// Everything that decides the draws is in the folder; to read it twice would hide which counts.
void check_resume_alone(const FitArguments& arguments) {
  const FitArguments defaults;
  const bool is_alone = arguments.inputs.program.empty() && arguments.given.empty() && !arguments.seed &&
                        arguments.method == defaults.method && arguments.chains == defaults.chains &&
                        !arguments.minibatch.is_given() && arguments.init == defaults.init &&
                        !arguments.tolerance && !arguments.wasserstein && !arguments.budget &&
                        arguments.out.empty() && !arguments.force && arguments.inputs.include_paths.empty();
  if (is_alone) return;
  throw Error(
      ErrorKind::usage,
      "--resume takes program, data, seed and options of the method from the folder; others were given.",
      "Beside it go --threads, --checkpoint, --sensitivity, --max-memory, --report and --quiet.");
}

// Not where the end was cut off, after the record and before unfinished draws were removed.
bool is_complete(const std::string& folder) {
  if (std::filesystem::exists(std::filesystem::path(folder) / ".partial")) return false;
  const std::filesystem::path record = std::filesystem::path(folder) / "run.json";
  return std::filesystem::exists(record) && posterior::read_run_record(record.string()).status == "complete";
}

// An approximation's draws must be so many that their own noise is small beside the tolerance.
void set_draws_for(double tolerance, const FitArguments& arguments, fit::Request& request) {
  if (!(tolerance > 0) || !std::isfinite(tolerance)) {
    throw Error(
        ErrorKind::usage, fmt::format("--tolerance is {}; it must be above 0.", tolerance),
        "0.1 asks for means and standard deviations within a tenth of a posterior standard deviation.");
  }
  if (request.method->has_log_q && !arguments.given.contains("draws"))
    request.options.draws = fit::draws_for(tolerance);
  if (!arguments.given.contains("resample"))
    request.options.resample = false;  // resampled draws have no log q
}

void check_wasserstein(const fit::Request& request) {
  if (request.method == &fit::auto_method()) return;
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
        "Leave it out, or take --method laplace, fullrank or meanfield.");
  }
}

void set_budget(double seconds, fit::Request& request) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(ErrorKind::usage, fmt::format("--budget is {}; it must be above 0 seconds.", seconds));
  if (request.method != &fit::auto_method()) {
    throw Error(ErrorKind::usage, fmt::format("--budget means nothing to {}.", request.method->name),
                "It ends the ladder of methods: use it with --method auto.");
  }
  request.budget = seconds;
}

fit::Request request_for(const FitArguments& arguments) {
  if (!arguments.resume.empty()) {
    check_resume_alone(arguments);
    fit::Request request = fit::request_of(arguments.resume);
    request.threads = arguments.threads;
    request.sensitivity = arguments.sensitivity;
    request.checkpoint_seconds = arguments.checkpoint;
    request.inputs.max_memory = arguments.inputs.max_memory;
    return request;
  }
  if (arguments.inputs.program.empty())
    throw Error(ErrorKind::usage, "a program is needed.", "kullback fit MODEL.stan DATA.json");
  fit::Request request;
  request.inputs = arguments.inputs;
  request.method = &method_named(arguments.method);
  GivenOptions given = arguments.given;
  take_minibatch(arguments.minibatch, *request.method, given, request.inputs);
  request.options = options_of(*request.method, given);
  request.seed = arguments.seed.value_or(0);
  request.chains = arguments.chains;
  request.threads = arguments.threads;
  request.init = arguments.init;
  request.force = arguments.force;
  request.checkpoint_seconds = arguments.checkpoint;
  request.sensitivity = arguments.sensitivity;
  request.tolerance = arguments.tolerance;
  request.wasserstein = arguments.wasserstein;
  if (arguments.wasserstein) check_wasserstein(request);
  if (arguments.budget) set_budget(*arguments.budget, request);
  if (arguments.tolerance) set_draws_for(*arguments.tolerance, arguments, request);
  request.out = arguments.out.empty() ? default_folder(arguments.inputs.program, "-fit") : arguments.out;
  request.jacobian = arguments.method != "optimize";
  return request;
}

int run_fit(const FitArguments& arguments) {
  if (!arguments.resume.empty() && is_complete(arguments.resume)) {
    check_resume_alone(arguments);
    if (!arguments.quiet) fmt::print("{}: is complete; nothing was left to do.\n", arguments.resume);
    if (arguments.report) write_report(arguments.resume, !arguments.quiet);
    return 0;
  }
  const RunSettings settings{.quiet = arguments.quiet,
                             .report = arguments.report,
                             .has_seed = arguments.seed.has_value() || !arguments.resume.empty()};
  return run_request([&] { return request_for(arguments); }, settings,
                     [](const fit::Outcome& outcome, const fit::Request& request) {
                       return outcome_text(outcome, request.out);
                     });
}

void add_options(CLI::App& verb, FitArguments& arguments) {
  verb.add_option("program", arguments.inputs.program, "Stan program")->type_name("MODEL");
  verb.add_option("data", arguments.inputs.data,
                  "Data: Stan's JSON or an R dump; none for a program without data")
      ->type_name("DATA");
  verb.add_option("--method", arguments.method, "How to infer: kullback methods lists them")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--seed", arguments.seed,
                  "Seed of all random numbers (default: a random one, which is recorded)")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  verb.add_option("--chains", arguments.chains, "Chains, of methods that have them")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  verb.add_option("--threads", arguments.threads, "Threads (default: the machine's cores)")
      ->check(CLI::Range(1, 4096));
  verb.add_option(
          "--init", arguments.init,
          "Starting points: R for uniform(-R, R) in each unconstrained coordinate, a JSON file with values "
          "of parameters, or pathfinder")
      ->type_name("R|FILE|pathfinder")
      ->capture_default_str();
  verb.add_option("--tolerance", arguments.tolerance,
                  "Certify that every mean and sd is within so many posterior sds, or say that it is not")
      ->type_name("SDS");
  verb.add_flag(
      "--wasserstein", arguments.wasserstein,
      "With the certificate: also bound Wasserstein distances from the posterior, by coupled chains");
  verb.add_option("--budget", arguments.budget,
                  "Seconds after which --method auto gives the best answer so far (the result then depends "
                  "on the clock)")
      ->type_name("SECONDS");
  verb.add_option("--minibatch", arguments.minibatch.minibatch,
                  "Take so many rows at a time of all data whose first size is N, such as N=256")
      ->type_name("N=ROWS");
  verb.add_option("--strata", arguments.minibatch.strata,
                  "Integer data, a number for each row: minibatches take their share of rows of each value")
      ->type_name("NAME");
  verb.add_option(
          "--stream", arguments.minibatch.streams,
          "Rows that stay on disk: NAME=FILE with the numbers of a variable row after row, of the kind "
          "that the ending says (.f64 .f32 .i64 .i32 .i16 .u8), or FILE.csv (repeatable)")
      ->type_name("NAME=FILE|FILE.csv")
      ->allow_extra_args(false);
  verb.add_option("--out", arguments.out, "Folder of the results (default: MODEL-fit)")->type_name("DIR");
  verb.add_flag("--force", arguments.force, "Replace a fit that is there already");
  verb.add_option("--resume", arguments.resume, "Go on with an unfinished fit, to the same draws")
      ->type_name("DIR");
  verb.add_option("--checkpoint", arguments.checkpoint, "Seconds between saves of unfinished chains")
      ->check([](const std::string& text) {
        char* end = nullptr;
        const bool is_number = std::strtod(text.c_str(), &end) >= 0 && *end == '\0';  // NaN is not
        return is_number ? std::string() : "'" + text + "' was given, but a number from 0 on is needed";
      })
      ->capture_default_str();
  verb.add_flag(
      "--sensitivity", arguments.sensitivity,
      "Look for conflicts of prior and data: how the posterior answers when either counts a little more");
  verb.add_option("--include-path", arguments.inputs.include_paths,
                  "Folder to search for #include files (repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  verb.add_option("--max-memory", arguments.inputs.max_memory,
                  "Refuse a program that needs more, such as 500MB or 4GB (default: what is free)")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("SIZE");
  verb.add_flag("--report", arguments.report, "Also make DIR/report.html, as 'kullback report' does");
  verb.add_flag("--quiet", arguments.quiet, "Print nothing but errors");
}

}  // namespace

Run add_fit(CLI::App& verb) {
  const auto arguments = std::make_shared<FitArguments>();
  add_options(verb, *arguments);
  add_method_options(verb, arguments->given);
  return [arguments] { return run_fit(*arguments); };
}

}  // namespace kullback::cli
