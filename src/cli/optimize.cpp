#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "cli/fit_run.hpp"
#include "cli/method_options.hpp"
#include "cli/verb.hpp"
#include "fit/fit.hpp"
#include "fit/outcome_text.hpp"
#include "run/text.hpp"

namespace kullback::cli {

namespace {

struct OptimizeArguments {
  fit::Inputs inputs;
  GivenOptions given;
  std::optional<std::uint64_t> seed;
  std::string init = "2";
  std::string out;
  bool jacobian = false;
  bool force = false;
  bool quiet = false;
};

fit::Request request_for(const OptimizeArguments& arguments) {
  fit::Request request;
  request.inputs = arguments.inputs;
  request.method = &method_named("optimize");
  request.options = options_of(*request.method, arguments.given);
  request.seed = arguments.seed.value_or(0);
  request.init = arguments.init;
  request.jacobian = arguments.jacobian;
  request.force = arguments.force;
  request.out = arguments.out.empty() ? default_folder(arguments.inputs.program, "-optimum") : arguments.out;
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
  verb.add_flag(
      "--jacobian", arguments->jacobian,
      "Maximise the density of the unconstrained parameters, as Laplace does (default: of the constrained)");
  verb.add_option("--seed", arguments->seed, "Seed of the starting point (default: a random one)")
      .not_negative();
  verb.add_option("--init", arguments->init,
                  "Starting point: R for uniform(-R, R), or a JSON file with values")
      .type_name("R|FILE")
      .default_of_target();
  verb.add_option("--out", arguments->out, "Folder of the results (default: MODEL-optimum)").type_name("DIR");
  verb.add_flag("--force", arguments->force, "Replace what is there already");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  add_method_options(verb, arguments->given, "optimize");
  return [arguments] {
    return run_request([&] { return request_for(*arguments); },
                       {.quiet = arguments->quiet, .has_seed = arguments->seed.has_value()}, optimum_text);
  };
}

}  // namespace kullback::cli
