#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/fit_run.hpp"
#include "cli/method_options.hpp"
#include "cli/verb.hpp"
#include "fit/fit.hpp"
#include "fit/outcome_text.hpp"
#include "run/text.hpp"
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

struct OptimizeArguments {
  fit::Inputs inputs;
  GivenTexts given;
  GivenTexts of_method;
  bool quiet = false;
};

fit::Request request_for(const OptimizeArguments& arguments) {
  using namespace fit::option;
  const OptionValues values = read_options(fit::optimize_options(), arguments.given, "kullback optimize");
  fit::Request request;
  request.inputs = arguments.inputs;
  request.inputs.include_paths = include_paths_of(values);
  request.method = &method_named("optimize");
  request.options = options_of(*request.method, arguments.of_method);
  request.seed = values[kStartSeed];
  request.init = values[kStart];
  request.jacobian = values[kJacobian];
  request.force = values[kForce];
  request.out = out_of(values, kOptimumOut, arguments.inputs.program, "-optimum");
  return request;
}

std::string optimum_text(const fit::Outcome& outcome, const fit::Request& request) {
  std::string text = fmt::format("{}: {}, {} gradients, {:.2f} s\n\n",
                                 std::filesystem::path(outcome.record.program).filename().string(),
                                 request.jacobian ? "maximum of the density with its Jacobian"
                                                  : "maximum of the density of the constrained parameters",
                                 outcome.record.gradients, outcome.record.seconds);
  std::size_t width = 4;
  for (const auto& row : outcome.summary.rows) width = std::max(width, row.name.size());
  std::size_t shown = 0;
  for (const auto& row : outcome.summary.rows) {
    if (++shown > fit::kTableRows) {
      text += fmt::format("... and {} more, in {}\n", outcome.summary.rows.size() - fit::kTableRows,
                          (request.out / "summary.json").string());
      break;
    }
    text += fmt::format("{:<{}} {:>14.7g}\n", row.name, width, row.mean);
  }
  text += "\n" + run::findings_text(outcome.summary.findings, fit::kTableWidth);
  return text + fmt::format("Results: {}\n", request.out.string());
}

}  // namespace

Run add_optimize(const Command& verb) {
  const auto arguments = std::make_shared<OptimizeArguments>();
  verb.add_option("program", arguments->inputs.program, "Stan program").required().type_name("MODEL");
  verb.add_option("data", arguments->inputs.data, "Data: Stan's JSON or an R dump").type_name("DATA");
  shell::add_options(verb, fit::optimize_options(), {}, arguments->given);
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  add_method_options(verb, arguments->of_method, "optimize");
  return [arguments] {
    return run_request([&] { return request_for(*arguments); },
                       {.quiet = arguments->quiet, .has_seed = arguments->given.contains("seed")},
                       optimum_text);
  };
}

}  // namespace kullback::cli
