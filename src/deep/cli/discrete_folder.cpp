// sample and loglik of folders that 'kullback diffusion --states' wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "deep/cli/discrete.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/kinds.hpp"
#include "deep/cli/options.hpp"
#include "deep/counts.hpp"
#include "deep/data/number_files.hpp"
#include "deep/diffusion/fit/figure.hpp"
#include "deep/discrete/fit/fit.hpp"
#include "deep/discrete/fit/sample.hpp"
#include "deep/purpose.hpp"
#include "run/json_text.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;
using discrete::Built;

constexpr auto kSteps = CountOption("steps", 100, "From noise to data; of masked at most one for each column")
                            .from(1)
                            .to(1'000'000);
constexpr auto kEta = NumberOption("eta", 0, "Of flow: 0 follows the flow, 1 is the stochastic process")
                          .from(0)
                          .to(1)
                          .hinted("0 follows the flow, 1 is the stochastic process.");
constexpr const OptionRecord* kSampleOptions[] = {&option::kCount,    &kSteps,         &kEta,
                                                  &option::kDrawSeed, &option::kStrip, &option::kSamplesFile};

constexpr auto kDraws =
    CountOption("draws", "Of the bound's estimate, for each row (default: 20, flow 10, glauber 1)")
        .from(1)
        .to(1'000'000);
constexpr const OptionRecord* kLoglikOptions[] = {&kDraws, &option::kRows, &option::kDrawSeed,
                                                  &option::kLoglikFile};

void refuse_for(const OptionValues& values, const OptionRecord& option,
                const discrete::ProcessRecord& process, const std::string& why) {
  if (!values.is_given(option)) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} is not for --states {}: {}.", flag_of(option.name), process.name, why),
              "Leave it out.");
}

discrete::DrawRequest request_of(const Built& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const discrete::ProcessRecord& process = discrete::process_named(built.model().process.name);
  if (!process.has_steps) refuse_for(values, kSteps, process, "its steps are the sweeps of its training");
  if (!process.has_eta) refuse_for(values, kEta, process, "its steps are random already");
  if (values.is_given(option::kStrip) && !built.model().is_image())
    throw Error(ErrorKind::usage, "--strip shows images, and these rows are none.", "Leave it out.");
  discrete::DrawRequest request;
  request.count = count_of(values, option::kCount);
  request.steps = count_of(values, kSteps);
  request.eta = values[kEta];
  request.seed = values[option::kDrawSeed];
  request.strip = values.is_given(option::kStrip) ? 10 : 0;
  request.should_stop = is_interrupted;
  return request;
}

void sample(const Built& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const discrete::Model& model = built.model();
  const fs::path out =
      call.out(option::kSamplesFile, model.is_image() ? "new_samples.png" : "new_samples.csv");
  if (out.extension() == ".png" && !model.is_image())
    throw Error(ErrorKind::usage, "a .png shows images, and these rows are none.",
                "Give --out a name that ends in .csv or .npy.");
  discrete::DrawRequest request = request_of(built, call);
  run::ProgressLine progress(values[option::kQuiet]);
  request.on_step = [&](std::int64_t rows, std::int64_t step, std::int64_t steps) {
    progress.show(fmt::format("{} of {} samples done, step {} of {}", rows, request.count, step, steps));
  };
  const discrete::Drawn drawn = draw_rows(built, request);
  progress.clear();
  if (drawn.is_interrupted)
    throw Error(
        ErrorKind::usage,
        fmt::format("interrupted before the {} samples were done; nothing was written.", request.count));
  write_states(out, model, drawn.x);
  if (drawn.strip.defined())
    replace_file(std::string(values[option::kStrip]), png_bytes(strip_picture(model, drawn.strip)));
  if (values[option::kQuiet]) return;
  std::printf("%ld samples by %s, %ld evaluations of the network: %s\n", static_cast<long>(drawn.x.size(0)),
              model.process.name.c_str(), static_cast<long>(drawn.evaluations), out.c_str());
}

torch::Tensor read_new(const Built& built, const FolderCall& call) {
  const std::vector<std::string>& words = call.arguments.positionals;
  RowsRequest request;
  request.paths.assign(words.begin() + 1, words.end());
  const RawRows raw = read_rows(rows_request(built.model(), request));
  const torch::Tensor x = states_of(built.model(), raw, words[1]);
  if (!call.values.is_given(option::kRows)) return x;
  return x.narrow(0, 0, std::min(count_of(call.values, option::kRows), x.size(0)));
}

void loglik(const Built& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const fs::path out = call.out(option::kLoglikFile, "loglik.csv"), json = call.folder / "loglik.json";
  const std::int64_t draws =
      values.is_given(kDraws) ? count_of(values, kDraws) : default_draws(built.process());
  const torch::Tensor x = read_new(built, call).to(built.flat().device());
  Random random(built.model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation),
                static_cast<std::uint32_t>(values[option::kDrawSeed]));
  at::manual_seed(random());
  run::ProgressLine progress(values[option::kQuiet]);
  const std::int64_t all = evaluations_of_bounds(built.process(), x, draws);
  std::int64_t done = 0;
  const discrete::NetDenoiser denoiser = built.denoiser();
  const discrete::WatchedDenoiser watched(denoiser, [&] {
    if (is_interrupted())
      throw Error(ErrorKind::usage,
                  fmt::format("interrupted after {} of {} evaluations; nothing was written.", done, all));
    progress.show(fmt::format("evaluation {} of {} of the network", ++done, all));
  });
  const torch::Tensor rows = bounds(built.process(), watched, x, draws);
  progress.clear();
  const diffusion::Figure bound = diffusion::figure_of(rows);
  const double bits = bound.bits_per_dim(built.model().dims());
  write_matrix(out, {"bound"}, rows.unsqueeze(1));
  using run::json_number;
  replace_file(json, fmt::format("{{\n  \"rows\": {},\n  \"bound\": {},\n  \"standard_error\": {},\n"
                                 "  \"bits_per_dim\": {},\n  \"draws\": {}\n}}\n",
                                 bound.rows, json_number(bound.mean), json_number(bound.error),
                                 json_number(bits), draws));
  if (values[option::kQuiet]) return;
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  std::fputs(
      fmt::format("{} rows\nlower bound on the log likelihood   {} nats a row (se {}), at most {} bits per "
                  "dimension\nFigures: {}\nRow by row, each an estimate by {} draws: {}\n",
                  bound.rows, number(bound.mean), number(bound.error), number(bits), json.string(), draws,
                  out.string())
          .c_str(),
      stdout);
}

Run add_on_discrete(const Command& verb, const Usage& usage,
                    void (*work)(const Built& built, const FolderCall& call)) {
  return add_folder_verb(verb, usage, Interruption::asks_work, [work](const FolderCall& call) {
    work(*discrete::open_model(call.folder, call.device), call);
  });
}

Run sample_discrete(const Command& verb) {
  verb.describe("Draw new rows from a fitted diffusion model of discrete states");
  return add_on_discrete(verb,
                         {.positionals = {{"DIR", "Folder of a 'kullback diffusion --states'"}},
                          .groups = {{"Options", kSampleOptions}, {"Run", option::kRunOnFolder}}},
                         sample);
}

Run loglik_discrete(const Command& verb) {
  verb.describe(
      "Give a lower bound on the log likelihood of new rows under a fitted diffusion model of discrete "
      "states");
  return add_on_discrete(verb,
                         {.positionals = {{"DIR", "Folder of a 'kullback diffusion --states'"},
                                          {"NEW", "Rows of the kind it was trained on", true}},
                          .groups = {{"Options", kLoglikOptions}, {"Run", option::kRunOnFolder}}},
                         loglik);
}

}  // namespace

extern const FolderVerbs kDiscreteKind;
const FolderVerbs kDiscreteKind{
    .kind = run::Kind::discrete_diffusion, .sample = sample_discrete, .loglik = loglik_discrete};

}  // namespace kullback::deep::cli
