// What several constrained types share: what they demand of their values, with Stan's tolerance of 1e-8
// (absolute), and products of triangular factors. For X = L L^T, dL = (A + A^T) L with the adjoints A of X.
#include <charconv>
#include <cmath>
#include <vector>

#include "math/linear_algebra.hpp"
#include "math/transforms/records.hpp"

namespace kullback::math::transforms {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";  // whatever its sign
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

Violation wrong_number(std::size_t row, std::size_t col, double value, const std::string& requirement,
                       double excess) {
  Violation violation;
  violation.whole = false;
  violation.row = row;
  violation.col = col;
  violation.excess = excess;
  violation.what = "is " + number_text(value) + ", but " + requirement;
  return violation;
}

Violation wrong_item(std::string what, double excess) {
  Violation violation;
  violation.excess = excess;
  violation.what = std::move(what);
  return violation;
}

std::optional<Violation> check_symmetric(const double* matrix, std::size_t rows) {
  for (std::size_t col = 0; col < rows; ++col) {
    for (std::size_t row = 0; row < col; ++row) {
      const double upper = matrix[col * rows + row];
      const double lower = matrix[row * rows + col];
      if (std::abs(upper - lower) <= kConstraintTolerance) continue;
      return wrong_number(row, col, upper,
                          "must equal the element across the diagonal, which is " + number_text(lower),
                          std::abs(upper - lower));
    }
  }
  return {};
}

void multiply_self_transpose(const double* factor, std::size_t rows, double* product) {
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = j; i < rows; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += factor[k * rows + i] * factor[k * rows + j];
      product[j * rows + i] = sum;
      product[i * rows + j] = sum;
    }
  }
}

double self_transpose_adjoint(const double* factor, const double* product_adjoint, std::size_t rows,
                              std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = j; k < rows; ++k) {
    sum += (product_adjoint[k * rows + i] + product_adjoint[i * rows + k]) * factor[j * rows + k];
  }
  return sum;
}

std::optional<Violation> check_positive_definite(const double* matrix, std::size_t rows) {
  for (std::size_t i = 0; i < rows * rows; ++i) {
    if (std::isnan(matrix[i])) {
      return wrong_number(i % rows, i / rows, matrix[i], "must be a number", std::nan(""));
    }
  }
  if (rows == 1 && !(matrix[0] > kConstraintTolerance)) {
    return wrong_number(0, 0, matrix[0], "must be positive", -matrix[0]);
  }
  std::vector<double> factor(matrix, matrix + rows * rows);
  const std::size_t bad = linear::cholesky_pivots({factor.data(), rows, rows});
  if (bad == rows) return {};
  const double pivot = factor[bad * rows + bad];
  const std::string size = std::to_string(bad + 1);
  return wrong_item("is not positive definite: pivot " + size + " of its decomposition is " +
                        number_text(pivot) + ", but must be positive",
                    -pivot);
}

std::optional<Violation> check_triangle(const double* matrix, std::size_t rows, std::size_t cols) {
  if (rows < cols) {
    return wrong_item("has " + std::to_string(rows) + " rows and " + std::to_string(cols) +
                          " columns, but must have at least as many rows as columns",
                      static_cast<double>(cols - rows));
  }
  for (std::size_t col = 0; col < cols; ++col) {
    for (std::size_t row = 0; row < col; ++row) {
      const double value = matrix[col * rows + row];
      if (value != 0) return wrong_number(row, col, value, "must be 0 above the diagonal", std::abs(value));
    }
    const double diagonal = matrix[col * rows + col];
    if (!(diagonal > 0)) {
      return wrong_number(col, col, diagonal, "must be positive on the diagonal", -diagonal);
    }
  }
  return {};
}

std::optional<Violation> check_simplex(const double* value, std::size_t count, std::size_t stride) {
  if (count == 0) return wrong_item("is empty, but a simplex has at least one element", 1);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = value[i * stride];
    if (!(x >= 0)) return wrong_number(i, 0, x, "must be at least 0 in a simplex", -x);
    sum += x;
  }
  if (std::abs(1 - sum) <= kConstraintTolerance) return {};
  return wrong_item("sums to " + number_text(sum) + ", but must sum to 1", std::abs(1 - sum));
}

std::optional<Violation> check_ordered(const double* value, std::size_t count) {
  for (std::size_t i = 1; i < count; ++i) {
    if (value[i] > value[i - 1]) continue;
    return wrong_number(i, 0, value[i],
                        "must be greater than the element before it, which is " + number_text(value[i - 1]),
                        value[i - 1] - value[i]);
  }
  return {};
}

}  // namespace kullback::math::transforms
