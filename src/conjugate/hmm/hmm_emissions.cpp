#include "conjugate/hmm/hmm_emissions.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate::hmm {

namespace {

// Features of so many rows are at hand at a time: 120 kB for a full covariance of 20 columns.
constexpr std::size_t kTile = 64;

}  // namespace

double Emissions::divergence() const {
  const std::vector<double> means = mean_parameters();
  double sum = log_partition(prior_) - log_partition(natural_);
  for (std::size_t i = 0; i < means.size(); ++i) sum += (natural_[i] - prior_[i]) * means[i];
  return sum;
}

void FeatureEmissions::log_densities(const double* cells, std::size_t rows, Plug plug, double* out) const {
  std::vector<double> features(kTile * features_);
  std::fill_n(out, rows * stride_, 0.0);
  for (std::size_t begin = 0; begin < rows; begin += kTile) {
    const std::size_t count = std::min(kTile, rows - begin);
    const std::size_t used = describe(cells + begin * columns_, count, features.data());
    add_product({.a = features.data(),
                 .row_step = features_,
                 .column_step = 1,
                 .rows = count,
                 .inner = used,
                 .b = table(plug).data(),
                 .c = out + begin * stride_,
                 .stride = stride_});
  }
  finish_log_densities(cells, rows, plug, out);
}

void FeatureEmissions::accumulate(const double* cells, std::size_t rows, const double* probabilities,
                                  double* statistics) const {
  std::vector<double> features(kTile * features_);
  for (std::size_t begin = 0; begin < rows; begin += kTile) {
    const std::size_t count = std::min(kTile, rows - begin);
    const std::size_t used = describe(cells + begin * columns_, count, features.data());
    add_product({.a = features.data(),
                 .row_step = 1,
                 .column_step = features_,
                 .rows = used,
                 .inner = count,
                 .b = probabilities + begin * stride_,
                 .c = statistics,
                 .stride = stride_});
  }
  finish_statistics(cells, rows, probabilities, statistics);
}

double FeatureEmissions::expected_log(std::span<const double> statistics) const {
  const std::vector<double>& logs = table(Plug::expected_logs);
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) sum += statistics[i] * logs[i];
  return sum;
}

void dirichlet_expected_logs(std::span<const double> concentrations, std::span<double> logs) {
  double total = 0;
  for (const double a : concentrations) total += a;
  const double shift = math::digamma_positive(total);
  for (std::size_t i = 0; i < concentrations.size(); ++i) {
    logs[i] = math::digamma_positive(concentrations[i]) - shift;
  }
}

double dirichlet_log_partition(std::span<const double> concentrations) {
  double total = 0, sum = 0;
  for (const double a : concentrations) {
    total += a;
    sum += math::log_gamma(a);
  }
  return sum - math::log_gamma(total);
}

std::span<const double> cells_of(const Batch& batch) {
  const std::size_t first = batch.units == 0 ? 0 : batch.offsets[0];
  return batch.values.subspan(first * batch.columns, batch.rows() * batch.columns);
}

std::vector<std::string> state_names(std::size_t states) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < states; ++k) names.push_back(std::to_string(k + 1));
  return names;
}

std::string column_name(const Shape& shape, std::size_t column) {
  return column < shape.names.size() ? shape.names[column] : "column_" + std::to_string(column + 1);
}

}  // namespace kullback::conjugate::hmm
