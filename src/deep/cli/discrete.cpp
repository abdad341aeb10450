// diffusion --states: trains a model of categories or counts.
#include "deep/cli/discrete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "deep/cli/denoising_net.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/discrete/fit/fit.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kContinuous = "continuous";

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

std::vector<OptionGroup> program_groups() {
  return {
      {"Data",
       {kImage,
        {"pixel-levels", "", "of images: levels that brightness is divided into (default: 2, blackout 256)"},
        {"max-categories", "64", "most different values of a column"},
        kIgnore,
        validation_option(": to judge")}},
      {"Network", network_options()},
      {"States", {states_option()}},
      {"Training", diffusion_training_options(kRate)},
      run_group("diffusion")};
}

Usage usage() {
  Usage result{.positionals = {{"DATA", "CSV or .npy of categories or counts, IDX images", true}},
               .groups = program_groups(),
               .lists = {"ignore"}};
  append(result.groups[2], united(discrete::processes(), all_options(result)));
  return result;
}

// Options of continuous states get a sentence of their own.
void refuse_others(const std::vector<std::string>& words, const std::vector<Option>& others) {
  const std::vector<Option> known = all_options(usage());
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2, word.find('=') - 2);
    const auto is_it = [&](const Option& option) { return option.name == name; };
    if (std::any_of(known.begin(), known.end(), is_it) || std::none_of(others.begin(), others.end(), is_it))
      continue;
    throw Error(ErrorKind::usage,
                fmt::format("--{} is for continuous states, not for --states {}.", name,
                            value_among(words, "states")),
                "Leave out one of the two.");
  }
}

discrete::Model model_of(const Settings& settings, diffusion::Part process, const Ranks& ranks) {
  discrete::Model model;
  model.process = std::move(process);
  if (settings.has("pixel-levels"))
    model.pixel_levels = static_cast<std::int64_t>(settings.count("pixel-levels", 2, 256));
  model.net = net_of(settings);
  model.precision = precision_of(settings, Precisions::floats_tf32);
  model.seed = seed_of(settings, ranks);
  return model;
}

discrete::FitRequest request_of(const Arguments& arguments, const Settings& settings, diffusion::Part process,
                                const Ranks& ranks) {
  discrete::FitRequest request;
  request.rows = rows_of(arguments, settings);
  request.model = model_of(settings, std::move(process), ranks);
  request.limits.categories = static_cast<std::int64_t>(settings.count("max-categories", 2, 65536));
  request.training = {.rate = settings.positive("rate"),
                      .schedule = schedule_of(settings),
                      .averaging = part_of(settings, "averaging"),
                      .seed = request.model.seed};
  request.validation = validation_of(settings);
  request.train = train_options(settings, request.model.seed);
  request.device = device_of(settings, ranks);
  request.out = settings.text("out");
  request.force = settings.flag("force");
  request.options = recorded_options(settings, {&request.model.process.options}, request.rows.ignored);
  return request;
}

int train_on(const Ranks& ranks, const Arguments& given_arguments) {
  Arguments arguments = given_arguments;
  const std::string out = out_of(arguments, "diffusion");
  const run::RunRecord before =
      resumed_record(arguments, discrete::kKind, "a diffusion model of discrete states");
  Given given(program_groups(), arguments);
  const Settings& settings = given.program();
  const discrete::ProcessRecord& process = discrete::process_named(settings.text("states"));
  const Words of_process = given.of("states", process.name, discrete::processes());
  given.check();
  use_threads(settings, ranks);
  const bool prints = ranks.is_first() && !settings.flag("quiet");
  if (before.status == "complete") return end_complete(before, out, prints);
  const discrete::FitRequest request =
      request_of(arguments, settings,
                 {std::string(process.name), Settings(process.options, of_process).values()}, ranks);
  const FitOutcome outcome = watched_fit(
      prints, [&](const run::Watch& watch) { return discrete::fit_discrete(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "model", prints, ranks);
}

}  // namespace

bool asks_for_discrete(const std::vector<std::string>& words) {
  const std::string states = value_among(words, "states"), out = value_among(words, "out");
  if (!states.empty()) return states != kContinuous;
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) return false;
  if (!out.empty()) return holds_discrete(out);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return !word.starts_with("-") && holds_discrete(default_out(word, "diffusion"));
  });
}

Run add_discrete(const Command& verb, const std::vector<std::string>& words,
                 const std::vector<Option>& others) {
  const std::string states = value_among(words, "states");
  if (!states.empty()) discrete::process_named(states);
  refuse_others(words, others);
  verb.describe("Learn to make rows of categories or counts: diffusion models of discrete states");
  return add_training(verb, usage(), train_on);
}

Option states_option() {
  return {"states", kContinuous,
          fmt::format(
              "what rows are made of: {}, or of categories and counts {} (--states NAME --help shows their "
              "options)",
              kContinuous, names_of(discrete::processes()))};
}

}  // namespace kullback::deep::cli
