#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/bnn/fit/files.hpp"
#include "deep/bnn/fit/fit.hpp"
#include "deep/data/npy.hpp"
#include "kullback_version.hpp"
#include "run/folder.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

struct NewRows {
  torch::Tensor x;
  std::vector<double> target;  // NaN: unknown
  std::size_t filled = 0;
};

[[noreturn]] void refuse(const fs::path& path, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", path.string(), what), std::move(hint));
}

void check_pixels(const Table& table, const ImageInputs& image, const fs::path& path) {
  const ImageInputs found{.shape = table.image};
  if (found.text() != image.text())
    refuse(
        path,
        fmt::format("has images of {}; the network was trained on images of {}", found.text(), image.text()),
        "Give images of the same size.");
  const bool are_bytes = table.pixels.scalar_type() == torch::kUInt8;
  if (are_bytes && !image.has_levels)
    refuse(path, "has levels from 0 to 255; the network was trained on other numbers",
           "Scale the pixels as those of the training data were.");
  if (are_bytes || !image.has_levels) return;
  const torch::Tensor is_level =
      (table.pixels >= 0).logical_and(table.pixels <= 255).logical_and(table.pixels == table.pixels.round());
  if (!is_level.all().item<bool>())
    refuse(path, "has pixels that are no levels from 0 to 255, which the network was trained on",
           "Scale the pixels as those of the training data were.");
}

Table read_new(const std::vector<fs::path>& paths, const std::string& labels,
               const Preparation& preparation) {
  const ImageInputs& image = preparation.image;
  const bool needs_images = image.exists() && image.columns.empty();
  const bool has_images = holds_images({.paths = paths, .labels = labels});
  if (!labels.empty() && !needs_images)
    throw Error(ErrorKind::usage, "--labels is for files of images: a table has its target in a column.",
                "Leave it out.");
  if (needs_images && !has_images && !is_npy(paths.front()))
    refuse(paths.front(),
           fmt::format("the network was trained on images of {}, and this is a table", image.text()),
           "Give an IDX or .npy file of images.");
  if (!needs_images && has_images)
    refuse(paths.front(), "holds images; the network was trained on the rows of a table",
           "Give a table with the columns of the training data.");
  const data::Shape shape = preparation.shape();
  TableRequest request{.paths = paths,
                       .target = preparation.target,
                       .has_images = needs_images,
                       .labels = labels,
                       .like = &shape};
  const bool is_matrix =
      image.exists() && (!needs_images || (is_npy(paths.front()) && npy_dimensions(paths.front()) == 2));
  if (is_matrix)
    request.image = fmt::format("{}x{}x{}", image.shape.height, image.shape.width, image.shape.channels);
  Table table = read_table(request);
  if (image.exists()) check_pixels(table, image, paths.front());
  return table;
}

NewRows read_rows(const std::vector<fs::path>& paths, const std::string& labels,
                  const Preparation& preparation) {
  const Table table = read_new(paths, labels, preparation);
  std::vector<std::size_t> all(table.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  NewRows rows{.x = preparation.x(table, all), .target = {}};
  for (const std::size_t row : all) {
    rows.target.push_back(table.target(row));
    for (std::size_t c = 0; c + 1 < table.shape.columns; ++c)
      rows.filled += std::isnan(table.at(row, c)) ? 1 : 0;
  }
  return rows;
}

Network trained_network(const fs::path& folder) {
  const run::RunRecord record = run::read_run_record((folder / "run.json").string());
  if (record.kind != run::Kind::bnn)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: holds {}, not a network.", folder.string(), run::record_of(record.kind).what),
        "Name the folder of a 'kullback bnn'.");
  if (!fs::exists(folder / "weights.safetensors"))
    throw Error(ErrorKind::bad_input, fmt::format("{}: the training has not finished.", folder.string()),
                fmt::format("'kullback bnn ... --resume --out {}' goes on.", folder.string()));
  return read_network(folder / "network.json");
}

run::RunRecord record_of(const PredictRequest& request, const Network& network) {
  run::RunRecord record;
  record.kind = run::Kind::predictions;
  record.method = "bnn " + network.posterior;
  record.version = kVersion;
  for (const fs::path& path : request.data) record.data += (record.data.empty() ? "" : " ") + path.string();
  record.seed = network.seed;
  record.options.set("draws", std::to_string(request.draws == 0 ? network.draws : request.draws));
  record.status = "complete";
  record.started = run::utc_now();
  return record;
}

}  // namespace

PredictOutcome predict(const PredictRequest& request) {
  const Network network = trained_network(request.folder);
  const NewRows rows = read_rows(request.data, request.labels, network.preparation);
  BuiltNetwork built(network, request.device);
  built.load(request.folder / "weights.safetensors");
  const EvaluateOptions options{.draws = request.draws == 0 ? network.draws : request.draws,
                                .seed = network.seed};
  const Evaluation evaluation = evaluate(built, rows.x, rows.target, options);
  PredictOutcome outcome{.rows = rows.target.size(),
                         .known = evaluation.known,
                         .filled = rows.filled,
                         .figures = evaluation.figures};
  Figures more;
  if (!request.ood.empty()) {
    const NewRows others = read_rows(request.ood, {}, network.preparation);
    EvaluateOptions without_lines = options;
    without_lines.wants_lines = false;
    const std::vector<double> unknown(others.target.size(), std::nan(""));
    const Evaluation of_others = evaluate(built, others.x, unknown, without_lines);
    outcome.has_ood = true;
    outcome.ood_auroc = auroc(of_others.epistemic, evaluation.epistemic);
    more.emplace_back("ood_rows", static_cast<double>(of_others.epistemic.size()));
    more.emplace_back("ood_auroc", outcome.ood_auroc);
  }
  run::RunRecord record = record_of(request, network);
  const auto folder = run::RunFolder::begin(request.out, record, {}, request.force);
  try {
    write_predictions(folder->file("predictions.csv"), evaluation, network.preparation);
    if (evaluation.known > 0 || outcome.has_ood)
      replace_file(folder->file("metrics.json"), metrics_json(evaluation, more));
    folder->finish(record, {}, {});
  } catch (const Error&) {
    folder->abandon();
    throw;
  }
  return outcome;
}

}  // namespace kullback::deep
