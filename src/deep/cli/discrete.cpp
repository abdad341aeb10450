// diffusion --states: trains a model of categories or counts.
#include "deep/cli/discrete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "deep/cli/denoising_net.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"
#include "deep/discrete/fit/fit.hpp"
#include "deep/part.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

// The value of --name among words, as far as can be told before they are parsed.
std::string value_among(const std::vector<std::string>& words, const std::string& name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--" + name && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with("--" + name + "=")) return words[i].substr(name.size() + 3);
  }
  return {};
}

bool holds_discrete(const fs::path& folder) {
  const fs::path record = run::current_folder(folder) / "run.json";
  return fs::is_regular_file(record) &&
         run::read_run_record(record.string()).kind == run::Kind::discrete_diffusion;
}

constexpr auto kPixelLevels =
    CountOption("pixel_levels",
                "Of images: levels that brightness is divided into (default: 2, blackout 256)")
        .from(2)
        .to(256);
constexpr auto kMaxCategories =
    CountOption("max_categories", 64, "Most different values of a column").from(2).to(65536);

constexpr const OptionRecord* kData[] = {&option::kImage, &kPixelLevels, &kMaxCategories, &option::kIgnore,
                                         &option::kValidation};
constexpr const OptionRecord* kStatesGroup[] = {&kStates};
constexpr const OptionRecord* kTraining[] = {
    &option::kEpochs,    &option::kDenoisingBatch, &option::kRate,     &kFallingRate,
    &option::kAveraging, &option::kJudgeEvery,     &kPrecisionOfFloats};

Usage usage() {
  return {.positionals = {{"DATA", "CSV or .npy of categories or counts, IDX images", true}},
          .groups = {{"Data", kData},
                     {"Network", diffusion::kNetOptions},
                     {"States", kStatesGroup},
                     {"Training", kTraining},
                     {"Run", option::kRun}},
          .parts = {{"States", tables_of(discrete::processes())}},
          .choices = {{&kStates, states_text()}}};
}

// In a group or a part.
bool has_option(const Usage& usage, std::string_view name) {
  const auto is_in = [&](const shell::OwnedTable& table) {
    return find_option(table.options, name) != nullptr;
  };
  return std::any_of(usage.groups.begin(), usage.groups.end(), is_in) ||
         std::any_of(usage.parts.begin(), usage.parts.end(), [&](const PartOptions& kind) {
           return std::any_of(kind.parts.begin(), kind.parts.end(), is_in);
         });
}

// Options of continuous states get a sentence of their own.
void refuse_others(const std::vector<std::string>& words, const Usage& others) {
  const Usage known = usage();
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string flag = word.substr(0, word.find('=')), name = underscored(flag.substr(2));
    if (has_option(known, name) || !has_option(others, name)) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{} is for continuous states, not for --states {}.", flag, value_among(words, "states")),
        "Leave out one of the two.");
  }
}

discrete::Model model_of(const OptionValues& values, Part process, const Ranks& ranks) {
  discrete::Model model;
  model.process = std::move(process);
  model.pixel_levels = count_of(values, kPixelLevels);  // 0: not given
  model.net = diffusion::net_of(values);
  model.precision = values[kPrecisionOfFloats];
  model.seed = seed_of(values, ranks);
  return model;
}

discrete::FitRequest request_of(const Arguments& arguments, const OptionValues& values, Part process,
                                const Ranks& ranks) {
  discrete::FitRequest request;
  request.rows = rows_of(arguments, values);
  request.model = model_of(values, std::move(process), ranks);
  request.limits.categories = count_of(values, kMaxCategories);
  request.training = {.rate = values[option::kRate],
                      .schedule = values[kFallingRate],
                      .averaging = values[option::kAveraging],
                      .seed = request.model.seed};
  request.validation = values[option::kValidation];
  request.train = train_options(values, option::kDenoisingBatch, request.model.seed);
  request.device = device_of(values[option::kDevice], ranks);
  request.out = values[option::kOut];
  request.force = values[option::kForce];
  const Part& chosen = request.model.process;
  request.options = recorded_options(
      arguments, values, {recorded(discrete::process_named(chosen.name).options, chosen.options)});
  return request;
}

int train_on(const Ranks& ranks, const Arguments& given_arguments) {
  Arguments arguments = given_arguments;
  const std::string out = out_of(arguments, "diffusion");
  const run::RunRecord before =
      resumed_record(arguments, discrete::kKind, "a diffusion model of discrete states");
  Given given(arguments);
  const OptionValues& values = given.own();
  const discrete::ProcessRecord& process = discrete::process_named(std::string(values[kStates]));
  const Part chosen{std::string(process.name), given.of(kStates, process, discrete::processes())};
  given.check();
  use_threads(values, ranks);
  const bool prints = ranks.is_first() && !values[option::kQuiet];
  if (before.status == "complete") return end_complete(before, out, prints);
  const discrete::FitRequest request = request_of(arguments, values, chosen, ranks);
  const FitOutcome outcome = watched_fit(
      prints, [&](const run::Watch& watch) { return discrete::fit_discrete(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "model", prints, ranks);
}

}  // namespace

bool asks_for_discrete(const std::vector<std::string>& words) {
  const std::string states = value_among(words, "states"), out = value_among(words, "out");
  if (!states.empty()) return states != kStates.fallback_text;
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) return false;
  if (!out.empty()) return holds_discrete(out);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return !word.starts_with("-") && holds_discrete(default_out(word, "diffusion"));
  });
}

Run add_discrete(const Command& verb, const std::vector<std::string>& words, const Usage& others) {
  const std::string states = value_among(words, "states");
  if (!states.empty()) discrete::process_named(states);
  refuse_others(words, others);
  verb.describe("Learn to make rows of categories or counts: diffusion models of discrete states");
  return add_training(verb, usage(), train_on);
}

std::string states_text() {
  return fmt::format("{}, or of categories and counts {}", kStates.fallback_text,
                     names_of(discrete::processes()));
}

}  // namespace kullback::deep::cli
