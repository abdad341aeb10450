// Normal distributions of n numbers: (tr(S_q^-1 S_p) + |m_p - m_q|^2 in S_q - n + log det S_q - log det S_p)
// / 2.
#include "dist/kl_pairs.hpp"
#include "dist/linear_algebra.hpp"

namespace kullback::dist {

namespace {

double size_of(const Tensor& loc) { return static_cast<double>(loc.size(-1)); }

Tensor log_determinant(const MultivariateNormal& d) { return 2 * sum_log_diagonal(d.scale_tril()); }
Tensor log_determinant(const LowRankMultivariateNormal& d) { return d.log_determinant(); }

Tensor squared_distance(const MultivariateNormal& q, const Tensor& deviation) {
  return sum_squares(solve_lower(q.scale_tril(), deviation), 1);
}
Tensor squared_distance(const LowRankMultivariateNormal& q, const Tensor& deviation) {
  return q.squared_distance(deviation);
}

Tensor solve(const Tensor& lower, const Tensor& columns) {
  return at::linalg_solve_triangular(lower, columns, /*upper=*/false);
}

// K^-1 W' D^-1: what Woodbury's formula takes off, as a root.
Tensor correction(const LowRankMultivariateNormal& q) {
  return solve(q.capacitance_tril(), q.factor().mT() / q.diagonal().unsqueeze(-2));
}

Tensor trace(const MultivariateNormal& p, const MultivariateNormal& q) {
  return sum_squares(solve(q.scale_tril(), p.scale_tril()), 2);
}

Tensor trace(const LowRankMultivariateNormal& p, const MultivariateNormal& q) {
  return sum_squares(solve(q.scale_tril(), p.factor()), 2) +
         sum_squares(solve(q.scale_tril(), at::diag_embed(p.diagonal().sqrt())), 2);
}

Tensor trace(const MultivariateNormal& p, const LowRankMultivariateNormal& q) {
  return (p.variance() / q.diagonal()).sum(-1) - sum_squares(at::matmul(correction(q), p.scale_tril()), 2);
}

Tensor trace(const LowRankMultivariateNormal& p, const LowRankMultivariateNormal& q) {
  const auto root = correction(q);
  return (p.variance() / q.diagonal()).sum(-1) - sum_squares(at::matmul(root, p.factor()), 2) -
         (root.square() * p.diagonal().unsqueeze(-2)).sum({-2, -1});
}

template <class P, class Q>
Tensor of_vectors(const P& p, const Q& q) {
  return 0.5 * (trace(p, q) + squared_distance(q, p.loc() - q.loc()) - size_of(p.loc()) + log_determinant(q) -
                log_determinant(p));
}

}  // namespace

Tensor kl(const MultivariateNormal& p, const MultivariateNormal& q) { return of_vectors(p, q); }
Tensor kl(const MultivariateNormal& p, const LowRankMultivariateNormal& q) { return of_vectors(p, q); }
Tensor kl(const LowRankMultivariateNormal& p, const MultivariateNormal& q) { return of_vectors(p, q); }
Tensor kl(const LowRankMultivariateNormal& p, const LowRankMultivariateNormal& q) { return of_vectors(p, q); }

// The trace of a Kronecker product is the product of the traces.
Tensor kl(const MatrixNormal& p, const MatrixNormal& q) {
  const auto rows = sum_squares(solve(q.row_scale_tril(), p.row_scale_tril()), 2);
  const auto columns = sum_squares(solve(q.column_scale_tril(), p.column_scale_tril()), 2);
  const auto distance = sum_squares(q.whitened(p.loc() - q.loc()), 2);
  const auto count = static_cast<double>(p.loc().size(-2) * p.loc().size(-1));
  return 0.5 * (rows * columns + distance - count) + q.half_log_determinant() - p.half_log_determinant();
}

}  // namespace kullback::dist
