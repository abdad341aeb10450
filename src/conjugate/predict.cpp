#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "conjugate/fit.hpp"
#include "conjugate/fit_files.hpp"
#include "conjugate/passes.hpp"
#include "conjugate/write.hpp"
#include "kullback_version.hpp"
#include "posterior/json_text.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::conjugate {

PredictOutcome predict(const PredictRequest& request) {
  const LoadedFit fit = load_fit(request.folder);
  SourceRequest data = fit.data;
  data.paths = request.data;
  set_needs(*fit.record, data);
  data.vocabulary = request.vocabulary;
  data.streams = request.streams;
  data.allows_empty_documents = request.allows_empty_documents;
  data.like = &fit.shape;
  const std::unique_ptr<Source> source = open_source(data);

  posterior::RunRecord record;
  record.kind = "predictions";
  record.method = fit.record->verb + " " + fit.record->kind;
  record.version = kVersion;
  for (const auto& path : request.data) record.data += (record.data.empty() ? "" : " ") + path.string();
  record.status = "complete";
  record.started = posterior::utc_now();
  posterior::begin_folder(request.out, record, {}, request.force);

  const Shape& shape = source->shape();
  PredictOutcome outcome{
      .file = request.out / (fit.model->unit_table() + ".csv"), .units = source->units(), .score = {}};
  const std::unique_ptr<TableWriter> writer = unit_writer(request.out, *fit.model, *source);
  const std::span<const std::string> names = source->unit_names();
  std::size_t done = 0;
  Buffer piece(shape.kind, shape.columns);
  source->rewind();
  while (source->read(piece_units(shape), piece)) {
    std::vector<double> cells;
    fit.model->unit_lines(piece.batch(), cells);
    writer->add(cells, names.empty() ? names : names.subspan(done, piece.units()));
    done += piece.units();
    const Model::Score score = fit.model->score(piece.batch());
    outcome.score.log_density += score.log_density;
    outcome.score.count += score.count;
  }
  writer->finish();
  replace_file(
      request.out / "summary.json",
      fmt::format(
          "{{\n  \"units\": {},\n  \"log_density\": {},\n  \"count\": {},\n  \"mean_log_density\": {}\n}}\n",
          outcome.units, posterior::json_number(outcome.score.log_density),
          posterior::json_number(outcome.score.count),
          posterior::json_number(outcome.score.log_density / outcome.score.count)));
  std::filesystem::remove_all(posterior::partial_folder(request.out));
  return outcome;
}

}  // namespace kullback::conjugate
