#include "fit/fit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/ranks.hpp"
#include "cli/display.hpp"
#include "cli/fit_text.hpp"
#include "cli/method_options.hpp"
#include "cli/program_files.hpp"
#include "cli/verb.hpp"
#include "posterior/files.hpp"

namespace kullback::cli {

namespace {

struct FitArguments {
  fit::Inputs inputs;
  std::string method = "nuts";
  GivenOptions given;
  std::optional<std::uint64_t> seed;
  std::size_t chains = 4;
  std::size_t threads = 0;
  std::string init = "2";
  std::string out;
  std::string resume;
  bool force = false;
  bool quiet = false;
};

std::uint64_t random_seed() { return std::random_device{}(); }

fit::Request request_for(const FitArguments& arguments) {
  if (!arguments.resume.empty()) {
    fit::Request request = fit::request_of(arguments.resume);
    request.threads = arguments.threads;
    request.inputs.max_memory = arguments.inputs.max_memory;
    return request;
  }
  if (arguments.inputs.program.empty())
    throw Error(ErrorKind::usage, "a program is needed.", "kullback fit MODEL.stan DATA.json");
  fit::Request request;
  request.inputs = arguments.inputs;
  request.method = &method_named(arguments.method);
  request.options = options_of(*request.method, arguments.given);
  request.seed = arguments.seed.value_or(0);
  request.chains = arguments.chains;
  request.threads = arguments.threads;
  request.init = arguments.init;
  request.force = arguments.force;
  request.out = arguments.out.empty()
                    ? std::filesystem::path(arguments.inputs.program).stem().string() + "-fit"
                    : arguments.out;
  return request;
}

int fit_on(const Ranks& ranks, const FitArguments& arguments) {
  fit::Request request = request_for(arguments);
  if (!request.resume && !arguments.seed) {
    const std::string drawn = ranks.broadcast(std::to_string(random_seed()));
    request.seed = std::stoull(drawn);
  }
  const std::unique_ptr<fit::LoadedProgram> program = fit::load_program(request.inputs);
  if (!program->understood.program) {
    print_diagnostics(program->understood.diagnostics, program->sources);
    return static_cast<int>(ErrorKind::bad_input);
  }
  const fit::LoadedModel model = fit::load_model(*program, request.inputs, {.seed = request.seed});
  if (ranks.is_first() && !arguments.quiet)
    print_diagnostics(model.density->data_warnings(), program->sources);
  Display display(arguments.quiet || !ranks.is_first());
  const InterruptGuard guard;
  const fit::Outcome outcome = fit::run(
      request, model, ranks,
      {.on_progress = [&](const auto& chains) { display.show(chains); }, .should_stop = is_interrupted});
  display.clear();
  if (ranks.is_first() && !arguments.quiet) std::fputs(outcome_text(outcome, request.out).c_str(), stdout);
  return outcome.is_interrupted ? kInterruptedCode : 0;
}

// A rank that fails alone would leave the others waiting for it.
int run_fit(const FitArguments& arguments) {
  const Ranks ranks;
  try {
    return fit_on(ranks, arguments);
  } catch (const Error& error) {
    if (ranks.size() == 1) throw;
    print_error(error.message(), error.hint());
    ranks.abort(static_cast<int>(error.kind()));
    throw;
  }
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
      ->check(CLI::NonNegativeNumber);
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
  verb.add_option("--out", arguments.out, "Folder of the results (default: MODEL-fit)")->type_name("DIR");
  verb.add_flag("--force", arguments.force, "Replace a fit that is there already");
  verb.add_option("--resume", arguments.resume, "Go on with an unfinished fit, to the same draws")
      ->type_name("DIR");
  verb.add_option("--include-path", arguments.inputs.include_paths,
                  "Folder to search for #include files (repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  verb.add_option("--max-memory", arguments.inputs.max_memory,
                  "Refuse a program that needs more, such as 500MB or 4GB (default: what is free)")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("SIZE");
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
