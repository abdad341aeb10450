// With r = log p - log q at draws of p:
//   alpha, alpha >= 1/2   mean of (1 - exp(-(1 - a) r)) / (a (1 - a)), r itself at a = 1
//   alpha, alpha < 1/2    mean of alpha_element(1, q / p), which adds (q / p - 1) / a, of mean 0: without it
//   the limit
//                         a = 0 would not exist draw by draw
//   Renyi                 log of the mean of exp(-(1 - a) r) / (a - 1); its error by the delta method
//   total variation       mean of max(1 - q / p, 0)
#include "stats/divergence/draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "stats/chains.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/hooks.hpp"
#include "stats/psis.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> log_ratios(const DrawsOfP& draws) {
  if (draws.log_p.size() != draws.log_q.size())
    throw Error(ErrorKind::usage, fmt::format("there are {} values of log p and {} of log q.",
                                              draws.log_p.size(), draws.log_q.size()));
  if (draws.log_p.size() < 2)
    throw Error(ErrorKind::usage,
                fmt::format("{} draws give no standard error; it needs at least 2.", draws.log_p.size()));
  std::vector<double> result;
  for (std::size_t i = 0; i < draws.log_p.size(); ++i) {
    if (!std::isfinite(draws.log_p[i]) || std::isnan(draws.log_q[i]) || draws.log_q[i] == kInfinity)
      throw Error(
          ErrorKind::bad_input,
          fmt::format("at draw {} log p is {} and log q {}; log p must be finite, log q finite or -infinity.",
                      i, draws.log_p[i], draws.log_q[i]),
          "Draws must come from p.");
    result.push_back(draws.log_p[i] - draws.log_q[i]);
  }
  return result;
}

Estimate mean_of(std::span<const double> terms) {
  if (std::isinf(sum(terms))) return {kInfinity, 0, true, kNaN};
  return {mean(terms), std::sqrt(variance(terms) / static_cast<double>(terms.size())), true,
          tail_khat(terms)};
}

template <class Term>
Estimate mean_of(const DrawsOfP& draws, const Term& term) {
  std::vector<double> terms = log_ratios(draws);
  for (double& of : terms) of = term(of);
  return mean_of(terms);
}

// log of the mean of exp(exponents), with its error.
Estimate log_mean_exp(std::vector<double> exponents) {
  const double largest = *std::max_element(exponents.begin(), exponents.end());
  if (std::isinf(largest)) return {largest, 0, false, kNaN};
  const bool are_small =
      std::all_of(exponents.begin(), exponents.end(), [](double t) { return std::abs(t) < 1; });
  const double shift = are_small ? 0 : largest;
  for (double& t : exponents) t = std::expm1(t - shift);
  const Estimate average = mean_of(exponents);
  return {shift + std::log1p(average.value), average.standard_error / (1 + average.value), false,
          average.khat};
}

double relative_to_average(double r) { return -std::log1p(std::expm1(-r) / 2); }  // log(p / m)

}  // namespace

Estimate kl_divergence(const DrawsOfP& draws) { return alpha_divergence(draws, 1); }

Estimate alpha_divergence(const DrawsOfP& draws, double alpha) {
  check_order(alpha, "alpha");
  if (alpha < 0.5) return mean_of(draws, [alpha](double r) { return alpha_element({0, -r, r}, alpha); });
  if (alpha == 1) return mean_of(draws, [](double r) { return r; });
  return mean_of(draws, [alpha](double r) { return -std::expm1((alpha - 1) * r) / (alpha * (1 - alpha)); });
}

Estimate renyi_divergence(const DrawsOfP& draws, double order) {
  check_order(order, "the order of a Renyi divergence");
  if (order == 0)
    throw Error(ErrorKind::usage, "the Renyi divergence of order 0 is not an average over draws.",
                "Ask for a small order.");
  if (order == 1) return kl_divergence(draws);
  std::vector<double> exponents = log_ratios(draws);
  for (double& r : exponents) r *= order - 1;
  const Estimate result = log_mean_exp(std::move(exponents));
  return {result.value / (order - 1), result.standard_error / std::abs(order - 1), false, result.khat};
}

Estimate chi_divergence(const DrawsOfP& draws, double order) {
  if (!(order > 1) || std::isinf(order))
    throw Error(ErrorKind::usage,
                fmt::format("the order of a chi divergence is {}; it must be above 1.", order));
  return mean_of(draws, [order](double r) { return std::expm1((order - 1) * r); });
}

Estimate hellinger_distance(const DrawsOfP& draws) {
  const Estimate squared = mean_of(draws, [](double r) { return -std::expm1(-r / 2); });
  const double value = std::sqrt(std::max(squared.value, 0.0));
  const double steepness =
      std::max(2 * value, std::sqrt(squared.standard_error));  // at 0 the root has no slope
  return {value, steepness == 0 ? 0 : squared.standard_error / steepness, false, squared.khat};
}

Estimate total_variation(const DrawsOfP& draws) {
  return mean_of(draws, [](double r) { return std::max(-std::expm1(-r), 0.0); });
}

Estimate jensen_shannon_divergence(const DrawsOfP& of_p, const DrawsOfP& of_q) {
  const Estimate p = mean_of(of_p, relative_to_average), q = mean_of(of_q, relative_to_average);
  return {(p.value + q.value) / 2, std::hypot(p.standard_error, q.standard_error) / 2, true,
          std::fmax(p.khat, q.khat)};
}

}  // namespace kullback::stats
