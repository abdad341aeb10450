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

void refuse_for(const FolderCall& call, const std::string& option, const discrete::ProcessRecord& process,
                const std::string& why) {
  if (call.arguments.values.count(option) == 0) return;
  throw Error(ErrorKind::usage, fmt::format("--{} is not for --states {}: {}.", option, process.name, why),
              "Leave it out.");
}

discrete::DrawRequest request_of(const Built& built, const FolderCall& call) {
  const Settings& settings = call.settings;
  const discrete::ProcessRecord& process = discrete::process_named(built.model().process.name);
  if (!process.has_steps) refuse_for(call, "steps", process, "its steps are the sweeps of its training");
  if (!process.has_eta) refuse_for(call, "eta", process, "its steps are random already");
  if (settings.has("strip") && !built.model().is_image())
    throw Error(ErrorKind::usage, "--strip shows images, and these rows are none.", "Leave it out.");
  discrete::DrawRequest request;
  request.count = static_cast<std::int64_t>(settings.count("count", 1, 10'000'000));
  request.steps = static_cast<std::int64_t>(settings.count("steps", 1, 1'000'000));
  request.eta = settings.number("eta");
  if (!(request.eta >= 0 && request.eta <= 1))
    throw Error(ErrorKind::usage, fmt::format("--eta is '{}'; it must be from 0 to 1.", settings.text("eta")),
                "0 follows the flow, 1 is the stochastic process.");
  request.seed = settings.count("seed", 0, 0xFFFFFFFF);
  request.strip = settings.has("strip") ? 10 : 0;
  request.should_stop = is_interrupted;
  return request;
}

void sample(const Built& built, const FolderCall& call) {
  const Settings& settings = call.settings;
  const discrete::Model& model = built.model();
  const fs::path out = call.out(model.is_image() ? "new_samples.png" : "new_samples.csv");
  if (out.extension() == ".png" && !model.is_image())
    throw Error(ErrorKind::usage, "a .png shows images, and these rows are none.",
                "Give --out a name that ends in .csv or .npy.");
  discrete::DrawRequest request = request_of(built, call);
  run::ProgressLine progress(settings.flag("quiet"));
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
    replace_file(settings.text("strip"), png_bytes(strip_picture(model, drawn.strip)));
  if (settings.flag("quiet")) return;
  std::printf("%ld samples by %s, %ld evaluations of the network: %s\n", static_cast<long>(drawn.x.size(0)),
              model.process.name.c_str(), static_cast<long>(drawn.evaluations), out.c_str());
}

torch::Tensor read_new(const Built& built, const FolderCall& call) {
  const std::vector<std::string>& words = call.arguments.positionals;
  RowsRequest request;
  request.paths.assign(words.begin() + 1, words.end());
  const RawRows raw = read_rows(rows_request(built.model(), request));
  const torch::Tensor x = states_of(built.model(), raw, words[1]);
  if (!call.settings.has("rows")) return x;
  return x.narrow(
      0, 0, std::min(static_cast<std::int64_t>(call.settings.count("rows", 1, 1'000'000'000)), x.size(0)));
}

void loglik(const Built& built, const FolderCall& call) {
  const Settings& settings = call.settings;
  const fs::path out = call.out("loglik.csv"), json = call.folder / "loglik.json";
  const std::int64_t draws = settings.has("draws")
                                 ? static_cast<std::int64_t>(settings.count("draws", 1, 1'000'000))
                                 : default_draws(built.process());
  const torch::Tensor x = read_new(built, call).to(built.flat().device());
  Random random(built.model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation),
                static_cast<std::uint32_t>(settings.count("seed", 0, 0xFFFFFFFF)));
  at::manual_seed(random());
  run::ProgressLine progress(settings.flag("quiet"));
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
  if (settings.flag("quiet")) return;
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
  return add_on_discrete(
      verb,
      {.positionals = {{"DIR", "folder of a 'kullback diffusion --states'"}},
       .groups = {{"Options",
                   with_device(
                       {{"count", "64", "of new rows"},
                        {"steps", "100", "from noise to data; of masked at most one for each column"},
                        {"eta", "0", "of flow: 0 follows the flow, 1 is the stochastic process"},
                        {"seed", "1", "others give other rows"},
                        {"strip", "", "PNG file of the way from noise to images"},
                        {"out", "", "CSV, .npy or .png file (default: DIR/new_samples.png, or .csv)"}})}}},
      sample);
}

Run loglik_discrete(const Command& verb) {
  verb.describe(
      "Give a lower bound on the log likelihood of new rows under a fitted diffusion model of discrete "
      "states");
  return add_on_discrete(
      verb,
      {.positionals = {{"DIR", "folder of a 'kullback diffusion --states'"},
                       {"NEW", "rows of the kind it was trained on", true}},
       .groups = {{"Options",
                   with_device({{"draws", "",
                                 "of the bound's estimate, for each row (default: 20, flow 10, glauber 1)"},
                                {"rows", "", "how many rows to take, from the first on (default: all)"},
                                {"seed", "1", "of the draws"},
                                {"out", "", "CSV or .npy file (default: DIR/loglik.csv)"}})}}},
      loglik);
}

}  // namespace

extern const FolderVerbs kDiscreteKind;
const FolderVerbs kDiscreteKind{
    .kind = run::Kind::discrete_diffusion, .sample = sample_discrete, .loglik = loglik_discrete};

}  // namespace kullback::deep::cli
