#include "fit/simulate.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "cli/fit_run.hpp"
#include "cli/verb.hpp"
#include "fit/outcome_text.hpp"

namespace kullback::cli {

namespace {

struct SimulateArguments {
  fit::SimulateRequest request;
  std::optional<std::uint64_t> seed;
  std::string out;
  bool quiet = false;
};

int run_simulate(const SimulateArguments& arguments) {
  fit::SimulateRequest request = arguments.request;
  request.seed = arguments.seed ? *arguments.seed : fresh_seed();
  request.out = arguments.out.empty() ? default_folder(request.inputs.program, "-simulation") : arguments.out;
  const auto program = fit::load_program(request.inputs);
  if (program->is_library) {
    throw Error(ErrorKind::usage, request.inputs.program + ": a shared library does not tell its prior.",
                "Give the Stan program.");
  }
  if (!is_understood(*program)) return static_cast<int>(ErrorKind::bad_input);
  const fit::Outcome outcome = fit::simulate(request, *program);
  if (!arguments.quiet) std::fputs(for_terminal(outcome_text(outcome, request.out)).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_simulate(const Command& verb) {
  const auto arguments = std::make_shared<SimulateArguments>();
  fit::SimulateRequest& request = arguments->request;
  verb.add_option("program", request.inputs.program, "Stan program").required().type_name("MODEL");
  verb.add_option("data", request.inputs.data,
                  "Data: sizes and covariates count; values of variables that are simulated do not")
      .type_name("DATA");
  verb.add_option("--draws", request.draws, "Draws from the prior").range(1, 100'000'000).default_of_target();
  verb.add_option("--data-sets", request.data_sets,
                  "Write data-K.json, and params-K.json with what made them, for the first so many draws")
      .type_name("COUNT")
      .not_negative();
  verb.add_option("--seed", arguments->seed,
                  "Seed of all random numbers (default: a random one, which is recorded)")
      .not_negative();
  verb.add_option("--include-path", request.inputs.include_paths,
                  "Folder to search for #include files (repeatable)")
      .type_name("DIR")
      .one_value_each();
  verb.add_option("--out", arguments->out, "Folder of the results (default: MODEL-simulation)")
      .type_name("DIR");
  verb.add_flag("--force", request.force, "Replace what is there already");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_simulate(*arguments); };
}

}  // namespace kullback::cli
