// Kallioinen, Paananen, Bürkner, Vehtari (2024). P and Q are the empirical distribution functions, x_i the
// sorted draws:
//   CJS(P, Q) = sum_i (x_{i+1} - x_i) P_i log2(P_i / ((P_i + Q_i) / 2)) + (int Q - int P) / (2 log 2),
//   distance = sqrt((CJS(P, Q) + CJS(Q, P)) / (int P + int Q)).
// The sensitivity is the mean of distance / |log2 power| at powers 0.99 and 1.01; 0.05 and more is notable,
// as in the R package priorsense.
#include "posterior/power_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "posterior/finding_parts.hpp"
#include "stats/psis.hpp"

namespace kullback::posterior {

namespace {

constexpr double kLower = 0.99;
constexpr double kUpper = 1.01;
constexpr double kNotable = 0.05;

// p log2(p / m), 0 at p = 0.
double term(double p, double m) { return p > 0 ? p * std::log2(p / m) : 0; }

// `order` runs through the values from one end to the other.
double one_sided_distance(const std::vector<double>& values, const std::vector<double>& weights,
                          const std::vector<std::size_t>& order) {
  const double equal = 1 / static_cast<double>(values.size());
  double p = 0, q = 0, p_integral = 0, q_integral = 0, sum = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    p += equal;
    q += weights[order[i]];
    const double width = std::fabs(values[order[i + 1]] - values[order[i]]);
    const double m = (p + q) / 2;
    sum += width * (term(p, m) + term(q, m));
    p_integral += width * p;
    q_integral += width * q;
  }
  // The integrals' differences in CJS(P, Q) and CJS(Q, P) cancel.
  return std::sqrt(std::max(0.0, sum) / (p_integral + q_integral));
}

bool can_be_scaled(const std::vector<double>& values) {
  bool varies = false;
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
    varies = varies || value != values[0];
  }
  return varies;
}

double sensitivity(const std::vector<double>& values, const std::vector<double>& lower,
                   const std::vector<double>& upper) {
  return (cumulative_js_distance(values, lower) / -std::log2(kLower) +
          cumulative_js_distance(values, upper) / std::log2(kUpper)) /
         2;
}

Finding conflict_finding(const std::vector<Named>& found) {
  return {
      "prior-data-conflict",
      fmt::format("Prior and data disagree about {}.",
                  found.size() == 1 ? found[0].name : counted(found.size(), "parameter")),
      fmt::format("Both a weaker prior and a weaker likelihood would move the posterior; sensitivity to the "
                  "prior, notable from 0.05 on: {}.",
                  worst_of(found)),
      "Check the prior's location and scale against what is known, and the data for errors; widen the prior "
      "if it was not meant to be informative."};
}

Finding strong_prior_finding(const std::vector<Named>& found) {
  return {"strong-prior",
          fmt::format("The prior decides on {}: the data say little.",
                      found.size() == 1 ? found[0].name : counted(found.size(), "parameter")),
          fmt::format(
              "A weaker prior would move the posterior, a weaker likelihood would not; sensitivity to the "
              "prior, notable from 0.05 on: {}.",
              worst_of(found)),
          "Make sure that the prior is what you mean; report that the result rests on it."};
}

}  // namespace

double cumulative_js_distance(const std::vector<double>& values, const std::vector<double>& weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double upwards = one_sided_distance(values, weights, order);
  std::reverse(order.begin(), order.end());
  return std::max(upwards, one_sided_distance(values, weights, order));
}

std::vector<double> power_weights(const std::vector<double>& log_component, double power) {
  std::vector<double> log_ratios(log_component.size());
  std::transform(log_component.begin(), log_component.end(), log_ratios.begin(),
                 [power](double value) { return (power - 1) * value; });
  std::vector<double> weights = stats::smooth_weights(log_ratios).log_weights;
  for (double& weight : weights) weight = std::exp(weight);
  return weights;
}

Findings find_prior_conflict(const Posterior& posterior, const std::vector<double>& log_prior,
                             const std::vector<double>& log_likelihood) {
  if (!can_be_scaled(log_prior) || !can_be_scaled(log_likelihood)) return {};
  const std::vector<double> prior_lower = power_weights(log_prior, kLower);
  const std::vector<double> prior_upper = power_weights(log_prior, kUpper);
  const std::vector<double> likelihood_lower = power_weights(log_likelihood, kLower);
  const std::vector<double> likelihood_upper = power_weights(log_likelihood, kUpper);
  std::vector<Named> conflicts, strong;
  for (std::size_t i = 0; i < posterior.parameters; ++i) {
    const std::vector<double> values = posterior.column(i);
    if (!can_be_scaled(values)) continue;
    const double prior = sensitivity(values, prior_lower, prior_upper);
    if (!(prior >= kNotable)) continue;
    const double likelihood = sensitivity(values, likelihood_lower, likelihood_upper);
    (likelihood >= kNotable ? conflicts : strong).push_back({display_name(posterior.names[i]), prior});
  }
  const auto is_larger = [](const Named& a, const Named& b) { return a.number > b.number; };
  std::sort(conflicts.begin(), conflicts.end(), is_larger);
  std::sort(strong.begin(), strong.end(), is_larger);
  Findings findings;
  if (!conflicts.empty()) findings.push_back(conflict_finding(conflicts));
  if (!strong.empty()) findings.push_back(strong_prior_finding(strong));
  return findings;
}

}  // namespace kullback::posterior
