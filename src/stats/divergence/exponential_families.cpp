// Gamma, beta, Dirichlet, exponential and Poisson distributions. Along the line between two natural
// parameters the log normaliser f has the second derivatives
//   gamma      a (db / b - da / a)^2 + da^2 (psi'(a) - 1 / a)
//   Dirichlet  sum of a_i (da_i / a_i - da_0 / a_0)^2 + sum of da_i^2 (psi'(a_i) - 1 / a_i)
//              - da_0^2 (psi'(a_0) - 1 / a_0),  a_0 = sum of a_i
// written so that large parameters do not cancel; d is the derivative by t. The gap of Poisson distributions
// is the alpha_element of their means, because f(t) = mean_q (mean_p / mean_q)^t.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "stats/divergence/convex_gap.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/hooks.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double log_gamma(double x) { return boost::math::lgamma(x); }

// psi'(a) - 1 / a > 0.
double trigamma_excess(double a) {
  if (a < 20) return boost::math::trigamma(a) - 1 / a;
  const double x = 1 / (a * a);
  const double bernoulli = 1.0 / 6 - x * (1.0 / 30 - x * (1.0 / 42 - x * (1.0 / 30 - x * (5.0 / 66))));
  return x * (0.5 + bernoulli / a);
}

// log Gamma(x) - log Gamma(y): the integral of digamma where they are close.
double log_gamma_difference(double x, double y) {
  if (std::abs(x - y) > std::min(x, y)) return log_gamma(x) - log_gamma(y);
  const auto slope = [=](double s) { return boost::math::digamma(y + s * (x - y)); };
  return (x - y) * boost::math::quadrature::gauss<double, 20>::integrate(slope, 0.0, 1.0);
}

double escort_of(double concentration, double order) { return order * (concentration - 1) + 1; }

double square(double x) { return x * x; }

double gamma_curvature(std::span<const double> at, std::span<const double> slope) {
  const double a = at[0], b = at[1], da = slope[0], db = slope[1];
  return a * square(db / b - da / a) + square(da) * trigamma_excess(a);
}

double dirichlet_curvature(std::span<const double> at, std::span<const double> slope) {
  const double total = std::accumulate(at.begin(), at.end(), 0.0);
  const double slope_of_total = std::accumulate(slope.begin(), slope.end(), 0.0);
  double result = -square(slope_of_total) * trigamma_excess(total);
  for (std::size_t i = 0; i < at.size(); ++i) {
    result += at[i] * square(slope[i] / at[i] - slope_of_total / total);
    result += square(slope[i]) * trigamma_excess(at[i]);
  }
  return result;
}

double dirichlet_log_normaliser(std::span<const double> concentration) {
  double total = 0, result = 0;
  for (const double a : concentration) {
    total += a;
    result += log_gamma(a);
  }
  return result - log_gamma(total);
}

// c log x - d x over x > 0, c, d not both 0.
double log_gamma_kernel_supremum(double c, double d) {
  if (c < 0 || d < 0 || (c > 0 && d == 0)) return kInfinity;
  return c == 0 ? 0 : c * (std::log(c / d) - 1);
}

// Sum of c_i log x_i over the simplex.
double dirichlet_kernel_supremum(std::span<const double> c) {
  const double total = std::accumulate(c.begin(), c.end(), 0.0);
  double result = 0;
  for (const double of : c) {
    if (of < 0) return kInfinity;
    if (of > 0) result += of * std::log(of / total);
  }
  return result;
}

Dirichlet as_dirichlet(const Beta& of) { return {{of.a, of.b}}; }
// Of log of int p^order / int q^order, but for the sum of all concentrations.
double log_gamma_power_ratio(double p, double q, double order) {
  return log_gamma_difference(escort_of(p, order), escort_of(q, order)) - order * log_gamma_difference(p, q);
}

Gamma as_gamma(const Exponential& of) { return {1, of.rate}; }

void check_concentrations(const std::vector<double>& concentration) {
  if (concentration.size() < 2)
    throw Error(ErrorKind::bad_input,
                fmt::format("Dirichlet: there are {} concentrations; there must be at least 2.",
                            concentration.size()));
  for (std::size_t i = 0; i < concentration.size(); ++i)
    check_positive(concentration[i], "Dirichlet", fmt::format("concentration [{}]", i).c_str());
}

}  // namespace

void check_pair(const Gamma& p, const Gamma& q) {
  for (const Gamma& of : {p, q}) {
    check_positive(of.shape, "Gamma", "shape");
    check_positive(of.rate, "Gamma", "rate");
  }
}

double skew_gap(const Gamma& p, const Gamma& q, double alpha) {
  if (alpha < 0.5) return skew_gap(q, p, 1 - alpha);
  const double of_q[] = {q.shape, q.rate}, of_p[] = {p.shape, p.rate};
  return convex_gap(of_q, of_p, alpha, gamma_curvature);
}

double log_max_ratio(const Gamma& p, const Gamma& q) {
  const double rest = log_gamma_kernel_supremum(p.shape - q.shape, p.rate - q.rate);
  return p.shape * std::log(p.rate) - log_gamma(p.shape) - q.shape * std::log(q.rate) + log_gamma(q.shape) +
         rest;
}

std::optional<Gamma> escort(const Gamma& p, double order) {
  const Gamma result{order * (p.shape - 1) + 1, order * p.rate};
  return result.shape > 0 ? std::optional(result) : std::nullopt;
}

double log_power(const Gamma& p, double order) {
  const double shape = order * (p.shape - 1) + 1;
  return log_gamma(shape) - order * log_gamma(p.shape) - shape * std::log(order) +
         (order - 1) * std::log(p.rate);
}

void check_pair(const Exponential& p, const Exponential& q) {
  for (const Exponential& of : {p, q}) check_positive(of.rate, "Exponential", "rate");
}

double skew_gap(const Exponential& p, const Exponential& q, double alpha) {
  return skew_gap(as_gamma(p), as_gamma(q), alpha);
}

double log_max_ratio(const Exponential& p, const Exponential& q) {
  return log_max_ratio(as_gamma(p), as_gamma(q));
}

std::optional<Exponential> escort(const Exponential& p, double order) { return Exponential{order * p.rate}; }

double log_power_ratio(const Gamma& p, const Gamma& q, double order) {
  return log_gamma_power_ratio(p.shape, q.shape, order) - order * (p.shape - q.shape) * std::log(order) +
         (order - 1) * log_of_ratio(p.rate, q.rate);
}

double log_power_ratio(const Exponential& p, const Exponential& q, double order) {
  return (order - 1) * log_of_ratio(p.rate, q.rate);
}

double log_power(const Exponential& p, double order) { return log_power(as_gamma(p), order); }

void check_pair(const Dirichlet& p, const Dirichlet& q) {
  check_concentrations(p.concentration);
  check_concentrations(q.concentration);
  if (p.concentration.size() != q.concentration.size())
    throw Error(ErrorKind::bad_input, fmt::format("Dirichlet: one has {} concentrations, the other {}.",
                                                  p.concentration.size(), q.concentration.size()));
}

double skew_gap(const Dirichlet& p, const Dirichlet& q, double alpha) {
  if (alpha < 0.5) return skew_gap(q, p, 1 - alpha);
  return convex_gap(q.concentration, p.concentration, alpha, dirichlet_curvature);
}

double log_max_ratio(const Dirichlet& p, const Dirichlet& q) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < p.concentration.size(); ++i)
    difference.push_back(p.concentration[i] - q.concentration[i]);
  return dirichlet_log_normaliser(q.concentration) - dirichlet_log_normaliser(p.concentration) +
         dirichlet_kernel_supremum(difference);
}

std::optional<Dirichlet> escort(const Dirichlet& p, double order) {
  Dirichlet result = p;
  for (double& a : result.concentration) {
    a = order * (a - 1) + 1;
    if (!(a > 0)) return std::nullopt;
  }
  return result;
}

double log_power(const Dirichlet& p, double order) {
  return dirichlet_log_normaliser(escort(p, order)->concentration) -
         order * dirichlet_log_normaliser(p.concentration);
}

double log_power_ratio(const Dirichlet& p, const Dirichlet& q, double order) {
  const std::vector<double>&of_p = p.concentration, &of_q = q.concentration;
  double result = 0;
  for (std::size_t i = 0; i < of_p.size(); ++i) result += log_gamma_power_ratio(of_p[i], of_q[i], order);
  const auto total = [](const std::vector<double>& of) { return std::accumulate(of.begin(), of.end(), 0.0); };
  const double total_p = total(of_p), total_q = total(of_q);
  const double escort_p = total(escort(p, order)->concentration),
               escort_q = total(escort(q, order)->concentration);
  return result - log_gamma_difference(escort_p, escort_q) + order * log_gamma_difference(total_p, total_q);
}

double log_power_ratio(const Beta& p, const Beta& q, double order) {
  return log_power_ratio(as_dirichlet(p), as_dirichlet(q), order);
}

void check_pair(const Beta& p, const Beta& q) {
  for (const Beta& of : {p, q}) {
    check_positive(of.a, "Beta", "parameter a");
    check_positive(of.b, "Beta", "parameter b");
  }
}

double skew_gap(const Beta& p, const Beta& q, double alpha) {
  return skew_gap(as_dirichlet(p), as_dirichlet(q), alpha);
}

double log_max_ratio(const Beta& p, const Beta& q) { return log_max_ratio(as_dirichlet(p), as_dirichlet(q)); }

std::optional<Beta> escort(const Beta& p, double order) {
  const auto result = escort(as_dirichlet(p), order);
  if (!result) return std::nullopt;
  return Beta{result->concentration[0], result->concentration[1]};
}

double log_power(const Beta& p, double order) { return log_power(as_dirichlet(p), order); }

void check_pair(const Poisson& p, const Poisson& q) {
  for (const Poisson& of : {p, q}) check_positive(of.mean, "Poisson", "mean");
}

double skew_gap(const Poisson& p, const Poisson& q, double alpha) {
  return alpha_element({std::log(p.mean), std::log(q.mean), log_of_ratio(p.mean, q.mean)}, alpha);
}

double log_max_ratio(const Poisson& p, const Poisson& q) {
  return p.mean > q.mean ? kInfinity : q.mean - p.mean;
}

}  // namespace kullback::stats
