// Weighted moments, for weights w that sum to 1: mean = sum w x; the variance is divided by 1 - sum w^2,
// which for equal weights is the n - 1 of stats::sd. A weighted quantile interpolates between neighbours so
// that equal weights give type 7: the i-th smallest value stands at (w_1 + ... + w_{i-1}) / (1 - w_n).
#include "posterior/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stats/chains.hpp"
#include "stats/summary.hpp"

namespace kullback::posterior {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

class WeightedSorted final {
 public:
  WeightedSorted(const std::vector<double>& values, const std::vector<double>& weights)
      : values_(&values), order_(values.size()), place_(values.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    const double range = 1.0 - weights[order_.back()];
    double below = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      place_[i] = range > 0 ? below / range : 1.0;
      below += weights[order_[i]];
    }
  }

  double quantile(double probability) const {
    const auto above = std::lower_bound(place_.begin(), place_.end(), probability);
    if (above == place_.begin()) return at(0);
    if (above == place_.end()) return at(order_.size() - 1);
    const auto i = static_cast<std::size_t>(above - place_.begin());
    const double share = (probability - place_[i - 1]) / (place_[i] - place_[i - 1]);
    return at(i - 1) + share * (at(i) - at(i - 1));
  }

 private:
  double at(std::size_t i) const { return (*values_)[order_[i]]; }

  const std::vector<double>* values_;
  std::vector<std::size_t> order_;
  std::vector<double> place_;
};

void fill_weighted(SummaryRow& row, const std::vector<double>& values, const std::vector<double>& weights) {
  double mean = 0;
  double squared_weights = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += weights[i] * values[i];
    squared_weights += weights[i] * weights[i];
  }
  double spread = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    spread += weights[i] * (values[i] - mean) * (values[i] - mean);
  row.mean = mean;
  row.sd = squared_weights < 1 ? std::sqrt(spread / (1 - squared_weights)) : kNan;
  row.mcse_mean = row.sd * std::sqrt(squared_weights);
  const WeightedSorted sorted(values, weights);
  row.q5 = sorted.quantile(0.05);
  row.q50 = sorted.quantile(0.5);
  row.q95 = sorted.quantile(0.95);
}

void fill_equal(SummaryRow& row, const std::vector<double>& values) {
  row.mean = stats::mean(values);
  row.sd = values.size() > 1 ? stats::sd(values) : kNan;
  row.q5 = stats::quantile(values, 0.05);
  row.q50 = stats::quantile(values, 0.5);
  row.q95 = stats::quantile(values, 0.95);
}

void fill_missing(SummaryRow& row) { row.mean = row.sd = row.q5 = row.q50 = row.q95 = kNan; }

SummaryRow chains_row(const stats::Chains& chains) {
  const stats::ChainSummary numbers = stats::summarize(chains);
  SummaryRow row;
  row.mean = numbers.mean;
  row.sd = numbers.sd;
  row.mcse_mean = numbers.mcse_mean;
  row.q5 = numbers.q5;
  row.q50 = numbers.q50;
  row.q95 = numbers.q95;
  row.ess_bulk = numbers.ess_bulk;
  row.ess_tail = numbers.ess_tail;
  row.rhat = numbers.rhat;
  return row;
}

struct Kind {
  bool is_markov;
  std::vector<double> weights;
};

SummaryRow independent_row(const std::vector<double>& values, const std::vector<double>& weights) {
  SummaryRow row;
  if (values.empty()) {
    fill_missing(row);
  } else if (weights.empty() || !are_finite(values)) {
    fill_equal(row, values);
    if (values.size() > 1) row.mcse_mean = row.sd / std::sqrt(static_cast<double>(values.size()));
  } else {
    fill_weighted(row, values, weights);
  }
  return row;
}

SummaryRow summarize_one(const Posterior& posterior, std::string name, const std::vector<double>& values,
                         const Kind& kind) {
  SummaryRow row =
      kind.is_markov ? chains_row(posterior.chains_of(values)) : independent_row(values, kind.weights);
  row.name = std::move(name);
  return row;
}

}  // namespace

std::vector<SummaryRow> summarize(const Posterior& posterior, bool is_markov) {
  const Kind kind{is_markov, is_markov ? std::vector<double>() : posterior.weights()};
  std::vector<SummaryRow> rows;
  const std::vector<double> log_density = posterior.log_density();
  if (!log_density.empty()) rows.push_back(summarize_one(posterior, "lp__", log_density, kind));
  for (std::size_t i = 0; i < posterior.names.size(); ++i)
    rows.push_back(summarize_one(posterior, display_name(posterior.names[i]), posterior.column(i), kind));
  return rows;
}

}  // namespace kullback::posterior
