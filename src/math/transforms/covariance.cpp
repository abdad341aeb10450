// cholesky_factor_cov[M, N], M >= N: lower triangular L with l_mm = exp(y), all else in the triangle as it
// is; the free numbers go row by row. log|J| = sum_m y_mm. cov_matrix[K]: S = L L^T of such a factor. log|J|
// = K log 2 + sum_k (K - k + 2) y_kk, k = 1..K, J being that of the lower triangle of S. Adjoint: dL = (A +
// A^T) L in the lower triangle, for the adjoints A of all elements of S.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/linear_algebra.hpp"
#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

// Calls visit(k, row, col) for free number k.
template <class Visit>
void for_each_free(std::size_t rows, std::size_t cols, Visit visit) {
  std::size_t k = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols && col <= row; ++col) visit(k++, row, col);
  }
}

void fill_factor(std::size_t rows, std::size_t cols, const double* free, double* factor) {
  std::fill_n(factor, rows * cols, 0.0);
  for_each_free(rows, cols, [&](std::size_t k, std::size_t row, std::size_t col) {
    factor[col * rows + row] = row == col ? std::exp(free[k]) : free[k];
  });
}

void read_factor(std::size_t rows, std::size_t cols, const double* factor, double* free) {
  for_each_free(rows, cols, [&](std::size_t k, std::size_t row, std::size_t col) {
    const double l = factor[col * rows + row];
    free[k] = row == col ? std::log(l) : l;
  });
}

// ---- cholesky_factor_cov ----
std::size_t factor_free_size(Shape item) {
  const std::size_t square = item.rows < item.cols ? item.rows : item.cols;
  return square * (square + 1) / 2 + (item.rows - square) * item.cols;
}

void factor_forward(const TransformCall& call) {
  fill_factor(call.shape.rows, call.shape.cols, call.free, call.value);
  for_each_free(call.shape.rows, call.shape.cols, [&](std::size_t k, std::size_t row, std::size_t col) {
    if (row == col) *call.log_jacobian += call.free[k];
  });
}

void factor_backward(const TransformCall& call) {
  const std::size_t rows = call.shape.rows;
  for_each_free(rows, call.shape.cols, [&](std::size_t k, std::size_t row, std::size_t col) {
    const std::size_t at = col * rows + row;
    const double adjoint = call.value_adjoint[at];
    call.free_adjoint[k] += row == col ? adjoint * call.value[at] + call.log_jacobian_adjoint : adjoint;
  });
}

std::optional<Violation> factor_unconstrain(const ConstrainedValue& value, double* free) {
  read_factor(value.shape.rows, value.shape.cols, value.value, free);
  return {};
}

std::optional<Violation> factor_check(const ConstrainedValue& value) {
  return check_triangle(value.value, value.shape.rows, value.shape.cols);
}

std::string factor_size_problem(Shape item) {
  return item.rows >= item.cols ? "" : "must have at least as many rows as columns";
}

// ---- cov_matrix; scratch keeps L ----
std::size_t cov_free_size(Shape item) { return item.rows * (item.rows + 1) / 2; }
std::size_t cov_scratch_size(Shape item) { return item.rows * item.rows; }

double jacobian_weight(std::size_t size, std::size_t k) { return static_cast<double>(size - k + 1); }

void cov_forward(const TransformCall& call) {
  const std::size_t size = call.shape.rows;
  double* factor = call.scratch;
  fill_factor(size, size, call.free, factor);
  multiply_self_transpose(factor, size, call.value);
  *call.log_jacobian += static_cast<double>(size) * std::numbers::ln2;
  for_each_free(size, size, [&](std::size_t k, std::size_t row, std::size_t col) {
    if (row == col) *call.log_jacobian += jacobian_weight(size, row) * call.free[k];
  });
}

void cov_backward(const TransformCall& call) {
  const std::size_t size = call.shape.rows;
  const double* factor = call.scratch;
  for_each_free(size, size, [&](std::size_t k, std::size_t row, std::size_t col) {
    const double adjoint = self_transpose_adjoint(factor, call.value_adjoint, size, row, col);
    if (row == col) {
      call.free_adjoint[k] +=
          adjoint * factor[col * size + row] + call.log_jacobian_adjoint * jacobian_weight(size, row);
    } else {
      call.free_adjoint[k] += adjoint;
    }
  });
}

std::optional<Violation> cov_check(const ConstrainedValue& value) {
  if (auto violation = check_symmetric(value.value, value.shape.rows)) return violation;
  return check_positive_definite(value.value, value.shape.rows);
}

std::optional<Violation> cov_unconstrain(const ConstrainedValue& value, double* free) {
  const std::size_t size = value.shape.rows;
  std::vector<double> factor(value.value, value.value + size * size);
  linear::cholesky_pivots({factor.data(), size, size});
  read_factor(size, size, factor.data(), free);
  return {};
}

}  // namespace

const TransformDef cholesky_factor_cov_transform = {
    .name = "cholesky_factor_cov",
    .doc = "lower triangular matrices with a positive diagonal",
    .free_size = factor_free_size,
    .size_problem = factor_size_problem,
    .forward = factor_forward,
    .backward = factor_backward,
    .unconstrain = factor_unconstrain,
    .check = factor_check,
};

const TransformDef cov_matrix_transform = {
    .name = "cov_matrix",
    .doc = "symmetric positive definite matrices",
    .free_size = cov_free_size,
    .scratch_size = cov_scratch_size,
    .forward = cov_forward,
    .backward = cov_backward,
    .unconstrain = cov_unconstrain,
    .check = cov_check,
};

}  // namespace kullback::math::transforms
