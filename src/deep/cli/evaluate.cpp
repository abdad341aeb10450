#include "deep/vae/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/options.hpp"
#include "deep/cli/verb.hpp"
#include "deep/counts.hpp"
#include "deep/vae/fit/model.hpp"
#include "deep/vae/fit/prepare.hpp"

namespace kullback::deep::cli {

namespace {

constexpr auto kTrain = TextOption("train",
                                   "File with rows of the training data: adds what is lost on new rows "
                                   "(labels of conditional models: a column)")
                            .shown_as("FILE");
constexpr auto kManySamples =
    CountOption("samples", 5000, "Draws of the importance weighting of a row").from(1).to(1e9);
constexpr auto kGaps =
    FlagOption("gaps", true, "Fit posteriors to single rows, to see where the bound is lost");
constexpr auto kAis = FlagOption("ais", false, "Log likelihood by annealed importance sampling too");
constexpr auto kGapRows =
    CountOption("gap_rows", 100, "Rows of the gaps and of the annealing").from(1).to(1e9);
constexpr auto kTemperatures = CountOption("ais_temperatures", 500, "Of the annealing").from(2).to(1e9);
constexpr auto kChains = CountOption("ais_chains", 16, "Chains of the annealing for a row").from(2).to(1e9);
constexpr auto kLeapfrogs =
    CountOption("ais_leapfrogs", 10, "Leapfrog steps of a transition").from(1).to(1e9);
constexpr auto kFitSteps = CountOption("fit_steps", 500, "Steps of the fit to a single row").from(1).to(1e9);
constexpr auto kRefineSteps =
    CountOption("refine_steps", 0, "Steps that refine the posterior of each row before all else").to(1e9);

constexpr const OptionRecord* kRowOptions[] = {&option::kLabels, &kTrain, &option::kRows};
constexpr const OptionRecord* kFigures[] = {
    &kManySamples, &kGaps,      &kAis,      &kGapRows,     &kTemperatures,
    &kChains,      &kLeapfrogs, &kFitSteps, &kRefineSteps, &option::kDrawSeed};

Usage usage() {
  return {
      .positionals = {{"DIR", "Folder of a 'kullback vae'"},
                      {"DATA", "Rows that it was not trained on, in the form of the training data", true}},
      .groups = {{"Rows", kRowOptions}, {"Figures", kFigures}, {"Run", option::kDeviceOptions}}};
}

VaeRows rows_of(const BuiltVae& built, std::vector<std::filesystem::path> paths, const OptionValues& values) {
  const VaeModel& model = built.model();
  const std::string file = paths.front().string();
  RowsRequest request{.paths = std::move(paths),
                      .labels = std::string(values[option::kLabels]),
                      .names = model.names,
                      .label_names = model.label_names};
  if (model.spec.labels > 0 && request.labels.empty()) request.labels = model.label_column;
  if (model.spec.is_image() && !model.names.empty())
    request.image = fmt::format("{}x{}x{}", model.spec.height, model.spec.width, model.spec.channels);
  const RawRows raw = read_rows(request);
  check_rows(model, raw, file);
  VaeRows rows = built.prepared(raw);
  if (!values.is_given(option::kRows)) return rows;
  const std::int64_t count = std::min(count_of(values, option::kRows), rows.size());
  return {.x = rows.x.narrow(0, 0, count),
          .label = rows.label.defined() ? rows.label.narrow(0, 0, count) : torch::Tensor()};
}

VaeEvaluateOptions options_of(const OptionValues& values) {
  return {.samples = count_of(values, kManySamples),
          .gap_rows = count_of(values, kGapRows),
          .uses_ais = values[kAis],
          .wants_gaps = values[kGaps],
          .refining_steps = count_of(values, kRefineSteps),
          .ais = {.temperatures = count_of(values, kTemperatures),
                  .chains = count_of(values, kChains),
                  .leapfrogs = count_of(values, kLeapfrogs)},
          .local = {.steps = count_of(values, kFitSteps)},
          .seed = values[option::kDrawSeed],
          .on_stage = {}};
}

void evaluate(const FolderCall& call) {
  const OptionValues& values = call.values;
  const std::vector<std::string>& words = call.arguments.positionals;
  BuiltVae built = open_vae(call.folder, call.device);
  const VaeRows test = rows_of(built, {words.begin() + 1, words.end()}, values);
  VaeRows train;
  if (const auto file = values.given(kTrain)) train = rows_of(built, {*file}, values);
  VaeEvaluateOptions options = options_of(values);
  const bool is_quiet = values[option::kQuiet];
  if (!is_quiet)
    options.on_stage = [](const std::string& what) { std::fprintf(stderr, "%s ...\n", what.c_str()); };
  const VaeEvaluation evaluation = evaluate_vae(built.vae(), built.flat(), test, train, options);
  const std::filesystem::path file = call.folder / "evaluation.json";
  replace_file(file, evaluation_json(evaluation));
  if (is_quiet) return;
  std::fputs(evaluation_table(evaluation).c_str(), stdout);
  for (const Finding& finding : evaluation.findings)
    std::printf("! %s %s\n  %s\n", finding.message.c_str(), finding.evidence.c_str(), finding.advice.c_str());
  std::printf("Figures: %s\n", file.string().c_str());
}

}  // namespace

Run add_evaluate(const Command& verb, const std::vector<std::string>&) {
  return add_folder_verb(verb, usage(), Interruption::ends_program, evaluate);
}

}  // namespace kullback::deep::cli
