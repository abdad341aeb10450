// Factors, inverses and inner products for the multivariate densities.
#include "math/array_ops/density_linear.hpp"

namespace kullback::math::density {

void factor(std::string_view function, std::string_view name, const ConstView& matrix, const View& lower) {
  dense::copy(matrix, lower);
  if (!dense::factor_cholesky(lower)) throw_not_positive_definite(function, name);
  for (std::size_t k = 0; k < lower.rows; ++k) {
    if (!std::isfinite(lower.data[k + k * lower.rows])) throw_not_positive_definite(function, name);
  }
  dense::clear_upper(lower);
}

double log_diagonal(const ConstView& matrix) {
  double sum = 0;
  for (std::size_t k = 0; k < matrix.rows; ++k) sum += std::log(matrix.data[k + k * matrix.rows]);
  return sum;
}

void inverse_of_lower(const ConstView& lower, const View& inverse) {
  dense::set_identity(inverse);
  dense::solve_lower_left(lower, inverse);
}

void inverse_from_factor(const ConstView& lower, const View& inverse) {
  dense::set_identity(inverse);
  dense::solve_lower_left(lower, inverse);
  dense::solve_lower_left(dense::t(lower), inverse);
}

double squared_norm(const ConstView& a) { return dense::dot(a.data, a.data, a.rows * a.cols); }

double inner_product(const ConstView& a, const ConstView& b) {
  return dense::dot(a.data, b.data, a.rows * a.cols);
}

void add_scaled(double scale, const ConstView& a, const View& b) {
  dense::add_scaled(scale, a.data, b.data, b.size());
}

void add_scaled_lower(double scale, const ConstView& a, const View& b) {
  const std::size_t n = b.rows;
  for (std::size_t j = 0; j < n; ++j) dense::add_scaled(scale, a.data + j + j * n, b.data + j + j * n, n - j);
}

}  // namespace kullback::math::density
