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
#include "fit/outcome_text.hpp"

namespace kullback::cli {

namespace {

struct PredictArguments {
  std::string folder;
  std::vector<std::string> data;
  std::string vocabulary;
  std::string out;
  std::uint64_t seed = 0;
  bool force = false;
  bool quiet = false;
  bool streams = false;
  bool allows_empty = false;
};

std::string default_out(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder + "-predictions";
}

int predict_with_model(const PredictArguments& arguments) {
  if (arguments.data.empty()) {
    throw Error(ErrorKind::usage, arguments.folder + ": the fit's own data are described there already.",
                "Give a file of new data.");
  }
  const conjugate::PredictOutcome outcome =
      conjugate::predict({.folder = arguments.folder,
                          .data = {arguments.data.begin(), arguments.data.end()},
                          .out = arguments.out.empty() ? default_out(arguments.folder) : arguments.out,
                          .vocabulary = arguments.vocabulary,
                          .force = arguments.force,
                          .streams = arguments.streams,
                          .allows_empty_documents = arguments.allows_empty});
  if (arguments.quiet) return 0;
  fmt::print("{} units", outcome.units);
  if (std::isfinite(outcome.score.log_density) && outcome.score.count > 0) {
    fmt::print(", mean log density {:.6g}", outcome.score.log_density / outcome.score.count);
  }
  fmt::print("\nResults: {}\n", outcome.file.string());
  return 0;
}

int run_predict(const PredictArguments& arguments) {
  if (conjugate::is_conjugate_fit(arguments.folder)) return predict_with_model(arguments);
  if (arguments.data.size() > 1 || arguments.streams || !arguments.vocabulary.empty()) {
    throw Error(ErrorKind::usage,
                arguments.folder + ": holds a fit of a Stan program, which takes one file of data.");
  }
  const fit::PredictRequest request{
      .folder = arguments.folder,
      .data = arguments.data.empty() ? std::string() : arguments.data.front(),
      .seed = arguments.seed,
      .out = arguments.out.empty() ? default_out(arguments.folder) : arguments.out,
      .force = arguments.force};
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
  verb.add_option("--vocabulary", arguments->vocabulary, "File of the words, one a line (topics)")
      .type_name("FILE");
  verb.add_flag("--allow-empty", arguments->allows_empty, "Keep documents without words (topics)");
  verb.add_flag("--stream", arguments->streams,
                "Read new data piece by piece, in little memory (not of Stan programs)");
  verb.add_option("--seed", arguments->seed, "Seed of the predictions' random numbers")
      .not_negative()
      .default_of_target();
  verb.add_option("--out", arguments->out, "Folder of the results (default: DIR-predictions)")
      .type_name("DIR");
  verb.add_flag("--force", arguments->force, "Replace what is there already");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_predict(*arguments); };
}

}  // namespace kullback::cli
