// Forward and backward of packed densities: normal ones, and any other. Private to tape/packed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "math/operand.hpp"
#include "tape/packed/kernels.hpp"

namespace kullback::tape::micro {

// Constants share slots: adding to their adjoints one after another would only wait for memory.
inline constexpr std::uint32_t kVariateVaries = 1;
inline constexpr std::uint32_t kMeanVaries = 2;
inline constexpr std::uint32_t kScaleKept = 4;

template <class F>
KULLBACK_INLINE void pull_normal(const F& f, const MicroOp& op, const std::uint32_t* slots,
                                 const typename F::Part* pull) {
  if ((op.b & kVariateVaries) != 0) {
    double* down = f.adjoint(slots[0]);
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) -= pull[q];
  }
  if ((op.b & kMeanVaries) != 0) {
    double* down = f.adjoint(slots[1]);
    for (std::size_t q = 0; q < F::kParts; ++q) part<F>(down, q) += pull[q];
  }
}

// Weights are data, and so is y mostly: the same in all lanes, read once for all parts.
template <bool kVariate, class F>
KULLBACK_INLINE void normal_weighted_sum(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op);
  const double* constant = f.value(*slots++);
  typename F::Part sum[F::kParts] = {};
  for (std::size_t i = 0; i < op.n; ++i, slots += 3) {
    const double* y = f.value(slots[0]);
    const double* mu = f.value(slots[1]);
    const typename F::Part shared = kVariate ? typename F::Part{} : part<F>(y, 0);
    const typename F::Part weight = part<F>(f.value(slots[2]), 0);
    for (std::size_t q = 0; q < F::kParts; ++q) {
      const typename F::Part z = ((kVariate ? part<F>(y, q) : shared) - part<F>(mu, q)) * weight;
      sum[q] += z * z;
    }
  }
  double* r = f.value(op.result);
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(r, q) = part<F>(constant, q) - 0.5 * sum[q];
}
template <class F>
KULLBACK_INLINE void normal_weighted_forward(const F& f, const MicroOp& op) {
  if (F::kParts > 1 && (op.b & kVariateVaries) == 0) return normal_weighted_sum<false>(f, op);
  normal_weighted_sum<true>(f, op);
}
template <bool kVariate, class F>
KULLBACK_INLINE void normal_weighted_pull(const F& f, const MicroOp& op) {
  const std::uint32_t* slots = f.operands(op) + 1;
  const double* up = f.adjoint(op.result);
  for (std::size_t i = 0; i < op.n; ++i, slots += 3) {
    const double* y = f.value(slots[0]);
    const double* mu = f.value(slots[1]);
    const typename F::Part shared = kVariate ? typename F::Part{} : part<F>(y, 0);
    const typename F::Part weight = part<F>(f.value(slots[2]), 0);
    const typename F::Part square = weight * weight;
    typename F::Part pull[F::kParts];
    for (std::size_t q = 0; q < F::kParts; ++q)
      pull[q] = part<F>(up, q) * ((kVariate ? part<F>(y, q) : shared) - part<F>(mu, q)) * square;
    pull_normal(f, op, slots, pull);
  }
}
template <class F>
KULLBACK_INLINE void normal_weighted_backward(const F& f, const MicroOp& op) {
  if (F::kParts > 1 && (op.b & kVariateVaries) == 0) return normal_weighted_pull<false>(f, op);
  normal_weighted_pull<true>(f, op);
}

template <class F>
KULLBACK_INLINE void sum_of_squares(const F& f, const std::uint32_t* pairs, std::size_t n, double* sum) {
  typename F::Part own[F::kParts] = {};
  for (std::size_t i = 0; i < n; ++i, pairs += 2) {
    const double* y = f.value(pairs[0]);
    const double* mu = f.value(pairs[1]);
    for (std::size_t q = 0; q < F::kParts; ++q) {
      const typename F::Part rest = part<F>(y, q) - part<F>(mu, q);
      own[q] += rest * rest;
    }
  }
  for (std::size_t q = 0; q < F::kParts; ++q) part<F>(sum, q) = own[q];
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
    typename F::Part pull[F::kParts];
    for (std::size_t q = 0; q < F::kParts; ++q)
      pull[q] = (part<F>(y, q) - part<F>(mu, q)) * part<F>(scale, q);
    pull_normal(f, op, pairs, pull);
  }
}

// Partials: number j of lane k is at j * kLanes + k. Many lanes go through the density's vectorised loop.
template <class F>
double* partials_of(const F& f, const MicroOp& op) {
  return f.scratch + f.packed.densities[op.b].scratch * f.stride + f.first * op.n;
}

template <class F>
void density_of_lanes(const F& f, const MicroOp& op) {
  const PackedDensity& density = f.packed.densities[op.b];
  const std::uint32_t* slots = f.operands(op);
  double* own = partials_of(f, op);
  math::Operand arguments[kMaxOperands];
  double* partials[kMaxOperands] = {};
  for (std::size_t j = 0; j < op.n; ++j) {
    arguments[j].value = f.value(slots[j]);
    if (!density.terms.varies(static_cast<int>(j))) continue;
    arguments[j].step = 1;
    arguments[j].spread = true;
    partials[j] = own + j * F::kLanes;
  }
  density.density->batch({1, F::kLanes, density.terms, arguments, f.value(op.result), partials, true});
}
template <class F>
void density_forward(const F& f, const MicroOp& op) {
  if constexpr (F::kLanes >= 4) return density_of_lanes(f, op);
  const PackedDensity& density = f.packed.densities[op.b];
  const std::uint32_t* slots = f.operands(op);
  double* r = f.value(op.result);
  double* partials = partials_of(f, op);
  for (std::size_t k = 0; k < F::kLanes; ++k) {
    double x[kMaxOperands];
    double d[kMaxOperands];
    for (std::size_t j = 0; j < op.n; ++j) x[j] = f.value(slots[j])[k];
    r[k] = density.density->value(x, density.terms, d);
    for (std::size_t j = 0; j < op.n; ++j) partials[j * F::kLanes + k] = d[j];
  }
}
template <class F>
void density_backward(const F& f, const MicroOp& op) {
  const PackedDensity& density = f.packed.densities[op.b];
  const std::uint32_t* slots = f.operands(op);
  const double* up = f.adjoint(op.result);
  const double* partials = partials_of(f, op);
  for (std::size_t j = 0; j < op.n; ++j) {
    if (!density.terms.varies(static_cast<int>(j))) continue;
    double* down = f.adjoint(slots[j]);
    for (std::size_t k = 0; k < F::kLanes; ++k) down[k] += up[k] * partials[j * F::kLanes + k];
  }
}

}  // namespace kullback::tape::micro
