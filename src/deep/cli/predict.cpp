#include <fmt/format.h>

#include <cstdio>

#include "deep/bnn/fit/fit.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/options.hpp"
#include "deep/cli/text.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"

namespace kullback::deep::cli {

namespace {

constexpr auto kOut = TextOption("out", "Folder of the results (default: DIR-predictions)").shown_as("DIR");
constexpr auto kLabels =
    TextOption("labels", "Of a file of images: the file with their classes, for figures").shown_as("FILE");
constexpr auto kDraws =
    CountOption("draws", "Draws of each member (default: as trained)").from(1).to(100'000);
constexpr auto kOod = ListOption("ood",
                                 "Rows of another origin: does the network know that it does not know them? "
                                 "Adds the AUROC of its epistemic uncertainty; may be given several times")
                          .shown_as("FILE");
constexpr const OptionRecord* kOptions[] = {&kOut, &kLabels, &kDraws, &kOod};

Usage usage() {
  return {.positionals =
              {{"DIR", "Folder of a 'kullback bnn'"},
               {"NEW",
                "New rows with the columns of the training data, or new images; with the target also figures",
                true}},
          .groups = {{"Options", kOptions}, {"Run", option::kRunOnFolder}}};
}

std::string default_out(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder + "-predictions";
}

std::string outcome_text(const PredictOutcome& outcome, const std::string& out) {
  std::string text = fmt::format("{} rows", outcome.rows);
  if (outcome.filled > 0) text += fmt::format(", {} missing cells filled as in training", outcome.filled);
  if (outcome.known > 0 && outcome.known < outcome.rows)
    text += fmt::format(", {} with a target", outcome.known);
  text += "\n";
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [name, value] : outcome.figures) pairs.emplace_back(name, fmt::format("{:.5g}", value));
  if (outcome.has_ood) pairs.emplace_back("ood_auroc", fmt::format("{:.4g}", outcome.ood_auroc));
  return text + pairs_text(pairs) + fmt::format("Results: {}\n", out);
}

void apply(const FolderCall& call) {
  const OptionValues& values = call.values;
  const std::vector<std::string>& words = call.arguments.positionals;
  PredictRequest request{.folder = words[0],
                         .data = {words.begin() + 1, words.end()},
                         .labels = std::string(values[kLabels]),
                         .out = values.is_given(kOut) ? std::string(values[kOut]) : default_out(words[0]),
                         .force = values[option::kForce],
                         .draws = count_of(values, kDraws),  // 0: as trained
                         .device = call.device};
  const std::span<const std::string> ood = values[kOod];
  request.ood.assign(ood.begin(), ood.end());
  const PredictOutcome outcome = predict(request);
  if (!values[option::kQuiet]) std::fputs(outcome_text(outcome, request.out.string()).c_str(), stdout);
}

}  // namespace

Run add_predict(const Command& verb, const std::vector<std::string>&) {
  verb.describe(
      "Apply a fitted network to new rows or images: mean, sd, quantiles, and where the uncertainty comes "
      "from");
  return add_folder_verb(verb, usage(), Interruption::ends_program, apply);
}

}  // namespace kullback::deep::cli
