// Branch-free exp, log and their relatives, for loops that the compiler vectorises (see instruction_set.hpp).
// Within 1 ulp (exp, log, log1p) or 2 ulp (the others) of the true value over the whole range; infinities,
// NaN, denormal arguments and results, overflow and underflow are right. log(-0) is -inf; signs of zero
// results are kept by expm1 and tanh only.
#pragma once

#include <cstdint>
#include <limits>

#include "math/instruction_set.hpp"

namespace kullback::math::fast {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

namespace detail {

inline constexpr double kLog2E = 1.44269504088896340736;
// ln 2 in two parts; the first has 32 significant bits, so that its product with an exponent is exact.
inline constexpr double kLn2High = 6.93147180369123816490e-01;
inline constexpr double kLn2Low = 1.90821492927058770002e-10;
// Adding 1.5 * 2^52 rounds to an integer, which is then in the low bits of the sum.
inline constexpr double kRounder = 6755399441055744.0;
inline constexpr std::uint64_t kOneBits = 0x3ff0000000000000ULL;

KULLBACK_INLINE std::uint64_t bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
KULLBACK_INLINE double from_bits(std::uint64_t x) { return __builtin_bit_cast(double, x); }

// 2^n where the low bits of `rounded` are those of n + kRounder, -1022 <= n <= 1023.
KULLBACK_INLINE double power_of_two(double rounded) { return from_bits((bits(rounded) << 52) + kOneBits); }

// (e^r - 1 - r) / r^2 on |r| <= ln(2)/2: interpolation at Chebyshev points, relative error of e^r 4e-19.
KULLBACK_INLINE double exp_tail(double r) {
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double p01 = 0x1.0000000000000p-1 + r * 0x1.5555555555557p-3;
  const double p23 = 0x1.5555555555556p-5 + r * 0x1.11111111100dfp-7;
  const double p45 = 0x1.6c16c16c162d6p-10 + r * 0x1.a01a01abe6327p-13;
  const double p67 = 0x1.a01a01a6d7833p-16 + r * 0x1.71de0237479e4p-19;
  const double p89 = 0x1.27e4db67abc75p-22 + r * 0x1.af4ddda32bea9p-26;
  const double p03 = p01 + r2 * p23;
  const double p47 = p45 + r2 * p67;
  const double p8a = p89 + r2 * 0x1.1f72fc848c527p-29;
  return p03 + r4 * (p47 + r4 * p8a);
}

// log(1 + f) - f + f^2/2 - s * f^2/2 over s, with s = f / (2 + f), z = s^2, sqrt(1/2) <= 1 + f < sqrt(2): the
// minimax polynomial of fdlibm's log (Sun Microsystems 1993), error 2^-58.
KULLBACK_INLINE double log_tail(double z) {
  const double w = z * z;
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  return even + odd;
}

// A positive normal x as 2^exponent * (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
struct Split {
  double exponent;
  double f;
  double inverse_power;  // 2^-exponent, or 0 where that is denormal
};
KULLBACK_INLINE Split split(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000ULL;
  constexpr std::uint64_t kExponentMask = 0xfff0000000000000ULL;
  const std::uint64_t shifted = bits(x) + (kOneBits - kRootHalf);
  const double mantissa = from_bits((shifted & ~kExponentMask) + kRootHalf);
  const double exponent = from_bits((shifted >> 52) | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
  const double inverse_power = from_bits(2 * kOneBits - (shifted & kExponentMask));
  return {exponent, mantissa - 1.0, inverse_power};
}

// exponent * ln 2 + log(1 + f) + correction.
KULLBACK_INLINE double combine(double exponent, double f, double correction) {
  const double s = f / (2.0 + f);
  const double half_square = 0.5 * f * f;
  const double tail = log_tail(s * s);
  return exponent * kLn2High -
         ((half_square - (s * (half_square + tail) + (exponent * kLn2Low + correction))) - f);
}

}  // namespace detail

KULLBACK_INLINE double abs(double x) { return __builtin_fabs(x); }
KULLBACK_INLINE double copysign(double magnitude, double sign) { return __builtin_copysign(magnitude, sign); }
// As std::fmax without a call, where the second is not NaN: a NaN in x is kept.
KULLBACK_INLINE double at_least(double x, double low) { return x < low ? low : x; }
KULLBACK_INLINE double at_most(double x, double high) { return x > high ? high : x; }
KULLBACK_INLINE double sqrt(double x) { return __builtin_sqrt(x); }

// e^x = 2^n e^r, n = round(x / ln 2). 2^n is applied in two halves, for denormal and for overflowing results.
KULLBACK_INLINE double exp(double x) {
  using namespace detail;
  const double y = at_most(at_least(x, -760.0), 720.0);
  const double rounded = y * kLog2E + kRounder;
  const double n = rounded - kRounder;
  const double r = (y - n * kLn2High) - n * kLn2Low;
  const double p = 1.0 + (r + r * r * exp_tail(r));
  const double half = 0.5 * n + kRounder;
  const double rest = (n - (half - kRounder)) + kRounder;
  return p * power_of_two(half) * power_of_two(rest);
}

// exp for -708 <= x <= 709 only, a little cheaper; anything for other arguments.
KULLBACK_INLINE double exp_bounded(double x) {
  using namespace detail;
  const double rounded = x * kLog2E + kRounder;
  const double n = rounded - kRounder;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  return (1.0 + (r + r * r * exp_tail(r))) * power_of_two(rounded);
}

// e^x - 1 = 2 ((2^(n-1) - 1/2) + 2^(n-1) (e^r - 1)); r is kept in two parts, for n = 1 magnifies its error.
KULLBACK_INLINE double expm1(double x) {
  using namespace detail;
  const double y = at_most(at_least(x, -80.0), 710.0);
  const double rounded = y * kLog2E + kRounder;
  const double n = rounded - kRounder;
  const double high = y - n * kLn2High;
  const double low = n * kLn2Low;
  const double r = high - low;
  const double error = (high - r) - low;
  const double p = r + (r * r * exp_tail(r) + (error + error * r));
  const double scale = power_of_two(rounded - 1.0);
  const double result = 2.0 * ((scale - 0.5) + scale * p);
  return abs(x) < 0x1p-54 ? x : result;
}

KULLBACK_INLINE double log(double x) {
  using namespace detail;
  const bool is_denormal = x < 0x1p-1022;
  const double scaled = is_denormal ? x * 0x1p54 : x;
  const Split parts = split(scaled);
  const double exponent = is_denormal ? parts.exponent - 54.0 : parts.exponent;
  double result = combine(exponent, parts.f, 0.0);
  result = x < kInfinity ? result : x;  // infinity and NaN
  result = x > 0.0 ? result : (x == 0.0 ? -kInfinity : kNaN);
  return x == x ? result : x;
}

// u = 1 + x rounded; what was lost, over u, is the first-order correction, of which four bits are enough:
// 1 / (1 + f) is near 1 - f + 0.8 f^2.
KULLBACK_INLINE double log1p(double x) {
  using namespace detail;
  const double u = 1.0 + x;
  const Split parts = split(u);
  const bool is_near_one = parts.exponent == 0.0;
  const double lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
  const double inverse = parts.inverse_power * (1.0 - parts.f * (1.0 - 0.8 * parts.f));
  const double f = is_near_one ? x : parts.f;
  const double correction = is_near_one || x > 0x1p60 ? 0.0 : lost * inverse;
  double result = combine(parts.exponent, f, correction);
  result = x < kInfinity ? result : x;
  result = x > -1.0 ? result : (x == -1.0 ? -kInfinity : kNaN);
  return x == x ? result : x;
}

// log(1 + e) for 0 <= e <= 1 (and NaN): as combine, with one longer polynomial instead of a reduction; s <=
// 1/3, interpolation at Chebyshev points, relative error 2e-18.
KULLBACK_INLINE double log1p_unit(double e) {
  const double s = e / (2.0 + e);
  const double half_square = 0.5 * e * e;
  const double z = s * s;
  const double w = z * z;
  const double w2 = w * w;
  const double p01 = 0x1.5555555555555p-1 + z * 0x1.9999999999944p-2;
  const double p23 = 0x1.2492492499d46p-2 + z * 0x1.c71c71bedea90p-3;
  const double p45 = 0x1.745d19937b3a3p-3 + z * 0x1.3b13515f6be48p-3;
  const double p67 = 0x1.111abdc8fd680p-3 + z * 0x1.e0a2d57915e51p-4;
  const double p89 = 0x1.bc37f059b39e7p-4 + z * 0x1.32e0d124b8113p-4;
  const double p8a = p89 + w * 0x1.401d3f8db4758p-3;
  const double tail = z * ((p01 + w * p23) + w2 * ((p45 + w * p67) + w2 * p8a));
  return e - (half_square - s * (half_square + tail));
}

KULLBACK_INLINE double log1m(double x) { return log1p(-x); }

// 1 / (1 + e^-x), from e^-|x| so that small probabilities keep their accuracy.
KULLBACK_INLINE double inv_logit(double x) {
  const double e = exp(-abs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|).
KULLBACK_INLINE double log1p_exp(double x) { return at_least(x, 0.0) + log1p_unit(exp(-abs(x))); }

KULLBACK_INLINE double log_inv_logit(double x) { return -log1p_exp(-x); }
KULLBACK_INLINE double log1m_inv_logit(double x) { return -log1p_exp(x); }

// log(1 - e^x), x <= 0; NaN for x > 0. The logarithm of -expm1(x) for x > -log 2, else log1p(-e^x), in one
// evaluation.
KULLBACK_INLINE double log1m_exp(double x) {
  using namespace detail;
  const bool is_near = x > -0.69314718055994530942;
  const double e = exp(x);
  const double u = is_near ? -expm1(x) : 1.0 - e;
  const bool is_denormal = u < 0x1p-1022;
  const Split parts = split(is_denormal ? u * 0x1p54 : u);
  const double exponent = is_denormal ? parts.exponent - 54.0 : parts.exponent;
  const bool is_near_one = exponent == 0.0;  // only far away
  const double lost = (1.0 - u) - e;
  const double inverse = parts.inverse_power * (1.0 - parts.f * (1.0 - 0.8 * parts.f));
  const double correction = is_near || is_near_one ? 0.0 : lost * inverse;
  const double result = combine(exponent, is_near_one ? -e : parts.f, correction);
  return x < 0.0 ? result : (x == 0.0 ? -kInfinity : kNaN);
}

// log(e^a + e^b). Equal arguments are a case of their own because of infinities.
KULLBACK_INLINE double log_sum_exp(double a, double b) {
  const double difference = a == b ? 0.0 : -abs(a - b);
  return (a > b ? a : b) + log1p_unit(exp(difference));
}

// (e^2x - 1) / (e^2x + 1) from expm1, which keeps small values.
KULLBACK_INLINE double tanh(double x) {
  const double t = expm1(at_most(2.0 * abs(x), 44.0));
  const double result = copysign(t / (t + 2.0), x);
  return abs(x) < 0x1p-28 ? x : result;
}

}  // namespace kullback::math::fast
