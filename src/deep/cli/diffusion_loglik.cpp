// loglik of folders that 'kullback diffusion' and 'kullback score' wrote.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "deep/cli/diffusion_folder.hpp"
#include "deep/cli/options.hpp"
#include "deep/counts.hpp"
#include "deep/data/number_files.hpp"
#include "deep/diffusion/fit/figure.hpp"
#include "deep/diffusion/likelihood.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/training.hpp"
#include "run/json_text.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;
using diffusion::Built;
using diffusion::Figure;

constexpr auto kTolerance =
    NumberOption("tolerance", 1e-4, "Relative and absolute error of a step of the solver").above(0);
constexpr auto kExactDims =
    CountOption("exact_dims", 32, "Numbers of a state up to which the divergence is exact").to(1'000'000);
constexpr auto kProbes =
    CountOption("probes", 4, "Random directions of its estimate beyond that").from(2).to(1'000'000);
constexpr const OptionRecord* kOptions[] = {&option::kLabels,    &option::kRows, &kTolerance,
                                            &kExactDims,         &kProbes,       &option::kDrawSeed,
                                            &option::kLoglikFile};

RawRows read_new(const Built& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const std::vector<std::string>& words = call.arguments.positionals;
  const diffusion::Model& model = built.model();
  RowsRequest request;
  request.paths.assign(words.begin() + 1, words.end());
  request.names = model.names;
  request.label_names = model.label_names;
  if (model.is_conditional) {
    request.labels = values.given(option::kLabels).value_or(model.label_column);
    if (request.labels.empty())
      throw Error(ErrorKind::usage, "the model is conditional: it needs the rows' labels.",
                  "Name them with --labels.");
  }
  if (model.is_image() && !model.names.empty())
    request.image = fmt::format("{}x{}x{}", model.image.height, model.image.width, model.image.channels);
  RawRows raw = read_rows(request);
  check_rows(model, raw, words[1]);
  if (!values.is_given(option::kRows)) return raw;
  const std::int64_t count = std::min(count_of(values, option::kRows), raw.x.size(0));
  raw.x = raw.x.narrow(0, 0, count).contiguous();
  if (raw.label.defined()) raw.label = raw.label.narrow(0, 0, count).contiguous();
  return raw;
}

struct Loglik {
  torch::Tensor rows, errors;  // [rows], nats: by the flow, and the standard errors of its probes
  double ode_error = 0;        // the largest of a row
  Figure flow = {};            // of the rows
  double probe_error = 0;      // root mean square
  double bits_per_dim = 0;
  std::optional<Figure> bound = {};  // variational; not of SDEs with a velocity
};

diffusion::LikelihoodOptions options_of(const OptionValues& values) {
  diffusion::LikelihoodOptions options;
  const double tolerance = values[kTolerance];
  options.ode = {.relative = tolerance, .absolute = tolerance};
  options.exact_dims = count_of(values, kExactDims);
  options.probes = count_of(values, kProbes);
  return options;
}

void seed(const Built& built, const OptionValues& values) {
  Random random(built.model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation),
                static_cast<std::uint32_t>(values[option::kDrawSeed]));
  at::manual_seed(random());
}

// Some rows at a time.
Loglik by_flow(const Built& built, const diffusion::Rows& rows, const torch::Tensor& label,
               const OptionValues& values) {
  diffusion::LikelihoodOptions options = options_of(values);
  run::ProgressLine progress(values[option::kQuiet]);
  const std::int64_t at_once = 500, total = rows.size();
  std::vector<torch::Tensor> log_densities, errors;
  Loglik result;
  for (std::int64_t first = 0; first < total; first += at_once) {
    const std::int64_t count = std::min(at_once, total - first);
    options.on_solve = [&](std::int64_t done, std::int64_t of) {
      if (is_interrupted())
        throw Error(ErrorKind::usage,
                    fmt::format("interrupted after {} of {} rows; nothing was written.", first, total));
      progress.show(fmt::format("rows {} of {}, solution {} of {}", first + count, total, done, of));
    };
    const auto score = built.score(label.defined() ? label.narrow(0, first, count) : torch::Tensor());
    const diffusion::Likelihood found =
        log_likelihood(built.sde(), *score, rows.x.narrow(0, first, count), options);
    log_densities.push_back(found.log_density.to(torch::kCPU, torch::kFloat64) - built.log_volume());
    errors.push_back(found.standard_error.to(torch::kCPU, torch::kFloat64));
    result.ode_error = std::max(result.ode_error, found.ode_error);
  }
  result.rows = at::cat(log_densities);
  result.errors = at::cat(errors);
  result.flow = diffusion::figure_of(result.rows);
  result.probe_error = result.errors.square().mean().sqrt().item<double>();
  result.bits_per_dim = result.flow.bits_per_dim(built.model().dims);
  return result;
}

std::optional<Figure> bound_of(const Built& built, const RawRows& raw, const torch::Tensor& label) {
  if (built.sde().blocks() != 1) return {};
  const diffusion::Model& model = built.model();
  const diffusion::Rows exact = built.prepared(raw);
  const torch::Tensor terms =
      bound_terms(built.network(), built.parameters(), exact.x, label, model.units(), 20)
          .bound()
          .to(torch::kCPU, torch::kFloat64);
  return diffusion::figure_of(terms - (model.has_levels ? 0 : built.log_volume()));
}

std::string loglik_json(const Loglik& loglik, bool has_levels) {
  using run::json_number;
  const std::string bound =
      !loglik.bound ? "null"
                    : fmt::format("{{\"mean\": {}, \"standard_error\": {}}}", json_number(loglik.bound->mean),
                                  json_number(loglik.bound->error));
  return fmt::format(
      "{{\n  \"rows\": {},\n  \"log_likelihood\": {},\n  \"standard_error\": {},\n"
      "  \"bits_per_dim\": {},\n  \"probe_error_of_a_row\": {},\n  \"ode_error_of_a_row\": {},\n"
      "  \"dequantisation\": {},\n  \"bound\": {}\n}}\n",
      loglik.rows.size(0), json_number(loglik.flow.mean), json_number(loglik.flow.error),
      json_number(loglik.bits_per_dim), json_number(loglik.probe_error), json_number(loglik.ode_error),
      has_levels ? "\"uniform\"" : "null", bound);
}

std::string loglik_text(const Loglik& loglik, bool has_levels) {
  const auto number = [](double x) { return fmt::format("{:.5g}", x); };
  std::string text = fmt::format(
      "{} rows\nlog likelihood by the flow   {} nats a row (se over rows {}), {} bits per dimension\n",
      loglik.rows.size(0), number(loglik.flow.mean), number(loglik.flow.error), number(loglik.bits_per_dim));
  text += fmt::format(
      "its error in a row           {} by the probes of the divergence, at most {} by the solver\n",
      number(loglik.probe_error), number(loglik.ode_error));
  if (loglik.bound)
    text += fmt::format("variational bound            {} nats a row (se {})\n", number(loglik.bound->mean),
                        number(loglik.bound->error));
  if (has_levels)
    text +=
        "Levels are dequantised uniformly for the flow, whose figure then bounds their log probability; "
        "the bound is of the levels themselves.\n";
  return text;
}

void loglik(const Built& built, const FolderCall& call) {
  const diffusion::Model& model = built.model();
  const fs::path out = call.out(option::kLoglikFile, "loglik.csv"), json = call.folder / "loglik.json";
  const RawRows raw = read_new(built, call);
  seed(built, call.values);
  const diffusion::Rows rows = built.prepared(raw, true);
  const torch::Tensor label = one_hot(rows.label, model.labels(), built.options());
  Loglik result = by_flow(built, rows, label, call.values);
  result.bound = bound_of(built, raw, label);
  write_matrix(out, {"log_likelihood", "standard_error"}, at::stack({result.rows, result.errors}, 1));
  replace_file(json, loglik_json(result, model.has_levels));
  if (call.values[option::kQuiet]) return;
  std::fputs(loglik_text(result, model.has_levels).c_str(), stdout);
  std::printf("Figures: %s\nRow by row: %s\n", json.c_str(), out.c_str());
}

}  // namespace

Run loglik_diffusion(const Command& verb) {
  verb.describe(
      "Give the log likelihood of new rows under a fitted diffusion model, through its probability flow");
  return add_on_diffusion(verb,
                          {.positionals = {{"DIR", "Folder of a 'kullback diffusion' or 'kullback score'"},
                                           {"NEW", "Rows of the kind it was trained on", true}},
                           .groups = {{"Options", kOptions}, {"Run", option::kRunOnFolder}}},
                          loglik);
}

}  // namespace kullback::deep::cli
