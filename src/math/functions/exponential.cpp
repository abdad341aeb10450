// Exponentials, logarithms, powers and roots.
//
// d pow(x, y) = y x^(y-1) dx + x^y log(x) dy, taken from the value as y v / x and v log(x). As in Stan, both
// are 0 at x = 0 (but the first is 1 for y = 1), and sqrt'(0) = 0, so that a variance of exactly 0 does not
// make NaNs; exponents 2, -1, 0.5, ... are computed without pow. lmultiply(0, 0) = 0.
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

namespace {
constexpr double kLn2 = 0.693147180559945309417;
constexpr double kLn10 = 2.30258509299404568402;
}  // namespace

struct Exp {
  static constexpr bool kVectorized = true;
  static constexpr bool kFromValue = true;
  KULLBACK_INLINE static double value(double x) { return fast::exp(x); }
  KULLBACK_INLINE static void partials(double, double value, double* d) { d[0] = value; }
};
KULLBACK_KERNELS(Exp)

struct Exp2 {
  static double value(double x) { return std::exp2(x); }
  static void partials(double, double value, double* d) { d[0] = value * kLn2; }
};
KULLBACK_KERNELS(Exp2)

struct Expm1 {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::expm1(x); }
  KULLBACK_INLINE static void partials(double x, double value, double* d) {
    d[0] = x > -1.0 ? value + 1.0 : fast::exp(x);
  }
};
KULLBACK_KERNELS(Expm1)

struct Log {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = 1.0 / x; }
};
KULLBACK_KERNELS(Log)

struct Log10 {
  static double value(double x) { return std::log10(x); }
  static void partials(double x, double, double* d) { d[0] = 1.0 / (x * kLn10); }
};
KULLBACK_KERNELS(Log10)

struct Log2 {
  static double value(double x) { return std::log2(x); }
  static void partials(double x, double, double* d) { d[0] = 1.0 / (x * kLn2); }
};
KULLBACK_KERNELS(Log2)

struct Log1p {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log1p(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = 1.0 / (1.0 + x); }
};
KULLBACK_KERNELS(Log1p)

struct Log1m {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::log1m(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = 1.0 / (x - 1.0); }
};
KULLBACK_KERNELS(Log1m)

struct Square {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return x * x; }
  KULLBACK_INLINE static void partials(double x, double, double* d) { d[0] = 2.0 * x; }
};
KULLBACK_KERNELS(Square)

struct Sqrt {
  static constexpr bool kVectorized = true;
  static constexpr bool kFromValue = true;
  KULLBACK_INLINE static double value(double x) { return fast::sqrt(x); }
  KULLBACK_INLINE static void partials(double, double value, double* d) {
    d[0] = value == 0.0 ? 0.0 : 0.5 / value;
  }
};
KULLBACK_KERNELS(Sqrt)

struct Cbrt {
  static double value(double x) { return std::cbrt(x); }
  static void partials(double, double value, double* d) { d[0] = 1.0 / (3.0 * value * value); }
};
KULLBACK_KERNELS(Cbrt)

struct Inv {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return 1.0 / x; }
  KULLBACK_INLINE static void partials(double, double value, double* d) { d[0] = -value * value; }
};
KULLBACK_KERNELS(Inv)

struct InvSqrt {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return 1.0 / fast::sqrt(x); }
  KULLBACK_INLINE static void partials(double x, double value, double* d) { d[0] = -0.5 * value / x; }
};
KULLBACK_KERNELS(InvSqrt)

struct InvSquare {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return 1.0 / (x * x); }
  KULLBACK_INLINE static void partials(double x, double value, double* d) { d[0] = -2.0 * value / x; }
};
KULLBACK_KERNELS(InvSquare)

struct Pow {
  static double value(double x, double y) {
    if (y == 2.0) return x * x;
    if (y == 1.0) return x;
    if (y == 3.0) return x * x * x;
    if (y == 0.5) return std::sqrt(x);
    if (y == -1.0) return 1.0 / x;
    if (y == -0.5) return 1.0 / std::sqrt(x);
    if (y == -2.0) return 1.0 / (x * x);
    return std::pow(x, y);
  }
  static void partials(double x, double y, double value, double* d, unsigned wanted) {
    if (x == 0.0) {
      d[0] = y == 1.0 ? 1.0 : 0.0;
      d[1] = 0.0;
      return;
    }
    d[0] = y == 2.0 ? 2.0 * x : y * value / x;
    d[1] = (wanted & 2U) != 0 ? value * std::log(x) : 0.0;
  }
};
KULLBACK_KERNELS(Pow)

struct Hypot {
  static double value(double x, double y) { return std::hypot(x, y); }
  static void partials(double x, double y, double value, double* d) {
    d[0] = x / value;
    d[1] = y / value;
  }
};
KULLBACK_KERNELS(Hypot)

struct Ldexp {
  static double power(double n) { return std::exp2(n); }
  static double value(double x, double n) {
    return n > -3000.0 && n < 3000.0 ? std::ldexp(x, static_cast<int>(n)) : x * power(n);
  }
  static void partials(double, double n, double, double* d) {
    d[0] = power(n);
    d[1] = 0.0;
  }
};
KULLBACK_KERNELS(Ldexp)

struct Lmultiply {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x, double y) {
    const double product = x * fast::log(y);
    return x == 0.0 && y == 0.0 ? 0.0 : product;
  }
  KULLBACK_INLINE static void partials(double x, double y, double, double* d) {
    d[0] = fast::log(y);
    d[1] = x / y;
  }
};
KULLBACK_KERNELS(Lmultiply)

// (1 - z)^-a
struct Hypergeometric1F0 {
  static double value(double a, double z) {
    return std::fabs(z) < 1.0 ? std::exp(-a * std::log1p(-z)) : fast::kNaN;
  }
  static void partials(double a, double z, double value, double* d) {
    d[0] = -value * std::log1p(-z);
    d[1] = a * value / (1.0 - z);
  }
};
KULLBACK_KERNELS(Hypergeometric1F0)

}  // namespace kullback::math::functions
