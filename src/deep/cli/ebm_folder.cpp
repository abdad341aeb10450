// sample and loglik of folders that 'kullback ebm' wrote.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/kinds.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/png.hpp"
#include "deep/energy/fit/loglik.hpp"
#include "deep/energy/fit/pictures.hpp"
#include "deep/energy/fit/sample.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

using Work = void (*)(BuiltEbm& built, const FolderCall& call);

Run add(const Command& verb, const Usage& usage, Work work) {
  return add_folder_verb(verb, usage, Interruption::asks_work, [work](const FolderCall& call) {
    BuiltEbm built = open_ebm(call.folder, call.device);
    work(built, call);
  });
}

void sample(BuiltEbm& built, const FolderCall& call) {
  const Settings& settings = call.settings;
  const bool is_image = built.model().is_image();
  const fs::path out = call.out(is_image ? "new_samples.png" : "new_samples.csv");
  if (out.extension() == ".png" && !is_image)
    throw Error(ErrorKind::usage, fmt::format("{}: these rows are no images.", out.string()),
                "Give --out a .csv or .npy file.");
  settings.choice("from", {"auto", "exact", "chains", "base", "annealed"});
  const EbmDraws draws = sample_ebm(
      built, {.count = static_cast<std::int64_t>(settings.count("count", 1, 10'000'000)),
              .from = settings.text("from"),
              .transitions = settings.has("transitions")
                                 ? static_cast<std::int64_t>(settings.count("transitions", 1, 1'000'000'000))
                                 : 0,
              .seed = settings.count("seed", 0, 0xFFFFFFFF),
              .should_stop = is_interrupted});
  if (out.extension() == ".png") {
    replace_file(out, png_bytes(ebm_images(built, draws.x)));
  } else {
    write_matrix(out, built.column_names(), built.in_own_units(draws.x));
  }
  if (!settings.flag("quiet"))
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
  const Settings& settings = call.settings;
  const auto count = [&](const char* name, std::size_t low) {
    return static_cast<std::int64_t>(settings.count(name, low, 1'000'000'000));
  };
  const fs::path out = call.out("loglik.csv");
  const torch::Tensor rows = rows_of(built, call.arguments.positionals);
  const EbmLoglikOptions options{.annealing = {.temperatures = count("temperatures", 2),
                                               .chains = count("chains", 2),
                                               .leapfrogs = count("leapfrogs", 1),
                                               .transitions = count("transitions", 1),
                                               .seed = settings.count("seed", 0, 1'000'000'000'000),
                                               .should_stop = is_interrupted},
                                 .raise_rows = count("raise-rows", 0),
                                 .raise_chains = count("raise-chains", 2)};
  const EbmLoglik result = loglik_of(built, rows, options);
  write_matrix(out, {"log_likelihood"}, result.row_values.unsqueeze(1));
  const fs::path json = call.folder / "loglik.json";
  replace_file(json, loglik_json(result));
  if (settings.flag("quiet")) return;
  std::fputs(loglik_text(result).c_str(), stdout);
  for (const Finding& finding : result.findings)
    std::printf("! %s %s\n  %s\n", finding.message.c_str(), finding.evidence.c_str(), finding.advice.c_str());
  std::printf("Figures: %s\nRow by row: %s\n", json.c_str(), out.c_str());
}

Run sample_energy(const Command& verb) {
  verb.describe("Draw new rows from a fitted energy");
  return add(
      verb,
      {.positionals = {{"DIR", "folder of a 'kullback ebm'"}},
       .groups =
           {{"Options",
             with_device(
                 {{"count", "64", "of new rows, each the end of a chain of its own"},
                  {"from", "auto",
                   "where chains begin: exact (few hidden units: draws of the model itself), chains (of the "
                   "training), base, annealed; auto: the first of exact, chains, annealed that there is"},
                  {"transitions", "",
                   "of each chain (default: 500, of annealed ones 100, of a short run as in the training)"},
                  {"seed", "1", "others give other rows"},
                  {"out", "", "CSV, .npy or (images) .png file (default: DIR/new_samples.png, or .csv)"}})}}},
      sample);
}

Run loglik_energy(const Command& verb) {
  verb.describe("Give the log likelihood of new rows under a fitted energy, by annealing");
  return add(
      verb,
      {.positionals = {{"DIR", "folder of a 'kullback ebm'"},
                       {"NEW", "rows of the kind it was trained on", true}},
       .groups = {{"Options",
                   with_device(
                       {{"temperatures", "1000", "from the base to the model"},
                        {"chains", "1000", "of the annealing"},
                        {"leapfrogs", "5", "steps of a transition (numbers)"},
                        {"transitions", "1", "at each temperature"},
                        {"raise-rows", "100", "rows of the conservative figure; 0: none"},
                        {"raise-chains", "16", "chains of each of those rows"},
                        {"seed", "1", "of the chains, and of where in its interval a level is"},
                        {"out", "", "CSV or .npy file, a number for each row (default: DIR/loglik.csv)"}})}}},
      loglik);
}

}  // namespace

extern const FolderVerbs kEbmKind;
const FolderVerbs kEbmKind{.kind = run::Kind::ebm, .sample = sample_energy, .loglik = loglik_energy};

}  // namespace kullback::deep::cli
