// The largest M = min(S / 5, 3 sqrt(S / r)) of S weights, r their relative efficiency, are replaced by the
// expected order statistics of the generalised Pareto distribution fitted to them, at probabilities (i - 1/2)
// / M, and cut at the largest raw weight (Vehtari et al. 2024, section 3).
#include "stats/psis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace kullback::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMinTail = 5;

std::size_t tail_length(std::size_t count, double relative_efficiency) {
  const double s = static_cast<double>(count);
  return static_cast<std::size_t>(std::ceil(std::min(0.2 * s, 3 * std::sqrt(s / relative_efficiency))));
}

double pareto_quantile(double probability, const ParetoFit& fit) {
  const double log_rest = std::log1p(-probability);
  return fit.k == 0 ? -fit.sigma * log_rest : fit.sigma * std::expm1(-fit.k * log_rest) / fit.k;
}

// Indices of the largest `length`, ascending, after that of the largest of the others. Order among equals: as
// given.
std::vector<std::size_t> tail_and_cutoff(std::span<const double> values, std::size_t length) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_less = [values](std::size_t a, std::size_t b) {
    return values[a] < values[b] || (values[a] == values[b] && a < b);
  };
  const auto cutoff = order.end() - static_cast<std::ptrdiff_t>(length + 1);
  std::nth_element(order.begin(), cutoff, order.end(), is_less);
  std::sort(cutoff, order.end(), is_less);
  return {cutoff, order.end()};
}

// Logarithms of weights at most 1. Returns khat.
double smooth_tail(std::vector<double>& log_weights, std::size_t length) {
  const auto order = tail_and_cutoff(log_weights, length);
  const double cutoff = std::exp(log_weights[order[0]]);
  std::vector<double> exceedances(length);
  for (std::size_t i = 0; i < length; ++i) exceedances[i] = std::exp(log_weights[order[i + 1]]) - cutoff;

  const ParetoFit fit = fit_pareto(exceedances);
  if (!std::isfinite(fit.k)) return kInfinity;
  for (std::size_t i = 0; i < length; ++i) {
    const double probability = (static_cast<double>(i) + 0.5) / static_cast<double>(length);
    log_weights[order[i + 1]] = std::min(std::log(cutoff + pareto_quantile(probability, fit)), 0.0);
  }
  return fit.k;
}

bool can_be_weights(std::span<const double> log_weights) {
  bool any_positive = false;
  for (const double value : log_weights) {
    if (std::isnan(value) || value == kInfinity) return false;
    any_positive = any_positive || value > -kInfinity;
  }
  return any_positive;
}

}  // namespace

Psis smooth_weights(std::span<const double> log_weights, double relative_efficiency) {
  if (!can_be_weights(log_weights))
    return {std::vector<double>(log_weights.size(), kNaN), kInfinity, kNaN, kNaN};
  Psis result{{log_weights.begin(), log_weights.end()}, kInfinity, 0, 0};
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  for (double& value : result.log_weights) value -= largest;

  const std::size_t length = tail_length(log_weights.size(), relative_efficiency);
  if (length >= kMinTail) result.khat = smooth_tail(result.log_weights, length);

  double total = 0, squares = 0;
  for (const double value : result.log_weights) {
    const double weight = std::exp(value);
    total += weight;
    squares += weight * weight;
  }
  for (double& value : result.log_weights) value -= std::log(total);
  result.ess = relative_efficiency * total * total / squares;
  result.log_total = largest + std::log(total);
  return result;
}

}  // namespace kullback::stats
