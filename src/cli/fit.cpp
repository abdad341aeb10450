#include "fit/fit.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "cli/fit_run.hpp"
#include "cli/method_options.hpp"
#include "cli/verb.hpp"
#include "fit/outcome_text.hpp"
#include "run/folder.hpp"
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

struct FitArguments {
  fit::Inputs inputs;
  GivenTexts given;
  bool report = false;
  bool quiet = false;

  bool resumes() const { return given.contains("resume"); }
};

// Not where the end was cut off, after the record and before unfinished draws were removed.
bool is_complete(const std::string& out) {
  run::settle_folder(out);
  const std::filesystem::path folder = run::current_folder(out);
  if (std::filesystem::exists(run::partial_folder(folder))) return false;
  return std::filesystem::exists(folder / "run.json") && run::open_folder(folder).status == "complete";
}

fit::Request request_for(const FitArguments& arguments) {
  if (arguments.resumes()) return fit::make_resuming_request(arguments.given, arguments.inputs);
  if (arguments.inputs.program.empty())
    throw Error(ErrorKind::usage, "a program is needed.", "kullback fit MODEL.stan DATA.json");
  fit::Request request = fit::make_request(arguments.given, arguments.inputs);
  if (request.out.empty()) request.out = default_folder(arguments.inputs.program, "-fit");
  return request;
}

int run_fit(const FitArguments& arguments) {
  if (arguments.resumes() && is_complete(arguments.given.at("resume"))) {
    fit::make_resuming_request(arguments.given, arguments.inputs);  // refuses options beside it
    if (!arguments.quiet)
      fmt::print("{}: is complete; nothing was left to do.\n", arguments.given.at("resume"));
    if (arguments.report) write_report(arguments.given.at("resume"), !arguments.quiet);
    return 0;
  }
  const RunSettings settings{.quiet = arguments.quiet,
                             .report = arguments.report,
                             .has_seed = arguments.given.contains("seed") || arguments.resumes()};
  return run_request([&] { return request_for(arguments); }, settings,
                     [](const fit::Outcome& outcome, const fit::Request& request) {
                       return fit::outcome_text(outcome, request.out);
                     });
}

}  // namespace

Run add_fit(const Command& verb) {
  const auto arguments = std::make_shared<FitArguments>();
  verb.add_option("program", arguments->inputs.program, "Stan program").type_name("MODEL");
  verb.add_option("data", arguments->inputs.data,
                  "Data: Stan's JSON or an R dump; none for a program without data")
      .type_name("DATA");
  shell::add_options(verb, fit::fit_options(), {}, arguments->given);
  verb.add_flag("--report", arguments->report, "Also make DIR/report.html, as 'kullback report' does");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  add_method_options(verb, arguments->given);
  return [arguments] { return run_fit(*arguments); };
}

}  // namespace kullback::cli
