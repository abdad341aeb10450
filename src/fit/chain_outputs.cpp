#include "fit/chain_outputs.hpp"

#include <vector>

#include "base/random.hpp"

namespace kullback::fit {

namespace {

// `count` numbers for each draw, draw after draw, to column after column.
std::vector<double> by_columns(const std::vector<double>& rows, std::size_t count, std::size_t draws) {
  std::vector<double> columns(rows.size());
  for (std::size_t i = 0; i < draws; ++i) {
    for (std::size_t j = 0; j < count; ++j) columns[j * draws + i] = rows[i * count + j];
  }
  return columns;
}

const char* metric_name(infer::Metric metric) {
  switch (metric) {
    case infer::Metric::unit: return "unit_e";
    case infer::Metric::diagonal: return "diag_e";
    case infer::Metric::dense: return "dense_e";
  }
  return "";
}

// Generated quantities of the mode are one draw of them, from a stream that no draw of the chain has.
posterior::Point point_at(const Request& request, model::OutputWriter& outputs, const infer::Mode& mode) {
  posterior::Point point{mode.log_density, std::vector<double>(outputs.column_names().size())};
  Random random(request.seed, 1, static_cast<std::uint32_t>(infer::Purpose::generated_quantities), 0);
  outputs.write(mode.theta.data(), random, point.columns.data());
  return point;
}

}  // namespace

posterior::Chain make_chain(const Request& request, model::OutputWriter& outputs, std::size_t chain,
                            const ChainResult& result, std::string& problem) {
  const infer::Draws& draws = result.draws;
  posterior::Chain made;
  made.draws = draws.count();
  made.log_density = draws.log_density;
  made.log_q = draws.log_q;
  made.log_weight = draws.log_weight;
  made.stats = by_columns(draws.stats, request.method->stats.size(), made.draws);
  if (result.adaptation) {
    made.adaptation = posterior::AdaptationNote{
        result.adaptation->step_size, metric_name(result.adaptation->metric), result.adaptation->inv_metric};
  }
  if (result.mode) made.mode = point_at(request, outputs, *result.mode);
  made.warmup_seconds = result.warmup_seconds;
  made.sampling_seconds = result.sampling_seconds;
  const std::size_t width = outputs.column_names().size();
  std::vector<double> row(width);
  made.columns.resize(width * made.draws);
  for (std::size_t i = 0; i < made.draws; ++i) {
    // One stream for each draw: they do not depend on what was done before.
    Random random(request.seed, static_cast<std::uint32_t>(chain),
                  static_cast<std::uint32_t>(infer::Purpose::generated_quantities),
                  static_cast<std::uint32_t>(i));
    if (!outputs.write(draws.theta.data() + i * draws.dim, random, row.data()) && problem.empty())
      problem = outputs.message();
    for (std::size_t j = 0; j < width; ++j) made.columns[j * made.draws + i] = row[j];
  }
  return made;
}

}  // namespace kullback::fit
