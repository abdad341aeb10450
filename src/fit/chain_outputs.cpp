#include "fit/chain_outputs.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/stop.hpp"

namespace kullback::fit {

namespace {

constexpr std::chrono::milliseconds kLastOutputs{200};  // after a stop

// `count` numbers for each draw, draw after draw, to column after column.
std::vector<double> by_columns(const std::vector<double>& rows, std::size_t count, std::size_t draws) {
  std::vector<double> columns(count * draws);
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

// Generated quantities of the mode are one draw of them, from a stream that no draw of the chain has. Nothing
// where a stop came before they were written.
std::optional<posterior::Point> point_at(const Request& request, model::OutputWriter& outputs,
                                         const infer::Mode& mode) {
  posterior::Point point{mode.log_density, std::vector<double>(outputs.column_names().size())};
  Random random(request.seed, 1, static_cast<std::uint32_t>(infer::Purpose::generated_quantities), 0);
  const StopReprieve reprieve(kLastOutputs);
  try {
    outputs.write(mode.theta.data(), random, point.columns.data());
  } catch (const Interrupted&) {
    return std::nullopt;
  }
  return point;
}

std::vector<double> first_of(const std::vector<double>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size()))};
}

// The program's columns, each of `rows` numbers.
struct Columns {
  std::vector<double> values;
  std::size_t rows = 0;
};

// Columns of `capacity` numbers, of which the first `rows` are filled, without the rest.
void close_up(Columns& columns, std::size_t capacity) {
  const std::size_t width = columns.values.size() / std::max<std::size_t>(capacity, 1);
  for (std::size_t j = 1; j < width; ++j)
    std::copy_n(columns.values.begin() + static_cast<std::ptrdiff_t>(j * capacity), columns.rows,
                columns.values.begin() + static_cast<std::ptrdiff_t>(j * columns.rows));
  columns.values.resize(width * columns.rows);
}

// Of the draws whose rows were written before a stop.
Columns write_columns(const Request& request, model::OutputWriter& outputs, std::size_t chain,
                      const infer::Draws& draws, std::string& problem) {
  const std::size_t width = outputs.column_names().size();
  std::vector<double> row(width);
  const StopReprieve reprieve(kLastOutputs);
  Columns columns{std::vector<double>(width * draws.count())};
  try {
    for (std::size_t i = 0; i < draws.count(); ++i) {
      stop_if_asked();
      // One stream for each draw: they do not depend on what was done before.
      Random random(request.seed, static_cast<std::uint32_t>(chain),
                    static_cast<std::uint32_t>(infer::Purpose::generated_quantities),
                    static_cast<std::uint32_t>(i));
      if (!outputs.write(draws.theta.data() + i * draws.dim, random, row.data()) && problem.empty())
        problem = outputs.message();
      for (std::size_t j = 0; j < width; ++j) columns.values[j * draws.count() + i] = row[j];
      ++columns.rows;
    }
  } catch (const Interrupted&) {
    close_up(columns, draws.count());
  }
  return columns;
}

}  // namespace

posterior::Chain make_chain(const Request& request, model::OutputWriter& outputs, std::size_t chain,
                            const ChainResult& result, std::string& problem) {
  const infer::Draws& draws = result.draws;
  Columns columns = write_columns(request, outputs, chain, draws, problem);
  posterior::Chain made;
  made.draws = columns.rows;
  made.columns = std::move(columns.values);
  made.log_density = first_of(draws.log_density, made.draws);
  made.log_q = first_of(draws.log_q, made.draws);
  made.log_weight = first_of(draws.log_weight, made.draws);
  made.stats = by_columns(draws.stats, request.method->stats.size(), made.draws);
  if (result.adaptation) {
    made.adaptation = posterior::AdaptationNote{
        result.adaptation->step_size, metric_name(result.adaptation->metric), result.adaptation->inv_metric};
  }
  if (result.mode) made.mode = point_at(request, outputs, *result.mode);
  made.warmup_seconds = result.warmup_seconds;
  made.sampling_seconds = result.sampling_seconds;
  return made;
}

}  // namespace kullback::fit
