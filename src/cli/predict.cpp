#include "fit/predict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "cli/fit_run.hpp"
#include "cli/verb.hpp"
#include "conjugate/fit.hpp"
#include "fit/options.hpp"
#include "fit/outcome_text.hpp"
#include "shell/options.hpp"

namespace kullback::cli {

namespace {

using namespace fit::option;

struct PredictArguments {
  std::string folder;
  std::vector<std::string> data;
  GivenTexts given;
  bool quiet = false;
};

std::string default_out(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder + "-predictions";
}

std::string out_for(const PredictArguments& arguments, const OptionValues& values) {
  return std::string(values.given(kPredictionOut).value_or(default_out(arguments.folder)));
}

int predict_with_model(const PredictArguments& arguments, const OptionValues& values) {
  if (arguments.data.empty()) {
    throw Error(ErrorKind::usage, arguments.folder + ": the fit's own data are described there already.",
                "Give a file of new data.");
  }
  const conjugate::PredictOutcome outcome =
      conjugate::predict({.folder = arguments.folder,
                          .data = {arguments.data.begin(), arguments.data.end()},
                          .out = out_for(arguments, values),
                          .vocabulary = std::string(values[kVocabulary]),
                          .force = values[kForce],
                          .streams = values[kInPieces],
                          .allows_empty_documents = values[kAllowEmpty]});
  if (arguments.quiet) return 0;
  fmt::print("{} units", outcome.units);
  if (std::isfinite(outcome.score.log_density) && outcome.score.count > 0) {
    fmt::print(", mean log density {:.6g}", outcome.score.log_density / outcome.score.count);
  }
  fmt::print("\nResults: {}\n", outcome.file.string());
  return 0;
}

int run_predict(const PredictArguments& arguments) {
  const OptionValues values = read_options(fit::predict_options(), arguments.given, "kullback predict");
  if (conjugate::is_conjugate_fit(arguments.folder)) return predict_with_model(arguments, values);
  if (arguments.data.size() > 1 || values[kInPieces] || values.is_given(kVocabulary)) {
    throw Error(ErrorKind::usage,
                arguments.folder + ": holds a fit of a Stan program, which takes one file of data.");
  }
  const fit::PredictRequest request{.folder = arguments.folder,
                                    .data = arguments.data.empty() ? std::string() : arguments.data.front(),
                                    .seed = values[kPredictionSeed],
                                    .out = out_for(arguments, values),
                                    .force = values[kForce]};
  const auto program = fit::load_program(fit::inputs_of(request.folder));
  if (!is_understood(*program)) return static_cast<int>(ErrorKind::bad_input);
  const fit::Outcome outcome = fit::predict(request, *program);
  if (!arguments.quiet) std::fputs(for_terminal(outcome_text(outcome, request.out)).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_predict(const Command& verb) {
  const auto arguments = std::make_shared<PredictArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a fit").required().type_name("DIR");
  verb.add_option("data", arguments->data,
                  "New data: of a Stan program all that it declares (default: the fit's); else rows, "
                  "documents or sequences")
      .type_name("NEW");
  shell::add_options(verb, fit::predict_options(), {}, arguments->given);
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_predict(*arguments); };
}

}  // namespace kullback::cli
