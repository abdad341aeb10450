// Canonical partial correlations (Lewandowski, Kurowicka and Joe 2009). With t = tanh y, s = sech y, one pair
// for each place (i, j) below the diagonal, i > j from 0:
//   l_ij = t_ij prod_{k<j} s_ik,   l_ii = prod_{k<i} s_ik,
// so that rows have length 1. cholesky_factor_corr[K] is L, its free numbers go row by row; corr_matrix[K] is
// L L^T, its free numbers go column by column.
//   log|J| of L (below the diagonal)     = sum_ij (i - j + 1) log s_ij
//   log|J| of L L^T (below the diagonal) = sum_ij (K - j) log s_ij
// Adjoint of a row, from its end: p_j = prod_{k<j} s_ik; dy = dl_j p_j s^2 - dp_{j+1} p_j s t,  dp_j = dl_j t
// + dp_{j+1} s. In the tails t rounds to 1: everything that vanishes there is computed from s, log s = log 2
// - |y| - log(1 + e^-2|y|).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/linear_algebra.hpp"
#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

std::size_t pairs(std::size_t size) { return size == 0 ? 0 : size * (size - 1) / 2; }
std::size_t pair_count(Shape item) { return pairs(item.rows); }

double log_sech(double y) {
  const double magnitude = std::abs(y);
  return std::numbers::ln2 - magnitude - std::log1p(std::exp(-2 * magnitude));
}

// Where the free number of place (i, j) stands, and how often log s_ij counts.
struct RowByRow {
  std::size_t size;
  std::size_t at(std::size_t i, std::size_t j) const { return i * (i - 1) / 2 + j; }
  double weight(std::size_t i, std::size_t j) const { return static_cast<double>(i - j + 1); }
};

struct ColumnByColumn {
  std::size_t size;
  std::size_t at(std::size_t i, std::size_t j) const {
    return j * (size - 1) - (j == 0 ? 0 : j * (j - 1) / 2) + i - j - 1;
  }
  double weight(std::size_t, std::size_t j) const { return static_cast<double>(size - j); }
};

// Of each pair: t, s and p.
struct Kept {
  double* t;
  double* s;
  double* p;
  Kept(double* scratch, std::size_t size) : t(scratch), s(t + pairs(size)), p(s + pairs(size)) {}
};

template <class Order>
void fill_factor(Order order, const double* free, const Kept& kept, double* factor, double* log_jacobian) {
  const std::size_t size = order.size;
  std::fill_n(factor, size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    double p = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t k = order.at(i, j);
      kept.t[k] = std::tanh(free[k]);
      kept.s[k] = 1 / std::cosh(free[k]);
      kept.p[k] = p;
      factor[j * size + i] = kept.t[k] * p;
      p *= kept.s[k];
      *log_jacobian += order.weight(i, j) * log_sech(free[k]);
    }
    factor[i * size + i] = p;
  }
}

// adjoint_of(i, j) is that of l_ij.
template <class Order, class AdjointOf>
void add_free_adjoint(Order order, const Kept& kept, const TransformCall& call, AdjointOf adjoint_of) {
  for (std::size_t i = 1; i < order.size; ++i) {
    double p_adjoint = adjoint_of(i, i);
    for (std::size_t j = i; j-- > 0;) {
      const std::size_t k = order.at(i, j);
      const double adjoint = adjoint_of(i, j);
      const double s = kept.s[k];
      const double t = kept.t[k];
      call.free_adjoint[k] +=
          kept.p[k] * s * (adjoint * s - p_adjoint * t) - call.log_jacobian_adjoint * order.weight(i, j) * t;
      p_adjoint = adjoint * t + p_adjoint * s;
    }
  }
}

// Free numbers from a factor whose rows need only have about length 1.
template <class Order>
std::optional<Violation> read_factor(Order order, const double* factor, double* free) {
  const std::size_t size = order.size;
  for (std::size_t i = 1; i < size; ++i) {
    double left = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const double l = factor[j * size + i];
      const double t = l / std::sqrt(left);
      if (!(std::abs(t) <= 1)) {
        return wrong_number(
            i, j, l,
            "must be at most " + number_text(std::sqrt(left)) + " in magnitude for its row to have length 1",
            std::abs(l) - std::sqrt(left));
      }
      free[order.at(i, j)] = std::atanh(t);
      left -= l * l;
    }
  }
  return {};
}

// ---- cholesky_factor_corr ----
std::size_t factor_scratch_size(Shape item) { return 3 * pairs(item.rows); }

void factor_forward(const TransformCall& call) {
  const RowByRow order{call.shape.rows};
  fill_factor(order, call.free, Kept(call.scratch, order.size), call.value, call.log_jacobian);
}

void factor_backward(const TransformCall& call) {
  const RowByRow order{call.shape.rows};
  add_free_adjoint(order, Kept(call.scratch, order.size), call,
                   [&](std::size_t i, std::size_t j) { return call.value_adjoint[j * order.size + i]; });
}

std::optional<Violation> factor_unconstrain(const ConstrainedValue& value, double* free) {
  return read_factor(RowByRow{value.shape.rows}, value.value, free);
}

std::optional<Violation> factor_check(const ConstrainedValue& value) {
  const std::size_t size = value.shape.rows;
  if (auto violation = check_triangle(value.value, size, size)) return violation;
  for (std::size_t i = 0; i < size; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < size; ++j) squares += value.value[j * size + i] * value.value[j * size + i];
    if (std::abs(1 - squares) <= kConstraintTolerance) continue;
    return wrong_item("has row " + std::to_string(i + 1) + " of squared length " + number_text(squares) +
                          ", but it must be 1",
                      std::abs(1 - squares));
  }
  return {};
}

std::optional<Violation> accept(const ConstrainedValue&) { return {}; }

// ---- corr_matrix; scratch: t, s, p, L ----
std::size_t corr_scratch_size(Shape item) { return 3 * pairs(item.rows) + item.rows * item.rows; }

void corr_forward(const TransformCall& call) {
  const ColumnByColumn order{call.shape.rows};
  double* factor = call.scratch + 3 * pairs(order.size);
  fill_factor(order, call.free, Kept(call.scratch, order.size), factor, call.log_jacobian);
  multiply_self_transpose(factor, order.size, call.value);
}

void corr_backward(const TransformCall& call) {
  const ColumnByColumn order{call.shape.rows};
  const double* factor = call.scratch + 3 * pairs(order.size);
  add_free_adjoint(order, Kept(call.scratch, order.size), call, [&](std::size_t i, std::size_t j) {
    return self_transpose_adjoint(factor, call.value_adjoint, order.size, i, j);
  });
}

std::optional<Violation> corr_check(const ConstrainedValue& value) {
  const std::size_t size = value.shape.rows;
  for (std::size_t i = 0; i < size; ++i) {
    const double diagonal = value.value[i * size + i];
    if (std::abs(diagonal - 1) <= kConstraintTolerance) continue;
    return wrong_number(i, i, diagonal, "must be 1 on the diagonal", std::abs(diagonal - 1));
  }
  if (auto violation = check_symmetric(value.value, size)) return violation;
  return check_positive_definite(value.value, size);
}

std::optional<Violation> corr_unconstrain(const ConstrainedValue& value, double* free) {
  const std::size_t size = value.shape.rows;
  std::vector<double> factor(value.value, value.value + size * size);
  for (std::size_t i = 0; i < size; ++i) factor[i * size + i] = 1;
  const std::size_t bad = linear::cholesky_pivots({factor.data(), size, size});
  if (bad < size) {
    return wrong_item(
        "is not positive definite in its first " + std::to_string(bad + 1) + " rows and columns",
        std::nan(""));
  }
  return read_factor(ColumnByColumn{size}, factor.data(), free);
}

}  // namespace

const TransformDef cholesky_factor_corr_transform = {
    .name = "cholesky_factor_corr",
    .doc = "Cholesky factors of correlation matrices",
    .free_size = pair_count,
    .scratch_size = factor_scratch_size,
    .forward = factor_forward,
    .backward = factor_backward,
    .unconstrain = factor_unconstrain,
    .check = factor_check,
    .check_init = accept,
};

const TransformDef corr_matrix_transform = {
    .name = "corr_matrix",
    .doc = "correlation matrices: symmetric, positive definite, with a unit diagonal",
    .free_size = pair_count,
    .scratch_size = corr_scratch_size,
    .forward = corr_forward,
    .backward = corr_backward,
    .unconstrain = corr_unconstrain,
    .check = corr_check,
};

}  // namespace kullback::math::transforms
