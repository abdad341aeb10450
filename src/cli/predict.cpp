#include "fit/predict.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "cli/fit_run.hpp"
#include "cli/fit_text.hpp"
#include "cli/verb.hpp"

namespace kullback::cli {

namespace {

struct PredictArguments {
  std::string folder;
  std::string data;
  std::string out;
  std::uint64_t seed = 0;
  bool force = false;
  bool quiet = false;
};

std::string default_out(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder + "-predictions";
}

int run_predict(const PredictArguments& arguments) {
  const fit::PredictRequest request{
      .folder = arguments.folder,
      .data = arguments.data,
      .seed = arguments.seed,
      .out = arguments.out.empty() ? default_out(arguments.folder) : arguments.out,
      .force = arguments.force};
  const auto program = fit::load_program(fit::inputs_of(request.folder));
  if (!is_understood(*program)) return static_cast<int>(ErrorKind::bad_input);
  const fit::Outcome outcome = fit::predict(request, *program);
  if (!arguments.quiet) std::fputs(outcome_text(outcome, request.out).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_predict(CLI::App& verb) {
  const auto arguments = std::make_shared<PredictArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a fit")->required()->type_name("DIR");
  verb.add_option("data", arguments->data,
                  "New data, with all that the program declares (default: the fit's)")
      ->type_name("NEW.json");
  verb.add_option("--seed", arguments->seed, "Seed of the predictions' random numbers")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--out", arguments->out, "Folder of the results (default: DIR-predictions)")
      ->type_name("DIR");
  verb.add_flag("--force", arguments->force, "Replace what is there already");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_predict(*arguments); };
}

}  // namespace kullback::cli
