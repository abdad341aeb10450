// The error function, the standard normal distribution function Phi, their inverses, and Owen's T.
//
//   Phi(x) = erfc(-x / sqrt 2) / 2,  Phi'(x) = exp(-x^2 / 2) / sqrt(2 pi)
//   inv_Phi(p) = -sqrt 2 erfc^-1(2 p), derivative 1 / Phi'(inv_Phi(p))
//   std_normal_log_qf(l) = inv_Phi(e^l): near the median by erf^-1(expm1(l + log 2)), for l near 0 by the
//   upper tail
//     -expm1(l); below l = -690, where e^l
//   runs out
//     of digits, by Newton's method on log Phi(x) = -x^2/2 - log(sqrt(2 pi)) + log M(x), M(x) = Phi(x) /
//     Phi'(x) the Mills ratio 1/(-x + 1/(-x + 2/(-x + ...))). Derivative e^l / Phi'(x).
//   T(h, a) = 1/(2 pi) int_0^a exp(-h^2 (1 + t^2) / 2) / (1 + t^2) dt
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/functions/boost_policy.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

namespace {

constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kInvSqrt2 = 0.707106781186547524401;
constexpr double kInvSqrt2Low = -4.83364665672645672553e-17;  // 1/sqrt(2) - kInvSqrt2
constexpr double kLn2 = 0.693147180559945309417;
constexpr double kLn2Low = 2.31904681384629955842e-17;  // log 2 - kLn2
constexpr double kTwoOverSqrtPi = 1.12837916709551257390;
constexpr double kInvSqrtTwoPi = 0.398942280401432677940;
constexpr double kLogSqrtTwoPi = 0.918938533204672741780;
constexpr double kInvTwoPi = 0.159154943091895335769;

double density(double x) { return kInvSqrtTwoPi * std::exp(-0.5 * x * x); }

// Phi, with what the rounding of x / sqrt 2 would cost in the tail put back to first order.
double normal_cdf(double x) {
  const double z = -x * kInvSqrt2;
  const double lost = std::fma(-x, kInvSqrt2, -z) - x * kInvSqrt2Low;
  const double tail = std::erfc(z);
  return z > 0.5 && z < 27.0 ? 0.5 * (tail - kTwoOverSqrtPi * std::exp(-z * z) * lost) : 0.5 * tail;
}

// erfc^-1, from the nearer end; exact at the ends.
double inverse_erfc(double p) {
  if (!(p >= 0.0 && p <= 2.0)) return fast::kNaN;
  if (p == 0.0) return fast::kInfinity;
  if (p == 2.0) return -fast::kInfinity;
  return boost::math::erfc_inv(p, kPolicy);
}

double normal_quantile(double p) { return -kSqrt2 * inverse_erfc(2.0 * p); }

// Phi(x) / Phi'(x) for x < -30.
double mills_ratio(double x) {
  double fraction = -x;
  for (int k = 12; k >= 1; --k) fraction = -x + k / fraction;
  return 1.0 / fraction;
}

double log_normal_quantile(double l) {
  if (!(l <= 0.0)) return fast::kNaN;
  if (l > -0.9 && l < -0.5) {  // near the median: 2 e^l - 1 without cancellation
    return kSqrt2 * boost::math::erf_inv(std::expm1((l + kLn2) + kLn2Low), kPolicy);
  }
  if (l > -0.9) return kSqrt2 * inverse_erfc(-2.0 * std::expm1(l));
  if (l > -690.0) return normal_quantile(std::exp(l));
  if (std::isinf(l)) return -fast::kInfinity;
  double x = -std::sqrt(-2.0 * l);
  for (int i = 0; i < 4; ++i) {
    const double mills = mills_ratio(x);
    x -= (std::log(mills) - kLogSqrtTwoPi - 0.5 * x * x - l) * mills;
  }
  return x;
}

}  // namespace

struct Erf {
  static double value(double x) { return std::erf(x); }
  static void partials(double x, double, double* d) { d[0] = kTwoOverSqrtPi * std::exp(-x * x); }
};
KULLBACK_KERNELS(Erf)

struct Erfc {
  static double value(double x) { return std::erfc(x); }
  static void partials(double x, double, double* d) { d[0] = -kTwoOverSqrtPi * std::exp(-x * x); }
};
KULLBACK_KERNELS(Erfc)

struct InvErfc {
  static double value(double p) { return inverse_erfc(p); }
  static void partials(double, double value, double* d) { d[0] = -std::exp(value * value) / kTwoOverSqrtPi; }
};
KULLBACK_KERNELS(InvErfc)

struct Phi {
  static double value(double x) { return normal_cdf(x); }
  static void partials(double x, double, double* d) { d[0] = density(x); }
};
KULLBACK_KERNELS(Phi)

struct InvPhi {
  static double value(double p) { return normal_quantile(p); }
  static void partials(double, double value, double* d) {
    d[0] = std::exp(0.5 * value * value) / kInvSqrtTwoPi;
  }
};
KULLBACK_KERNELS(InvPhi)

struct StdNormalLogQf {
  static double value(double l) { return log_normal_quantile(l); }
  static void partials(double l, double value, double* d) {
    d[0] = value < -35.0 ? mills_ratio(value) : std::exp(l + 0.5 * value * value) / kInvSqrtTwoPi;
  }
};
KULLBACK_KERNELS(StdNormalLogQf)

struct OwensT {
  static double value(double h, double a) {
    return std::isnan(h) || std::isnan(a) ? fast::kNaN : boost::math::owens_t(h, a, kPolicy);
  }
  static void partials(double h, double a, double, double* d) {
    d[0] = -0.5 * std::erf(a * h * kInvSqrt2) * density(h);
    d[1] = kInvTwoPi * std::exp(-0.5 * h * h * (1.0 + a * a)) / (1.0 + a * a);
  }
};
KULLBACK_KERNELS(OwensT)

}  // namespace kullback::math::functions
