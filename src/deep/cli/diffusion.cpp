// diffusion and score: both train a score network; score has a ladder of noise levels and other objectives.
#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "deep/cli/denoising_net.hpp"
#include "deep/cli/discrete.hpp"
#include "deep/cli/training.hpp"
#include "deep/cli/verb.hpp"
#include "deep/diffusion/fit/fit.hpp"
#include "deep/part.hpp"
#include "deep/train/options.hpp"
#include "shell/description.hpp"

namespace kullback::deep::cli {

namespace {

bool is_score(const std::string& kind) { return kind == "score"; }

// The SDEs of a verb.
std::vector<const diffusion::SdeRecord*> sdes_of(const std::string& kind) {
  std::vector<const diffusion::SdeRecord*> result;
  for (const diffusion::SdeRecord* record : diffusion::sdes())
    if ((record->name == "ladder") == is_score(kind)) result.push_back(record);
  return result;
}

constexpr auto kLabels = TextOption("labels", "IDX file of the images' labels, or column of a table");
constexpr auto kConditional = FlagOption("conditional", false, "Give the label to the network");
constexpr auto kLabelDropout =
    NumberOption("label_dropout", 0.1, "Part of the rows whose label it does not see, as guidance needs it")
        .from(0)
        .below(1);
constexpr auto kParameterisation =
    TextOption("parameterisation", "edm", "What the network's output stands for");
constexpr auto kSde = TextOption("sde", "vp", "How data become noise");
constexpr auto kObjective = TextOption("objective", "denoising", "How the score is learned");
constexpr auto kWeighting = TextOption(
    "weighting", "", "Of the errors at different levels of noise; auto: edm of rows, noise of images");
constexpr auto kRate =
    NumberOption("rate", "Rate of Adam (default: 0.003 of rows, 0.001 of images and of a score)").above(0);

constexpr const OptionRecord* kData[] = {&kLabels,        &kConditional,    &kLabelDropout,
                                         &option::kImage, &option::kIgnore, &option::kValidation};
constexpr const OptionRecord* kParameterisations[] = {&kParameterisation};
constexpr const OptionRecord* kNoise[] = {&kSde, &kStates};
constexpr const OptionRecord* kDiffusionObjective[] = {&kWeighting, &diffusion::kTimes};
constexpr const OptionRecord* kScoreObjective[] = {&kObjective, &kWeighting, &diffusion::kTimes};
constexpr const OptionRecord* kTraining[] = {
    &option::kEpochs,     &option::kDenoisingBatch, &kRate, &kFallingRate, &option::kAveraging,
    &option::kJudgeEvery, &kPrecisionOfFloats};

Usage usage_of(const std::string& kind) {
  const std::vector<const diffusion::SdeRecord*> noises = sdes_of(kind);
  const std::span<const diffusion::SdeRecord* const> sdes(noises);
  Usage usage{
      .positionals = {{"DATA", "IDX images (gzipped too), CSV or .npy", true}},
      .groups = {{"Data", kData}, {"Network", diffusion::kNetOptions}, {"Network", kParameterisations}},
      .parts = {{"Noise", tables_of(sdes)}},
      .choices = {{&kParameterisation, names_of(diffusion::parameterisations())},
                  {&kSde, names_of(sdes)},
                  {&kStates, states_text()},
                  {&kObjective, names_of(diffusion::objectives())},
                  {&kWeighting, names_of(diffusion::weightings())}}};
  if (is_score(kind)) {
    usage.groups.push_back({"Objective", kScoreObjective});
    usage.parts.push_back({"Objective", tables_of(diffusion::objectives())});
  } else {
    usage.groups.push_back({"Noise", kNoise});
    usage.groups.push_back({"Objective", kDiffusionObjective});
  }
  usage.groups.push_back({"Training", kTraining});
  usage.groups.push_back({"Run", option::kRun});
  return usage;
}

struct Chosen {
  OptionValues values;
  Part sde, objective;
};

Chosen choose(const Arguments& arguments, const std::string& kind) {
  Given given(arguments);
  const OptionValues& values = given.own();
  const std::string sde(is_score(kind) ? "ladder" : values[kSde]);
  const std::string objective(values[kObjective]);
  if (!is_score(kind) && sde == "ladder")
    throw Error(ErrorKind::usage, "--sde ladder is what 'kullback score' has.", "Use 'kullback score'.");
  const diffusion::SdeRecord& noise = diffusion::sde_named(sde);
  const diffusion::ObjectiveRecord& by = diffusion::objective_named(objective);
  Chosen chosen{.values = values, .sde = {sde}, .objective = {objective}};
  chosen.objective.options = given.of(kObjective, by, diffusion::objectives());
  chosen.sde.options = given.of(kSde, noise, diffusion::sdes());
  given.check();
  return chosen;
}

diffusion::Model model_of(const Chosen& chosen, const std::string& kind, const Ranks& ranks) {
  const OptionValues& values = chosen.values;
  diffusion::Model model;
  model.kind = kind;
  model.is_conditional = values[kConditional];
  model.sde = chosen.sde;
  model.objective = chosen.objective;
  model.parameterisation = values[kParameterisation];
  model.weighting = values.text_of(kWeighting);
  // The bound that a learned schedule is learned by has no other weighting.
  if (chosen.sde.name == "learned") {
    if (model.weighting != "auto" && model.weighting != "likelihood")
      throw Error(
          ErrorKind::usage,
          fmt::format("--sde learned is trained on the likelihood, not by --weighting {}.", model.weighting),
          "Leave out --weighting.");
    model.weighting = "likelihood";
  }
  model.times = values[diffusion::kTimes];
  model.net = diffusion::net_of(values);
  model.precision = values[kPrecisionOfFloats];
  model.seed = seed_of(values, ranks);
  return model;
}

diffusion::FitRequest request_of(const Arguments& arguments, const Chosen& chosen, const std::string& kind,
                                 const Ranks& ranks) {
  const OptionValues& values = chosen.values;
  diffusion::FitRequest request;
  request.rows = rows_of(arguments, values);
  request.rows.labels = values[kLabels];
  request.model = model_of(chosen, kind, ranks);
  request.rate = values.given(kRate).value_or(0);
  request.schedule = values[kFallingRate];
  request.label_dropout = values[kLabelDropout];
  request.averaging = values[option::kAveraging];
  request.validation = values[option::kValidation];
  request.train = train_options(values, option::kDenoisingBatch, request.model.seed);
  request.device = device_of(values[option::kDevice], ranks);
  request.out = values[option::kOut];
  request.force = values[option::kForce];
  request.options = recorded_options(
      arguments, values,
      {recorded(diffusion::sde_named(chosen.sde.name).options, chosen.sde.options),
       recorded(diffusion::objective_named(chosen.objective.name).options, chosen.objective.options)});
  return request;
}

int train_on(const Ranks& ranks, const Arguments& given, const std::string& kind) {
  Arguments arguments = given;
  const std::string out = out_of(arguments, kind);
  const run::RunRecord before =
      resumed_record(arguments, kind, is_score(kind) ? "a score" : "a diffusion model");
  const Chosen chosen = choose(arguments, kind);
  use_threads(chosen.values, ranks);
  const bool prints = ranks.is_first() && !chosen.values[option::kQuiet];
  if (before.status == "complete") return end_complete(before, out, prints);
  const diffusion::FitRequest request = request_of(arguments, chosen, kind, ranks);
  const FitOutcome outcome =
      watched_fit(prints, [&](const run::Watch& watch) { return fit_diffusion(request, ranks, watch); });
  return end_training(outcome.trained, outcome.record, outcome.folder.string(), "model", prints, ranks);
}

}  // namespace

Run add_diffusion(const Command& verb, const std::vector<std::string>& words) {
  const Usage usage = usage_of("diffusion");
  if (asks_for_discrete(words)) return add_discrete(verb, words, usage);
  if (shell::asks_for_help(words)) {
    const std::array<shell::Part, 2> parts{
        {{"continuous states", [&](const Command& part) { add_usage(part, usage); }},
         {"discrete states", [](const Command& part) { add_discrete(part, {}, {}); }}}};
    add_help_of_parts(verb, parts);
    return {};
  }
  return add_training(verb, usage, [](const Ranks& ranks, const Arguments& arguments) {
    return train_on(ranks, arguments, "diffusion");
  });
}

Run add_score(const Command& verb, const std::vector<std::string>&) {
  return add_training(verb, usage_of("score"), [](const Ranks& ranks, const Arguments& arguments) {
    return train_on(ranks, arguments, "score");
  });
}

}  // namespace kullback::deep::cli
