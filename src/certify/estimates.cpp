#include "certify/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kullback::certify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNormalIqr = 1.3489795003921634;  // of a standard normal

// Where the cumulated weight passes the probability.
double weighted_quantile(const std::vector<std::pair<double, double>>& ascending, double probability) {
  double sum = 0;
  for (const auto& [value, weight] : ascending) {
    sum += weight;
    if (sum >= probability) return value;
  }
  return ascending.empty() ? std::numeric_limits<double>::quiet_NaN() : ascending.back().first;
}

}  // namespace

Interval mean_error(const GivenMoments& given, const MomentEstimate& truth, double factor) {
  const double sd = std::sqrt(truth.variance.value);
  const double error = (given.mean - truth.mean.value) / sd;
  const double half = factor * truth.mean.error / sd;
  return {error, error - half, error + half};
}

// log sd = log(variance) / 2; an interval of the variance that reaches 0 says nothing upwards.
Interval sd_error(const GivenMoments& given, const MomentEstimate& truth, double factor) {
  const double log_given = std::log(given.sd);
  const double half = factor * truth.variance.error;
  const double least = truth.variance.value - half;
  return {log_given - std::log(truth.variance.value) / 2,
          log_given - std::log(truth.variance.value + half) / 2,
          least > 0 ? log_given - std::log(least) / 2 : kInfinity};
}

Interval median_error(const GivenMoments& given, const QuartileEstimate& truth) {
  const double unit = (truth.upper.estimate - truth.lower.estimate) / kNormalIqr;
  return {(given.median - truth.median.estimate) / unit, (given.median - truth.median.high) / unit,
          (given.median - truth.median.low) / unit};
}

Interval iqr_error(const GivenMoments& given, const QuartileEstimate& truth) {
  const double least = truth.upper.low - truth.lower.high;
  const double log_given = std::log(given.iqr);
  return {log_given - std::log(truth.upper.estimate - truth.lower.estimate),
          log_given - std::log(truth.upper.high - truth.lower.low),
          least > 0 ? log_given - std::log(least) : kInfinity};
}

GivenMoments given_moments(std::span<const double> values, const std::vector<double>& weights) {
  const double each = 1 / static_cast<double>(values.size());
  const auto weight = [&](std::size_t i) { return weights.empty() ? each : weights[i]; };
  GivenMoments given;
  double squares = 0;  // of the weights
  for (std::size_t i = 0; i < values.size(); ++i) {
    given.mean += weight(i) * values[i];
    squares += weight(i) * weight(i);
  }
  double variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    variance += weight(i) * (values[i] - given.mean) * (values[i] - given.mean);
  given.sd = std::sqrt(variance / (1 - squares));
  return given;
}

void add_quartiles(std::span<const double> values, const std::vector<double>& weights, GivenMoments& given) {
  const double each = 1 / static_cast<double>(values.size());
  std::vector<std::pair<double, double>> ascending;
  for (std::size_t i = 0; i < values.size(); ++i)
    ascending.emplace_back(values[i], weights.empty() ? each : weights[i]);
  std::sort(ascending.begin(), ascending.end());
  given.median = weighted_quantile(ascending, 0.5);
  given.iqr = weighted_quantile(ascending, 0.75) - weighted_quantile(ascending, 0.25);
}

}  // namespace kullback::certify
