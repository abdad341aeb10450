#include "fit/simulate.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "cli/fit_run.hpp"
#include "cli/verb.hpp"
#include "fit/options.hpp"
#include "fit/outcome_text.hpp"
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

struct SimulateArguments {
  fit::Inputs inputs;
  GivenTexts given;
  bool quiet = false;
};

fit::SimulateRequest request_for(const SimulateArguments& arguments) {
  using namespace fit::option;
  const OptionValues values = read_options(fit::simulate_options(), arguments.given, "kullback simulate");
  fit::SimulateRequest request;
  request.inputs = arguments.inputs;
  request.inputs.include_paths = include_paths_of(values);
  request.draws = values[kPriorDraws];
  request.data_sets = values[kDataSets];
  request.seed = values.is_given(kSeed) ? values[kSeed] : fresh_seed();
  request.out = out_of(values, kSimulationOut, arguments.inputs.program, "-simulation");
  request.force = values[kForce];
  return request;
}

int run_simulate(const SimulateArguments& arguments) {
  const fit::SimulateRequest request = request_for(arguments);
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
  verb.add_option("program", arguments->inputs.program, "Stan program").required().type_name("MODEL");
  verb.add_option("data", arguments->inputs.data,
                  "Data: sizes and covariates count; values of variables that are simulated do not")
      .type_name("DATA");
  shell::add_options(verb, fit::simulate_options(), {}, arguments->given);
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_simulate(*arguments); };
}

}  // namespace kullback::cli
