// sum_to_zero_vector[K]: z = V y with the isometry V of helmert.hpp; log|J| = 0; inverse y = V^T z.
// sum_to_zero_matrix[R, C], all rows and columns sum to zero: W = V Y V^T for free Y, (R - 1) x (C - 1)
// column-major, and Stan begins at the second row and column: z_{ij} = w_{i+1, j+1}, indices modulo R and C.
// Linear, an isometry.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/helmert.hpp"
#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

namespace {

std::size_t less_one(std::size_t size) { return size == 0 ? 0 : size - 1; }

// ---- vector ----
std::size_t vector_free_size(Shape item) { return less_one(item.rows); }

void vector_forward(const TransformCall& call) {
  if (call.shape.rows > 0) helmert(call.shape.rows - 1, call.free, 1, call.value, 1);
}

void vector_backward(const TransformCall& call) {
  if (call.shape.rows > 0) {
    add_helmert_transpose(call.shape.rows - 1, call.value_adjoint, 1, call.free_adjoint, 1);
  }
}

std::optional<Violation> vector_unconstrain(const ConstrainedValue& value, double* free) {
  const std::size_t n = less_one(value.shape.rows);
  std::fill_n(free, n, 0.0);
  if (n > 0) add_helmert_transpose(n, value.value, 1, free, 1);
  return {};
}

std::optional<Violation> check_sum(const double* value, std::size_t count, std::size_t step,
                                   const std::string& which) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += value[i * step];
  if (std::abs(sum) <= kConstraintTolerance) return {};
  return wrong_item(which + "sums to " + number_text(sum) + ", but must sum to 0", std::abs(sum));
}

std::optional<Violation> vector_check(const ConstrainedValue& value) {
  if (value.shape.rows == 0) return wrong_item("is empty, but must have at least one element", 1);
  return check_sum(value.value, value.shape.rows, 1, "");
}

std::string vector_size_problem(Shape item) { return item.rows > 0 ? "" : "must have at least one element"; }

// ---- matrix; scratch: R x (C - 1) halfway, then one row of C ----
std::size_t matrix_free_size(Shape item) { return less_one(item.rows) * less_one(item.cols); }
std::size_t matrix_scratch_size(Shape item) { return item.rows * less_one(item.cols) + item.cols; }

std::size_t wrap(std::size_t i, std::size_t size) { return i == 0 ? size - 1 : i - 1; }

void matrix_forward(const TransformCall& call) {
  const auto [rows, cols, count] = call.shape;
  if (rows == 0 || cols == 0) return;
  double* halfway = call.scratch;
  double* line = call.scratch + rows * (cols - 1);
  for (std::size_t j = 0; j + 1 < cols; ++j) {
    helmert(rows - 1, call.free + j * (rows - 1), 1, halfway + j * rows, 1);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    helmert(cols - 1, halfway + i, rows, line, 1);
    for (std::size_t j = 0; j < cols; ++j) call.value[wrap(i, rows) + wrap(j, cols) * rows] = line[j];
  }
}

// free += V^T W V, where `value` is W shifted.
void add_matrix_transpose(Shape shape, const double* value, double* scratch, double* free) {
  const auto [rows, cols, count] = shape;
  if (rows == 0 || cols == 0) return;
  double* halfway = scratch;
  double* line = scratch + rows * (cols - 1);
  std::fill_n(halfway, rows * (cols - 1), 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) line[j] = value[wrap(i, rows) + wrap(j, cols) * rows];
    add_helmert_transpose(cols - 1, line, 1, halfway + i, rows);
  }
  for (std::size_t j = 0; j + 1 < cols; ++j) {
    add_helmert_transpose(rows - 1, halfway + j * rows, 1, free + j * (rows - 1), 1);
  }
}

void matrix_backward(const TransformCall& call) {
  add_matrix_transpose(call.shape, call.value_adjoint, call.scratch, call.free_adjoint);
}

std::optional<Violation> matrix_unconstrain(const ConstrainedValue& value, double* free) {
  std::fill_n(free, matrix_free_size(value.shape), 0.0);
  std::vector<double> scratch(matrix_scratch_size(value.shape));
  add_matrix_transpose(value.shape, value.value, scratch.data(), free);
  return {};
}

std::optional<Violation> matrix_check(const ConstrainedValue& value) {
  const auto [rows, cols, count] = value.shape;
  if (rows == 0 || cols == 0) return wrong_item("is empty, but must have at least one row and column", 1);
  for (std::size_t j = 0; j < cols; ++j) {
    const std::string which = "has column " + std::to_string(j + 1) + " that ";
    if (auto violation = check_sum(value.value + j * rows, rows, 1, which)) return violation;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string which = "has row " + std::to_string(i + 1) + " that ";
    if (auto violation = check_sum(value.value + i, cols, rows, which)) return violation;
  }
  return {};
}

std::string matrix_size_problem(Shape item) {
  return item.rows > 0 && item.cols > 0 ? "" : "must have at least one row and one column";
}

}  // namespace

const TransformDef sum_to_zero_vector_transform = {
    .name = "sum_to_zero_vector",
    .doc = "vectors whose elements sum to 0",
    .free_size = vector_free_size,
    .size_problem = vector_size_problem,
    .forward = vector_forward,
    .backward = vector_backward,
    .unconstrain = vector_unconstrain,
    .check = vector_check,
};

const TransformDef sum_to_zero_matrix_transform = {
    .name = "sum_to_zero_matrix",
    .doc = "matrices whose rows and columns all sum to 0",
    .free_size = matrix_free_size,
    .scratch_size = matrix_scratch_size,
    .size_problem = matrix_size_problem,
    .forward = matrix_forward,
    .backward = matrix_backward,
    .unconstrain = matrix_unconstrain,
    .check = matrix_check,
};

}  // namespace kullback::math::transforms
