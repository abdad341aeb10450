// Probability vectors, and Poisson distributions where a divergence is a sum.
//
// The gap of probability vectors is found from the alpha-divergence, a sum of non-negative elements, where
// int p^a q^(1-a) is at least 1/2, and from that integral itself where it is smaller.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/error.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/hooks.hpp"
#include "stats/divergence/summation.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSumTolerance = 1e-8;

void check_probabilities(const Discrete& of) {
  if (of.probabilities.empty()) throw Error(ErrorKind::bad_input, "Discrete: there are no probabilities.");
  for (std::size_t i = 0; i < of.probabilities.size(); ++i)
    if (!(of.probabilities[i] >= 0) || std::isinf(of.probabilities[i]))
      throw Error(ErrorKind::bad_input, fmt::format("Discrete: probability [{}] is {}; it must be 0 or more.",
                                                    i, of.probabilities[i]));
  const double total = sum(of.probabilities);
  if (std::abs(total - 1) > kSumTolerance)
    throw Error(ErrorKind::bad_input,
                fmt::format("Discrete: the probabilities sum to {}; they must sum to 1.", total),
                "Divide them by their sum.");
}

std::vector<double> log_probabilities(const Discrete& of) {
  const double total = sum(of.probabilities);
  std::vector<double> result;
  for (const double p : of.probabilities) result.push_back(std::log(p / total));
  return result;
}

// log of sum p^a q^(1-a), a neither 0 nor 1.
double log_affinity(const Discrete& p, const Discrete& q, double alpha) {
  const auto log_p = log_probabilities(p), log_q = log_probabilities(q);
  std::vector<double> terms;
  for (std::size_t i = 0; i < log_p.size(); ++i)
    if (log_p[i] != -kInfinity || log_q[i] != -kInfinity)
      terms.push_back(alpha * log_p[i] + (1 - alpha) * log_q[i]);
  return log_sum_exp(terms);
}

struct Range {
  double first = 0;
  double last = 0;
};

Range range_of(const Poisson& of) {
  const double reach = 40 * std::sqrt(of.mean) + 100;
  return {std::floor(std::max(of.mean - reach, 0.0)), std::ceil(of.mean + reach)};
}

double log_mass(const Poisson& of, double k) {
  return k * std::log(of.mean) - of.mean - boost::math::lgamma(k + 1);
}

// log(e^-x I0(x)), by Hankel's expansion where it has full accuracy.
double log_scaled_bessel(double x) {
  if (x < 40) return std::log(boost::math::cyl_bessel_i(0, x)) - x;
  double term = 1, total = 1;
  for (int k = 1; k < 20; ++k) {
    term *= (2.0 * k - 1) * (2.0 * k - 1) / (8 * k * x);
    total += term;
  }
  return std::log(total) - std::log(2 * std::numbers::pi * x) / 2;
}

}  // namespace

double sum_over(const Discrete& p, const Discrete& q, const Element& element) {
  const auto log_p = log_probabilities(p), log_q = log_probabilities(q);
  const double of_totals = log_of_ratio(sum(p.probabilities), sum(q.probabilities));
  double total = 0;
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    const bool both = p.probabilities[i] > 0 && q.probabilities[i] > 0;
    const double shift = both ? log_of_ratio(p.probabilities[i], q.probabilities[i]) - of_totals : 0;
    total += element(both ? LogPair(log_p[i], log_q[i], shift) : LogPair(log_p[i], log_q[i]));
  }
  return total;
}

double sum_over(const Poisson& p, const Poisson& q, const Element& element) {
  Range low = range_of(p), high = range_of(q);
  if (low.first > high.first) std::swap(low, high);
  high.last = std::max(low.last, high.last);
  high.first = std::max(high.first, low.last + 1);
  const double log_ratio = log_of_ratio(p.mean, q.mean);
  double total = 0;
  for (const Range& range : {low, high})
    for (double k = range.first; k <= range.last; ++k)
      total += element({log_mass(p, k), log_mass(q, k), k * log_ratio - (p.mean - q.mean)});
  return total;
}

double poisson_cauchy_schwarz(const Poisson& p, const Poisson& q) {
  if (p.mean == q.mean) return 0;
  const double apart = std::sqrt(p.mean) - std::sqrt(q.mean);
  const double rest = (log_scaled_bessel(2 * p.mean) + log_scaled_bessel(2 * q.mean)) / 2 -
                      log_scaled_bessel(2 * std::sqrt(p.mean * q.mean));
  return std::max(apart * apart + rest, 0.0);
}

void check_pair(const Discrete& p, const Discrete& q) {
  check_probabilities(p);
  check_probabilities(q);
  if (p.probabilities.size() != q.probabilities.size())
    throw Error(ErrorKind::bad_input, fmt::format("Discrete: one has {} probabilities, the other {}.",
                                                  p.probabilities.size(), q.probabilities.size()));
}

double skew_gap(const Discrete& p, const Discrete& q, double alpha) {
  const double divergence = sum_over(p, q, [alpha](const LogPair& at) { return alpha_element(at, alpha); });
  const double scale = alpha * (1 - alpha);
  if (scale == 0 || std::abs(scale * divergence) <= 0.5) return gap_from_alpha(divergence, alpha);
  return -log_affinity(p, q, alpha) / scale;
}

double log_max_ratio(const Discrete& p, const Discrete& q) {
  const auto log_p = log_probabilities(p), log_q = log_probabilities(q);
  double result = 0;
  for (std::size_t i = 0; i < log_p.size(); ++i)
    if (log_p[i] != -kInfinity) result = std::max(result, log_p[i] - log_q[i]);
  return result;
}

double log_overlap(const Discrete& p, const Discrete& q) {
  double outside = 0, total = 0;
  for (std::size_t i = 0; i < p.probabilities.size(); ++i) {
    total += q.probabilities[i];
    if (p.probabilities[i] == 0) outside += q.probabilities[i];
  }
  return std::log1p(-outside / total);
}

double log_power(const Discrete& p, double order) {
  std::vector<double> terms = log_probabilities(p);
  for (double& term : terms) term *= order;
  return log_sum_exp(terms);
}

std::optional<Discrete> escort(const Discrete& p, double order) {
  const double log_total = log_power(p, order);
  Discrete result;
  for (const double log_p : log_probabilities(p))
    result.probabilities.push_back(std::exp(order * log_p - log_total));
  return result;
}

}  // namespace kullback::stats
