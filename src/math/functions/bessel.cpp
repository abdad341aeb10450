// Bessel functions of integer order, log I_v(z) of real order, and the Lambert W function.
//
//   J' = (J_{n-1} - J_{n+1})/2, Y likewise, I' = (I_{n-1} + I_{n+1})/2, K' = -(K_{n-1} + K_{n+1})/2
//   I_v(z) = sum_k w_k, w_k = (z/2)^{v+2k} / (k! Gamma(v+k+1)): all terms positive, so log I_v, and with
//   weights
//     w_k / I_v  d/dz = (v + 2 E[k])/z and d/dv = log(z/2) - E[digamma(v+k+1)], are sums without
//     cancellation. They run both ways from the largest term, k near (sqrt(v^2 + z^2) - v)/2; some ten
//     sqrt(z) terms matter.
//   z > 100 and z > 4 v^2: Hankel's expansion, log I_v(z) = z - log(2 pi z)/2 + log H,
//     H = sum_k (-1)^k (mu - 1)(mu - 9)...(mu - (2k-1)^2) / (k! (8 z)^k), mu = 4 v^2.
//   W e^W = x: dW/dx = e^-W / (1 + W)
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/functions/boost_policy.hpp"
#include "math/gamma_functions.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

namespace {

double bessel_j(double n, double z) {
  return std::isnan(z) ? z : boost::math::cyl_bessel_j(static_cast<int>(n), z, kPolicy);
}
double bessel_y(double n, double z) {
  if (!(z >= 0.0)) return fast::kNaN;
  return z == 0.0 ? -fast::kInfinity : boost::math::cyl_neumann(static_cast<int>(n), z, kPolicy);
}
double bessel_i(double n, double z) {
  return std::isnan(z) ? z : boost::math::cyl_bessel_i(static_cast<int>(n), z, kPolicy);
}
double bessel_k(double n, double z) {
  if (!(z >= 0.0)) return fast::kNaN;
  return z == 0.0 ? fast::kInfinity : boost::math::cyl_bessel_k(static_cast<int>(n), z, kPolicy);
}

struct LogBessel {
  double value;
  double dv;
  double dz;
};

LogBessel log_bessel_large(double v, double z) {
  constexpr double kTwoPi = 6.28318530717958647693;
  const double mu = 4.0 * v * v;
  double term = 1.0, term_mu = 0.0, term_z = 0.0;  // and its derivatives
  double sum = 1.0, sum_mu = 0.0, sum_z = 0.0;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2.0 * k - 1.0;
    const double factor = -(mu - odd * odd) / (8.0 * z * k);
    const double factor_mu = -1.0 / (8.0 * z * k);
    const double next = term * factor;
    if (std::fabs(next) > std::fabs(term)) break;
    term_mu = term_mu * factor + term * factor_mu;
    term_z = term_z * factor - next / z;
    term = next;
    sum += term;
    sum_mu += term_mu;
    sum_z += term_z;
    if (std::fabs(term) < 1e-18 * std::fabs(sum) && std::fabs(term_mu) <= 1e-18 * std::fabs(sum_mu)) break;
  }
  return {z - 0.5 * std::log(kTwoPi * z) + std::log(sum), 8.0 * v * sum_mu / sum,
          1.0 - 0.5 / z + sum_z / sum};
}

LogBessel log_bessel_series(double v, double z) {
  constexpr double kNegligible = 1e-19;
  const double square = 0.25 * z * z;
  const auto digamma = [](double x) { return boost::math::digamma(x, kPolicy); };
  const double first = v == -1.0 ? 1.0 : 0.0;  // 1/Gamma(0) = 0
  const double peak = std::fmax(first, std::floor(0.5 * (z * z / (std::sqrt(v * v + z * z) + v))));
  const double digamma_at_peak = digamma(v + peak + 1.0);
  double sum = 1.0, sum_k = 0.0, sum_digamma = 0.0;  // relative to the term, k and digamma at the peak
  double term = 1.0, digamma_rest = 0.0;
  for (double k = peak + 1.0; term > kNegligible * sum; ++k) {
    term *= square / (k * (v + k));
    digamma_rest += 1.0 / (v + k);
    sum += term;
    sum_k += term * (k - peak);
    sum_digamma += term * digamma_rest;
  }
  term = 1.0;
  digamma_rest = 0.0;
  for (double k = peak; k > first && term > kNegligible * sum; --k) {
    term *= k * (v + k) / square;
    digamma_rest -= 1.0 / (v + k);
    sum += term;
    sum_k += term * (k - 1.0 - peak);
    sum_digamma += term * digamma_rest;
  }
  const double log_half = std::log(0.5 * z);
  const double log_peak = (v + 2.0 * peak) * log_half - log_gamma(peak + 1.0) - log_gamma(v + peak + 1.0);
  return {log_peak + std::log(sum), log_half - digamma_at_peak - sum_digamma / sum,
          (v + 2.0 * (peak + sum_k / sum)) / z};
}

LogBessel log_bessel(double v, double z) {
  if (!(v >= -1.0 && z >= 0.0) || v == fast::kInfinity) return {fast::kNaN, fast::kNaN, fast::kNaN};
  if (z == 0.0) {
    if (v == 0.0) return {0.0, -fast::kInfinity, 0.0};
    const double value = v < 0.0 && v > -1.0 ? fast::kInfinity : -fast::kInfinity;
    return {value, -fast::kInfinity, v > 0.0 || v == -1.0 ? fast::kInfinity : -fast::kInfinity};
  }
  if (z == fast::kInfinity) return {fast::kInfinity, 0.0, 1.0};
  return z > 100.0 && z > 4.0 * v * v ? log_bessel_large(v, z) : log_bessel_series(v, z);
}

}  // namespace

struct BesselFirstKind {
  static double value(double n, double z) { return bessel_j(n, z); }
  static void partials(double n, double z, double, double* d) {
    d[0] = 0.0;
    d[1] = 0.5 * (bessel_j(n - 1.0, z) - bessel_j(n + 1.0, z));
  }
};
KULLBACK_KERNELS(BesselFirstKind)

struct BesselSecondKind {
  static double value(double n, double z) { return bessel_y(n, z); }
  static void partials(double n, double z, double, double* d) {
    d[0] = 0.0;
    d[1] = 0.5 * (bessel_y(n - 1.0, z) - bessel_y(n + 1.0, z));
  }
};
KULLBACK_KERNELS(BesselSecondKind)

struct ModifiedBesselFirstKind {
  static double value(double n, double z) { return bessel_i(n, z); }
  static void partials(double n, double z, double, double* d) {
    d[0] = 0.0;
    d[1] = 0.5 * (bessel_i(n - 1.0, z) + bessel_i(n + 1.0, z));
  }
};
KULLBACK_KERNELS(ModifiedBesselFirstKind)

struct ModifiedBesselSecondKind {
  static double value(double n, double z) { return bessel_k(n, z); }
  static void partials(double n, double z, double, double* d) {
    d[0] = 0.0;
    d[1] = -0.5 * (bessel_k(n - 1.0, z) + bessel_k(n + 1.0, z));
  }
};
KULLBACK_KERNELS(ModifiedBesselSecondKind)

struct LogModifiedBesselFirstKind {
  static double value(double v, double z) { return log_bessel(v, z).value; }
  static void partials(double v, double z, double, double* d) {
    const LogBessel all = log_bessel(v, z);
    d[0] = all.dv;
    d[1] = all.dz;
  }
};
KULLBACK_KERNELS(LogModifiedBesselFirstKind)

struct LambertW0 {
  static double value(double x) {
    if (x == fast::kInfinity) return x;
    return x >= -0.36787944117144233402 ? boost::math::lambert_w0(x, kPolicy) : fast::kNaN;
  }
  static void partials(double, double value, double* d) { d[0] = std::exp(-value) / (1.0 + value); }
};
KULLBACK_KERNELS(LambertW0)

struct LambertWm1 {
  static double value(double x) {
    if (x == 0.0) return -fast::kInfinity;
    return x >= -0.36787944117144233402 && x < 0.0 ? boost::math::lambert_wm1(x, kPolicy) : fast::kNaN;
  }
  static void partials(double, double value, double* d) { d[0] = std::exp(-value) / (1.0 + value); }
};
KULLBACK_KERNELS(LambertWm1)

}  // namespace kullback::math::functions
