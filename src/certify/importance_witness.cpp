// With normalised weights w_i of draws from q, E_p f is estimated by sum w_i f_i with the squared error
// sum w_i^2 (f_i - estimate)^2. f minus its best combination of control variates (expectation 0 under p) has
// the same expectation and, where p is nearly normal, next to no variance.
//
// Intervals from these errors are right only while w f has two moments: the shape of the tails of w, w x and
// w x^2 has to stay below min(1 - 1/log10 S, 0.7) (Vehtari et al. 2024).
#include "certify/importance_witness.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "infer/optimize/importance.hpp"

namespace kullback::certify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of the largest 3 sqrt(S) values, over the largest of the others; values that hardly differ have no tail.
double upper_tail_shape(std::vector<double> values) {
  const auto count = values.size();
  const auto length = static_cast<std::size_t>(
      std::min(0.2 * static_cast<double>(count), 3 * std::sqrt(static_cast<double>(count))));
  if (length < 6) return kInfinity;
  const auto cut = values.begin() + static_cast<std::ptrdiff_t>(count - length - 1);
  std::nth_element(values.begin(), cut, values.end());
  std::sort(cut, values.end());
  std::vector<double> exceedances;
  for (auto value = cut + 1; value != values.end(); ++value) exceedances.push_back(*value - *cut);
  if (exceedances.back() <= 1e-12 * std::abs(*cut)) return -kInfinity;
  const double shape = stats::fit_pareto(exceedances).k;
  return std::isnan(shape) ? kInfinity : shape;
}

double both_tails_shape(std::vector<double> values) {
  const double upper = upper_tail_shape(values);
  for (double& value : values) value = -value;
  return std::max(upper, upper_tail_shape(std::move(values)));
}

Estimate weighted_mean(std::span<const double> values, std::span<const double> weights) {
  Estimate result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) result.value += weights[i] * values[i];
  }
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double term = weights[i] > 0 ? weights[i] * (values[i] - result.value) : 0;
    squares += term * term;
  }
  result.error = std::sqrt(squares);
  return result;
}

// Without the controls where they do not help.
Estimate best_mean(std::span<const double> values, const double* controls, std::span<const double> weights,
                   std::span<const double> squared_weights) {
  const Estimate plain = weighted_mean(values, weights);
  if (controls == nullptr) return plain;
  const Estimate controlled =
      weighted_mean(without_controls(values, controls, values.size(), squared_weights), weights);
  return controlled.error < plain.error ? controlled : plain;
}

}  // namespace

ImportanceWitness::ImportanceWitness(const ValuedPoints& draws, std::span<const double> log_ratios,
                                     const std::vector<double>& controls)
    : draws_(draws), moments_(draws.quantities), khats_(draws.quantities) {
  const stats::Psis smoothed = infer::importance_weights(log_ratios);
  khat_ = smoothed.khat;
  khat_limit_ = stats::khat_threshold(draws.count);
  ess_ = smoothed.ess;
  for (const double log_weight : smoothed.log_weights) weights_.push_back(std::exp(log_weight));
  for (const double weight : weights_) squared_weights_.push_back(weight * weight);
  if (!std::isfinite(ess_)) {
    khat_ = kInfinity;
    std::fill(khats_.begin(), khats_.end(), kInfinity);
    return;
  }
  for (std::size_t j = 0; j < draws.quantities; ++j)
    estimate(j, controls.empty() ? nullptr : controls.data() + j * SteinControls::kControls * draws.count);
}

void ImportanceWitness::estimate(std::size_t quantity, const double* controls) {
  const std::span<const double> x = values(quantity);
  MomentEstimate& moments = moments_[quantity];
  moments.mean = best_mean(x, controls, weights_, squared_weights_);
  std::vector<double> squares(x.size());
  std::vector<double> weighted(x.size());
  std::vector<double> weighted_squares(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double offset = x[i] - moments.mean.value;
    squares[i] = offset * offset;
    weighted[i] = weights_[i] > 0 ? weights_[i] * offset : 0;
    weighted_squares[i] = weights_[i] > 0 ? weights_[i] * squares[i] : 0;
  }
  moments.variance = best_mean(squares, controls, weights_, squared_weights_);
  // Controls do not know that a variance is positive.
  if (!(moments.variance.value > 0)) moments.variance = weighted_mean(squares, weights_);
  khats_[quantity] =
      std::max({khat_, both_tails_shape(std::move(weighted)), upper_tail_shape(std::move(weighted_squares))});
}

QuartileEstimate ImportanceWitness::quartiles(std::size_t quantity, double factor) const {
  const std::span<const double> x = values(quantity);
  std::vector<std::size_t> order(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  // Where the cumulated weight passes a probability.
  const auto place = [&](double probability) {
    double sum = 0;
    for (const std::size_t i : order) {
      sum += weights_[i];
      if (sum >= probability) return x[i];
    }
    return x[order.back()];
  };
  const auto interval = [&](double probability) {
    const double quantile = place(probability);
    double squares = 0;  // of the error of sum w_i 1(x_i <= quantile)
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double offset = (x[i] <= quantile ? 1.0 : 0.0) - probability;
      squares += squared_weights_[i] * offset * offset;
    }
    const double half = factor * std::sqrt(squares);
    return Interval{quantile, probability > half ? place(probability - half) : -kInfinity,
                    probability + half < 1 ? place(probability + half) : kInfinity};
  };
  return {interval(0.25), interval(0.5), interval(0.75)};
}

}  // namespace kullback::certify
