#include "conjugate/mixture/gaussian_prior.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "conjugate/mixture/components.hpp"
#include "conjugate/mixture/kernels.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::conjugate::mixture {

namespace {

constexpr double kSmallPivot = 1e-10;  // of a correlation matrix: below it is singular to rounding

[[noreturn]] void refuse_list(const TextOption& option, std::string_view given, std::size_t columns) {
  throw Error(ErrorKind::usage,
              flag_of(option.name) + " is '" + std::string(given) + "'; it must be one number or " +
                  std::to_string(columns) + " numbers with commas between them, one for each column.",
              "Leave it out to take it from the data.");
}

std::vector<double> read_list(const OptionValues& options, const TextOption& option, std::size_t columns) {
  const std::string_view given = options[option];
  std::vector<double> values;
  const char* at = given.data();
  const char* const end = at + given.size();
  while (at < end) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || !std::isfinite(value) || (next != end && *next != ',')) {
      refuse_list(option, given, columns);
    }
    values.push_back(value);
    at = next == end ? end : next + 1;
  }
  if (values.size() == 1) values.assign(columns, values.front());
  if (!values.empty() && values.size() != columns) refuse_list(option, given, columns);
  return values;
}

// Whether all pivots of the Cholesky factor of s C + (1 - s) I, squared, are above rounding.
bool is_regular(std::span<const double> correlation, std::size_t columns, double s) {
  std::vector<double> lower(correlation.begin(), correlation.end());
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < i; ++j) lower[i * columns + j] *= s;
    lower[i * columns + i] = 1;
  }
  const auto view = math::linear::View::by_rows(lower.data(), columns, columns);
  if (!math::linear::cholesky(view, view)) return false;
  for (std::size_t i = 0; i < columns; ++i) {
    const double root = lower[i * columns + i];
    if (!(root * root > kSmallPivot)) return false;
  }
  return true;
}

// Means and variances of the observed cells; the first sweep gives the means.
void fill_variances(const Batch& sample, SampleMoments& moments) {
  const std::size_t columns = sample.columns;
  std::vector<double> weights(columns, 0.0);
  for (std::size_t n = 0; n < sample.units; ++n) {
    const auto row = sample.row(n);
    for (std::size_t d = 0; d < columns; ++d) {
      if (std::isnan(row[d])) continue;
      weights[d] += sample.weight(n);
      moments.mean[d] += sample.weight(n) * row[d];
    }
  }
  for (std::size_t d = 0; d < columns; ++d) moments.mean[d] /= std::max(weights[d], 1e-300);
  for (std::size_t n = 0; n < sample.units; ++n) {
    const auto row = sample.row(n);
    for (std::size_t d = 0; d < columns; ++d) {
      if (std::isnan(row[d])) continue;
      const double away = row[d] - moments.mean[d];
      moments.variances[d] += sample.weight(n) * away * away;
    }
  }
  for (std::size_t d = 0; d < columns; ++d) moments.variances[d] /= std::max(weights[d] - 1, 0.5);
}

void mend_constant_columns(SampleMoments& moments) {
  double sum = 0;
  const std::size_t columns = moments.mean.size();
  for (std::size_t d = 0; d < columns; ++d) {
    const double rounding = 1e-14 * moments.mean[d];
    if (moments.variances[d] > rounding * rounding) {
      sum += moments.variances[d];
    } else {
      moments.constant.push_back(d);
    }
  }
  if (moments.constant.size() == columns) {
    throw Error(ErrorKind::bad_input, "all rows of the data are the same: there is no variance to model.",
                "A mixture needs at least one column that varies.");
  }
  const double others = sum / static_cast<double>(columns - moments.constant.size());
  for (const std::size_t d : moments.constant) moments.variances[d] = 1e-6 * others;
}

void fill_correlation(const Batch& sample, SampleMoments& moments) {
  const std::size_t columns = sample.columns;
  std::vector<double> sums(columns * columns, 0.0), weights(columns * columns, 0.0), away(columns);
  for (std::size_t n = 0; n < sample.units; ++n) {
    const auto row = sample.row(n);
    for (std::size_t d = 0; d < columns; ++d) away[d] = row[d] - moments.mean[d];
    for (std::size_t i = 0; i < columns; ++i) {
      if (std::isnan(away[i])) continue;
      const double weighted = sample.weight(n) * away[i];
      for (std::size_t j = 0; j < i; ++j) {
        if (std::isnan(away[j])) continue;
        sums[i * columns + j] += weighted * away[j];
        weights[i * columns + j] += sample.weight(n);
      }
    }
  }
  moments.correlation.assign(columns * columns, 0.0);
  for (std::size_t i = 0; i < columns; ++i) {
    moments.correlation[i * columns + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t at = i * columns + j;
      const double sds = std::sqrt(moments.variances[i] * moments.variances[j]);
      const double value = weights[at] > 1 ? sums[at] / (weights[at] - 1) / sds : 0.0;
      moments.correlation[at] = std::clamp(value, -1.0, 1.0);
    }
  }
}

void mend_correlation(SampleMoments& moments) {
  const std::size_t columns = moments.mean.size();
  for (const double shrinkage : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.6, 1.0}) {
    moments.shrinkage = shrinkage;
    if (is_regular(moments.correlation, columns, 1 - shrinkage)) break;
  }
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double value = moments.correlation[i * columns + j] * (1 - moments.shrinkage);
      moments.correlation[i * columns + j] = moments.correlation[j * columns + i] = value;
    }
  }
}

}  // namespace

GaussianOptions read_gaussian_options(const OptionValues& values, std::size_t columns, double least_degrees) {
  GaussianOptions options;
  options.mean_precision = values[option::kMeanPrecision];
  options.degrees = values.given(option::kDegrees).value_or(static_cast<double>(columns));
  if (values.is_given(option::kDegrees) && !(options.degrees > least_degrees)) {
    throw Error(ErrorKind::usage,
                "--degrees is " + values.text_of(option::kDegrees) + "; it must be above " +
                    std::to_string(static_cast<long>(least_degrees)) + " for this kind of covariance.",
                std::string(option::kDegrees.hint));
  }
  options.mean = read_list(values, option::kMean, columns);
  options.variances = read_list(values, option::kCovariancePrior, columns);
  for (const double variance : options.variances) {
    if (!(variance > 0)) {
      throw Error(ErrorKind::usage,
                  "--covariance-prior is '" + values.text_of(option::kCovariancePrior) +
                      "'; variances must be above 0.",
                  "Leave it out to take the covariance of the data; --covariance-scale makes that smaller.");
    }
  }
  options.scale = values[option::kCovarianceScale];
  return options;
}

SampleMoments sample_moments(const Batch& sample, bool wants_correlation) {
  SampleMoments moments;
  moments.mean.assign(sample.columns, 0.0);
  moments.variances.assign(sample.columns, 0.0);
  fill_variances(sample, moments);
  mend_constant_columns(moments);
  if (wants_correlation) {
    fill_correlation(sample, moments);
    mend_correlation(moments);
  }
  return moments;
}

Findings sample_findings(std::span<const double> constant, double shrinkage) {
  Findings findings;
  std::string names;
  for (std::size_t d = 0; d < constant.size(); ++d) {
    if (constant[d] > 0) names += (names.empty() ? "" : ", ") + std::to_string(d + 1);
  }
  if (!names.empty()) {
    findings.push_back({"constant-columns", "a column of the data is constant.", "column " + names,
                        "It says nothing about components: leave it out."});
  }
  if (shrinkage > 0) {
    findings.push_back({"collinear-columns",
                        "columns of the data are linear combinations of others, or nearly so.",
                        "the correlations of the prior were made smaller by the part " +
                            std::to_string(shrinkage) + " to be those of a regular matrix",
                        "Leave some of them out, or take `--covariance diagonal`."});
  }
  return findings;
}

void load_centred(const Batch& units, std::span<const double> centre, Workspace& workspace) {
  const std::size_t columns = units.columns;
  const std::size_t padded = round_up(columns, kPack);
  const std::size_t stride = round_up(units.units, kUnitBlock);
  workspace.rows.assign(stride * padded, 0.0);
  workspace.columns.resize(stride * columns);
  workspace.incomplete.clear();
  for (std::size_t n = 0; n < units.units; ++n) {
    const double* from = units.values.data() + n * columns;
    double* to = workspace.rows.data() + n * padded;
    bool is_complete = true;
    for (std::size_t d = 0; d < columns; ++d) {
      const double value = from[d] - centre[d];
      is_complete = is_complete && value == value;
      to[d] = value == value ? value : 0.0;
    }
    if (!is_complete) workspace.incomplete.push_back(n);
  }
  // Blocks of 4 units, which share cache lines of the columns.
  for (std::size_t n = 0; n < stride; n += 4) {
    const double* from = workspace.rows.data() + n * padded;
    for (std::size_t d = 0; d < columns; ++d) {
      double* to = workspace.columns.data() + d * stride + n;
      for (std::size_t i = 0; i < 4; ++i) to[i] = from[i * padded + d];
    }
  }
}

std::vector<Pattern> missing_patterns(const Batch& units, const Workspace& workspace) {
  std::map<std::vector<bool>, Pattern> found;
  for (const std::size_t n : workspace.incomplete) {
    const auto row = units.row(n);
    std::vector<bool> key(units.columns);
    for (std::size_t d = 0; d < units.columns; ++d) key[d] = std::isnan(row[d]);
    Pattern& pattern = found[key];
    if (pattern.units.empty()) {
      for (std::size_t d = 0; d < units.columns; ++d) {
        (key[d] ? pattern.missing : pattern.observed).push_back(static_cast<std::ptrdiff_t>(d));
      }
    }
    pattern.units.push_back(n);
  }
  std::vector<Pattern> result;
  for (auto& [key, pattern] : found) result.push_back(std::move(pattern));
  return result;
}

std::size_t gaussian_chunk(std::size_t columns) {
  const std::size_t units = 20000 / std::max<std::size_t>(columns, 1);
  return std::clamp<std::size_t>(units / kUnitBlock, 8, 80) * kUnitBlock;
}

std::vector<double> standardised(const Batch& sample, std::span<const double> centre,
                                 std::span<const double> variances) {
  std::vector<double> scale(sample.columns);
  for (std::size_t d = 0; d < sample.columns; ++d) scale[d] = 1 / std::sqrt(variances[d]);
  std::vector<double> points(sample.units * sample.columns);
  for (std::size_t n = 0; n < sample.units; ++n) {
    const auto row = sample.row(n);
    for (std::size_t d = 0; d < sample.columns; ++d) {
      points[n * sample.columns + d] = std::isnan(row[d]) ? 0.0 : (row[d] - centre[d]) * scale[d];
    }
  }
  return points;
}

std::string column_name(const Shape& shape, std::size_t column) {
  if (column < shape.names.size()) return shape.names[column];
  std::string name = "x";
  return name += std::to_string(column + 1);
}

}  // namespace kullback::conjugate::mixture
