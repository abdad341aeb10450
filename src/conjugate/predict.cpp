#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "conjugate/fit.hpp"
#include "conjugate/fit_files.hpp"
#include "conjugate/passes.hpp"
#include "conjugate/write.hpp"
#include "kullback_version.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"

namespace kullback::conjugate {

namespace {

PredictOutcome write_lines(const LoadedFit& fit, Source& source, run::RunFolder& folder) {
  const Shape& shape = source.shape();
  PredictOutcome outcome{
      .file = folder.file(fit.model->unit_table() + ".csv"), .units = source.units(), .score = {}};
  const std::unique_ptr<TableWriter> writer = unit_writer(folder.path(), *fit.model, source);
  const std::span<const std::string> names = source.unit_names();
  std::size_t done = 0;
  Buffer piece(shape.kind, shape.columns);
  source.rewind();
  while (source.read(piece_units(shape), piece)) {
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
      folder.file("summary.json"),
      fmt::format(
          "{{\n  \"units\": {},\n  \"log_density\": {},\n  \"count\": {},\n  \"mean_log_density\": {}\n}}\n",
          outcome.units, run::json_number(outcome.score.log_density), run::json_number(outcome.score.count),
          run::json_number(outcome.score.log_density / outcome.score.count)));
  return outcome;
}

}  // namespace

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

  run::RunRecord record;
  record.kind = run::Kind::predictions;
  record.method = fit.record->verb + " " + fit.record->kind;
  record.version = kVersion;
  for (const auto& path : request.data) record.data += (record.data.empty() ? "" : " ") + path.string();
  record.status = "complete";
  record.started = run::utc_now();
  const auto folder = run::RunFolder::begin(request.out, record, {}, request.force);
  try {
    PredictOutcome outcome = write_lines(fit, *source, *folder);
    outcome.file = request.out / outcome.file.filename();
    folder->finish(record, {}, {});
    return outcome;
  } catch (const Error&) {
    folder->abandon();
    throw;
  }
}

}  // namespace kullback::conjugate
