// E sigma(z) of a normal z by the trapezoidal rule, whose error falls as exp(-2 pi d / h) with the distance d
// of the nearest singularity from the real axis:
// - small sd s: sum over t of phi(t) sigma(m + s t); the poles of sigma lie at d = pi / s.
// - large s: sigma(z) = P(L < z) of a logistic L, so the expectation is that of Phi((m - L) / s): a sum over
// u
//   of f_L(u) Phi((m - u) / s); the poles of f_L lie at d = pi.
#include "conjugate/regress/pieces.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <limits>

namespace kullback::conjugate::regress {

namespace {

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

double over_normal(double mean, double sd) {
  // The exponential tail of sigma moves the mass by sd towards larger t.
  const double low = -8.5, high = 8.5 + sd;
  const double step = 0.5 / std::max(1.0, sd);
  double sum = 0;
  for (double t = low; t < high; t += step) sum += std::exp(-0.5 * t * t) * sigmoid(mean + sd * t);
  return sum * step / std::sqrt(2 * std::numbers::pi);
}

double over_logistic(double mean, double sd) {
  constexpr double kStep = 0.5, kReach = 40;
  // The result is exp(mean) at least, which the part left out, exp(low), must be far below.
  const double low = std::clamp(mean, -700.0, 0.0) - kReach;
  double sum = 0;
  for (double u = low; u <= kReach; u += kStep) {
    const double density = sigmoid(u) * sigmoid(-u);
    sum += density * 0.5 * std::erfc((u - mean) / (sd * std::numbers::sqrt2));
  }
  return sum * kStep;
}

}  // namespace

double expected_sigmoid(double mean, double variance) {
  const double sd = std::sqrt(variance);
  return std::min(1.0, sd <= 3 ? over_normal(mean, sd) : over_logistic(mean, sd));
}

double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal_distribution<double>(), probability);
}

double t_quantile(double probability, double degrees) {
  if (!std::isfinite(degrees)) return normal_quantile(probability);
  // So heavy a tail has quantiles beyond all numbers.
  if (degrees < 0.01) return std::numeric_limits<double>::quiet_NaN();
  return boost::math::quantile(boost::math::students_t_distribution<double>(degrees), probability);
}

double gamma_quantile(const Gamma& q, double probability) {
  return boost::math::gamma_p_inv(q.shape, probability) / q.rate;
}

double log_t_density(double x, double squared_scale, double degrees) {
  const double square = x * x / squared_scale;
  const double spread = 0.5 * std::log(squared_scale);
  if (!std::isfinite(degrees)) return -0.5 * (kLog2Pi + square) - spread;
  return math::log_rising(degrees / 2, 0.5) - 0.5 * std::log(degrees * std::numbers::pi) - spread -
         (degrees + 1) / 2 * std::log1p(square / degrees);
}

}  // namespace kullback::conjugate::regress
