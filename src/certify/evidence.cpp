// With w = p / q at draws of q (p not normalised):
//   ELBO          E log w
//   IW(K)         E log((w_1 + ... + w_K) / K): the mean over the S windows of K draws that follow each
//   other,
//                 the last draw followed by the first. Each window has K different draws, so the mean is
//                 unbiased. A window of 100 is ten windows of 10, and the log of a mean is at least the mean
//                 of logs, so that the sample's bounds are in order, too. Its variance is at most that of
//                 S / K groups which share no draw (it is an average over K such divisions): that is the
//                 standard error, with a t quantile of as many groups.
//   log evidence  log of the mean of w; by the delta method se = sd(w) / (mean(w) sqrt(S))
//   CUBO, Renyi   log(E w^b) / b with b = 2 and b = 1 - a = 3/2: rising in b, at b = 1 the log evidence. The
//                 interval needs the variance of w^2, E w^4 < inf: k < 1/4. E log <= log E: biased low.
//   distances     D_2(p | q) = 2 (CUBO - log evidence) <= 2 (CUBO - ELBO), and for marginals no more;
//                 W_n <= 2 (E_q |x - E_q x|^(2n))^(1/(2n)) (exp(D_2) - 1)^(1/(2n)), n = 1, 2 (Huggins et al.
//                 2020, Bolley and Villani 2005). |E_p x - E_q x| <= W_1, |sd_p - sd_q| <= W_2. For a
//                 Gaussian marginal 0.1 needs a gap of 1.2e-3 for W_1, of 1.0e-6 for W_2.
#include "certify/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "run/json_text.hpp"
#include "stats/chains.hpp"
#include "stats/normal_scores.hpp"
#include "stats/psis.hpp"
#include "stats/sums.hpp"
#include "stats/t_quantile.hpp"

namespace kullback::certify {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-10;  // log weights within it are equal
constexpr double kFiniteVariance = 0.5;
constexpr std::size_t kFactor = 10;  // from each K to the next
constexpr std::size_t kLargestK = 100;
constexpr std::size_t kMinGroups = 8;

EvidenceFigure with_interval(double value, double standard_error, double quantile) {
  if (!std::isfinite(value) || !std::isfinite(standard_error)) return {value, standard_error, kNaN, kNaN};
  return {value, standard_error, value - quantile * standard_error, value + quantile * standard_error};
}

EvidenceFigure without_interval(const EvidenceFigure& figure) {
  return {figure.value, figure.standard_error, kNaN, kNaN};
}

double two_sided(double level) { return 0.5 + 0.5 * level; }

// From the logs of the mean weights of all windows of k draws.
EvidenceFigure window_figure(std::span<const double> logs, std::size_t k, double level) {
  const std::size_t groups = logs.size() / k;
  if (*std::min_element(logs.begin(), logs.end()) == -kInfinity) return {-kInfinity, kNaN, kNaN, kNaN};
  const auto of_groups = static_cast<double>(groups);
  // The variance of windows that overlap misses that of their mean, about one part in `groups`.
  const double variance = stats::variance(logs) * (k == 1 ? 1 : of_groups / (of_groups - 1));
  return with_interval(stats::mean(logs), std::sqrt(variance / of_groups),
                       stats::t_quantile(two_sided(level), groups - 1));
}

// From windows of k draws to those of kFactor k.
std::vector<double> widened(const std::vector<double>& logs, std::size_t k) {
  const std::size_t count = logs.size();
  std::vector<double> wider(count);
  double parts[kFactor];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < kFactor; ++j) parts[j] = logs[(i + j * k) % count];
    wider[i] = stats::log_sum_exp(parts) - std::log(static_cast<double>(kFactor));
  }
  return wider;
}

std::vector<ImportanceBound> importance_bounds(std::span<const double> log_ratios, double level) {
  std::vector<ImportanceBound> bounds;
  std::vector<double> logs(log_ratios.begin(), log_ratios.end());
  for (std::size_t k = kFactor; k <= kLargestK && logs.size() / k >= kMinGroups; k *= kFactor) {
    logs = widened(logs, k / kFactor);
    bounds.push_back({k, window_figure(logs, k, level)});
  }
  return bounds;
}

// log(E w^power) / power.
EvidenceFigure power_mean(std::span<const double> log_ratios, double power, double level) {
  const double largest = *std::max_element(log_ratios.begin(), log_ratios.end());
  if (largest == -kInfinity) return {-kInfinity, kNaN, kNaN, kNaN};
  std::vector<double> powers;
  for (const double r : log_ratios) powers.push_back(std::exp(power * (r - largest)));
  const double mean = stats::mean(powers);
  const double error = std::sqrt(stats::variance(powers) / static_cast<double>(powers.size())) / mean;
  return with_interval(largest + std::log(mean) / power, error / power,
                       stats::normal_quantile(two_sided(level)));
}

EvidenceFigure smoothed_mean(const stats::Psis& psis, double level) {
  const auto count = static_cast<double>(psis.log_weights.size());
  double squares = 0;
  for (const double lw : psis.log_weights) squares += (std::exp(lw) - 1 / count) * (std::exp(lw) - 1 / count);
  const double error = std::sqrt(squares * count / (count - 1));
  return with_interval(psis.log_total - std::log(count), error, stats::normal_quantile(two_sided(level)));
}

void check(std::span<const double> log_ratios) {
  if (log_ratios.size() < 2)
    throw Error(ErrorKind::internal,
                fmt::format("evidence: {} draws; at least 2 are needed.", log_ratios.size()));
  for (std::size_t i = 0; i < log_ratios.size(); ++i) {
    if (std::isnan(log_ratios[i]) || log_ratios[i] == kInfinity)
      throw Error(ErrorKind::internal,
                  fmt::format("evidence: log p - log q of draw {} is {}.", i, log_ratios[i]));
  }
}

double khat_of(std::span<const double> log_ratios, const stats::Psis& psis) {
  const auto [smallest, largest] = std::minmax_element(log_ratios.begin(), log_ratios.end());
  return *largest - *smallest < kRounding ? 0 : psis.khat;
}

std::string figure_json(const EvidenceFigure& figure) {
  return fmt::format("{{\"value\": {}, \"standard_error\": {}, \"lower\": {}, \"upper\": {}}}",
                     run::json_number(figure.value), run::json_number(figure.standard_error),
                     run::json_number(figure.lower), run::json_number(figure.upper));
}

std::string figure_json(const std::optional<EvidenceFigure>& figure) {
  return figure ? figure_json(*figure) : "null";
}

}  // namespace

Evidence estimate_evidence(std::span<const double> log_ratios, const EvidenceOptions& options) {
  check(log_ratios);
  const stats::Psis psis = stats::smooth_weights(log_ratios);
  Evidence result;
  result.draws = log_ratios.size();
  result.level = options.level;
  result.khat = khat_of(log_ratios, psis);
  result.elbo = window_figure(log_ratios, 1, options.level);
  result.bounds = importance_bounds(log_ratios, options.level);
  result.smoothed = smoothed_mean(psis, options.level);
  result.raw = power_mean(log_ratios, 1, options.level);
  const double threshold = stats::khat_threshold(result.draws);
  if (!(result.khat < threshold)) result.smoothed = without_interval(result.smoothed);
  if (!(result.khat < std::min(threshold, kFiniteVariance))) result.raw = without_interval(result.raw);
  if (result.khat < kUpperKhat) {
    result.cubo = power_mean(log_ratios, 2, options.level);
    result.renyi = power_mean(log_ratios, 1 - kRenyiOrder, options.level);
  }
  return result;
}

DistanceBounds distance_bounds_of_gap(double gap, std::span<const double> values) {
  const double center = stats::mean(values);
  double second = 0;
  double fourth = 0;
  for (const double value : values) {
    const double square = (value - center) * (value - center);
    second += square;
    fourth += square * square;
  }
  second /= static_cast<double>(values.size());
  fourth /= static_cast<double>(values.size());
  const double chi_square = std::expm1(2 * std::max(gap, 0.0));
  return {2 * std::sqrt(chi_square), 2 * std::sqrt(std::sqrt(fourth / (second * second) * chi_square))};
}

std::optional<DistanceBounds> distance_bounds(const Evidence& evidence, std::span<const double> values) {
  if (!evidence.cubo) return std::nullopt;
  return distance_bounds_of_gap(evidence.cubo->upper - evidence.elbo.lower, values);
}

std::string to_json(const Evidence& evidence) {
  std::string bounds;
  for (const ImportanceBound& bound : evidence.bounds)
    bounds += fmt::format("{}{{\"k\": {}, {}", bounds.empty() ? "" : ", ", bound.k,
                          figure_json(bound.figure).substr(1));
  std::string text = fmt::format("{{\"draws\": {}, \"level\": {}, \"khat\": {},\n", evidence.draws,
                                 run::json_number(evidence.level), run::json_number(evidence.khat));
  text +=
      fmt::format("  \"elbo\": {},\n  \"importance_bounds\": [{}],\n", figure_json(evidence.elbo), bounds);
  text += fmt::format("  \"log_evidence\": {},\n  \"log_evidence_raw\": {},\n",
                      figure_json(evidence.smoothed), figure_json(evidence.raw));
  text += fmt::format("  \"cubo_estimate\": {},\n  \"renyi_estimate\": {},\n  \"renyi_order\": {}",
                      figure_json(evidence.cubo), figure_json(evidence.renyi), run::json_number(kRenyiOrder));
  text +=
      evidence.cubo
          ? ",\n  \"upper_note\": \"plug-in estimates of upper bounds: biased low, no bounds themselves\"}"
          : fmt::format(",\n  \"upper_note\": \"no upper figures: the weights' k-hat is not below {}\"}}",
                        kUpperKhat);
  return text;
}

}  // namespace kullback::certify
