// The density of v is f(v) = exp(a v - e^v) / Gamma(a), its distribution function F(v) = P(a, e^v). Draws:
// v = F^-1(Phi(z)), from the tail in which it is exact. Implicitly (Figurnov, Mohamed and Mnih 2018)
//   d v / d a = -(d F / d a) / f(v),   d F / d a = int_{-inf}^v (t - psi(a)) f(t) dt = -int_v^inf ...,
// integrated over the tail beside v, left of the mode log a to the left:
//   left    -int_0^inf (v - s - psi(a)) exp(-a s + e^v (1 - e^-s)) ds
//   right    int_0^inf (v + s - psi(a)) exp(a s - e^v (e^s - 1)) ds.
// Marsaglia and Tsang (2000): with d = a - 1/3, c = 1 / sqrt(9 d), accepted noise e gives v = log d + 3 log(1
// + c e). At fixed e (Naesseth, Ruiz, Linderman and Blei 2017)
//   d v / d a = 1/d + 3 e c' / (1 + c e),   c' = -c / (2 d),
// and the density of e is f(v(e, a)) dv/de, whose logarithm has the derivative
//   v - psi(a) + (a - e^v) dv/da + c' / c - e c' / (1 + c e).
#include "infer/vi/factors/log_gamma.hpp"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "infer/vi/factors/gauss_legendre.hpp"

namespace kullback::infer {

namespace {

// Where x = e^v is so small, P(a, x) = x^a / Gamma(a + 1) to rounding.
constexpr double kTinyLog = -36;
constexpr double kLeastExponent = -40;
// Beyond it the inverse does not converge; Wilson and Hilferty's (1931) is right to O(a^-3/2), to rounding.
constexpr double kLargeShape = 1e10;

double normal_tail(double z) { return 0.5 * std::erfc(z * M_SQRT1_2); }

// The length at which the exponent has fallen to kLeastExponent, by doubling and bisection.
template <class Exponent>
double cut(const Exponent& exponent, double first) {
  double high = first;
  while (exponent(high) > kLeastExponent) high *= 2;
  double low = high / 2;
  for (int i = 0; i < 4; ++i) (exponent((low + high) / 2) > kLeastExponent ? low : high) = (low + high) / 2;
  return high;
}

}  // namespace

double log_gamma_draw(double shape, double normal) {
  const double below = normal_tail(-normal);
  const double tiny = (std::log(below) + std::lgamma(shape + 1)) / shape;
  if (tiny < kTinyLog) return tiny;
  if (!(shape < kLargeShape))
    return std::log(shape) + 3 * std::log1p(normal / (3 * std::sqrt(shape)) - 1 / (9 * shape));
  return std::log(normal < 0 ? boost::math::gamma_p_inv(shape, below)
                             : boost::math::gamma_q_inv(shape, normal_tail(normal)));
}

double log_gamma_slope(double shape, double v) {
  const double x = std::exp(v);
  const double gap = v - boost::math::digamma(shape);
  const double width = 1 / std::sqrt(shape + x) + 1 / (shape + x);
  if (v < std::log(shape)) {
    const auto exponent = [&](double s) { return -shape * s - x * std::expm1(-s); };
    return -integrate_panels(cut(exponent, width),
                             [&](double s) { return (gap - s) * std::exp(exponent(s)); });
  }
  const auto exponent = [&](double s) { return shape * s - x * std::expm1(s); };
  return integrate_panels(cut(exponent, width), [&](double s) { return (gap + s) * std::exp(exponent(s)); });
}

RejectionSlope log_gamma_rejection(double shape, double v) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  const double root = std::exp((v - std::log(d)) / 3);  // 1 + c e
  const double noise = (root - 1) / c;
  const double c_slope = -c / (2 * d);
  RejectionSlope slope;
  slope.draw = 1 / d + 3 * noise * c_slope / root;
  slope.correction = v - boost::math::digamma(shape) + (shape - std::exp(v)) * slope.draw + c_slope / c -
                     noise * c_slope / root;
  return slope;
}

}  // namespace kullback::infer
