// Distributions on the line: total variation, Jensen-Shannon, Wasserstein.
//
// Total variation. Densities of a family here cross at most twice: the log ratio is c + A u(x) + B w(x) with
// a single turning point. Between crossings the total variation is the sum of |P - Q| of the pieces, halved.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/families.hpp"
#include "stats/divergence/hooks.hpp"
#include "stats/divergence/quadrature.hpp"
#include "stats/divergence/summation.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Lower and upper tail, each to full accuracy.
struct Tails {
  double lower = 0;
  double upper = 0;
};

Tails tails(const Normal& of, double x) {
  const double z = (x - of.mean) / of.sd / std::numbers::sqrt2;
  return {std::erfc(-z) / 2, std::erfc(z) / 2};
}

Tails tails(const Gamma& of, double x) {
  if (std::isinf(x)) return {1, 0};
  return {boost::math::gamma_p(of.shape, of.rate * x), boost::math::gamma_q(of.shape, of.rate * x)};
}

Tails tails(const Beta& of, double x) {
  return {boost::math::ibeta(of.a, of.b, x), boost::math::ibetac(of.a, of.b, x)};
}

// The difference of probabilities of (-inf, x] from whichever tail is small.
double difference_below(const Tails& p, const Tails& q) {
  return p.lower + q.lower < p.upper + q.upper ? p.lower - q.lower : q.upper - p.upper;
}

// With crossings x_1 < x_2...: the largest |P - Q| of a set, reached on the union of the pieces where p > q.
template <class P>
double variation_between(const P& p, const P& q, const std::vector<double>& crossings) {
  double before = 0, total = 0;
  for (const double x : crossings) {
    const double below = difference_below(tails(p, x), tails(q, x));
    total += std::abs(below - before);
    before = below;
  }
  return (total + std::abs(before)) / 2;
}

// A root of an increasing or decreasing function by bisection, to the last bit.
template <class F>
double root(const F& f, double from, double to) {
  const bool starts_positive = f(from) > 0;
  for (int i = 0; i < 2000; ++i) {
    const double middle = from + (to - from) / 2;
    if (middle == from || middle == to) break;
    ((f(middle) > 0) == starts_positive ? from : to) = middle;
  }
  return from;
}

// Roots in (lower, upper) of a function that turns at most once, at `turn`; none beyond where its sign does
// not change.
template <class F>
std::vector<double> roots(const F& f, double lower, double turn, double upper) {
  std::vector<double> result;
  for (const auto& [from, to] : {std::pair(lower, turn), std::pair(turn, upper)})
    if (from < to && (f(from) > 0) != (f(to) > 0)) result.push_back(root(f, from, to));
  return result;
}

// With z = (x - mean_q) / sd_q the log ratio is A z^2 + B z + C.
std::vector<double> crossings(const Normal& p, const Normal& q) {
  const double shift = (p.mean - q.mean) / q.sd, ratio = q.sd / p.sd;
  const double a = (1 - ratio) * (1 + ratio) / 2, b = ratio * ratio * shift;
  const double c = std::log(ratio) - b * shift / 2;
  const auto place = [&](double z) { return q.mean + q.sd * z; };
  if (a == 0) return {place(shift / 2)};
  const double discriminant = std::max(b * b - 4 * a * c, 0.0);
  const double stable = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  std::vector<double> result{place(stable / a), place(stable == 0 ? 0 : c / stable)};
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<double> crossings(const Gamma& p, const Gamma& q) {
  const double a = p.shape - q.shape, b = p.rate - q.rate;
  const double c = p.shape * std::log(p.rate) - boost::math::lgamma(p.shape) - q.shape * std::log(q.rate) +
                   boost::math::lgamma(q.shape);
  const auto log_ratio = [=](double log_x) { return c + a * log_x - b * std::exp(log_x); };
  const double turn = a / b > 0 ? std::log(a / b) : 0;
  auto result = roots(log_ratio, -700, std::clamp(turn, -700.0, 700.0), 700);
  for (double& x : result) x = std::exp(x);
  return result;
}

std::vector<double> crossings(const Beta& p, const Beta& q) {
  const double a = p.a - q.a, b = p.b - q.b;
  const auto log_beta = [](const Beta& of) {
    return boost::math::lgamma(of.a) + boost::math::lgamma(of.b) - boost::math::lgamma(of.a + of.b);
  };
  const double c = log_beta(q) - log_beta(p);
  const auto log_ratio = [=](double logit) {  // of x
    return c - a * std::log1p(std::exp(-logit)) - b * std::log1p(std::exp(logit));
  };
  const double turn = a / b > 0 ? std::log(a / b) : 0;
  auto result = roots(log_ratio, -700, std::clamp(turn, -700.0, 700.0), 700);
  for (double& x : result) x = 1 / (1 + std::exp(-x));
  return result;
}

double variation(const Normal& p, const Normal& q) { return variation_between(p, q, crossings(p, q)); }
double variation(const Gamma& p, const Gamma& q) { return variation_between(p, q, crossings(p, q)); }
double variation(const Beta& p, const Beta& q) { return variation_between(p, q, crossings(p, q)); }
double variation(const Exponential& p, const Exponential& q) {
  // Densities cross at log(s) / (rate (s - 1)), s the ratio of the rates.
  const double larger = std::max(p.rate, q.rate), smaller = std::min(p.rate, q.rate);
  const double x = std::log1p((larger - smaller) / smaller) / (larger - smaller);
  return -std::exp(-smaller * x) * std::expm1(-(larger - smaller) * x);
}
double variation(const Discrete& p, const Discrete& q) { return sum_over(p, q, total_variation_element); }
// p(k) > q(k) on one side of (mean_p - mean_q) / log(mean_p / mean_q); P(K <= k) = Q(k + 1, mean).
double variation(const Poisson& p, const Poisson& q) {
  const double low = std::min(p.mean, q.mean), high = std::max(p.mean, q.mean);
  const double k = std::floor((high - low) / std::log1p((high - low) / low)) + 1;
  const auto at = [k](double mean) {
    return Tails{boost::math::gamma_q(k, mean), boost::math::gamma_p(k, mean)};
  };
  return difference_below(at(low), at(high));
}

double log_density(const Normal& of, const Place& at) {
  const double z = (at.x - of.mean) / of.sd;
  return -z * z / 2 - std::log(of.sd) - std::log(2 * std::numbers::pi) / 2;
}
double log_density(const Gamma& of, const Place& at) {
  return of.shape * std::log(of.rate) - boost::math::lgamma(of.shape) + (of.shape - 1) * std::log(at.x) -
         of.rate * at.x;
}
double log_density(const Exponential& of, const Place& at) { return std::log(of.rate) - of.rate * at.x; }
double log_density(const Beta& of, const Place& at) {
  return boost::math::lgamma(of.a + of.b) - boost::math::lgamma(of.a) - boost::math::lgamma(of.b) +
         (of.a - 1) * std::log(at.x) + (of.b - 1) * std::log(at.to_upper);
}

struct Bulk {
  double center = 0;
  double scale = 1;
};
Bulk bulk(const Normal& of) { return {of.mean, of.sd}; }
Bulk bulk(const Gamma& of) { return {of.shape / of.rate, std::sqrt(of.shape) / of.rate}; }
Bulk bulk(const Exponential& of) { return {1 / of.rate, 1 / of.rate}; }
Bulk bulk(const Beta& of) {
  const double total = of.a + of.b;
  return {of.a / total, std::sqrt(of.a * of.b / (total + 1)) / total};
}

template <class P>
constexpr double kLower = std::same_as<P, Normal> ? -kInfinity : 0;
template <class P>
constexpr double kUpper = std::same_as<P, Beta> ? 1 : kInfinity;

template <class P>
std::vector<double> breaks_of(const P& p, const P& q) {
  std::vector<double> result;
  for (const Bulk& of : {bulk(p), bulk(q)})
    for (const double step : {-10, -3, -1, 0, 1, 3, 10}) {
      const double x = of.center + step * of.scale;
      if (x > kLower<P> && x < kUpper<P>) result.push_back(x);
    }
  return result;
}

void check_wasserstein_order(double order) {
  if (order >= 1 && std::isfinite(order)) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("the order of a Wasserstein distance is {}; it must be 1 or more, and finite.", order));
}

// E |m + s Z|.
double folded_mean(double m, double s) {
  if (s == 0) return std::abs(m);
  const double z = m / s / std::numbers::sqrt2;
  return s * std::sqrt(2 / std::numbers::pi) * std::exp(-z * z) + m * std::erf(z);
}

}  // namespace

template <OnTheLine P>
double total_variation(const P& p, const P& q) {
  check_pair(p, q);
  return skew_gap(p, q, 0.5) == 0 ? 0 : variation(p, q);
}

template <OnTheLine P>
double jensen_shannon_divergence(const P& p, const P& q) {
  check_pair(p, q);
  if constexpr (std::same_as<P, Discrete> || std::same_as<P, Poisson>) {
    return sum_over(p, q, jensen_shannon_element);
  } else {
    const Bulk of = bulk(p);
    const Axis axis(kLower<P>, kUpper<P>, of.center, of.scale);
    const auto densities = [&](const Place& at) { return LogPair{log_density(p, at), log_density(q, at)}; };
    return integrate_pair(axis, breaks_of(p, q), densities, jensen_shannon_element, {}).value;
  }
}

template double total_variation(const Normal&, const Normal&);
template double total_variation(const Exponential&, const Exponential&);
template double total_variation(const Gamma&, const Gamma&);
template double total_variation(const Beta&, const Beta&);
template double total_variation(const Poisson&, const Poisson&);
template double total_variation(const Discrete&, const Discrete&);
template double jensen_shannon_divergence(const Normal&, const Normal&);
template double jensen_shannon_divergence(const Exponential&, const Exponential&);
template double jensen_shannon_divergence(const Gamma&, const Gamma&);
template double jensen_shannon_divergence(const Beta&, const Beta&);
template double jensen_shannon_divergence(const Poisson&, const Poisson&);
template double jensen_shannon_divergence(const Discrete&, const Discrete&);

// The quantiles are mean + sd z: the distance is that of mean_p - mean_q + (sd_p - sd_q) z from 0.
double wasserstein(const Normal& p, const Normal& q, double order) {
  check_pair(p, q);
  check_wasserstein_order(order);
  const double m = p.mean - q.mean, s = std::abs(p.sd - q.sd);
  if (order == 2 || s == 0) return std::hypot(m, s);
  if (order == 1) return folded_mean(m, s);
  const Axis axis(-kInfinity, kInfinity, 0, 1);
  const double kink[] = {-m / s};
  const auto integrand = [&](double v) {
    const double z = axis.place(v).x;
    return std::exp(order * std::log(std::abs(m / s + z)) - z * z / 2 + axis.log_derivative(v));
  };
  const double power = integrate(axis, kink, integrand, {}).value / std::sqrt(2 * std::numbers::pi);
  return s * std::pow(power, 1 / order);
}

// The quantiles are -log(1 - u) / rate.
double wasserstein(const Exponential& p, const Exponential& q, double order) {
  check_pair(p, q);
  check_wasserstein_order(order);
  return std::abs(1 / p.rate - 1 / q.rate) * std::exp(boost::math::lgamma(order + 1) / order);
}

}  // namespace kullback::stats
