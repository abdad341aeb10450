// sample and loglik of folders that 'kullback ebm' wrote.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/kinds.hpp"
#include "deep/cli/options.hpp"
#include "deep/counts.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/png.hpp"
#include "deep/energy/fit/loglik.hpp"
#include "deep/energy/fit/pictures.hpp"
#include "deep/energy/fit/sample.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

constexpr auto kFrom =
    ChoiceOption("from", ChainStart::automatic, "auto|exact|chains|base|annealed",
                 "Where chains begin: exact (few hidden units: draws of the model itself), chains (of the "
                 "training), base, annealed; auto: the first of exact, chains, annealed that there is");
constexpr auto kChainTransitions =
    CountOption("transitions",
                "Of each chain (default: 500, of annealed ones 100, of a short run as in the training)")
        .from(1)
        .to(1e9);
constexpr const OptionRecord* kSampleOptions[] = {&option::kCount, &kFrom, &kChainTransitions,
                                                  &option::kDrawSeed, &option::kSamplesFile};

constexpr auto kTemperatures =
    CountOption("temperatures", 1000, "From the base to the model").from(2).to(1e9);
constexpr auto kChains = CountOption("chains", 1000, "Of the annealing").from(2).to(1e9);
constexpr auto kLeapfrogs = CountOption("leapfrogs", 5, "Steps of a transition (numbers)").from(1).to(1e9);
constexpr auto kTransitions = CountOption("transitions", 1, "At each temperature").from(1).to(1e9);
constexpr auto kRaiseRows =
    CountOption("raise_rows", 100, "Rows of the conservative figure; 0: none").to(1e9);
constexpr auto kRaiseChains = CountOption("raise_chains", 16, "Chains of each of those rows").from(2).to(1e9);
constexpr const OptionRecord* kLoglikOptions[] = {
    &kTemperatures, &kChains,      &kLeapfrogs,        &kTransitions,
    &kRaiseRows,    &kRaiseChains, &option::kDrawSeed, &option::kLoglikFile};

using Work = void (*)(BuiltEbm& built, const FolderCall& call);

Run add(const Command& verb, const Usage& usage, Work work) {
  return add_folder_verb(verb, usage, Interruption::asks_work, [work](const FolderCall& call) {
    BuiltEbm built = open_ebm(call.folder, call.device);
    work(built, call);
  });
}

void sample(BuiltEbm& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const bool is_image = built.model().is_image();
  const fs::path out = call.out(option::kSamplesFile, is_image ? "new_samples.png" : "new_samples.csv");
  if (out.extension() == ".png" && !is_image)
    throw Error(ErrorKind::usage, fmt::format("{}: these rows are no images.", out.string()),
                "Give --out a .csv or .npy file.");
  const EbmDraws draws = sample_ebm(built, {.count = count_of(values, option::kCount),
                                            .from = values[kFrom],
                                            .transitions = count_of(values, kChainTransitions),
                                            .seed = values[option::kDrawSeed],
                                            .should_stop = is_interrupted});
  if (out.extension() == ".png") {
    replace_file(out, png_bytes(ebm_images(built, draws.x)));
  } else {
    write_matrix(out, built.column_names(), built.in_own_units(draws.x));
  }
  if (!values[option::kQuiet])
    std::printf("%ld samples (%s): %s\n", static_cast<long>(draws.x.size(0)), draws.how.c_str(), out.c_str());
}

torch::Tensor rows_of(const BuiltEbm& built, const std::vector<std::string>& words) {
  const EbmModel& model = built.model();
  RowsRequest request;
  request.paths.assign(words.begin() + 1, words.end());
  request.names = model.names;
  if (model.is_image() && !model.names.empty())
    request.image = fmt::format("{}x{}x{}", model.image.height, model.image.width, model.image.channels);
  const RawRows raw = read_rows(request);
  built.check(raw, words[1]);
  return built.prepared(raw.x);
}

void loglik(BuiltEbm& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const fs::path out = call.out(option::kLoglikFile, "loglik.csv");
  const torch::Tensor rows = rows_of(built, call.arguments.positionals);
  const EbmLoglikOptions options{.annealing = {.temperatures = count_of(values, kTemperatures),
                                               .chains = count_of(values, kChains),
                                               .leapfrogs = count_of(values, kLeapfrogs),
                                               .transitions = count_of(values, kTransitions),
                                               .seed = values[option::kDrawSeed],
                                               .should_stop = is_interrupted},
                                 .raise_rows = count_of(values, kRaiseRows),
                                 .raise_chains = count_of(values, kRaiseChains)};
  const EbmLoglik result = loglik_of(built, rows, options);
  write_matrix(out, {"log_likelihood"}, result.row_values.unsqueeze(1));
  const fs::path json = call.folder / "loglik.json";
  replace_file(json, loglik_json(result));
  if (values[option::kQuiet]) return;
  std::fputs(loglik_text(result).c_str(), stdout);
  for (const Finding& finding : result.findings)
    std::printf("! %s %s\n  %s\n", finding.message.c_str(), finding.evidence.c_str(), finding.advice.c_str());
  std::printf("Figures: %s\nRow by row: %s\n", json.c_str(), out.c_str());
}

Run sample_energy(const Command& verb) {
  verb.describe("Draw new rows from a fitted energy");
  return add(verb,
             {.positionals = {{"DIR", "Folder of a 'kullback ebm'"}},
              .groups = {{"Options", kSampleOptions}, {"Run", option::kRunOnFolder}}},
             sample);
}

Run loglik_energy(const Command& verb) {
  verb.describe("Give the log likelihood of new rows under a fitted energy, by annealing");
  return add(verb,
             {.positionals = {{"DIR", "Folder of a 'kullback ebm'"},
                              {"NEW", "Rows of the kind it was trained on", true}},
              .groups = {{"Options", kLoglikOptions}, {"Run", option::kRunOnFolder}}},
             loglik);
}

}  // namespace

extern const FolderVerbs kEbmKind;
const FolderVerbs kEbmKind{.kind = run::Kind::ebm, .sample = sample_energy, .loglik = loglik_energy};

}  // namespace kullback::deep::cli
