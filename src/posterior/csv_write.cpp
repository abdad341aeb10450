// Numbers are written with the fewest digits that read back to the same double, so that the files lose
// nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv_numbers.hpp"
#include "posterior/csv_config.hpp"
#include "posterior/files.hpp"

namespace kullback::posterior {

namespace {

// The columns of a file in its order: each a name and its numbers, one for each draw.
struct Column {
  std::string_view name;
  const double* values;
};

void add(std::vector<Column>& columns, std::string_view name, const std::vector<double>& values) {
  if (!values.empty()) columns.push_back({name, values.data()});
}

// Pathfinder's files begin with the approximation's density, Laplace's and ADVI's name the densities
// otherwise.
void add_densities(std::vector<Column>& columns, const Chain& chain, CsvShape shape,
                   const std::vector<double>& zeros) {
  switch (shape) {
    case CsvShape::pathfinder:
      add(columns, "lp_approx__", chain.log_q);
      add(columns, "lp__", chain.log_density);
      return;
    case CsvShape::laplace:
      add(columns, "log_p__", chain.log_density);
      add(columns, "log_q__", chain.log_q);
      return;
    case CsvShape::variational:
      add(columns, "lp__", zeros);
      add(columns, "log_p__", chain.log_density);
      add(columns, "log_g__", chain.log_q);
      return;
    case CsvShape::sample:
    case CsvShape::optimize:
      add(columns, "lp__", chain.log_density);
      add(columns, "lp_approx__", chain.log_q);
      return;
  }
}

std::vector<Column> file_columns(const Posterior& posterior, const Chain& chain, CsvShape shape,
                                 const std::vector<double>& zeros) {
  std::vector<Column> columns;
  add_densities(columns, chain, shape, zeros);
  for (std::size_t i = 0; i < posterior.stat_names.size(); ++i) {
    // Pathfinder's density of a draw is among its stats, too.
    const bool is_there = std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
      return column.name == posterior.stat_names[i];
    });
    if (!is_there) columns.push_back({posterior.stat_names[i], chain.stats.data() + i * chain.draws});
  }
  add(columns, "log_weight__", chain.log_weight);
  for (std::size_t i = 0; i < posterior.names.size(); ++i)
    columns.push_back({posterior.names[i], chain.columns.data() + i * chain.draws});
  return columns;
}

std::string head(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    if (!text.empty()) text += ',';
    text += column.name;
  }
  return text + "\n";
}

void write_comment_row(std::string& out, const double* numbers, std::size_t count) {
  out += "# ";
  for (std::size_t i = 0; i < count; ++i) out += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  out += '\n';
}

void write_adaptation(std::string& out, const AdaptationNote& note) {
  out += fmt::format("# Adaptation terminated\n# Step size = {}\n", note.step_size);
  const std::size_t size = note.inv_metric.size();
  if (note.metric == "dense_e") {
    const auto dim = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(size))));
    out += "# Elements of inverse mass matrix:\n";
    for (std::size_t row = 0; row < dim; ++row)
      write_comment_row(out, note.inv_metric.data() + row * dim, dim);
  } else if (note.metric == "diag_e") {
    out += "# Diagonal elements of inverse mass matrix:\n";
    write_comment_row(out, note.inv_metric.data(), size);
  } else {
    out += "# No free parameters for unit metric\n";
  }
}

// CmdStan's ADVI writes the mean of the approximation as the first row; here it is the mean of the draws.
// Readers demand the lines about eta, the step size of its adaptation.
void write_variational_mean(std::string& out, const std::vector<Column>& columns, std::size_t draws,
                            const run::RunRecord& record) {
  out += fmt::format("# Stepsize adaptation complete.\n# eta = {}\n",
                     positive_value(record, "learning-rate", "1"));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double sum = 0;
    for (std::size_t draw = 0; draw < draws; ++draw) sum += columns[i].values[draw];
    const bool is_parameter = !columns[i].name.ends_with("__");
    out += fmt::format("{}{}", i == 0 ? "" : ",", is_parameter ? sum / static_cast<double>(draws) : 0.0);
  }
  out += '\n';
}

void write_rows(std::string& out, const std::vector<Column>& columns, std::size_t draws) {
  CsvNumbers numbers(out);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      numbers.write(columns[i].values[draw], i + 1 == columns.size() ? '\n' : ',');
  }
  numbers.flush();
}

void write_times(std::string& out, const Chain& chain) {
  out += fmt::format(
      "# \n#  Elapsed Time: {:.6f} seconds (Warm-up)\n#                {:.6f} seconds (Sampling)\n"
      "#                {:.6f} seconds (Total)\n# \n",
      chain.warmup_seconds, chain.sampling_seconds, chain.warmup_seconds + chain.sampling_seconds);
}

}  // namespace

std::string csv_text(const Posterior& posterior, std::size_t chain_index, const run::RunRecord& record,
                     const std::filesystem::path& folder) {
  const Chain& chain = posterior.chains[chain_index];
  const CsvShape shape = csv_shape(record, chain);
  const std::vector<double> zeros(shape == CsvShape::variational ? chain.draws : 0, 0.0);
  const std::vector<Column> columns = file_columns(posterior, chain, shape, zeros);
  const std::string file =
      chain.log_weight.empty() ? fmt::format("chain-{}.csv", chain_index + 1) : std::string(kWeightedFile);
  std::string out = csv_config(chain, record, {folder, file, chain_index + 1}) + head(columns);
  out.reserve(out.size() + 20 * columns.size() * (chain.draws + 1));
  if (chain.adaptation) write_adaptation(out, *chain.adaptation);
  if (shape == CsvShape::variational) write_variational_mean(out, columns, chain.draws, record);
  write_rows(out, columns, chain.draws);
  if (shape == CsvShape::sample) write_times(out, chain);
  return out;
}

std::string mode_csv_text(const Posterior& posterior, const run::RunRecord& record,
                          const std::filesystem::path& folder) {
  const Point& mode = *posterior.chains.front().mode;
  Chain chain;
  chain.draws = 1;
  chain.log_density = {mode.log_density};
  chain.columns = mode.columns;
  run::RunRecord optimisation = record;
  optimisation.method = "optimize";
  Posterior found;
  found.names = posterior.names;
  const std::vector<Column> columns = file_columns(found, chain, CsvShape::optimize, {});
  std::string out = csv_config(chain, optimisation, {folder, kModeFile, 1}) + head(columns);
  write_rows(out, columns, chain.draws);
  return out;
}

}  // namespace kullback::posterior
