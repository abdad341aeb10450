// Every divergence as a function of the hooks of a family. With the gap J(a) = -log(int p^a q^(1-a)) / (a (1
// - a)):
//   KL(p, q) = J(1),  Renyi = a J(a),  alpha = (1 - exp(-a (1 - a) J(a))) / (a (1 - a)),
//   chi of order n = exp(n (n - 1) J(n)) - 1,  H^2 = 1 - exp(-J(1/2) / 4).
//
// The Cauchy-Schwarz divergence is Bhattacharyya's between the escorts p^2 / int p^2 and q^2 / int q^2. The
// beta-divergence follows from the escorts P, Q of order 1 + b, w = 1 / (1 + b), A = log int p^(1+b), C = log
// int q^(1+b): int p q^b = exp(w A + (1 - w) C) int P^w Q^(1-w), and so
//   D = (alpha_element(A, C; w) + exp(w A + (1 - w) C) alpha_divergence(P, Q; w)) / (1 + b)^2,
// a sum of two non-negative terms, of which the second tends to KL as b tends to 0.
#include "stats/divergence/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "stats/divergence/element.hpp"
#include "stats/divergence/hooks.hpp"
#include "stats/divergence/summation.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class P>
double checked_gap(const P& p, const P& q, double alpha) {
  check_pair(p, q);
  return skew_gap(p, q, alpha);
}

template <class P>
double beta_by_escorts(const P& p, const P& q, double beta) {
  const double order = 1 + beta;
  if (skew_gap(p, q, 0.5) == 0) return 0;
  if (order <= 0) return kInfinity;
  const auto escort_p = escort(p, order), escort_q = escort(q, order);
  if (!escort_p || !escort_q) return kInfinity;
  const double w = 1 / order;
  const double log_q = log_power(q, order), log_ratio = log_power_ratio(p, q, order),
               log_p = log_q + log_ratio;
  const double between = alpha_from_gap(skew_gap(*escort_p, *escort_q, w), w);
  if (std::isinf(between)) return kInfinity;
  const double shape = between * std::exp(w * log_p + (1 - w) * log_q);
  return (alpha_element({log_p, log_q, log_ratio}, w) + shape) / (order * order);
}

}  // namespace

void check_positive(double value, const char* family, const char* parameter) {
  if (std::isfinite(value) && value > 0) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: the {} is {}; it must be a positive number.", family, parameter, value));
}

void check_finite(double value, const char* family, const char* parameter) {
  if (std::isfinite(value)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: the {} is {}; it must be finite.", family, parameter, value));
}

void check_order(double order, const char* name) {
  if (std::isfinite(order)) return;
  throw Error(ErrorKind::usage, fmt::format("{} is {}; it must be a finite number.", name, order),
              "renyi_divergence takes infinite orders.");
}

template <Family P>
double kl_divergence(const P& p, const P& q) {
  return checked_gap(p, q, 1);
}

template <Family P>
double jeffreys_divergence(const P& p, const P& q) {
  return checked_gap(p, q, 1) + skew_gap(p, q, 0);
}

template <Family P>
double renyi_divergence(const P& p, const P& q, double order) {
  if (std::isnan(order)) throw Error(ErrorKind::usage, "the order of a Renyi divergence is NaN.");
  check_pair(p, q);
  if (order == kInfinity) return std::max(log_max_ratio(p, q), 0.0);
  if (order == -kInfinity) return std::min(-log_max_ratio(q, p), 0.0);
  if (order == 0) return -log_overlap(p, q);
  return order * skew_gap(p, q, order);
}

template <Family P>
double alpha_divergence(const P& p, const P& q, double alpha) {
  check_order(alpha, "alpha");
  return alpha_from_gap(checked_gap(p, q, alpha), alpha);
}

template <Family P>
double chi_divergence(const P& p, const P& q, double order) {
  check_order(order, "the order of a chi divergence");
  if (!(order > 1))
    throw Error(ErrorKind::usage,
                fmt::format("the order of a chi divergence is {}; it must be above 1.", order),
                "2 is Pearson's chi squared; alpha_divergence takes any order.");
  return std::expm1(order * (order - 1) * checked_gap(p, q, order));
}

template <Family P>
double bhattacharyya_distance(const P& p, const P& q) {
  return checked_gap(p, q, 0.5) / 4;
}

template <Family P>
double hellinger_distance(const P& p, const P& q) {
  return std::sqrt(-std::expm1(-bhattacharyya_distance(p, q)));
}

template <Family P>
double beta_divergence(const P& p, const P& q, double beta) {
  check_order(beta, "beta");
  if (beta == 0) return kl_divergence(p, q);
  check_pair(p, q);
  if constexpr (std::same_as<P, Poisson>)
    if (beta < 0)
      throw Error(ErrorKind::usage,
                  fmt::format("beta is {}; for Poisson distributions it must be 0 or more.", beta),
                  "Its sum has no closed form, and for a negative beta need not be finite.");
  if constexpr (std::same_as<P, Poisson> || std::same_as<P, Discrete>)
    return sum_over(p, q, [beta](const LogPair& at) { return beta_element(at, beta); });
  else
    return beta_by_escorts(p, q, beta);
}

template <Family P>
double cauchy_schwarz_divergence(const P& p, const P& q) {
  check_pair(p, q);
  if constexpr (std::same_as<P, Poisson>) {
    return poisson_cauchy_schwarz(p, q);
  } else {
    if (skew_gap(p, q, 0.5) == 0) return 0;
    const auto escort_p = escort(p, 2), escort_q = escort(q, 2);
    if (!escort_p || !escort_q) return kInfinity;
    return skew_gap(*escort_p, *escort_q, 0.5) / 4;
  }
}

#define KULLBACK_FAMILY(P)                                      \
  template double kl_divergence(const P&, const P&);            \
  template double jeffreys_divergence(const P&, const P&);      \
  template double renyi_divergence(const P&, const P&, double); \
  template double alpha_divergence(const P&, const P&, double); \
  template double beta_divergence(const P&, const P&, double);  \
  template double chi_divergence(const P&, const P&, double);   \
  template double hellinger_distance(const P&, const P&);       \
  template double bhattacharyya_distance(const P&, const P&);   \
  template double cauchy_schwarz_divergence(const P&, const P&);
KULLBACK_FAMILY(Normal)
KULLBACK_FAMILY(Gaussian)
KULLBACK_FAMILY(Exponential)
KULLBACK_FAMILY(Gamma)
KULLBACK_FAMILY(Beta)
KULLBACK_FAMILY(Dirichlet)
KULLBACK_FAMILY(Poisson)
KULLBACK_FAMILY(Discrete)
#undef KULLBACK_FAMILY

}  // namespace kullback::stats
