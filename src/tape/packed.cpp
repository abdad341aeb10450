// The loops over packed operations. The lanes are cut into pieces of 8, 4, 2 or 1, for each of which there is
// a loop compiled for every instruction set.
//
// log_sum_exp: m + log(sum exp(x - m)), m the maximum; derivative exp(x - result). Where m is infinite the
// result is m itself; the derivative in operands that are -inf is 0.
#include "tape/packed.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"

namespace kullback::tape {

namespace {

namespace fast = math::fast;
constexpr std::size_t kMaxOperands = 16;

// kWidth lanes from values, adjoints on. kTight: there are no others.
template <std::size_t kWidth, bool kTight>
struct Frame {
  static constexpr std::size_t kLanes = kWidth;
  const Packed& packed;
  std::size_t stride;  // all lanes
  std::size_t first;   // of these
  double* values;
  double* adjoints;
  double* scratch;

  KULLBACK_INLINE double* value(std::uint32_t slot) const {
    return values + slot * (kTight ? kWidth : stride);
  }
  KULLBACK_INLINE double* adjoint(std::uint32_t slot) const {
    return adjoints + slot * (kTight ? kWidth : stride);
  }
  KULLBACK_INLINE const std::uint32_t* operands(const MicroOp& op) const { return packed.pool.data() + op.a; }
};

struct Add {
  KULLBACK_INLINE static double value(double a, double b) { return a + b; }
  KULLBACK_INLINE static double first(double, double, double) { return 1; }
  KULLBACK_INLINE static double second(double, double, double) { return 1; }
};
struct Subtract {
  KULLBACK_INLINE static double value(double a, double b) { return a - b; }
  KULLBACK_INLINE static double first(double, double, double) { return 1; }
  KULLBACK_INLINE static double second(double, double, double) { return -1; }
};
struct Multiply {
  KULLBACK_INLINE static double value(double a, double b) { return a * b; }
  KULLBACK_INLINE static double first(double, double b, double) { return b; }
  KULLBACK_INLINE static double second(double a, double, double) { return a; }
};
struct Divide {
  KULLBACK_INLINE static double value(double a, double b) { return a / b; }
  KULLBACK_INLINE static double first(double, double b, double) { return 1 / b; }
  KULLBACK_INLINE static double second(double, double b, double r) { return -r / b; }
};
// e^(a - r) and e^(b - r), without inf - inf where they are equal.
struct LogSumExp2 {
  KULLBACK_INLINE static double value(double a, double b) { return fast::log_sum_exp(a, b); }
  KULLBACK_INLINE static double first(double a, double b, double) {
    return fast::inv_logit(a == b ? 0.0 : a - b);
  }
  KULLBACK_INLINE static double second(double a, double b, double) {
    return fast::inv_logit(a == b ? 0.0 : b - a);
  }
};

struct Minus {
  KULLBACK_INLINE static double value(double a) { return -a; }
  KULLBACK_INLINE static double first(double, double) { return -1; }
};
struct Square {
  KULLBACK_INLINE static double value(double a) { return a * a; }
  KULLBACK_INLINE static double first(double a, double) { return 2 * a; }
};
struct Sqrt {
  KULLBACK_INLINE static double value(double a) { return fast::sqrt(a); }
  KULLBACK_INLINE static double first(double, double r) { return 0.5 / r; }
};
struct Inv {
  KULLBACK_INLINE static double value(double a) { return 1 / a; }
  KULLBACK_INLINE static double first(double, double r) { return -r * r; }
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

template <class Function, class F>
KULLBACK_INLINE void unary_forward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  double* r = f.value(op.result);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = Function::value(a[k]);
}
template <class Function, class F>
KULLBACK_INLINE void unary_backward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* r = f.value(op.result);
  const double* up = f.adjoint(op.result);
  double* down = f.adjoint(op.a);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * Function::first(a[k], r[k]);
}
template <class Function, class F>
KULLBACK_INLINE void binary_forward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* b = f.value(op.b);
  double* r = f.value(op.result);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = Function::value(a[k], b[k]);
}
template <class Function, class F>
KULLBACK_INLINE void binary_backward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* b = f.value(op.b);
  const double* r = f.value(op.result);
  const double* up = f.adjoint(op.result);
  double* first = f.adjoint(op.a);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) first[k] += up[k] * Function::first(a[k], b[k], r[k]);
  double* second = f.adjoint(op.b);  // may be the same slot
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) second[k] += up[k] * Function::second(a[k], b[k], r[k]);
}

template <class F>
KULLBACK_INLINE void fma_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* a = f.value(slots[0]);
  const double* b = f.value(slots[1]);
  const double* c = f.value(slots[2]);
  double* r = f.value(op.result);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = a[k] * b[k] + c[k];
}
template <class F>
KULLBACK_INLINE void fma_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  for (std::size_t j = 0; j < 2; ++j) {
    const double* other = f.value(slots[1 - j]);
    double* down = f.adjoint(slots[j]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * other[k];
  }
  double* down = f.adjoint(slots[2]);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k];
}

// ---- many elements of one operation ----

template <std::size_t kArity>
struct ManyOperands {
  const std::uint32_t* slots[kArity];
  bool shared[kArity];
  KULLBACK_INLINE ManyOperands(const std::uint32_t* pool, const MicroOp& op) {
    for (std::size_t j = 0; j < kArity; ++j) {
      slots[j] = pool;
      shared[j] = (op.b >> j & 1U) != 0;
      pool += shared[j] ? 1 : op.n;
    }
  }
  KULLBACK_INLINE std::uint32_t at(std::size_t j, std::size_t i) const { return slots[j][shared[j] ? 0 : i]; }
};

// Partial derivatives of operand J, for x + y, x - y, x * y and x * y + z.
template <class Function, std::size_t J>
KULLBACK_INLINE double partial_of(double a, double b) {
  if constexpr (J == 0) return Function::first(a, b, 0);
  if constexpr (J == 1) return Function::second(a, b, 0);
  return 1;
}

template <class Function, std::size_t kArity, class F>
KULLBACK_INLINE void many_forward(const F& f, const MicroOp& op) {
  const ManyOperands<kArity> x(f.operands(op), op);
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* a = f.value(x.at(0, i));
    const double* b = f.value(x.at(1, i));
    double* r = f.value(op.result + static_cast<std::uint32_t>(i));
    if constexpr (kArity == 2) {
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = Function::value(a[k], b[k]);
    } else {
      const double* c = f.value(x.at(2, i));
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = Function::value(a[k], b[k]) + c[k];
    }
  }
}
template <class Function, std::size_t J, std::size_t kArity, class F>
KULLBACK_INLINE void many_backward_operand(const F& f, const MicroOp& op, const ManyOperands<kArity>& x) {
  double sum[F::kLanes] = {};
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* a = f.value(x.at(0, i));
    const double* b = f.value(x.at(1, i));
    const double* up = f.adjoint(op.result + static_cast<std::uint32_t>(i));
    if (x.shared[J]) {
      for (std::size_t k = 0; k < F::kLanes; ++k) sum[k] += up[k] * partial_of<Function, J>(a[k], b[k]);
    } else {
      double* down = f.adjoint(x.slots[J][i]);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * partial_of<Function, J>(a[k], b[k]);
    }
  }
  if (!x.shared[J]) return;
  double* down = f.adjoint(x.slots[J][0]);
  for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += sum[k];
}
template <class Function, std::size_t kArity, class F>
KULLBACK_INLINE void many_backward(const F& f, const MicroOp& op) {
  const ManyOperands<kArity> x(f.operands(op), op);
  many_backward_operand<Function, 0>(f, op, x);
  many_backward_operand<Function, 1>(f, op, x);
  if constexpr (kArity == 3) many_backward_operand<Function, 2>(f, op, x);
}

template <class F>
KULLBACK_INLINE void sum_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  double sum[F::kLanes] = {};
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    for (std::size_t k = 0; k < F::kLanes; ++k) sum[k] += x[k];
  }
  double* r = f.value(op.result);
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = sum[k];
}
template <class F>
KULLBACK_INLINE void sum_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  for (std::size_t i = 0; i < op.n; ++i) {
    double* down = f.adjoint(slots[i]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k];
  }
}

template <class F>
KULLBACK_INLINE void dot_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  double sum[F::kLanes] = {};
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    const double* y = f.value(slots[op.n + i]);
    for (std::size_t k = 0; k < F::kLanes; ++k) sum[k] += x[k] * y[k];
  }
  double* r = f.value(op.result);
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = sum[k];
}
template <class F>
KULLBACK_INLINE void dot_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  for (std::size_t i = 0; i < 2 * std::size_t{op.n}; ++i) {
    const double* other = f.value(slots[i < op.n ? i + op.n : i - op.n]);
    double* down = f.adjoint(slots[i]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * other[k];
  }
}

template <class F>
KULLBACK_INLINE void log_sum_exp_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  double most[F::kLanes];
  double sum[F::kLanes] = {};
  for (std::size_t k = 0; k < F::kLanes; ++k) most[k] = -fast::kInfinity;
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) most[k] = x[k] > most[k] ? x[k] : most[k];
  }
  for (std::size_t i = 0; i < op.n; ++i) {  // a NaN makes the sum NaN
    const double* x = f.value(slots[i]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) sum[k] += fast::exp(x[k] == most[k] ? 0.0 : x[k] - most[k]);
  }
  double* r = f.value(op.result);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = most[k] + fast::log(sum[k]);
}
template <class F>
KULLBACK_INLINE void log_sum_exp_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* r = f.value(op.result);
  const double* up = f.adjoint(op.result);
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    double* down = f.adjoint(slots[i]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) {
      const double share = fast::exp(x[k] - r[k]);
      down[k] += x[k] == -fast::kInfinity ? 0.0 : up[k] * share;
    }
  }
}

// kPairs: m and c for each step, else one m for all.
template <bool kPairs, class F>
KULLBACK_INLINE void recur_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* start = f.value(*slots++);
  const double* shared = kPairs ? nullptr : f.value(*slots++);
  double x[F::kLanes];
  double m[F::kLanes];
  for (std::size_t k = 0; k < F::kLanes; ++k) x[k] = start[k];
  for (std::size_t k = 0; k < F::kLanes && !kPairs; ++k) m[k] = shared[k];
  for (std::uint32_t i = 0; i < op.b; ++i) {
    if (kPairs) {
      const double* own = f.value(*slots++);
      for (std::size_t k = 0; k < F::kLanes; ++k) m[k] = own[k];
    }
    const double* c = f.value(*slots++);
    double* r = f.value(op.result + i);
    for (std::size_t k = 0; k < F::kLanes; ++k) x[k] = m[k] * x[k] + c[k];
    for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = x[k];
  }
}
template <bool kPairs, class F>
KULLBACK_INLINE void recur_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* first = f.operands(op);
  const std::uint32_t* slots = first + (kPairs ? 1 + 2 * std::size_t{op.b} : 2 + std::size_t{op.b});
  const double* shared = kPairs ? nullptr : f.value(first[1]);
  double carried[F::kLanes] = {};
  double down_m[F::kLanes] = {};
  double m[F::kLanes];
  for (std::size_t k = 0; k < F::kLanes && !kPairs; ++k) m[k] = shared[k];
  for (std::uint32_t i = op.b; i-- > 0;) {
    const double* up = f.adjoint(op.result + i);
    const double* before = i > 0 ? f.value(op.result + i - 1) : f.value(first[0]);
    double* down_c = f.adjoint(*--slots);
    for (std::size_t k = 0; k < F::kLanes; ++k) carried[k] += up[k];
    for (std::size_t k = 0; k < F::kLanes; ++k) down_c[k] += carried[k];
    if (kPairs) {
      const std::uint32_t slot = *--slots;
      double* own = f.adjoint(slot);
      for (std::size_t k = 0; k < F::kLanes; ++k) own[k] += carried[k] * before[k];
      for (std::size_t k = 0; k < F::kLanes; ++k) m[k] = f.value(slot)[k];
    } else {
      for (std::size_t k = 0; k < F::kLanes; ++k) down_m[k] += carried[k] * before[k];
    }
    for (std::size_t k = 0; k < F::kLanes; ++k) carried[k] *= m[k];
  }
  double* down_start = f.adjoint(first[0]);
  for (std::size_t k = 0; k < F::kLanes; ++k) down_start[k] += carried[k];
  if (kPairs) return;
  double* down = f.adjoint(first[1]);
  for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += down_m[k];
}

// Constants share slots: adding to their adjoints one after another would only wait for memory.
constexpr std::uint32_t kVariateVaries = 1;
constexpr std::uint32_t kMeanVaries = 2;
constexpr std::uint32_t kScaleKept = 4;

template <class F>
KULLBACK_INLINE void pull_normal(const F& f, const MicroOp& op, const std::uint32_t* slots,
                                 const double* pull) {
  if ((op.b & kVariateVaries) != 0) {
    double* down = f.adjoint(slots[0]);
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] -= pull[k];
  }
  if ((op.b & kMeanVaries) != 0) {
    double* down = f.adjoint(slots[1]);
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += pull[k];
  }
}

template <class F>
KULLBACK_INLINE void normal_weighted_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* constant = f.value(*slots++);
  double sum[F::kLanes] = {};
  for (std::size_t i = 0; i < op.n; ++i, slots += 3) {
    const double* y = f.value(slots[0]);
    const double* mu = f.value(slots[1]);
    const double* weight = f.value(slots[2]);
    for (std::size_t k = 0; k < F::kLanes; ++k) {
      const double z = (y[k] - mu[k]) * weight[k];
      sum[k] += z * z;
    }
  }
  double* r = f.value(op.result);
  for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = constant[k] - 0.5 * sum[k];
}
template <class F>
KULLBACK_INLINE void normal_weighted_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op) + 1;
  const double* up = f.adjoint(op.result);
  for (std::size_t i = 0; i < op.n; ++i, slots += 3) {
    const double* y = f.value(slots[0]);
    const double* mu = f.value(slots[1]);
    const double* weight = f.value(slots[2]);
    double pull[F::kLanes];
    for (std::size_t k = 0; k < F::kLanes; ++k) pull[k] = up[k] * (y[k] - mu[k]) * (weight[k] * weight[k]);
    pull_normal(f, op, slots, pull);
  }
}

template <class F>
KULLBACK_INLINE void sum_of_squares(const F& f, const std::uint32_t* pairs, std::size_t n, double* sum) {
  for (std::size_t k = 0; k < F::kLanes; ++k) sum[k] = 0;
  for (std::size_t i = 0; i < n; ++i, pairs += 2) {
    const double* y = f.value(pairs[0]);
    const double* mu = f.value(pairs[1]);
    for (std::size_t k = 0; k < F::kLanes; ++k) sum[k] += (y[k] - mu[k]) * (y[k] - mu[k]);
  }
}
template <class F>
KULLBACK_INLINE void normal_shared_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* constant = f.value(slots[0]);
  const double* sigma = f.value(slots[1]);
  double sum[F::kLanes];
  sum_of_squares(f, slots + 2, op.n, sum);
  double* r = f.value(op.result);
  const double kept = (op.b & kScaleKept) != 0 ? -static_cast<double>(op.n) : 0.0;
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    const double inverse = 1 / sigma[k];
    const double v = constant[k] - 0.5 * sum[k] * inverse * inverse + kept * fast::log(sigma[k]);
    r[k] = sigma[k] > 0 ? v : fast::kNaN;
  }
}
template <class F>
KULLBACK_INLINE void normal_shared_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* sigma = f.value(slots[1]);
  const double* up = f.adjoint(op.result);
  double sum[F::kLanes];
  sum_of_squares(f, slots + 2, op.n, sum);
  double scale[F::kLanes];
  double* down_sigma = f.adjoint(slots[1]);
  const double kept = (op.b & kScaleKept) != 0 ? static_cast<double>(op.n) : 0.0;
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    const double inverse = 1 / sigma[k];
    scale[k] = up[k] * inverse * inverse;
    down_sigma[k] += inverse * (scale[k] * sum[k] - up[k] * kept);
  }
  const std::uint32_t* pairs = slots + 2;
  for (std::size_t i = 0; i < op.n; ++i, pairs += 2) {
    const double* y = f.value(pairs[0]);
    const double* mu = f.value(pairs[1]);
    double pull[F::kLanes];
    for (std::size_t k = 0; k < F::kLanes; ++k) pull[k] = (y[k] - mu[k]) * scale[k];
    pull_normal(f, op, pairs, pull);
  }
}

template <class F>
void elementwise_forward(const F& f, const MicroOp& op) {
  const math::Elementwise& function = *f.packed.functions[op.b];
  const std::uint32_t* slots = f.operands(op);
  double* r = f.value(op.result);
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    double x[kMaxOperands];
    for (std::size_t j = 0; j < op.n; ++j) x[j] = f.value(slots[j])[k];
    r[k] = function.value(x);
  }
}
template <class F>
void elementwise_backward(const F& f, const MicroOp& op) {
  const math::Elementwise& function = *f.packed.functions[op.b];
  const std::uint32_t* slots = f.operands(op);
  const double* r = f.value(op.result);
  const double* up = f.adjoint(op.result);
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    double x[kMaxOperands];
    double d[kMaxOperands];
    for (std::size_t j = 0; j < op.n; ++j) x[j] = f.value(slots[j])[k];
    function.partials(x, r[k], d);
    for (std::size_t j = 0; j < op.n; ++j) f.adjoint(slots[j])[k] += up[k] * d[j];
  }
}

template <class F>
void density_forward(const F& f, const MicroOp& op) {
  const PackedDensity& density = f.packed.densities[op.b];
  const std::uint32_t* slots = f.operands(op);
  double* r = f.value(op.result);
  double* partials = f.scratch + density.scratch * f.stride + f.first * op.n;
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    double x[kMaxOperands];
    for (std::size_t j = 0; j < op.n; ++j) x[j] = f.value(slots[j])[k];
    r[k] = density.density->value(x, density.terms, partials + k * op.n);
  }
}
template <class F>
void density_backward(const F& f, const MicroOp& op) {
  const PackedDensity& density = f.packed.densities[op.b];
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  const double* partials = f.scratch + density.scratch * f.stride + f.first * op.n;
  for (std::size_t j = 0; j < op.n; ++j) {
    if (!density.terms.varies(static_cast<int>(j))) continue;
    double* down = f.adjoint(slots[j]);
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * partials[k * op.n + j];
  }
}

#define KULLBACK_MICRO_CASES(way)                                                 \
  case MicroCode::add: binary_##way<Add>(f, op); break;                           \
  case MicroCode::subtract: binary_##way<Subtract>(f, op); break;                 \
  case MicroCode::multiply: binary_##way<Multiply>(f, op); break;                 \
  case MicroCode::divide: binary_##way<Divide>(f, op); break;                     \
  case MicroCode::minus: unary_##way<Minus>(f, op); break;                        \
  case MicroCode::square: unary_##way<Square>(f, op); break;                      \
  case MicroCode::sqrt: unary_##way<Sqrt>(f, op); break;                          \
  case MicroCode::inv: unary_##way<Inv>(f, op); break;                            \
  case MicroCode::exp: unary_##way<Exp>(f, op); break;                            \
  case MicroCode::log: unary_##way<Log>(f, op); break;                            \
  case MicroCode::log1p: unary_##way<Log1p>(f, op); break;                        \
  case MicroCode::log1m: unary_##way<Log1m>(f, op); break;                        \
  case MicroCode::inv_logit: unary_##way<InvLogit>(f, op); break;                 \
  case MicroCode::log1p_exp: unary_##way<Log1pExp>(f, op); break;                 \
  case MicroCode::tanh: unary_##way<Tanh>(f, op); break;                          \
  case MicroCode::standard_logistic: unary_##way<StandardLogistic>(f, op); break; \
  case MicroCode::log_sum_exp_2: binary_##way<LogSumExp2>(f, op); break;          \
  case MicroCode::fma: fma_##way(f, op); break;                                   \
  case MicroCode::sum: sum_##way(f, op); break;                                   \
  case MicroCode::log_sum_exp: log_sum_exp_##way(f, op); break;                   \
  case MicroCode::dot_product: dot_##way(f, op); break;                           \
  case MicroCode::add_many: many_##way<Add, 2>(f, op); break;                     \
  case MicroCode::subtract_many: many_##way<Subtract, 2>(f, op); break;           \
  case MicroCode::multiply_many: many_##way<Multiply, 2>(f, op); break;           \
  case MicroCode::fma_many: many_##way<Multiply, 3>(f, op); break;                \
  case MicroCode::recurrence_shared: recur_##way<false>(f, op); break;            \
  case MicroCode::recurrence: recur_##way<true>(f, op); break;                    \
  case MicroCode::normal_weighted: normal_weighted_##way(f, op); break;           \
  case MicroCode::normal_shared: normal_shared_##way(f, op); break;               \
  case MicroCode::elementwise: elementwise_##way(f, op); break;                   \
  case MicroCode::density: density_##way(f, op); break;

struct Piece {
  const PackedCall& call;
  std::size_t first;
};

template <std::size_t kWidth, bool kTight>
KULLBACK_INLINE Frame<kWidth, kTight> frame_of(const Piece& piece) {
  const PackedCall& call = piece.call;
  double* adjoints = call.adjoints != nullptr ? call.adjoints + piece.first : nullptr;
  return {*call.packed, call.lanes, piece.first, call.values + piece.first, adjoints, call.scratch};
}

template <std::size_t kWidth, bool kTight>
struct Forward {
  KULLBACK_INLINE static void run(const Piece& piece) {
    const auto f = frame_of<kWidth, kTight>(piece);
    const MicroOp* const end = f.packed.ops.data() + f.packed.ops.size();
    for (const MicroOp* at = f.packed.ops.data(); at != end; ++at) {
      const MicroOp& op = *at;
      switch (op.code) { KULLBACK_MICRO_CASES(forward) }
    }
  }
};

template <std::size_t kWidth, bool kTight>
struct Backward {
  KULLBACK_INLINE static void run(const Piece& piece) {
    const auto f = frame_of<kWidth, kTight>(piece);
    const MicroOp* const begin = f.packed.ops.data();
    for (const MicroOp* at = begin + f.packed.ops.size(); at-- != begin;) {
      const MicroOp& op = *at;
      switch (op.code) { KULLBACK_MICRO_CASES(backward) }
    }
  }
};

template <template <std::size_t, bool> class Way>
void run_pieces(const PackedCall& call) {
  if (call.lanes == 1) return math::dispatch<Way<1, true>>(Piece{call, 0});
  if (call.lanes == 8) return math::dispatch<Way<8, true>>(Piece{call, 0});
  std::size_t first = 0;
  for (; first + 8 <= call.lanes; first += 8) math::dispatch<Way<8, false>>(Piece{call, first});
  if ((call.lanes & 4) != 0) {
    math::dispatch<Way<4, false>>(Piece{call, first});
    first += 4;
  }
  if ((call.lanes & 2) != 0) {
    math::dispatch<Way<2, false>>(Piece{call, first});
    first += 2;
  }
  if ((call.lanes & 1) != 0) math::dispatch<Way<1, false>>(Piece{call, first});
}

struct Named {
  std::string_view name;
  MicroCode code;
};
constexpr Named kNamed[] = {
    {"add", MicroCode::add},
    {"subtract", MicroCode::subtract},
    {"multiply", MicroCode::multiply},
    {"divide", MicroCode::divide},
    {"minus", MicroCode::minus},
    {"square", MicroCode::square},
    {"sqrt", MicroCode::sqrt},
    {"inv", MicroCode::inv},
    {"exp", MicroCode::exp},
    {"log", MicroCode::log},
    {"log1p", MicroCode::log1p},
    {"log1m", MicroCode::log1m},
    {"inv_logit", MicroCode::inv_logit},
    {"log1p_exp", MicroCode::log1p_exp},
    {"tanh", MicroCode::tanh},
    {"log_sum_exp", MicroCode::log_sum_exp_2},
    {"fma", MicroCode::fma},
};

// One step of a recurrence: result = m * x + c.
struct Step {
  std::uint32_t x, m, c;
};

bool is_step(const Packed& packed, const MicroOp& op, std::uint32_t x, std::uint32_t one, Step& step) {
  if (op.code == MicroCode::add && op.a != op.b && (op.a == x || op.b == x)) {
    step = {x, one, op.a == x ? op.b : op.a};
    return true;
  }
  if (op.code != MicroCode::fma) return false;
  const std::uint32_t* slots = packed.pool.data() + op.a;
  if (slots[2] == x || slots[0] == slots[1] || (slots[0] != x && slots[1] != x)) return false;
  step = {x, slots[0] == x ? slots[1] : slots[0], slots[2]};
  return true;
}

// The start of a run: which operand is the number before cannot be read off one step, so it is the one that
// makes the second a step.
std::size_t run_length(const Packed& packed, std::size_t first, std::uint32_t one, std::vector<Step>& steps) {
  const std::vector<MicroOp>& ops = packed.ops;
  std::uint32_t candidates[2];
  const MicroOp& op = ops[first];
  if (op.code == MicroCode::add) {
    candidates[0] = op.a;
    candidates[1] = op.b;
  } else if (op.code == MicroCode::fma) {
    candidates[0] = packed.pool[op.a];
    candidates[1] = packed.pool[op.a + 1];
  } else {
    return 0;
  }
  steps.clear();
  std::size_t i = first + 1;
  Step step{};
  for (; i < ops.size() && ops[i].result == ops[i - 1].result + 1; ++i) {
    if (!is_step(packed, ops[i], ops[i - 1].result, one, step)) break;
    steps.push_back(step);
  }
  if (steps.empty()) return 0;
  // The first step: prefer the operand whose factor is that of the second.
  Step start{};
  if (!is_step(packed, op, candidates[1], one, start) && !is_step(packed, op, candidates[0], one, start))
    return 0;
  Step other{};
  if (is_step(packed, op, candidates[0], one, other) && other.m == steps.front().m) start = other;
  steps.insert(steps.begin(), start);
  return i - first;
}

constexpr std::size_t kShortestRun = 6;

}  // namespace

void roll_recurrences(Packed& packed, std::uint32_t one) {
  std::vector<MicroOp> rolled;
  std::vector<Step> steps;
  rolled.reserve(packed.ops.size());
  for (std::size_t i = 0; i < packed.ops.size();) {
    const std::size_t length = run_length(packed, i, one, steps);
    if (length < kShortestRun) {
      const std::size_t kept = length > 1 ? length - 1 : 1;  // the last may begin another run
      rolled.insert(rolled.end(), packed.ops.begin() + static_cast<long>(i),
                    packed.ops.begin() + static_cast<long>(i + kept));
      i += kept;
      continue;
    }
    bool shared = true;
    for (const Step& step : steps) shared &= step.m == steps.front().m;
    rolled.push_back({shared ? MicroCode::recurrence_shared : MicroCode::recurrence, 0, packed.ops[i].result,
                      static_cast<std::uint32_t>(packed.pool.size()), static_cast<std::uint32_t>(length)});
    packed.pool.push_back(steps.front().x);
    if (shared) packed.pool.push_back(steps.front().m);
    for (const Step& step : steps) {
      if (!shared) packed.pool.push_back(step.m);
      packed.pool.push_back(step.c);
    }
    i += length;
  }
  packed.ops = std::move(rolled);
}

MicroCode micro_code(const math::Elementwise& f) {
  for (const Named& named : kNamed) {
    if (named.name == f.name) return named.code;
  }
  return MicroCode::elementwise;
}

MicroCode many_code(MicroCode code) {
  switch (code) {
    case MicroCode::add: return MicroCode::add_many;
    case MicroCode::subtract: return MicroCode::subtract_many;
    case MicroCode::multiply: return MicroCode::multiply_many;
    case MicroCode::fma: return MicroCode::fma_many;
    default: return MicroCode::elementwise;
  }
}

void run_forward(const PackedCall& call) { run_pieces<Forward>(call); }
void run_backward(const PackedCall& call) { run_pieces<Backward>(call); }

}  // namespace kullback::tape
