// Arithmetic, integer parts, extrema and comparisons.
//
// Derivatives of piecewise constant functions are 0. At a kink Stan's choice is kept: abs'(0) = 0; of two
// equal arguments of fmax and fmin the second is taken; fmax and fmin ignore one NaN. fmod(x, y) = x -
// trunc(x / y) y.
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

struct Plus {
  KULLBACK_INLINE static double value(double x) { return x; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = 1.0; }
};
KULLBACK_KERNELS(Plus)

struct Minus {
  static constexpr bool kVectorized = true;
  static constexpr bool kFromValue = true;
  KULLBACK_INLINE static double value(double x) { return -x; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = -1.0; }
};
KULLBACK_KERNELS(Minus)

struct Add {
  static constexpr bool kVectorized = true;
  static constexpr bool kFromValue = true;
  static constexpr bool kSeparable = true;
  KULLBACK_INLINE static double value(double x, double y) { return x + y; }
  KULLBACK_INLINE static void partials(double, double, double, double* d) { d[0] = d[1] = 1.0; }
};
KULLBACK_KERNELS(Add)

struct Subtract {
  static constexpr bool kVectorized = true;
  static constexpr bool kFromValue = true;
  static constexpr bool kSeparable = true;
  KULLBACK_INLINE static double value(double x, double y) { return x - y; }
  KULLBACK_INLINE static void partials(double, double, double, double* d) {
    d[0] = 1.0;
    d[1] = -1.0;
  }
};
KULLBACK_KERNELS(Subtract)

struct Multiply {
  static constexpr bool kVectorized = true;
  static constexpr bool kSeparable = true;
  KULLBACK_INLINE static double value(double x, double y) { return x * y; }
  KULLBACK_INLINE static void partials(double x, double y, double, double* d) {
    d[0] = y;
    d[1] = x;
  }
};
KULLBACK_KERNELS(Multiply)

struct Divide {
  static constexpr bool kVectorized = true;
  static constexpr bool kSeparable = true;
  KULLBACK_INLINE static double value(double x, double y) { return x / y; }
  KULLBACK_INLINE static void partials(double, double y, double value, double* d) {
    d[0] = 1.0 / y;
    d[1] = -value / y;
  }
};
KULLBACK_KERNELS(Divide)

struct Fma {
  static constexpr bool kVectorized = true;
  static constexpr bool kSeparable = true;
  // Rounded twice where the instruction set has no fused operation: calling libm for it would cost more than
  // it gives.
  KULLBACK_INLINE static double value(double x, double y, double z) { return x * y + z; }
  KULLBACK_INLINE static void partials(double x, double y, double, double, double* d) {
    d[0] = y;
    d[1] = x;
    d[2] = 1.0;
  }
};
KULLBACK_KERNELS(Fma)

struct SquaredDistance {
  KULLBACK_INLINE static double value(double x, double y) { return (x - y) * (x - y); }
  KULLBACK_INLINE static void partials(double x, double y, double, double* d) {
    d[0] = 2.0 * (x - y);
    d[1] = -d[0];
  }
};
KULLBACK_KERNELS(SquaredDistance)

struct Abs {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::abs(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) {
    d[0] = x == 0.0 ? 0.0 : fast::copysign(1.0, x);
  }
};
KULLBACK_KERNELS(Abs)

struct Ceil {
  static double value(double x) { return std::ceil(x); }
  static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(Ceil)

struct Floor {
  static double value(double x) { return std::floor(x); }
  static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(Floor)

struct Round {
  static double value(double x) { return std::round(x); }
  static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(Round)

struct Trunc {
  static double value(double x) { return std::trunc(x); }
  static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(Trunc)

struct Fmod {
  static double value(double x, double y) { return std::fmod(x, y); }
  static void partials(double x, double y, double, double* d) {
    d[0] = 1.0;
    d[1] = -std::trunc(x / y);
  }
};
KULLBACK_KERNELS(Fmod)

struct Fdim {
  KULLBACK_INLINE static double value(double x, double y) { return x <= y ? 0.0 : x - y; }
  KULLBACK_INLINE static void partials(double x, double y, double, double* d) {
    d[0] = x > y ? 1.0 : 0.0;
    d[1] = -d[0];
  }
};
KULLBACK_KERNELS(Fdim)

struct Fmax {
  KULLBACK_INLINE static bool takes_first(double x, double y) { return x > y || y != y; }
  KULLBACK_INLINE static double value(double x, double y) { return takes_first(x, y) ? x : y; }
  KULLBACK_INLINE static void partials(double x, double y, double, double* d) {
    d[0] = takes_first(x, y) ? 1.0 : 0.0;
    d[1] = 1.0 - d[0];
  }
};
KULLBACK_KERNELS(Fmax)

struct Fmin {
  KULLBACK_INLINE static bool takes_first(double x, double y) { return x < y || y != y; }
  KULLBACK_INLINE static double value(double x, double y) { return takes_first(x, y) ? x : y; }
  KULLBACK_INLINE static void partials(double x, double y, double, double* d) {
    d[0] = takes_first(x, y) ? 1.0 : 0.0;
    d[1] = 1.0 - d[0];
  }
};
KULLBACK_KERNELS(Fmin)

// 1 for x >= 0 (and NaN); int_step is 1 for x > 0.
struct Step {
  KULLBACK_INLINE static double value(double x) { return x < 0.0 ? 0.0 : 1.0; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(Step)

struct IntStep {
  KULLBACK_INLINE static double value(double x) { return x > 0.0 ? 1.0 : 0.0; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(IntStep)

struct IsNan {
  KULLBACK_INLINE static double value(double x) { return x != x ? 1.0 : 0.0; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(IsNan)

struct IsInf {
  KULLBACK_INLINE static double value(double x) { return fast::abs(x) == fast::kInfinity ? 1.0 : 0.0; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(IsInf)

struct LogicalNegation {
  KULLBACK_INLINE static double value(double x) { return x == 0.0 ? 1.0 : 0.0; }
  KULLBACK_INLINE static void partials(double, double, double* d) { d[0] = 0.0; }
};
KULLBACK_KERNELS(LogicalNegation)

#define KULLBACK_COMPARISON(Functor, condition)                                                    \
  struct Functor {                                                                                 \
    KULLBACK_INLINE static double value(double x, double y) { return (condition) ? 1.0 : 0.0; }    \
    KULLBACK_INLINE static void partials(double, double, double, double* d) { d[0] = d[1] = 0.0; } \
  };                                                                                               \
  KULLBACK_KERNELS(Functor)

KULLBACK_COMPARISON(LogicalEq, x == y)
KULLBACK_COMPARISON(LogicalNeq, x != y)
KULLBACK_COMPARISON(LogicalLt, x < y)
KULLBACK_COMPARISON(LogicalLte, x <= y)
KULLBACK_COMPARISON(LogicalGt, x > y)
KULLBACK_COMPARISON(LogicalGte, x >= y)

}  // namespace kullback::math::functions
