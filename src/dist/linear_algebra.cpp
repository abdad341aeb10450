#include "dist/linear_algebra.hpp"

#include <tuple>

#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

// Applies f(matrix, columns) with the dimensions that the matrix lacks moved into the columns.
template <class F>
Tensor on_columns(const Tensor& matrix, const Tensor& vectors, F f) {
  const auto own = vectors.dim() - 1;  // dimensions before the vector
  const auto batch = matrix.dim() - 2;
  if (own <= batch) return f(matrix, vectors.unsqueeze(-1)).squeeze(-1);
  const auto split = static_cast<size_t>(own - batch);
  const auto free = vectors.sizes().slice(0, split);
  const auto columns = vectors.reshape(joined(Shape{-1}, vectors.sizes().slice(split))).movedim(0, -1);
  const auto image = f(matrix, columns).movedim(-1, 0);
  return image.reshape(joined(free, image.sizes().slice(1)));
}

}  // namespace

Tensor solve_lower(const Tensor& lower, const Tensor& vectors) {
  return on_columns(lower, vectors, [](const Tensor& l, const Tensor& columns) {
    return at::linalg_solve_triangular(l, columns, /*upper=*/false);
  });
}

Tensor times(const Tensor& matrix, const Tensor& vectors) {
  return on_columns(matrix, vectors,
                    [](const Tensor& m, const Tensor& columns) { return at::matmul(m, columns); });
}

Tensor cholesky_factor(const Tensor& matrix) { return std::get<0>(at::linalg_cholesky_ex(matrix)); }

// With P reversed in both directions = C C', the reversed C is U with P = U U', U upper triangular: L =
// U'^-1.
Tensor scale_tril_of_precision(const Tensor& precision) {
  const auto reversed = cholesky_factor(precision.flip({-2, -1}));
  const auto inverse = reversed.flip({-2, -1}).mT();
  const auto identity = at::eye(precision.size(-1), precision.options().requires_grad(false));
  return at::linalg_solve_triangular(inverse, identity.expand(inverse.sizes()), /*upper=*/false);
}

Tensor sum_log_diagonal(const Tensor& lower) { return lower.diagonal(0, -2, -1).log().sum(-1); }

Tensor sum_squares(const Tensor& value, int64_t dims) { return sum_rightmost(value.square(), dims); }

}  // namespace kullback::dist
