// log p = -|A^-1 (X - M) B'^-1|^2/2 - p sum log diag A - n sum log diag B - n p log(2 pi)/2.
#include "dist/matrix_normal.hpp"

#include "dist/linear_algebra.hpp"
#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

// A factor against matrices: their other dimension is one more of the batch.
Tensor for_matrices(const Tensor& lower) { return lower.dim() == 2 ? lower : lower.unsqueeze(-3); }

bool is_square(const Tensor& matrix, int64_t n) {
  return matrix.dim() > 1 && matrix.size(-1) == n && matrix.size(-2) == n;
}

}  // namespace

std::vector<Distribution::Slot> MatrixNormal::slots() {
  return {{"loc", &loc_, constraints::finite_matrix()},
          {"row scale_tril", &rows_, constraints::lower_cholesky()},
          {"column scale_tril", &columns_, constraints::lower_cholesky()}};
}

MatrixNormal::MatrixNormal(Tensor loc, const ScaleTril& rows, const ScaleTril& columns)
    : loc_(std::move(loc)), rows_(rows.value), columns_(columns.value) {
  if (loc_.dim() < 2 || !is_square(rows_, loc_.size(-2)) || !is_square(columns_, loc_.size(-1))) {
    refuse("loc has shape " + text_of(loc_.sizes()) + ", row scale_tril " + text_of(rows_.sizes()) +
               " and column scale_tril " + text_of(columns_.sizes()),
           "give shapes batch + [n, p], batch + [n, n] and batch + [p, p]");
  }
  settle(slots(), {loc_.size(-2), loc_.size(-1)});
}

Constraint MatrixNormal::support() const { return constraints::real_matrix(); }

Tensor MatrixNormal::draw(IntArrayRef shape) const {
  const auto noise = at::randn(shape, loc_.options().requires_grad(false));
  return loc_ + at::matmul(rows_, at::matmul(noise, columns_.mT()));
}

Tensor MatrixNormal::whitened(const Tensor& deviation) const {
  const auto by_rows = solve_lower(for_matrices(rows_), deviation.mT()).mT();
  return solve_lower(for_matrices(columns_), by_rows);
}

Tensor MatrixNormal::half_log_determinant() const {
  return static_cast<double>(loc_.size(-1)) * sum_log_diagonal(rows_) +
         static_cast<double>(loc_.size(-2)) * sum_log_diagonal(columns_);
}

Tensor MatrixNormal::log_density(const Tensor& value) const {
  return -0.5 * sum_squares(whitened(value - loc_), 2) - half_log_determinant() - count() * kHalfLog2Pi;
}

Tensor MatrixNormal::entropy() const {
  return over_batch(half_log_determinant() + count() * (0.5 + kHalfLog2Pi));
}

Tensor MatrixNormal::mean() const { return over_events(loc_); }
Tensor MatrixNormal::variance() const {
  return over_events(rows_.square().sum(-1, true) * columns_.square().sum(-1).unsqueeze(-2));
}
Tensor MatrixNormal::mode() const { return mean(); }

}  // namespace kullback::dist
