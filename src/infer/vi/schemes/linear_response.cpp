// With H the Hessian of the bound F at its maximum and J = d mean / d lambda, the means move by J (-H)^-1 J'
// t where log p is tilted by t'theta: that is the linear-response covariance (Giordano, Broderick and Jordan
// 2018). Over independent pairs of draws F is a mean of F_p, and the maximum has the covariance
//   (-H)^-1 Cov(grad F_p) / pairs (-H)^-1
// (Giordano, Ingram and Broderick 2024, section 3.3).
#include "infer/vi/schemes/linear_response.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::optional<Matrix> negative_hessian(FixedBound& bound, std::span<const double> x) {
  const auto size = static_cast<Index>(x.size());
  Matrix result(size, size);
  std::vector<double> unit(x.size(), 0.0);
  std::vector<double> column(x.size());
  for (Index j = 0; j < size; ++j) {
    unit[static_cast<std::size_t>(j)] = 1;
    if (!bound.curvature_times(x, unit, column)) return std::nullopt;
    unit[static_cast<std::size_t>(j)] = 0;
    result.col(j) = -Eigen::Map<const Vector>(column.data(), size);
  }
  return Matrix(0.5 * (result + result.transpose()));
}

// d mean / dx by differences, which are exact: means are linear in lambda in all Gaussian families here.
Matrix slopes_of_means(const FixedBound& bound, const Family& family, std::span<const double> x) {
  const std::size_t dim = family.dim();
  std::vector<double> at(x.begin(), x.end());
  std::vector<double> mean(dim);
  std::vector<double> moved(dim);
  std::vector<double> sd(dim);
  family.moments(bound.lambda_at(at), mean, sd);
  Matrix result(static_cast<Index>(dim), static_cast<Index>(x.size()));
  for (std::size_t j = 0; j < x.size(); ++j) {
    at[j] += 1;
    family.moments(bound.lambda_at(at), moved, sd);
    at[j] = x[j];
    for (std::size_t i = 0; i < dim; ++i)
      result(static_cast<Index>(i), static_cast<Index>(j)) = moved[i] - mean[i];
  }
  return result;
}

Matrix covariance_of_pairs(const std::vector<double>& gradients, std::size_t lanes) {
  const auto rows = static_cast<Index>(gradients.size() / lanes);
  const auto pairs = static_cast<Index>(lanes / 2);
  Matrix means(rows, pairs);
  for (Index i = 0; i < rows; ++i) {
    for (Index p = 0; p < pairs; ++p) {
      const std::size_t at = static_cast<std::size_t>(i) * lanes + 2 * static_cast<std::size_t>(p);
      means(i, p) = 0.5 * (gradients[at] + gradients[at + 1]);
    }
  }
  means.colwise() -= Vector(means.rowwise().mean());
  return means * means.transpose() / static_cast<double>(pairs - 1);
}

}  // namespace

std::optional<LinearResponse> linear_response(FixedBound& bound, const Family& family,
                                              std::span<const double> x) {
  const auto hessian = negative_hessian(bound, x);
  if (!hessian) return std::nullopt;
  Matrix factor(hessian->rows(), hessian->cols());
  if (!math::linear::cholesky(*hessian, factor)) return std::nullopt;
  const Matrix slopes = slopes_of_means(bound, family, x);
  Matrix response = slopes.transpose();
  math::linear::solve_cholesky(factor, response);  // (-H)^-1 J'
  const Matrix covariance = slopes * response;
  Matrix lower = 0.5 * (covariance + covariance.transpose());
  if (!math::linear::cholesky(lower, lower)) return std::nullopt;
  LinearResponse result;
  const std::size_t dim = family.dim();
  result.gaussian.mean.resize(dim);
  result.gaussian.sd.resize(dim);
  family.moments(bound.lambda_at(x), result.gaussian.mean, result.gaussian.sd);
  const Vector sd = lower.rowwise().norm();
  result.gaussian.sd.assign(sd.data(), sd.data() + sd.size());
  result.gaussian.lower.assign(lower.data(), lower.data() + lower.size());
  std::vector<double> gradients;
  if (bound.draws() < 4 || !bound.gradients_of_draws(x, gradients)) return result;
  const Matrix noise = covariance_of_pairs(gradients, bound.draws());
  const double pairs = static_cast<double>(bound.draws() / 2);
  const Vector variance = (response.transpose() * noise * response).diagonal() / pairs;
  for (const double number : variance) result.mean_sd.push_back(std::sqrt(std::max(0.0, number)));
  return result;
}

}  // namespace kullback::infer
