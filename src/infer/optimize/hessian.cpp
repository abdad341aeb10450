// With P = -(H + H')/2 and D = diag(P)^(-1/2), the matrix C = D P D has a unit diagonal: its Cholesky pivots
// are 1 - R^2 of each coordinate given those before it, which no scale of the coordinates changes. P counts
// as positive definite where all pivots are above what the errors of H explain. Where it is not, the
// eigenvectors u of C with the least eigenvalues give directions D u.
#include "infer/optimize/hessian.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kColumnsAtOnce = 16;
constexpr std::uint64_t kDifferenceGradients = 4;  // of a product by differences
constexpr double kExactPivot = 1e-13;
constexpr double kDifferencePivot = 1e-9;
constexpr Eigen::Index kDirections = 3;
constexpr Eigen::Index kEigenDim = 500;  // beyond it eigenvectors take too long

constexpr double kLeastCurvature = 1e-6;  // of C: a modified Newton step stays bounded

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using LowerFactor = Eigen::Map<const MatrixXd>;

MatrixXd negative_symmetric(const Hessian& hessian) {
  const auto dim = static_cast<Index>(hessian.dim());
  MatrixXd result(dim, dim);
  for (Index j = 0; j < dim; ++j) {
    for (Index i = 0; i < dim; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const auto column = static_cast<std::size_t>(j);
      result(i, j) = -0.5 * (hessian.at(row, column) + hessian.at(column, row));
    }
  }
  return result;
}

// 0 for pairs of coordinates that have no curvature of their own.
double asymmetry_of(const Hessian& hessian) {
  double largest = 0;
  for (std::size_t j = 0; j < hessian.dim(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const double size = std::sqrt(std::abs(hessian.at(i, i))) * std::sqrt(std::abs(hessian.at(j, j)));
      if (size > 0) largest = std::max(largest, std::abs(hessian.at(i, j) - hessian.at(j, i)) / size);
    }
  }
  return largest;
}

CurvatureDirection direction_of(const MatrixXd& precision, const VectorXd& v) {
  const VectorXd unit = v / v.norm();
  return {unit.dot(precision * unit), {unit.data(), unit.data() + unit.size()}};
}

std::vector<CurvatureDirection> worst_coordinates(const MatrixXd& precision) {
  std::vector<CurvatureDirection> result;
  for (Index i = 0; i < precision.rows() && result.size() < kDirections; ++i) {
    if (!(precision(i, i) > 0))
      result.push_back(direction_of(precision, VectorXd::Unit(precision.rows(), i)));
  }
  return result;
}

std::vector<CurvatureDirection> worst_directions(const MatrixXd& precision, const VectorXd& scale,
                                                 const MatrixXd& scaled, double least_pivot) {
  std::vector<CurvatureDirection> result;
  if (scaled.rows() > kEigenDim) return result;
  VectorXd values(scale.size());
  MatrixXd vectors(scale.size(), scale.size());
  math::linear::symmetric_eigen(scaled, values, vectors);
  for (Index k = 0; k < std::min(kDirections, scaled.rows()); ++k) {
    if (k > 0 && values[k] > least_pivot) break;
    result.push_back(direction_of(precision, scale.cwiseProduct(vectors.col(k))));
  }
  return result;
}

}  // namespace

bool Hessian::advance(density::LogDensity& density, std::span<const double> theta) {
  const std::size_t count = std::min(kColumnsAtOnce, dim_ - columns_);
  std::vector<double> unit(dim_ * count, 0.0);
  std::vector<double> product(dim_ * count);
  for (std::size_t d = 0; d < count; ++d) unit[(columns_ + d) * count + d] = 1;
  gradients_ += count * (density.order() >= 2 ? 1 : kDifferenceGradients);
  if (!density.hessian_times(theta.data(), count, unit.data(), product.data())) return false;
  if (!std::all_of(product.begin(), product.end(), [](double x) { return std::isfinite(x); })) return false;
  values_.resize((columns_ + count) * dim_);
  for (std::size_t d = 0; d < count; ++d) {
    for (std::size_t i = 0; i < dim_; ++i) values_[(columns_ + d) * dim_ + i] = product[i * count + d];
  }
  columns_ += count;
  return true;
}

void Hessian::archive(Archive& archive) {
  archive.value(columns_);
  archive.value(gradients_);
  archive.value(values_);
}

std::vector<double> PrecisionFactor::covariance_times(std::span<const double> v) const {
  const auto dim = static_cast<Index>(dim_);
  const LowerFactor lower(lower_.data(), dim, dim);
  std::vector<double> result(v.begin(), v.end());
  Eigen::Map<VectorXd> x(result.data(), dim);
  math::linear::solve_cholesky(lower, x);
  return result;
}

std::vector<double> PrecisionFactor::unwhiten(std::span<const double> z) const {
  const auto dim = static_cast<Index>(dim_);
  const LowerFactor lower(lower_.data(), dim, dim);
  std::vector<double> result(z.begin(), z.end());
  Eigen::Map<VectorXd> x(result.data(), dim);
  math::linear::solve_lower_transposed(lower, x);
  return result;
}

double PrecisionFactor::log_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < dim_; ++i) sum += std::log(lower_[i * dim_ + i]);
  return sum;
}

Curvature analyse(const Hessian& hessian, bool is_exact) {
  Curvature result;
  result.asymmetry = asymmetry_of(hessian);
  const MatrixXd precision = negative_symmetric(hessian);
  result.without_maximum = worst_coordinates(precision);
  if (!result.without_maximum.empty()) return result;
  const double least_pivot = is_exact ? kExactPivot * static_cast<double>(hessian.dim()) : kDifferencePivot;
  const VectorXd scale = precision.diagonal().array().rsqrt();
  const MatrixXd scaled = scale.asDiagonal() * precision * scale.asDiagonal();
  MatrixXd lower(scaled.rows(), scaled.cols());
  if (!math::linear::cholesky(scaled, lower) || !(lower.diagonal().cwiseAbs2().minCoeff() > least_pivot)) {
    result.without_maximum = worst_directions(precision, scale, scaled, least_pivot);
    return result;
  }
  lower = scale.cwiseInverse().asDiagonal() * lower;
  result.precision.emplace(hessian.dim(), std::vector<double>(lower.data(), lower.data() + lower.size()));
  return result;
}

std::vector<double> modified_newton(const Hessian& hessian, std::span<const double> gradient) {
  const MatrixXd precision = negative_symmetric(hessian);
  const Index dim = precision.rows();
  if (dim > kEigenDim || !precision.allFinite()) return {};
  VectorXd scale = precision.diagonal().cwiseAbs().array().rsqrt();
  for (double& number : scale) number = std::isfinite(number) ? number : 1;
  const MatrixXd scaled = scale.asDiagonal() * precision * scale.asDiagonal();
  VectorXd values(dim);
  MatrixXd vectors(dim, dim);
  math::linear::symmetric_eigen(scaled, values, vectors);
  const VectorXd curvature = values.cwiseAbs().cwiseMax(kLeastCurvature);
  const Eigen::Map<const VectorXd> g(gradient.data(), dim);
  const VectorXd inside = vectors.transpose() * scale.cwiseProduct(g);
  const VectorXd direction = scale.cwiseProduct(vectors * inside.cwiseQuotient(curvature));
  if (!direction.allFinite()) return {};
  return {direction.data(), direction.data() + dim};
}

}  // namespace kullback::infer
