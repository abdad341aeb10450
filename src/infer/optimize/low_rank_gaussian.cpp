// With the pairs as columns of S and Y, A = diag(a), R the upper triangle of S'Y and E its diagonal, the
// inverse Hessian of BFGS begun with A is (Byrd, Nocedal and Schnabel 1994, theorem 2.2)
//   H = A + B G B',   B = [A Y, S],   G = [0, -R^-1; -R^-T, R^-T (E + Y'A Y) R^-1].
// With the thin QR decomposition A^(-1/2) B = Q T and the Cholesky factor L L' = I + T G T',
//   H = A^(1/2) (I - QQ' + Q L L' Q') A^(1/2),
// so that A^(1/2) (z + Q (L - I) Q'z) has covariance H and log|H| / 2 = sum log L_ii + sum log a_i / 2
// (Zhang, Carpenter, Gelman and Vehtari 2022, appendix). Where there are more columns than coordinates Q is
// square, and the formula is that of a dense matrix.
//
// The diagonal: Gilbert and Lemarechal 1989, equation 4.9; with a = diag(A)
//   1 / a_i' = (y'Ay / a_i + y_i^2 - (y'Ay / s'A^-1 s) (s_i / a_i)^2) / s'y.
// By the inequality of Cauchy and Schwarz it stays positive.
#include "infer/optimize/low_rank_gaussian.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ConstVector = Eigen::Map<const VectorXd>;
using ConstMatrix = Eigen::Map<const MatrixXd>;

ConstVector as_vector(std::span<const double> v) { return {v.data(), static_cast<Index>(v.size())}; }

struct Factors {
  MatrixXd basis;   // Q
  MatrixXd factor;  // L
};

MatrixXd middle_matrix(const MatrixXd& steps, const MatrixXd& changes, const VectorXd& diagonal) {
  const Index pairs = steps.cols();
  const MatrixXd products = steps.transpose() * changes;
  MatrixXd inverse = MatrixXd::Identity(pairs, pairs);
  math::linear::solve_upper(products, inverse);  // R^-1
  MatrixXd inner = changes.transpose() * diagonal.asDiagonal() * changes;
  inner.diagonal() += products.diagonal();
  MatrixXd result = MatrixXd::Zero(2 * pairs, 2 * pairs);
  result.topRightCorner(pairs, pairs) = -inverse;
  result.bottomLeftCorner(pairs, pairs) = -inverse.transpose();
  result.bottomRightCorner(pairs, pairs) = inverse.transpose() * inner * inverse;
  return result;
}

std::optional<Factors> factors_of(const VectorXd& scale, const CurvaturePairs& pairs) {
  const Index dim = scale.size();
  const auto count = static_cast<Index>(pairs.count());
  MatrixXd steps(dim, count);
  MatrixXd changes(dim, count);
  for (Index k = 0; k < count; ++k) {
    steps.col(k) = as_vector(pairs.s(static_cast<std::size_t>(k)));
    changes.col(k) = as_vector(pairs.y(static_cast<std::size_t>(k)));
  }
  MatrixXd columns(dim, 2 * count);
  columns.leftCols(count) = scale.asDiagonal() * changes;
  columns.rightCols(count) = scale.cwiseInverse().asDiagonal() * steps;
  const Index rank = std::min(dim, 2 * count);
  Factors result{MatrixXd(dim, rank), MatrixXd(rank, rank)};
  MatrixXd upper(rank, columns.cols());
  math::linear::qr(columns, result.basis, upper);
  const MatrixXd middle = middle_matrix(steps, changes, scale.cwiseAbs2());
  result.factor = MatrixXd::Identity(rank, rank) + upper * middle * upper.transpose();
  if (!math::linear::cholesky(result.factor, result.factor)) return std::nullopt;
  if (!result.factor.allFinite() || !result.basis.allFinite()) return std::nullopt;
  return result;
}

double log_normalisation(std::size_t dim) {
  return 0.5 * static_cast<double>(dim) * std::log(2 * std::numbers::pi);
}

}  // namespace

std::optional<LowRankGaussian> LowRankGaussian::at(std::span<const double> theta,
                                                   std::span<const double> gradient,
                                                   std::span<const double> diagonal,
                                                   const CurvaturePairs& pairs) {
  LowRankGaussian result;
  const VectorXd scale = as_vector(diagonal).array().sqrt();
  VectorXd move = scale.cwiseProduct(as_vector(gradient));
  result.log_determinant_ = scale.array().log().sum();
  if (pairs.count() > 0) {
    const std::optional<Factors> factors = factors_of(scale, pairs);
    if (!factors) return std::nullopt;
    const MatrixXd& basis = factors->basis;
    const MatrixXd& lower = factors->factor;
    const VectorXd inside = basis.transpose() * move;
    move += basis * (lower * (lower.transpose() * inside) - inside);
    result.log_determinant_ += lower.diagonal().array().log().sum();
    result.basis_.assign(basis.data(), basis.data() + basis.size());
    result.factor_.assign(lower.data(), lower.data() + lower.size());
  }
  const VectorXd mean = as_vector(theta) + scale.cwiseProduct(move);
  if (!mean.allFinite() || !std::isfinite(result.log_determinant_)) return std::nullopt;
  result.mean_.assign(mean.data(), mean.data() + mean.size());
  result.scale_.assign(scale.data(), scale.data() + scale.size());
  return result;
}

std::vector<double> LowRankGaussian::draw(std::span<const double> normals) const {
  VectorXd z = as_vector(normals);
  if (rank() > 0) {
    const ConstMatrix basis(basis_.data(), z.size(), static_cast<Index>(rank()));
    const ConstMatrix lower(factor_.data(), basis.cols(), basis.cols());
    const VectorXd inside = basis.transpose() * z;
    z += basis * (lower * inside - inside);
  }
  std::vector<double> theta(dim());
  for (std::size_t i = 0; i < dim(); ++i) theta[i] = mean_[i] + scale_[i] * z[static_cast<Index>(i)];
  return theta;
}

double LowRankGaussian::log_density(std::span<const double> theta) const {
  VectorXd z = (as_vector(theta) - as_vector(mean_)).cwiseQuotient(as_vector(scale_));
  double squares = 0;
  if (rank() > 0) {
    const ConstMatrix basis(basis_.data(), z.size(), static_cast<Index>(rank()));
    const ConstMatrix lower(factor_.data(), basis.cols(), basis.cols());
    VectorXd inside = basis.transpose() * z;
    z -= basis * inside;
    math::linear::solve_lower(lower, inside);
    squares += inside.squaredNorm();
  }
  return -log_determinant_ - log_normalisation(dim()) - 0.5 * (squares + z.squaredNorm());
}

double LowRankGaussian::log_density_of_draw(std::span<const double> normals) const {
  return -log_determinant_ - log_normalisation(dim()) - 0.5 * dot(normals, normals);
}

void LowRankGaussian::archive(Archive& archive) {
  archive.value(mean_);
  archive.value(scale_);
  archive.value(basis_);
  archive.value(factor_);
  archive.value(log_determinant_);
}

void update_diagonal(std::vector<double>& diagonal, std::span<const double> s, std::span<const double> y) {
  double y_a_y = 0;
  double s_inv_s = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    y_a_y += y[i] * y[i] * diagonal[i];
    s_inv_s += s[i] * s[i] / diagonal[i];
  }
  const double s_y = dot(s, y);
  std::vector<double> next(diagonal.size());
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double ratio = s[i] / diagonal[i];
    next[i] = s_y / (y_a_y / diagonal[i] + y[i] * y[i] - y_a_y / s_inv_s * ratio * ratio);
    if (!(next[i] > 0) || !std::isfinite(next[i])) return;
  }
  diagonal = std::move(next);
}

}  // namespace kullback::infer
