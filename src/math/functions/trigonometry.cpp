// Circular and hyperbolic functions and their inverses.
//
// Derivatives of the inverses: acos' = -1/sqrt(1 - x^2), with 1 - x^2 as (1 - x)(1 + x) near the ends; acosh'
// = 1/sqrt(x^2 - 1); asinh' = 1/sqrt(1 + x^2), by hypot, which does not overflow; atan' likewise; tanh' =
// sech^2 by 4 e/(1 + e)^2 with e = exp(-2 |x|), where 1 - tanh^2 would be 0.
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

struct Sin {
  static double value(double x) { return std::sin(x); }
  static void partials(double x, double, double* d) { d[0] = std::cos(x); }
};
KULLBACK_KERNELS(Sin)

struct Cos {
  static double value(double x) { return std::cos(x); }
  static void partials(double x, double, double* d) { d[0] = -std::sin(x); }
};
KULLBACK_KERNELS(Cos)

struct Tan {
  static double value(double x) { return std::tan(x); }
  static void partials(double, double value, double* d) { d[0] = 1.0 + value * value; }
};
KULLBACK_KERNELS(Tan)

struct Asin {
  static double value(double x) { return std::asin(x); }
  static void partials(double x, double, double* d) { d[0] = 1.0 / std::sqrt((1.0 - x) * (1.0 + x)); }
};
KULLBACK_KERNELS(Asin)

struct Acos {
  static double value(double x) { return std::acos(x); }
  static void partials(double x, double, double* d) { d[0] = -1.0 / std::sqrt((1.0 - x) * (1.0 + x)); }
};
KULLBACK_KERNELS(Acos)

struct Atan {
  static double value(double x) { return std::atan(x); }
  static void partials(double x, double, double* d) { d[0] = 1.0 / (1.0 + x * x); }
};
KULLBACK_KERNELS(Atan)

struct Atan2 {
  static double value(double y, double x) { return std::atan2(y, x); }
  static void partials(double y, double x, double, double* d) {
    const double r = std::hypot(x, y);
    d[0] = x / r / r;
    d[1] = -y / r / r;
  }
};
KULLBACK_KERNELS(Atan2)

struct Sinh {
  static double value(double x) { return std::sinh(x); }
  static void partials(double x, double, double* d) { d[0] = std::cosh(x); }
};
KULLBACK_KERNELS(Sinh)

struct Cosh {
  static double value(double x) { return std::cosh(x); }
  static void partials(double x, double, double* d) { d[0] = std::sinh(x); }
};
KULLBACK_KERNELS(Cosh)

struct Tanh {
  static constexpr bool kVectorized = true;
  KULLBACK_INLINE static double value(double x) { return fast::tanh(x); }
  KULLBACK_INLINE static void partials(double x, double, double* d) {
    const double e = fast::exp(-2.0 * fast::abs(x));
    d[0] = 4.0 * e / ((1.0 + e) * (1.0 + e));
  }
};
KULLBACK_KERNELS(Tanh)

struct Asinh {
  static double value(double x) { return std::asinh(x); }
  static void partials(double x, double, double* d) { d[0] = 1.0 / std::hypot(1.0, x); }
};
KULLBACK_KERNELS(Asinh)

struct Acosh {
  static double value(double x) { return std::acosh(x); }
  static void partials(double x, double, double* d) {
    d[0] = 1.0 / (std::sqrt(x - 1.0) * std::sqrt(x + 1.0));
  }
};
KULLBACK_KERNELS(Acosh)

struct Atanh {
  static double value(double x) { return std::atanh(x); }
  static void partials(double x, double, double* d) { d[0] = 1.0 / ((1.0 - x) * (1.0 + x)); }
};
KULLBACK_KERNELS(Atanh)

}  // namespace kullback::math::functions
