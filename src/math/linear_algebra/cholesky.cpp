// Cholesky factors and triangular solves: loops that add in order for factors stored by rows up to some size,
// else Eigen's blocks, which are other loops for columns, rows and a single vector. (In columns, too, the
// loops would be faster up to some hundred rows, by fractions of a microsecond to some ten of them; Eigen has
// stayed there so that the draws of a seed do.)
#include <Eigen/Cholesky>
#include <cmath>

#include "math/linear_algebra/in_order.hpp"
#include "math/linear_algebra/stored.hpp"

namespace kullback::math::linear {

namespace {

template <int order>
bool factor(const ConstView& a, const View& lower) {
  auto target = stored<order>(lower);
  if (a.data != lower.data) {
    if (a.storage == Storage::rows)
      target.template triangularView<Eigen::Lower>() = stored<Eigen::RowMajor>(a);
    else
      target.template triangularView<Eigen::Lower>() = stored(a);
  }
  target.template triangularView<Eigen::StrictlyUpper>().setZero();
  Eigen::Ref<Dense<double, order>> in_place(target);
  return Eigen::LLT<Eigen::Ref<Dense<double, order>>>(in_place).info() == Eigen::Success;
}

// A NaN or an infinity anywhere below the diagonal of A reaches the diagonal of L.
bool has_finite_diagonal(const ConstView& lower) {
  for (std::size_t i = 0; i < lower.rows; ++i) {
    if (!std::isfinite(lower.data[i * (lower.stride + 1)])) return false;
  }
  return true;
}

bool is_in_order(const ConstView& lower) {
  return lower.storage == Storage::rows && lower.rows <= in_order::kLargest;
}

template <class Solve>
void for_storage(const View& b, const Solve& solve) {
  switch (b.storage) {
    case Storage::columns: {
      auto columns = stored(b);
      return solve(columns);
    }
    case Storage::rows: {
      auto rows = stored<Eigen::RowMajor>(b);
      return solve(rows);
    }
    case Storage::vector: {
      auto vector = stored_vector(b);
      return solve(vector);
    }
  }
}

template <class Solve>
void for_triangle(const ConstView& triangle, const Solve& solve) {
  if (triangle.storage == Storage::rows)
    solve(stored<Eigen::RowMajor>(triangle));
  else
    solve(stored(triangle));
}

}  // namespace

bool cholesky(const ConstView& a, const View& lower) {
  bool is_positive = false;
  if (is_in_order(lower))
    is_positive = in_order::factor_rows(a, lower) == lower.rows;
  else if (lower.storage == Storage::rows)
    is_positive = factor<Eigen::RowMajor>(a, lower);
  else
    is_positive = factor<Eigen::ColMajor>(a, lower);
  return is_positive && has_finite_diagonal(lower);
}

void solve_lower(const ConstView& lower, const View& b) {
  if (is_in_order(lower) && b.storage == Storage::vector) return in_order::solve_lower(lower, b.data);
  for_triangle(lower, [&](const auto& l) {
    for_storage(b, [&](auto& x) { l.template triangularView<Eigen::Lower>().solveInPlace(x); });
  });
}

void solve_lower_transposed(const ConstView& lower, const View& b) {
  if (is_in_order(lower) && b.storage == Storage::vector)
    return in_order::solve_lower_transposed(lower, b.data);
  for_triangle(lower, [&](const auto& l) {
    for_storage(b, [&](auto& x) { l.transpose().template triangularView<Eigen::Upper>().solveInPlace(x); });
  });
}

void solve_upper(const ConstView& upper, const View& b) {
  for_triangle(upper, [&](const auto& u) {
    for_storage(b, [&](auto& x) { u.template triangularView<Eigen::Upper>().solveInPlace(x); });
  });
}

std::size_t cholesky_pivots(const View& a) {
  return a.storage == Storage::rows ? in_order::factor_rows(a, a) : in_order::factor_columns(a);
}

void solve_cholesky(const ConstView& lower, const View& b) {
  solve_lower(lower, b);
  solve_lower_transposed(lower, b);
}

double log_determinant_of_cholesky(const ConstView& lower) {
  return 2 * stored(lower).diagonal().array().log().sum();
}

}  // namespace kullback::math::linear
