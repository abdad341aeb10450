// Sums and differences on the log scale, the logistic function and its relatives.
//
//   log_sum_exp(a, b) = max(a, b) + log(1 + e^-|a-b|)          partials inv_logit(a - b), inv_logit(b - a)
//   log_diff_exp(a, b) = a + log(1 - e^(b-a)), a > b           partials -1/(e^(b-a) - 1), -1/(e^(a-b) - 1)
//   log1m_exp(x) = log(-expm1(x)) for x > -log 2, else log1p(-e^x)   (Maechler 2012)
//   log_mix(t, a, b) = log(t e^a + (1 - t) e^b)
//   log_inv_logit_diff(a, b) = log(inv_logit(a) - inv_logit(b))
//                     = log_inv_logit(a) + log1m_exp(b - a) + log1m_inv_logit(b)
//   logit(u) = log(u / (1 - u)); near u = 1/2, where that is near log 1, log1p((2 u - 1) / (1 - u))
// Two arguments of log_sum_exp that are both -inf share its adjoint evenly: with Stan's inv_logit(-inf + inf)
// the gradient of any sum with a forbidden term would be NaN.
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

struct InvLogit {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::inv_logit(x); }
  KULLBACK_INLINE static void partials(double x, double value, double* d) {
    // 1 - value loses its digits for large x, where it is e^-x.
    const double rest = x > 0.0 ? fast::inv_logit(-x) : 1.0 - value;
    d[0] = value * rest;
  }
};
KULLBACK_KERNELS(InvLogit)

struct Logit {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double u) {
    const double far = fast::log(u / (1.0 - u));
    const double near = fast::log1p((2.0 * u - 1.0) / (1.0 - u));
    return u < 0.25 || u > 0.75 ? far : near;
  }
  KULLBACK_INLINE static void partials(double u, double, double* d) { d[0] = 1.0 / (u * (1.0 - u)); }
};
KULLBACK_KERNELS(Logit)

struct Log1pExp {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log1p_exp(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = fast::inv_logit(x); }
};
KULLBACK_KERNELS(Log1pExp)

struct LogInvLogit {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log_inv_logit(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = fast::inv_logit(-x); }
};
KULLBACK_KERNELS(LogInvLogit)

struct Log1mInvLogit {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log1m_inv_logit(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = -fast::inv_logit(x); }
};
KULLBACK_KERNELS(Log1mInvLogit)

struct Log1mExp {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log1m_exp(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = -1.0 / fast::expm1(-x); }
};
KULLBACK_KERNELS(Log1mExp)

struct InvCloglog {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return -fast::expm1(-fast::exp(x)); }
  KULLBACK_INLINE static void partials(double x, double, double* d) {
    const double e = fast::exp(x);
    d[0] = e == fast::kInfinity ? 0.0 : e * fast::exp(-e);
  }
};
KULLBACK_KERNELS(InvCloglog)

// The cubic of Stan's Phi_approx (Bowling et al. 2009).
struct PhiApprox {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::inv_logit(x * (0.07056 * x * x + 1.5976)); }
  KULLBACK_INLINE static void partials(double x, double value, double* d) {
    const double rest = x > 0.0 ? PhiApprox::value(-x) : 1.0 - value;
    const double slope = value * rest;
    d[0] = slope == 0.0 ? 0.0 : slope * (3.0 * 0.07056 * x * x + 1.5976);
  }
};
KULLBACK_KERNELS(PhiApprox)

struct LogSumExp {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double a, double b) { return fast::log_sum_exp(a, b); }
  KULLBACK_INLINE static void partials(double a, double b, double, double* d) {
    const double difference = a == b ? 0.0 : a - b;
    const double e = fast::exp(-fast::abs(difference));
    const double larger = 1.0 / (1.0 + e);
    const double smaller = e * larger;
    d[0] = difference < 0.0 ? smaller : larger;
    d[1] = difference < 0.0 ? larger : smaller;
  }
};
KULLBACK_KERNELS(LogSumExp)

struct LogDiffExp {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double a, double b) {
    const double difference = a + fast::log1m_exp(b - a);
    const double equal = a < fast::kInfinity ? -fast::kInfinity : fast::kNaN;
    return a == b ? equal : (b == -fast::kInfinity ? a : difference);
  }
  KULLBACK_INLINE static void partials(double a, double b, double, double* d) {
    d[0] = -1.0 / fast::expm1(b - a);
    d[1] = -1.0 / fast::expm1(a - b);
  }
};
KULLBACK_KERNELS(LogDiffExp)

struct LogMix {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double t, double a, double b) {
    const double mix = fast::log_sum_exp(fast::log(t) + a, fast::log1m(t) + b);
    return t == 0.0 ? b : (t == 1.0 ? a : mix);
  }
  KULLBACK_INLINE static void partials(double t, double a, double b, double value, double* d) {
    const double first = fast::exp(a - value);
    const double second = fast::exp(b - value);
    d[0] = first - second;
    d[1] = t == 0.0 ? 0.0 : t * first;
    d[2] = t == 1.0 ? 0.0 : (1.0 - t) * second;
  }
};
KULLBACK_KERNELS(LogMix)

struct LogInvLogitDiff {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double a, double b) {
    return fast::log_inv_logit(a) + fast::log1m_exp(b - a) + fast::log1m_inv_logit(b);
  }
  KULLBACK_INLINE static void partials(double a, double b, double, double* d) {
    d[0] = 1.0 / fast::expm1(a - b) + fast::inv_logit(-a);
    d[1] = -1.0 / fast::expm1(a - b) - fast::inv_logit(b);
  }
};
KULLBACK_KERNELS(LogInvLogitDiff)

struct BinaryLogLoss {
  static double value(double y, double p) { return y != 0.0 ? -std::log(p) : -std::log1p(-p); }
  static void partials(double y, double p, double, double* d) {
    d[0] = 0.0;
    d[1] = y != 0.0 ? -1.0 / p : 1.0 / (1.0 - p);
  }
};
KULLBACK_KERNELS(BinaryLogLoss)

}  // namespace kullback::math::functions
