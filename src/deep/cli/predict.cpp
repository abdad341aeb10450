#include <fmt/format.h>

#include <cstdio>

#include "base/error.hpp"
#include "deep/bnn/fit/fit.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/text.hpp"
#include "deep/cli/verb.hpp"

namespace kullback::deep::cli {

namespace {

Usage usage() {
  OptionGroup options{
      .title = "Options",
      .options = {{"out", "", "folder of the results (default: DIR-predictions)"},
                  {"labels", "", "of a file of images: the file with their classes, for figures"},
                  {"draws", "", "draws of each member (default: as trained)"},
                  {"ood", "",
                   "rows of another origin: does the network know that it does not know "
                   "them? Adds the AUROC of its epistemic uncertainty"},
                  {"force", "false", "replace what is there already"},
                  {"quiet", "false", "print nothing but errors"}}};
  for (Option& option : device_options()) options.options.push_back(std::move(option));
  return {
      .positionals = {{"DIR", "folder of a 'kullback bnn'"},
                      {"NEW",
                       "new rows with the columns of the training data, or new images; with the target also "
                       "figures",
                       true}},
      .groups = {options},
      .lists = {"ood"}};
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
  const Settings& settings = call.settings;
  const std::vector<std::string>& words = call.arguments.positionals;
  PredictRequest request{
      .folder = words[0],
      .data = {words.begin() + 1, words.end()},
      .labels = settings.text("labels"),
      .out = settings.has("out") ? settings.text("out") : default_out(words[0]),
      .force = settings.flag("force"),
      .draws = settings.has("draws") ? static_cast<std::int64_t>(settings.count("draws", 1, 100'000)) : 0,
      .device = call.device};
  const auto ood = call.arguments.lists.find("ood");
  if (ood != call.arguments.lists.end()) request.ood.assign(ood->second.begin(), ood->second.end());
  const PredictOutcome outcome = predict(request);
  if (!settings.flag("quiet")) std::fputs(outcome_text(outcome, request.out.string()).c_str(), stdout);
}

}  // namespace

Run add_predict(const Command& verb, const std::vector<std::string>&) {
  verb.describe(
      "Apply a fitted network to new rows or images: mean, sd, quantiles, and where the uncertainty comes "
      "from");
  return add_folder_verb(verb, usage(), Interruption::ends_program, apply);
}

}  // namespace kullback::deep::cli
