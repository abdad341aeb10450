// Forward and backward of each packed operation, for a piece of kLanes lanes. Private to tape/packed.
//
// log_sum_exp: m + log(sum exp(x - m)), m the maximum; derivative exp(x - m) / sum, kept from the way
// forward. Where m is infinite the result is m itself; the derivative in operands that are -inf is 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "math/instruction_set.hpp"
#include "math/vector_math.hpp"
#include "tape/packed/functions.hpp"
#include "tape/packed/packed.hpp"

namespace kullback::tape::micro {

inline constexpr std::size_t kMaxOperands = 16;

// Lanes by vectors of four, or two, or one number.
template <std::size_t kWidth>
struct PartOf {
  typedef double Type __attribute__((vector_size(32), aligned(8)));
};
template <>
struct PartOf<2> {
  typedef double Type __attribute__((vector_size(16), aligned(8)));
};
template <>
struct PartOf<1> {
  typedef double Type;
};

// kWidth lanes from values, adjoints on. kTight: there are no others.
template <std::size_t kWidth, bool kTight>
struct Frame {
  static constexpr std::size_t kLanes = kWidth;
  using Part = typename PartOf<kWidth>::Type;
  static constexpr std::size_t kParts = kWidth * sizeof(double) / sizeof(Part);
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

template <class F>
KULLBACK_INLINE typename F::Part& part(double* lanes, std::size_t q) {
  return reinterpret_cast<typename F::Part*>(lanes)[q];
}
template <class F>
KULLBACK_INLINE const typename F::Part& part(const double* lanes, std::size_t q) {
  return reinterpret_cast<const typename F::Part*>(lanes)[q];
}

template <class F>
KULLBACK_INLINE void add_lanes(double* to, const double* from) {
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(to, q) += part<F>(from, q);
}

template <class Function, class F>
KULLBACK_INLINE void unary_forward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  double* r = f.value(op.result);
  if constexpr (Arithmetic<Function>) {
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(r, q) = Function::value(part<F>(a, q));
  } else {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = Function::value(a[k]);
  }
}
template <class Function, class F>
KULLBACK_INLINE void unary_backward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* r = f.value(op.result);
  const double* up = f.adjoint(op.result);
  double* down = f.adjoint(op.a);
  if constexpr (Arithmetic<Function>) {
    for (std::size_t q = 0; q < F::kParts; ++q)
      part<F>(down, q) = Function::pull_first(part<F>(up, q), part<F>(a, q), part<F>(r, q), part<F>(down, q));
  } else {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * Function::first(a[k], r[k]);
  }
}
template <class Function, class F>
KULLBACK_INLINE void binary_forward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* b = f.value(op.b);
  double* r = f.value(op.result);
  if constexpr (Arithmetic<Function>) {
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(r, q) = Function::value(part<F>(a, q), part<F>(b, q));
  } else {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) r[k] = Function::value(a[k], b[k]);
  }
}
// The operands may be the same slot.
template <class Function, class F>
KULLBACK_INLINE void binary_backward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* b = f.value(op.b);
  const double* r = f.value(op.result);
  const double* up = f.adjoint(op.result);
  double* first = f.adjoint(op.a);
  double* second = f.adjoint(op.b);
  if constexpr (Arithmetic<Function>) {
    for (std::size_t q = 0; q < F::kParts; ++q) {
      const typename F::Part x = part<F>(a, q);
      const typename F::Part y = part<F>(b, q);
      const typename F::Part z = part<F>(r, q);
      const typename F::Part pull = part<F>(up, q);
      part<F>(first, q) = Function::pull_first(pull, x, y, z, part<F>(first, q));
      part<F>(second, q) = Function::pull_second(pull, x, y, z, part<F>(second, q));
    }
  } else {
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) first[k] += up[k] * Function::first(a[k], b[k], r[k]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) second[k] += up[k] * Function::second(a[k], b[k], r[k]);
  }
}

template <class F>
KULLBACK_INLINE void fma_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* a = f.value(slots[0]);
  const double* b = f.value(slots[1]);
  const double* c = f.value(slots[2]);
  double* r = f.value(op.result);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(r, q) = part<F>(a, q) * part<F>(b, q) + part<F>(c, q);
}
template <class F>
KULLBACK_INLINE void fma_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* a = f.value(slots[0]);
  const double* b = f.value(slots[1]);
  const double* up = f.adjoint(op.result);
  double* down_a = f.adjoint(slots[0]);
  double* down_b = f.adjoint(slots[1]);
  double* down_c = f.adjoint(slots[2]);
  for (std::size_t q = 0; q < F::kParts; ++q) {
    const typename F::Part pull = part<F>(up, q);
    part<F>(down_a, q) += pull * part<F>(b, q);
    part<F>(down_b, q) += pull * part<F>(a, q);
    part<F>(down_c, q) += pull;
  }
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

// down + up times the partial derivative in operand J, for x + y, x - y, x * y and x * y + z.
template <class Function, std::size_t J, class T>
KULLBACK_INLINE T pull(T up, T a, T b, T down) {
  if constexpr (J == 0) return Function::pull_first(up, a, b, a, down);
  if constexpr (J == 1) return Function::pull_second(up, a, b, a, down);
  return down + up;
}

template <class Function, std::size_t kArity, class F>
KULLBACK_INLINE void many_forward(const F& f, const MicroOp& op) {
  const ManyOperands<kArity> x(f.operands(op), op);
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* a = f.value(x.at(0, i));
    const double* b = f.value(x.at(1, i));
    double* r = f.value(op.result + static_cast<std::uint32_t>(i));
    if constexpr (kArity == 2) {
      for (std::size_t q = 0; q < F::kParts; ++q)
        part<F>(r, q) = Function::value(part<F>(a, q), part<F>(b, q));
    } else {
      const double* c = f.value(x.at(2, i));
      for (std::size_t q = 0; q < F::kParts; ++q)
        part<F>(r, q) = Function::value(part<F>(a, q), part<F>(b, q)) + part<F>(c, q);
    }
  }
}
template <class Function, std::size_t J, std::size_t kArity, class F>
KULLBACK_INLINE void many_backward_operand(const F& f, const MicroOp& op, const ManyOperands<kArity>& x) {
  if (!x.shared[J]) {
    for (std::size_t i = 0; i < op.n; ++i) {
      const double* a = f.value(x.at(0, i));
      const double* b = f.value(x.at(1, i));
      const double* up = f.adjoint(op.result + static_cast<std::uint32_t>(i));
      double* down = f.adjoint(x.slots[J][i]);
      for (std::size_t q = 0; q < F::kParts; ++q)
        part<F>(down, q) = pull<Function, J>(part<F>(up, q), part<F>(a, q), part<F>(b, q), part<F>(down, q));
    }
    return;
  }
  typename F::Part sum[F::kParts] = {};
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* a = f.value(x.at(0, i));
    const double* b = f.value(x.at(1, i));
    const double* up = f.adjoint(op.result + static_cast<std::uint32_t>(i));
    for (std::size_t q = 0; q < F::kParts; ++q)
      sum[q] = pull<Function, J>(part<F>(up, q), part<F>(a, q), part<F>(b, q), sum[q]);
  }
  double* down = f.adjoint(x.slots[J][0]);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) += sum[q];
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
  typename F::Part sum[F::kParts] = {};
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    for (std::size_t q = 0; q < F::kParts; ++q) sum[q] += part<F>(x, q);
  }
  double* r = f.value(op.result);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(r, q) = sum[q];
}
template <class F>
KULLBACK_INLINE void sum_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  typename F::Part pull[F::kParts];
  for (std::size_t q = 0; q < F::kParts; ++q) pull[q] = part<F>(up, q);
  for (std::size_t i = 0; i < op.n; ++i) {
    double* down = f.adjoint(slots[i]);
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) += pull[q];
  }
}

template <class F>
KULLBACK_INLINE void dot_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  typename F::Part sum[F::kParts] = {};
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    const double* y = f.value(slots[op.n + i]);
    for (std::size_t q = 0; q < F::kParts; ++q) sum[q] += part<F>(x, q) * part<F>(y, q);
  }
  double* r = f.value(op.result);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(r, q) = sum[q];
}
template <class F>
KULLBACK_INLINE void dot_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  typename F::Part pull[F::kParts];
  for (std::size_t q = 0; q < F::kParts; ++q) pull[q] = part<F>(up, q);
  for (std::size_t i = 0; i < 2 * std::size_t{op.n}; ++i) {
    const double* other = f.value(slots[i < op.n ? i + op.n : i - op.n]);
    double* down = f.adjoint(slots[i]);
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) += pull[q] * part<F>(other, q);
  }
}

template <class F>
KULLBACK_INLINE void log_sum_exp_2_forward(const F& f, const MicroOp& op) {
  binary_forward<LogSumExp2>(f, op);
}
// The derivatives are inv_logit(a - b) and inv_logit(b - a): both of one exponential.
template <class F>
KULLBACK_INLINE void log_sum_exp_2_backward(const F& f, const MicroOp& op) {
  const double* a = f.value(op.a);
  const double* b = f.value(op.b);
  const double* up = f.adjoint(op.result);
  double pull_a[F::kLanes];
  double pull_b[F::kLanes];
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    const double difference = a[k] == b[k] ? 0.0 : a[k] - b[k];
    const double e = fast::exp(-fast::abs(difference));
    const double sum = 1.0 + e;
    pull_a[k] = up[k] * ((difference < 0.0 ? e : 1.0) / sum);
    pull_b[k] = up[k] * ((difference > 0.0 ? e : 1.0) / sum);
  }
  add_lanes<F>(f.adjoint(op.a), pull_a);
  add_lanes<F>(f.adjoint(op.b), pull_b);
}

// Shares, the derivatives: number i of lane k is at i * kLanes + k.
template <class F>
KULLBACK_INLINE double* shares_of(const F& f, const MicroOp& op) {
  return f.scratch + op.b * f.stride + f.first * op.n;
}

// Below 1e-307 it is 0: beside 1 that changes nothing.
KULLBACK_INLINE double exp_of_nonpositive(double x) { return x < -707.0 ? 0.0 : fast::exp_bounded(x); }

// Of two numbers: max + log(1 + e), e = exp(-|a - b|), shares 1 / (1 + e) and e / (1 + e).
template <class F>
KULLBACK_INLINE void log_sum_exp_pair_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* a = f.value(slots[0]);
  const double* b = f.value(slots[1]);
  double* r = f.value(op.result);
  double* share_a = shares_of(f, op);
  double* share_b = share_a + F::kLanes;
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    const double difference = a[k] == b[k] ? 0.0 : a[k] - b[k];
    const double far = -fast::abs(difference);
    const double e = exp_of_nonpositive(far);
    const double inverse = 1.0 / (1.0 + e);
    r[k] = (a[k] > b[k] ? a[k] : b[k]) + fast::log1p_unit(e);
    share_a[k] = (difference < 0.0 ? e : 1.0) * inverse;
    share_b[k] = (difference > 0.0 ? e : 1.0) * inverse;
  }
}

template <class F>
KULLBACK_INLINE void log_sum_exp_forward(const F& f, const MicroOp& op) {
  if (op.n == 2) return log_sum_exp_pair_forward(f, op);
  const std::uint32_t* slots = f.operands(op);
  double most[F::kLanes];
  double sum[F::kLanes] = {};
  for (std::size_t k = 0; k < F::kLanes; ++k) most[k] = -fast::kInfinity;
  for (std::size_t i = 0; i < op.n; ++i) {
    const double* x = f.value(slots[i]);
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) most[k] = x[k] > most[k] ? x[k] : most[k];
  }
  double* shares = shares_of(f, op);
  for (std::size_t i = 0; i < op.n; ++i) {  // a NaN makes the sum NaN
    const double* x = f.value(slots[i]);
    double* share = shares + i * F::kLanes;
    KULLBACK_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < F::kLanes; ++k) {
      const double e = exp_of_nonpositive(x[k] == most[k] ? 0.0 : x[k] - most[k]);
      share[k] = e;
      sum[k] += e;
    }
  }
  double* r = f.value(op.result);
  KULLBACK_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    r[k] = most[k] + fast::log(sum[k]);
    sum[k] = most[k] == -fast::kInfinity ? 0.0 : 1 / sum[k];
  }
  for (std::size_t i = 0; i < op.n; ++i) {
    double* share = shares + i * F::kLanes;
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(share, q) *= part<F>(sum, q);
  }
}
template <class F>
KULLBACK_INLINE void log_sum_exp_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* share = shares_of(f, op);
  const double* up = f.adjoint(op.result);
  typename F::Part pull[F::kParts];
  for (std::size_t q = 0; q < F::kParts; ++q) pull[q] = part<F>(up, q);
  for (std::size_t i = 0; i < op.n; ++i, share += F::kLanes) {
    double* down = f.adjoint(slots[i]);
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) += pull[q] * part<F>(share, q);
  }
}

// kPairs: m and c for each step, else one m for all.
template <bool kPairs, class F>
KULLBACK_INLINE void recur_forward(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* start = f.value(*slots++);
  const double* shared = kPairs ? nullptr : f.value(*slots++);
  typename F::Part x[F::kParts];
  typename F::Part m[F::kParts];
  for (std::size_t q = 0; q < F::kParts; ++q) x[q] = part<F>(start, q);
  for (std::size_t q = 0; q < F::kParts && !kPairs; ++q) m[q] = part<F>(shared, q);
  for (std::uint32_t i = 0; i < op.b; ++i) {
    if (kPairs) {
      const double* own = f.value(*slots++);
      for (std::size_t q = 0; q < F::kParts; ++q) m[q] = part<F>(own, q);
    }
    const double* c = f.value(*slots++);
    double* r = f.value(op.result + i);
    for (std::size_t q = 0; q < F::kParts; ++q) {
      x[q] = m[q] * x[q] + part<F>(c, q);
      part<F>(r, q) = x[q];
    }
  }
}
template <bool kPairs, class F>
KULLBACK_INLINE void recur_backward(const F& f, const MicroOp& op) {
  const std::uint32_t* first = f.operands(op);
  const std::uint32_t* slots = first + (kPairs ? 1 + 2 * std::size_t{op.b} : 2 + std::size_t{op.b});
  const double* shared = kPairs ? nullptr : f.value(first[1]);
  typename F::Part carried[F::kParts] = {};
  typename F::Part down_m[F::kParts] = {};
  typename F::Part m[F::kParts];
  for (std::size_t q = 0; q < F::kParts && !kPairs; ++q) m[q] = part<F>(shared, q);
  for (std::uint32_t i = op.b; i-- > 0;) {
    const double* up = f.adjoint(op.result + i);
    const double* before = i > 0 ? f.value(op.result + i - 1) : f.value(first[0]);
    double* down_c = f.adjoint(*--slots);
    for (std::size_t q = 0; q < F::kParts; ++q) {
      carried[q] += part<F>(up, q);
      part<F>(down_c, q) += carried[q];
    }
    if (kPairs) {
      const std::uint32_t slot = *--slots;
      double* own = f.adjoint(slot);
      for (std::size_t q = 0; q < F::kParts; ++q) part<F>(own, q) += carried[q] * part<F>(before, q);
      for (std::size_t q = 0; q < F::kParts; ++q) m[q] = part<F>(f.value(slot), q);
    } else {
      for (std::size_t q = 0; q < F::kParts; ++q) down_m[q] += carried[q] * part<F>(before, q);
    }
    for (std::size_t q = 0; q < F::kParts; ++q) carried[q] *= m[q];
  }
  double* down_start = f.adjoint(first[0]);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down_start, q) += carried[q];
  if (kPairs) return;
  double* down = f.adjoint(first[1]);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) += down_m[q];
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

}  // namespace kullback::tape::micro
