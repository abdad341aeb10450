// Cholesky factors by Eigen's blocked algorithm, and triangular solves, which are other loops for columns,
// rows and a single vector.
#include <Eigen/Cholesky>

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
  return lower.storage == Storage::rows ? factor<Eigen::RowMajor>(a, lower)
                                        : factor<Eigen::ColMajor>(a, lower);
}

void solve_lower(const ConstView& lower, const View& b) {
  for_triangle(lower, [&](const auto& l) {
    for_storage(b, [&](auto& x) { l.template triangularView<Eigen::Lower>().solveInPlace(x); });
  });
}

void solve_lower_transposed(const ConstView& lower, const View& b) {
  for_triangle(lower, [&](const auto& l) {
    for_storage(b, [&](auto& x) { l.transpose().template triangularView<Eigen::Upper>().solveInPlace(x); });
  });
}

void solve_upper(const ConstView& upper, const View& b) {
  for_triangle(upper, [&](const auto& u) {
    for_storage(b, [&](auto& x) { u.template triangularView<Eigen::Upper>().solveInPlace(x); });
  });
}

void solve_cholesky(const ConstView& lower, const View& b) {
  solve_lower(lower, b);
  solve_lower_transposed(lower, b);
}

double log_determinant_of_cholesky(const ConstView& lower) {
  return 2 * stored(lower).diagonal().array().log().sum();
}

}  // namespace kullback::math::linear
