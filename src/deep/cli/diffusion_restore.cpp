// restore of folders that 'kullback diffusion' and 'kullback score' wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/json_fields.hpp"
#include "deep/cli/diffusion_folder.hpp"
#include "deep/cli/options.hpp"
#include "deep/counts.hpp"
#include "deep/data/number_files.hpp"
#include "deep/diffusion/fit/pictures.hpp"
#include "deep/diffusion/fit/restore.hpp"
#include "deep/part.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;
using diffusion::Built;
using diffusion::RestoredRow;
using diffusion::RestoredRows;
using diffusion::RestoreRequest;

constexpr std::int64_t kMostShown = 8;  // rows of pictures and of the table

enum class Format { automatic, csv, npy };
constexpr auto kOperator = TextOption("operator", "What was done to x");
constexpr auto kNoiseSd = NumberOption("noise_sd", "Sd of the noise, in the units of OBSERVED").above(0);
constexpr auto kMethod = TextOption("method", "tsmc", "How");
constexpr auto kDraws = CountOption("count", 64, "Draws of each row").from(1).to(1'000'000);
constexpr auto kLabel = TextOption("label", "Of a conditional model: the label of the rows, or none");
constexpr auto kGuidance =
    NumberOption("guidance", 0, "Of a conditional model: how much more like its label x is to be");
constexpr auto kEndNoise =
    NumberOption(
        "end_noise",
        "Noise at which the way to the data ends, for data with the sd 1 (default: 0.03; langevin 0.1)")
        .above(0);
constexpr auto kFormat =
    ChoiceOption("format", Format::automatic, "auto|csv|npy", "Of numbers; auto: npy of images, else csv");
constexpr auto kOut = TextOption("out", "Folder of the results (default: DIR/restored)").shown_as("DIR");
constexpr const OptionRecord* kOptions[] = {&kOperator, &kNoiseSd,  &kMethod,           &kDraws,  &kLabel,
                                            &kGuidance, &kEndNoise, &option::kDrawSeed, &kFormat, &kOut};

struct Job {
  GivenTexts operator_options = {}, method_options = {};  // as the record has them
  std::string operation = {};
  std::unique_ptr<diffusion::Operator> made = {};
  RestoreRequest request = {};
  fs::path out = {};
  bool writes_npy = false;
};

void choose_label(const Built& built, const OptionValues& values, RestoreRequest& request) {
  const diffusion::Model& model = built.model();
  const bool is_conditional = model.labels() > 0;
  std::string labels;
  for (const std::string& name : model.label_names) labels += (labels.empty() ? "" : ", ") + name;
  if (is_conditional && !values.is_given(kLabel))
    throw Error(ErrorKind::usage, "the model is conditional: restoring needs the --label of the rows.",
                "Known are: " + labels + "; none restores without one.");
  if (is_conditional && values[kLabel] == "none") return;
  request.label =
      label_of(values.given(kLabel), is_conditional ? model.label_names : std::vector<std::string>());
}

Job job_of(const Built& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  Job job;
  job.operation = values[kOperator];
  if (job.operation.empty())
    throw Error(ErrorKind::usage, "kullback restore needs --operator: what was done to the rows.",
                "Known are: " + names_of(diffusion::operators()) + ".");
  const diffusion::OperatorRecord& operation = diffusion::operator_named(job.operation);
  RestoreRequest& request = job.request;
  request.method = values[kMethod];
  const diffusion::MethodRecord& method = diffusion::method_named(request.method);
  Given given(call.arguments);
  const OptionValues operator_options = given.of(kOperator, operation, diffusion::operators());
  request.method_options = given.of(kMethod, method, diffusion::methods());
  given.check();
  job.operator_options = run::texts_of(operation.options, operator_options);
  job.method_options = run::texts_of(method.options, request.method_options);
  if (!values.is_given(kNoiseSd))
    throw Error(ErrorKind::usage, "kullback restore needs --noise-sd: the sd of the noise in OBSERVED.",
                "It is in the units of OBSERVED; a small one stands for none.");
  request.noise_sd = values[kNoiseSd];
  request.count = count_of(values, kDraws);
  // Langevin dwells there, and a learned score is too steep at less noise.
  request.end_noise = values.given(kEndNoise).value_or(request.method == "langevin" ? 0.1 : 0.03);
  request.guidance = values[kGuidance];
  request.seed = values[option::kDrawSeed];
  request.should_stop = is_interrupted;
  choose_label(built, values, request);
  job.writes_npy =
      values[kFormat] == Format::npy || (values[kFormat] == Format::automatic && built.model().is_image());
  job.out = call.out(kOut, "restored");
  job.made = operation.make(operator_options, row_shape_of(built.model()));
  return job;
}

RestoredRows restored(const Built& built, const Job& job, const torch::Tensor& observed, bool is_quiet) {
  RestoreRequest request = job.request;
  run::ProgressLine progress(is_quiet);
  request.on_step = [&](std::int64_t row, std::int64_t step, std::int64_t steps) {
    progress.show(fmt::format("row {} of {}, step {} of {}", row + 1, observed.size(0), step, steps));
  };
  RestoredRows result = restore_rows(built, *job.made, observed, request);
  if (result.is_interrupted)
    throw Error(ErrorKind::usage, fmt::format("interrupted after {} of {} rows; nothing was written.",
                                              result.rows.size(), observed.size(0)));
  return result;
}

torch::Tensor stacked(const std::vector<RestoredRow>& rows, torch::Tensor RestoredRow::*part) {
  std::vector<torch::Tensor> all;
  for (const RestoredRow& row : rows) all.push_back(row.*part);
  return at::stack(all);
}

void write_numbers(const Built& built, const Job& job, const RestoredRows& result) {
  const std::string ending = job.writes_npy ? ".npy" : ".csv";
  const std::vector<std::string> names = built.column_names();
  const auto write = [&](const char* name, const torch::Tensor& numbers) {
    write_matrix(job.out / (name + ending), names, numbers);
  };
  write("mean", stacked(result.rows, &RestoredRow::mean));
  write("sd", stacked(result.rows, &RestoredRow::sd));
  const torch::Tensor draws = stacked(result.rows, &RestoredRow::draws);  // [rows, count, dims]
  const torch::Tensor row = torch::arange(1, draws.size(0) + 1, torch::kFloat64)
                                .view({-1, 1, 1})
                                .expand({draws.size(0), draws.size(1), 1});
  std::vector<std::string> with_row = {"row"};
  with_row.insert(with_row.end(), names.begin(), names.end());
  if (job.writes_npy) return write("samples", draws.flatten(0, 1));
  write_matrix(job.out / ("samples" + ending), with_row, at::cat({row, draws}, 2).flatten(0, 1));
}

// What says nothing is missing (NaN).
torch::Tensor seen_part(const diffusion::Operator& operation, const torch::Tensor& observed) {
  const torch::Tensor seen = operation.seen();
  return seen.defined() ? observed.masked_fill(seen.logical_not(), std::numeric_limits<double>::quiet_NaN())
                        : observed;
}

void write_pictures(const Built& built, const Job& job, const torch::Tensor& observed,
                    const RestoredRows& result) {
  const auto write = [&](const char* name, const Picture& picture) {
    replace_file(job.out / name, png_bytes(picture));
  };
  const std::int64_t shown = std::min<std::int64_t>(kMostShown, observed.size(0));
  const torch::Tensor draws = stacked(result.rows, &RestoredRow::draws);
  if (!built.model().is_image()) {
    if (built.model().dims == 2)
      write("samples.png", diffusion::own_points_picture(draws.narrow(0, 0, shown)));
    return;
  }
  const auto first = [&](const torch::Tensor& x) { return x.narrow(0, 0, shown); };
  if (job.made->gives().is_image())
    write("observed.png",
          own_images_picture(built, job.made->gives().image, seen_part(*job.made, first(observed)), shown));
  const torch::Tensor sd = stacked(result.rows, &RestoredRow::sd);
  write("mean.png", own_images_picture(built, built.model().image,
                                       first(stacked(result.rows, &RestoredRow::mean)), shown));
  // White is the largest sd.
  write("sd.png", own_images_picture(
                      built, built.model().image,
                      first(sd) / sd.max().clamp_min(1e-12) * (built.model().has_levels ? 255 : 1), shown));
  const std::int64_t columns = std::min<std::int64_t>(kMostShown, draws.size(1));
  write("samples.png", own_images_picture(built, built.model().image,
                                          first(draws).narrow(1, 0, columns).flatten(0, 1), columns));
}

const std::set<std::string>& result_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = {"restore.json"};
    for (const char* name : {"samples", "mean", "sd", "observed"})
      for (const char* ending : {".csv", ".npy", ".png"}) all.insert(std::string(name) + ending);
    return all;
  }();
  return names;
}

// Without what an earlier run left there.
void begin_folder(const fs::path& out) {
  run::check_has_only(out, result_names());
  std::error_code error;
  fs::create_directories(out, error);
  if (error)
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: cannot be made: {}.", out.string(), error.message()),
                "Choose another folder with --out.");
  for (const std::string& name : result_names()) fs::remove(out / name, error);
}

// The Monte Carlo error of the mean, at its largest, in sds; NaN: not known.
double relative_error(const RestoredRow& row) {
  const torch::Tensor relative = row.mean_error / row.sd.clamp_min(1e-300);
  return relative.max().item<double>();
}

std::string row_json(const RestoredRow& row) {
  const auto maybe = [](const std::optional<double>& x) {
    return x ? run::json_number(*x) : std::string("null");
  };
  const bool is_known = row.evidence.has_value();
  return fmt::format(
      "    {{\"seen\": {}, \"log_evidence\": {}, \"log_evidence_error\": {}, \"ess\": {}, \"least_ess\": {}, "
      "\"acceptance\": {}, \"step_size\": {}, \"largest_error_of_the_mean_in_sds\": {}}}",
      row.seen, is_known ? run::json_number(row.evidence->log_value) : "null",
      is_known ? run::json_number(row.evidence->error) : "null", maybe(row.last_ess), maybe(row.least_ess),
      maybe(row.acceptance), maybe(row.step_size), run::json_number(relative_error(row)));
}

std::string account_json(const FolderCall& call, const Job& job, const RestoredRows& result) {
  std::string rows;
  for (const RestoredRow& row : result.rows) rows += (rows.empty() ? "" : ",\n") + row_json(row);
  return fmt::format(
      "{{\n  \"observed\": {},\n  \"operator\": {},\n  \"operator_options\": {},\n  \"noise_sd\": {},\n"
      "  \"method\": {},\n  \"method_options\": {},\n  \"count\": {},\n  \"end_noise\": {},\n"
      "  \"label\": {},\n  \"guidance\": {},\n  \"seed\": {},\n  \"particles_or_chains\": {},\n"
      "  \"evaluations\": {},\n  \"rows\": [\n{}\n  ]\n}}\n",
      json_string(call.arguments.positionals[1]), json_string(job.operation),
      json_words(job.operator_options), run::json_number(job.request.noise_sd),
      json_string(job.request.method), json_words(job.method_options), job.request.count,
      run::json_number(job.request.end_noise),
      call.values.is_given(kLabel) ? json_string(call.values[kLabel]) : "null",
      run::json_number(job.request.guidance), job.request.seed, result.at_once, result.evaluations, rows);
}

void print(const Job& job, const RestoredRows& result) {
  const auto number = [](double x) { return fmt::format("{:.3g}", x); };
  std::printf("%zu %s restored by %s: %ld evaluations of the network by each of %ld %s\n", result.rows.size(),
              result.rows.size() == 1 ? "row" : "rows", job.request.method.c_str(),
              static_cast<long>(result.evaluations), static_cast<long>(result.at_once),
              job.request.method == "langevin" ? "chains" : "particles");
  for (std::size_t i = 0; i < std::min<std::size_t>(result.rows.size(), kMostShown); ++i) {
    const RestoredRow& row = result.rows[i];
    std::string text =
        fmt::format("row {}: {} {} seen", i + 1, row.seen, row.seen == 1 ? "number" : "numbers");
    if (row.evidence)
      text += fmt::format(
          ", log evidence {:.5g} (se {}), effective particles of a run {} at the end, {} at the least",
          row.evidence->log_value, number(row.evidence->error), number(*row.last_ess),
          number(*row.least_ess));
    if (row.acceptance) text += fmt::format(", {} of the steps accepted", number(*row.acceptance));
    const double error = relative_error(row);
    if (std::isfinite(error) && job.request.method != "red-diff")
      text += fmt::format(", mean within {} sd (Monte Carlo)", number(error));
    std::printf("%s\n", text.c_str());
  }
  if (result.rows.size() > kMostShown) std::printf("... and %zu more\n", result.rows.size() - kMostShown);
  std::printf("Samples, means and sds: %s\n", job.out.c_str());
}

// What a user must know before the numbers are used.
void print_findings(const Job& job, const RestoredRows& result) {
  std::int64_t few = 0;
  for (const RestoredRow& row : result.rows) few += row.least_ess && *row.least_ess < 5 ? 1 : 0;
  if (few > 0)
    std::printf(
        "! In %ld of %zu rows fewer than 5 particles of a run counted at some step.\n"
        "  Raise --particles, or --steps; the shares of different answers and the sds are not to be "
        "trusted.\n",
        static_cast<long>(few), result.rows.size());
  const bool repels = job.method_options.contains("repulsion") && job.method_options.at("repulsion") != "0";
  if (job.request.method == "red-diff" && !repels)
    std::printf(
        "! Particles of red-diff are points of high density: their sd is not that of the posterior.\n"
        "  Take --method tsmc or langevin for it, or --repulsion 1 for answers that differ.\n");
}

void restore(const Built& built, const FolderCall& call) {
  const Job job = job_of(built, call);
  const torch::Tensor observed = read_observed(built.model(), *job.made, call.arguments.positionals[1]);
  const bool is_quiet = call.values[option::kQuiet];
  run::check_has_only(job.out, result_names());  // before the work
  const RestoredRows result = restored(built, job, observed, is_quiet);
  begin_folder(job.out);
  write_numbers(built, job, result);
  write_pictures(built, job, observed, result);
  replace_file(job.out / "restore.json", account_json(call, job, result));
  if (is_quiet) return;
  print(job, result);
  print_findings(job, result);
}

}  // namespace

Run restore_diffusion(const Command& verb) {
  verb.describe(
      "Restore rows or images from what was observed of them, y = A(x) + noise, with a diffusion model as "
      "the "
      "prior of x");
  const Usage usage{
      .positionals = {{"DIR", "Folder of a 'kullback diffusion' or 'kullback score'"},
                      {"OBSERVED", "CSV, .npy or IDX file with a row y for each x, in the data's units"}},
      .groups = {{"Options", kOptions}, {"Run", option::kRunOnFolder}},
      .parts = {{"Operators", tables_of(diffusion::operators())},
                {"Methods", tables_of(diffusion::methods())}},
      .choices = {{&kOperator, names_of(diffusion::operators())},
                  {&kMethod, names_of(diffusion::methods())}}};
  return add_on_diffusion(verb, usage, restore);
}

}  // namespace kullback::deep::cli
