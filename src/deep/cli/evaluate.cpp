#include "deep/vae/evaluate.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/verb.hpp"
#include "deep/vae/fit/model.hpp"
#include "deep/vae/fit/prepare.hpp"

namespace kullback::deep::cli {

namespace {

Grammar grammar() {
  OptionGroup rows{.title = "Rows",
                   .options = {{"labels", "", "labels of the rows, as in the training"},
                               {"train", "",
                                "file with rows of the training data: adds what is lost on "
                                "new rows (labels of conditional models: a column)"},
                               {"rows", "", "how many rows to take, from the first on (default: all)"}}};
  OptionGroup figures{
      .title = "Figures",
      .options = {{"samples", "5000", "draws of the importance weighting of a row"},
                  {"gaps", "true", "fit posteriors to single rows, to see where the bound is lost"},
                  {"ais", "false", "log likelihood by annealed importance sampling too"},
                  {"gap-rows", "100", "rows of the gaps and of the annealing"},
                  {"ais-temperatures", "500", "of the annealing"},
                  {"ais-chains", "16", "chains of the annealing for a row"},
                  {"ais-leapfrogs", "10", "leapfrog steps of a transition"},
                  {"fit-steps", "500", "steps of the fit to a single row"},
                  {"refine-steps", "0", "steps that refine the posterior of each row before all else"},
                  {"seed", "1", "of the draws, and of the binarisation of levels"}}};
  OptionGroup others{.title = "Others", .options = {{"quiet", "false", "print nothing but errors"}}};
  for (Option& option : device_options()) others.options.push_back(std::move(option));
  return {.verb = "evaluate",
          .summary = "Log likelihood of rows under a trained autoencoder, and what its bound loses where.",
          .positionals = {{"DIR", "folder of a 'kullback vae'"},
                          {"DATA", "rows that it was not trained on, in the form of the training data", true,
                           true}},
          .groups = {rows, figures, others}};
}

VaeRows rows_of(const BuiltVae& built, std::vector<std::filesystem::path> paths, const Settings& settings) {
  const VaeModel& model = built.model();
  const std::string file = paths.front().string();
  RowsRequest request{.paths = std::move(paths),
                      .labels = settings.text("labels"),
                      .names = model.names,
                      .label_names = model.label_names};
  if (model.spec.labels > 0 && request.labels.empty()) request.labels = model.label_column;
  if (model.spec.is_image() && !model.names.empty())
    request.image = filled("{}x{}x{}", model.spec.height, model.spec.width, model.spec.channels);
  const RawRows raw = read_rows(request);
  check_rows(model, raw, file);
  VaeRows rows = built.prepared(raw);
  if (!settings.has("rows")) return rows;
  const auto wanted = static_cast<std::int64_t>(settings.count("rows", 1, 1'000'000'000));
  const std::int64_t count = std::min(wanted, rows.size());
  return {.x = rows.x.narrow(0, 0, count),
          .label = rows.label.defined() ? rows.label.narrow(0, 0, count) : torch::Tensor()};
}

VaeEvaluateOptions options_of(const Settings& settings) {
  const auto count = [&](const char* name, std::size_t low) {
    return static_cast<std::int64_t>(settings.count(name, low, 1'000'000'000));
  };
  return {.samples = count("samples", 1),
          .gap_rows = count("gap-rows", 1),
          .uses_ais = settings.flag("ais"),
          .wants_gaps = settings.flag("gaps"),
          .refining_steps = count("refine-steps", 0),
          .ais = {.temperatures = count("ais-temperatures", 2),
                  .chains = count("ais-chains", 2),
                  .leapfrogs = count("ais-leapfrogs", 1)},
          .local = {.steps = count("fit-steps", 1)},
          .seed = settings.count("seed", 0, 1'000'000'000'000),
          .on_stage = {}};
}

void evaluate(const FolderCall& call) {
  const Settings& settings = call.settings;
  const std::vector<std::string>& words = call.arguments.positionals;
  BuiltVae built = open_vae(call.folder, call.device);
  const VaeRows test = rows_of(built, {words.begin() + 1, words.end()}, settings);
  VaeRows train;
  if (settings.has("train")) train = rows_of(built, {settings.text("train")}, settings);
  VaeEvaluateOptions options = options_of(settings);
  const bool is_quiet = settings.flag("quiet");
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

int run_evaluate(const std::vector<std::string>& words) {
  return run_on_folder(grammar(), words, Interruption::ends_program, evaluate);
}

}  // namespace kullback::deep::cli
