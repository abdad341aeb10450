// With precision P = U' U, U upper triangular, L = U^-1: L L' = P^-1.
#include "infer/ep/gaussian.hpp"

#include <Eigen/Core>
#include <cmath>
#include <numbers>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> numbers_of(const MatrixXd& m) { return {m.data(), m.data() + m.size()}; }

}  // namespace

JointGaussian::JointGaussian(std::size_t dim)
    : mean_(dim, 0.0),
      covariance_(numbers_of(MatrixXd::Identity(static_cast<Index>(dim), static_cast<Index>(dim)))),
      root_(covariance_),
      log_integral_(0.5 * static_cast<double>(dim) * std::log(2 * std::numbers::pi)) {}

std::optional<JointGaussian> JointGaussian::from(const NaturalGaussian& natural) {
  const auto dim = static_cast<Index>(natural.shift.size());
  if (dim == 0) return JointGaussian(std::size_t{0});
  const Eigen::Map<const MatrixXd> precision(natural.precision.data(), dim, dim);
  const Eigen::Map<const VectorXd> shift(natural.shift.data(), dim);
  if (!precision.allFinite() || !shift.allFinite()) return std::nullopt;
  MatrixXd factor(dim, dim);
  if (!math::linear::cholesky(precision, factor)) return std::nullopt;
  JointGaussian result;
  VectorXd mean = shift;
  math::linear::solve_cholesky(factor, mean);
  MatrixXd root = MatrixXd::Identity(dim, dim);
  math::linear::solve_lower_transposed(factor, root);
  if (!mean.allFinite() || !root.allFinite()) return std::nullopt;
  result.mean_ = numbers_of(mean);
  result.root_ = numbers_of(root);
  result.covariance_ = numbers_of(root * root.transpose());
  for (Index i = 0; i < dim; ++i) result.log_determinant_ += std::log(root(i, i));
  result.log_integral_ = 0.5 * (shift.dot(mean) + static_cast<double>(dim) * std::log(2 * std::numbers::pi)) +
                         result.log_determinant_;
  return result;
}

double JointGaussian::sd(std::size_t i) const { return std::sqrt(covariance_[i * dim() + i]); }

std::vector<double> JointGaussian::root_times(std::span<const double> z) const {
  const auto n = static_cast<Index>(dim());
  const Eigen::Map<const MatrixXd> root(root_.data(), n, n);
  const Eigen::Map<const VectorXd> normals(z.data(), n);
  return numbers_of(root * normals);
}

JointGaussian JointGaussian::scaled(double factor) const {
  JointGaussian result = *this;
  for (double& number : result.covariance_) number *= factor * factor;
  for (double& number : result.root_) number *= factor;
  result.log_determinant_ += static_cast<double>(dim()) * std::log(factor);
  return result;
}

}  // namespace kullback::infer
