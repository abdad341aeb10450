// With z = L^-1 (theta - m), in which the draws have mean 0 and covariance 1,
//   log q = c + b'z - z'A z / 2
// is linear in its coefficients: least squares, which leave nothing where q is normal. In theta
//   log q = c + g'(theta - m) - (theta - m)'P (theta - m) / 2,   g = L^-T b,   P = L^-T A L^-1.
#include "certify/normal_through.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "math/linear_algebra.hpp"

namespace kullback::certify {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Eigen::Index kMostTerms = 2000;  // of the quadratic function: 61 coordinates
constexpr Eigen::Index kDrawsForEach = 2;  // term
constexpr double kLargestResidual = 0.01;  // nats; CSV files may have six digits

struct Quadratic {
  Vector linear;
  Matrix precision;
};

class Normal final : public density::LogDensity {
 public:
  Normal(Vector center, Quadratic quadratic) : center_(std::move(center)), quadratic_(std::move(quadratic)) {}

  std::size_t dim() const override { return static_cast<std::size_t>(center_.size()); }

  void evaluate(const density::Batch& batch) override {
    const auto lanes = static_cast<Eigen::Index>(batch.lanes);
    const Lanes offset = Eigen::Map<const Lanes>(batch.theta, center_.size(), lanes).colwise() - center_;
    const Lanes pull = quadratic_.precision * offset;
    for (Eigen::Index k = 0; k < lanes; ++k) {
      batch.log_density[k] = (quadratic_.linear - pull.col(k) / 2).dot(offset.col(k));
      batch.status[k] =
          std::isfinite(batch.log_density[k]) ? density::Status::ok : density::Status::not_finite;
    }
    if (batch.gradient == nullptr) return;
    Eigen::Map<Lanes>(batch.gradient, center_.size(), lanes) = (-pull).colwise() + quadratic_.linear;
  }

 private:
  Vector center_;
  Quadratic quadratic_;
};

// Row i: 1, z, and products of its coordinates: all, or each with itself.
Matrix terms_of(const Matrix& z, bool has_products) {
  const Eigen::Index dim = z.rows();
  const Eigen::Index count = 1 + dim + (has_products ? dim * (dim + 1) / 2 : dim);
  Matrix terms(z.cols(), count);
  terms.col(0).setOnes();
  terms.middleCols(1, dim) = z.transpose();
  Eigen::Index at = 1 + dim;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = has_products ? 0 : i; j <= i; ++j)
      terms.col(at++) = z.row(i).cwiseProduct(z.row(j)).transpose();
  }
  return terms;
}

// In z; nothing where there is a residual.
std::optional<Quadratic> quadratic_in(const Matrix& z, const Vector& log_q, bool has_products) {
  const Eigen::Index dim = z.rows();
  const Eigen::Index count = 1 + dim + (has_products ? dim * (dim + 1) / 2 : dim);
  if (count > kMostTerms || z.cols() < kDrawsForEach * count) return std::nullopt;
  const Matrix terms = terms_of(z, has_products);
  const Matrix normal = terms.transpose() * terms;
  const double middle = log_q.mean();
  Vector coefficients = terms.transpose() * (log_q.array() - middle).matrix();
  math::linear::solve_symmetric(normal, coefficients);
  const Vector residual = (log_q.array() - middle).matrix() - terms * coefficients;
  if (!residual.allFinite() || residual.cwiseAbs().maxCoeff() > kLargestResidual) return std::nullopt;
  Quadratic result{coefficients.segment(1, dim), Matrix::Zero(dim, dim)};
  Eigen::Index at = 1 + dim;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = has_products ? 0 : i; j <= i; ++j, ++at) {
      if (i == j)
        result.precision(i, i) = -2 * coefficients(at);
      else
        result.precision(i, j) = result.precision(j, i) = -coefficients(at);
    }
  }
  Matrix lower(dim, dim);
  if (!math::linear::cholesky(result.precision, lower)) return std::nullopt;
  return result;
}

}  // namespace

std::unique_ptr<density::LogDensity> normal_through(std::span<const double> theta, std::size_t dim,
                                                    std::span<const double> log_q) {
  const auto size = static_cast<Eigen::Index>(dim);
  const auto count = static_cast<Eigen::Index>(log_q.size());
  if (dim == 0 || count <= size + 1 || theta.size() != dim * log_q.size()) return nullptr;
  const Eigen::Map<const Matrix> draws(theta.data(), size, count);
  const Eigen::Map<const Vector> values(log_q.data(), count);
  const Vector center = draws.rowwise().mean();
  const Matrix offset = draws.colwise() - center;
  const Vector sd = (offset.rowwise().squaredNorm() / static_cast<double>(count - 1)).cwiseSqrt();
  if (!values.allFinite() || !sd.allFinite() || !(sd.minCoeff() > 0)) return nullptr;
  const Vector scale = sd.cwiseInverse();
  const Matrix scaled = scale.asDiagonal() * offset;
  if (auto found = quadratic_in(scaled, values, false)) {
    found->linear = scale.cwiseProduct(found->linear);
    found->precision = scale.asDiagonal() * found->precision * scale.asDiagonal();
    return std::make_unique<Normal>(center, std::move(*found));
  }
  Matrix lower = scaled * scaled.transpose() / static_cast<double>(count - 1);
  if (!math::linear::cholesky(lower, lower)) return nullptr;
  Matrix white = scaled;
  math::linear::solve_lower(lower, white);
  auto found = quadratic_in(white, values, true);
  if (!found) return nullptr;
  math::linear::solve_lower_transposed(lower, found->precision);  // L^-T A
  Matrix precision = found->precision.transpose();
  math::linear::solve_lower_transposed(lower, precision);
  math::linear::solve_lower_transposed(lower, found->linear);
  found->precision = scale.asDiagonal() * ((precision + precision.transpose()) / 2) * scale.asDiagonal();
  found->linear = scale.cwiseProduct(found->linear);
  return std::make_unique<Normal>(center, std::move(*found));
}

}  // namespace kullback::certify
