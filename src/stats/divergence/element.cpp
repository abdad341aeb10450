// With r = log(p / q) and f(t) = q e^(r t), a convex function with f(0) = q, f(1) = p, the element is
// (a f(1) + (1 - a) f(0) - f(a)) / (a (1 - a)): how far the chord lies above f. By Green's function of the
// second derivative it is, for 1/2 <= a <= 1,
//   integral over (0, a) of t / a f''(t) + integral over (a, 1) of (1 - t) / (1 - a) f''(t)
//     = q psi(a r) / a + p psi(-(1 - a) r) / (1 - a),            psi(x) = 1 + e^x (x - 1) = x^2 / 2 + x^3 / 3
//     + ...
// and for a > 1
//   integral over (0, 1) of t / a f''(t) + integral over (1, a) of (a - t) / (a (a - 1)) f''(t)
//     = q psi(r) / a + p chi((a - 1) r) / (a (a - 1)),           chi(x) = e^x - 1 - x = x^2 / 2 + x^3 / 6 +
//     ...
// where no term is negative. For a < 1/2 the roles of p and q are exchanged.
#include "stats/divergence/element.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSeriesBelow = 0.5;
constexpr int kSeriesTerms = 16;

// Sum over k >= 2 of weight(k) x^k / k!.
template <class Weight>
double series(double x, const Weight& weight) {
  double total = 0, power = x;
  for (int k = 2; k < kSeriesTerms; ++k) {
    power *= x / k;
    total += weight(k) * power;
  }
  return total;
}

// e^log_scale psi(x), e^log_scale chi(x): no overflow where the product has none.
double scaled_psi(double log_scale, double x) {
  if (std::abs(x) < kSeriesBelow) return std::exp(log_scale) * series(x, [](int k) { return k - 1.0; });
  return std::exp(log_scale) + std::exp(log_scale + x) * (x - 1);
}

double scaled_chi(double log_scale, double x) {
  if (std::abs(x) < kSeriesBelow) return std::exp(log_scale) * series(x, [](int) { return 1.0; });
  return std::exp(log_scale + x) - std::exp(log_scale) * (1 + x);
}

}  // namespace

double log_of_ratio(double x, double y) {
  return std::abs(x - y) < y / 2 ? std::log1p((x - y) / y) : std::log(x) - std::log(y);
}

double alpha_element(const LogPair& at, double alpha) {
  if (alpha < 0.5) return alpha_element(at.exchanged(), 1 - alpha);
  if (at.log_p == -kInfinity) return std::exp(at.log_q) / alpha;
  if (at.log_q == -kInfinity) {
    const double p = std::exp(at.log_p);
    return p == 0 ? 0 : alpha >= 1 ? kInfinity : p / (1 - alpha);
  }
  const double r = at.log_ratio;
  if (alpha == 1) return scaled_psi(at.log_q, r);
  if (alpha < 1)
    return scaled_psi(at.log_q, alpha * r) / alpha + scaled_psi(at.log_p, -(1 - alpha) * r) / (1 - alpha);
  return scaled_psi(at.log_q, r) / alpha + scaled_chi(at.log_p, (alpha - 1) * r) / (alpha * (alpha - 1));
}

double beta_element(const LogPair& at, double beta) {
  if (at.log_p == -kInfinity && at.log_q == -kInfinity) return 0;
  if (at.log_q == -kInfinity) {
    if (beta <= 0) return std::exp(at.log_p) == 0 ? 0 : kInfinity;
    return std::exp((1 + beta) * at.log_p) / (beta * (1 + beta));
  }
  // Into the logarithms, because q^b and the element may overflow apart from each other.
  return alpha_element(at.times(beta * at.log_q), beta + 1);
}

double jensen_shannon_element(const LogPair& at) {
  if (at.log_p < at.log_q) return jensen_shannon_element(at.exchanged());
  if (at.log_p == -kInfinity) return 0;
  if (at.log_q == -kInfinity) return std::exp(at.log_p) * std::numbers::ln2 / 2;
  // log(m / p), log(m / q). The -p + m and -q + m of the two elements add to 0.
  const double m_to_p = std::log1p(std::expm1(-at.log_ratio) / 2), m_to_q = m_to_p + at.log_ratio;
  const double log_m = at.log_p + m_to_p;
  return (alpha_element({at.log_p, log_m, -m_to_p}, 1) + alpha_element({at.log_q, log_m, -m_to_q}, 1)) / 2;
}

double total_variation_element(const LogPair& at) {
  const double larger = std::fmax(at.log_p, at.log_q);
  if (larger == -kInfinity) return 0;
  return -std::exp(larger) * std::expm1(-std::abs(at.log_ratio)) / 2;
}

double alpha_from_gap(double gap, double alpha) {
  const double scale = alpha * (1 - alpha);
  return scale == 0 ? gap : -std::expm1(-scale * gap) / scale;
}

double gap_from_alpha(double divergence, double alpha) {
  const double scale = alpha * (1 - alpha);
  return scale == 0 ? divergence : -std::log1p(-scale * divergence) / scale;
}

}  // namespace kullback::stats
