// The functions of one and two numbers that packed operations have loops of their own for: value, and partial
// derivatives given operands and result. Arithmetic works on numbers and on vectors of lanes: the compiler
// unrolls such short loops before it could vectorise them. Private to tape/packed.
#pragma once

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

// Vectors are passed to and from functions that are always inlined: no calling convention is involved.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace kullback::tape::micro {

// Arguments by value: a reference to a vector would claim that memory is aligned to its size.
template <class Function>
concept Arithmetic = Function::kArithmetic;

namespace fast = math::fast;

struct Add {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a, T b) {
    return a + b;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T, T, T, T down) {
    return down + up;
  }
  template <class T>
  KULLBACK_INLINE static T pull_second(T up, T, T, T, T down) {
    return down + up;
  }
};
struct Subtract {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a, T b) {
    return a - b;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T, T, T, T down) {
    return down + up;
  }
  template <class T>
  KULLBACK_INLINE static T pull_second(T up, T, T, T, T down) {
    return down - up;
  }
};
struct Multiply {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a, T b) {
    return a * b;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T, T b, T, T down) {
    return down + up * b;
  }
  template <class T>
  KULLBACK_INLINE static T pull_second(T up, T a, T, T, T down) {
    return down + up * a;
  }
};
struct Divide {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a, T b) {
    return a / b;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T, T b, T, T down) {
    return down + up / b;
  }
  template <class T>
  KULLBACK_INLINE static T pull_second(T up, T, T b, T r, T down) {
    return down - up * (r / b);
  }
};
struct LogSumExp2 {
  KULLBACK_INLINE static double value(double a, double b) { return fast::log_sum_exp(a, b); }
};

struct Minus {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a) {
    return -a;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T, T, T down) {
    return down - up;
  }
};
struct Square {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a) {
    return a * a;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T a, T, T down) {
    return down + up * (2 * a);
  }
};
struct Sqrt {
  KULLBACK_INLINE static double value(double a) { return fast::sqrt(a); }
  KULLBACK_INLINE static double first(double, double r) { return 0.5 / r; }
};
struct Inv {
  static constexpr bool kArithmetic = true;
  template <class T>
  KULLBACK_INLINE static T value(T a) {
    return 1 / a;
  }
  template <class T>
  KULLBACK_INLINE static T pull_first(T up, T, T r, T down) {
    return down - up * (r * r);
  }
};
struct Exp {
  KULLBACK_INLINE static double value(double a) { return fast::exp(a); }
  KULLBACK_INLINE static double first(double, double r) { return r; }
};
struct Log {
  KULLBACK_INLINE static double value(double a) { return fast::log(a); }
  KULLBACK_INLINE static double first(double a, double) { return 1 / a; }
};
struct Log1p {
  KULLBACK_INLINE static double value(double a) { return fast::log1p(a); }
  KULLBACK_INLINE static double first(double a, double) { return 1 / (1 + a); }
};
struct Log1m {
  KULLBACK_INLINE static double value(double a) { return fast::log1m(a); }
  KULLBACK_INLINE static double first(double a, double) { return -1 / (1 - a); }
};
struct InvLogit {
  KULLBACK_INLINE static double value(double a) { return fast::inv_logit(a); }
  KULLBACK_INLINE static double first(double, double r) { return r * (1 - r); }
};
struct Log1pExp {
  KULLBACK_INLINE static double value(double a) { return fast::log1p_exp(a); }
  KULLBACK_INLINE static double first(double a, double) { return fast::inv_logit(a); }
};
struct Tanh {
  KULLBACK_INLINE static double value(double a) { return fast::tanh(a); }
  KULLBACK_INLINE static double first(double, double r) { return 1 - r * r; }
};

// -|a| - 2 log(1 + exp(-|a|)); derivative 1 - 2 inv_logit(a).
struct StandardLogistic {
  KULLBACK_INLINE static double value(double a) {
    const double size = fast::abs(a);
    return -size - 2 * fast::log1p_unit(fast::exp(-size));
  }
  KULLBACK_INLINE static double first(double a, double) { return 1 - 2 * fast::inv_logit(a); }
};

}  // namespace kullback::tape::micro
