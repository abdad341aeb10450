// By Stein's identity E[du / dz] = E[u z']. With finitely many points the identity is used for what a linear
// u does not explain:
//   more than twice as many points as unknowns: least squares of u on (1, z), exact for linear u;
//   else   E[u z'] = -1 + E[(u + z) z'], without noise where q = p, since then u = -z.
// With a rule that gives E[z z'] = 1 exactly both are E[u z'] itself.
#include "infer/vi/schemes/white_expansion.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Lanes = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

Lanes lanes_of(const std::vector<double>& values, std::size_t lanes) {
  const auto rows = static_cast<Eigen::Index>(lanes == 0 ? 0 : values.size() / lanes);
  return {values.data(), rows, static_cast<Eigen::Index>(lanes)};
}

Eigen::VectorXd weights_of(const ScoredPoints& points) {
  const std::vector<double>& weights = points.points().weights;
  return Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
}

// u on (1, z) by least squares: the transposed matrix of coefficients, dim * (1 + dim).
Eigen::MatrixXd regress(const Eigen::Ref<const Eigen::MatrixXd>& z,
                        const Eigen::Ref<const Eigen::MatrixXd>& u) {
  Eigen::MatrixXd design(z.rows() + 1, z.cols());
  design.row(0).setOnes();
  design.bottomRows(z.rows()) = z;
  Eigen::MatrixXd normal = design * design.transpose();
  math::linear::cholesky(normal, normal);
  Eigen::MatrixXd coefficients = design * u.transpose();
  math::linear::solve_cholesky(normal, coefficients);
  return coefficients.transpose();
}

}  // namespace

WhiteExpansion expand(const ScoredPoints& points, bool is_exact_rule) {
  const std::size_t lanes = points.lanes();
  const Eigen::MatrixXd z = lanes_of(points.points().z, lanes);
  const Eigen::MatrixXd u = lanes_of(points.white_gradient(), lanes);
  const Eigen::VectorXd weights = weights_of(points);
  const Eigen::Index dim = z.rows();
  Eigen::VectorXd slope;
  Eigen::MatrixXd curvature;
  if (!is_exact_rule && lanes >= 2 * (static_cast<std::size_t>(dim) + 1)) {
    const Eigen::MatrixXd coefficients = regress(z, u);
    slope = coefficients.col(0);
    curvature = -coefficients.rightCols(dim);
  } else {
    slope = u * weights;
    curvature = Eigen::MatrixXd::Identity(dim, dim) - (u + z) * weights.asDiagonal() * z.transpose();
  }
  curvature = (0.5 * (curvature + curvature.transpose())).eval();
  const Eigen::MatrixXd rest = (u + curvature * z).colwise() - slope;
  const double all = u.squaredNorm();
  WhiteExpansion result;
  result.slope.assign(slope.data(), slope.data() + dim);
  result.curvature.assign(curvature.data(), curvature.data() + dim * dim);
  result.roughness = all > 0 ? rest.squaredNorm() / all : 0;
  return result;
}

WhiteExpansion expand_diagonal(const ScoredPoints& points) {
  const std::size_t lanes = points.lanes();
  const Lanes z = lanes_of(points.points().z, lanes);
  const Lanes u = lanes_of(points.white_gradient(), lanes);
  const Eigen::VectorXd weights = weights_of(points);
  WhiteExpansion result;
  result.is_diagonal = true;
  result.slope.resize(static_cast<std::size_t>(z.rows()));
  result.curvature.resize(result.slope.size());
  double unexplained = 0;
  for (Eigen::Index i = 0; i < z.rows(); ++i) {
    const double slope = u.row(i) * weights;
    const double squares = z.row(i).cwiseAbs2() * weights;
    const double product = z.row(i).cwiseProduct(u.row(i)) * weights;
    result.slope[static_cast<std::size_t>(i)] = slope;
    result.curvature[static_cast<std::size_t>(i)] = -product / squares;
    unexplained += (u.row(i) - product / squares * z.row(i)).array().square().sum();
  }
  result.roughness = u.squaredNorm() > 0 ? unexplained / u.squaredNorm() : 0;
  return result;
}

namespace {

// Of a sum of weights_k gaps_k over units that are independent and alike.
double error_of_units(const Eigen::VectorXd& gaps, const Eigen::VectorXd& weights, std::size_t unit) {
  const auto size = static_cast<Eigen::Index>(unit);
  const Eigen::Index count = size == 0 ? 0 : gaps.size() / size;
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0;
  for (Eigen::Index first = 0; first < gaps.size(); first += size)
    squares += std::pow(weights.segment(first, size).dot(gaps.segment(first, size)), 2);
  return std::sqrt(squares * static_cast<double>(count) / static_cast<double>(count - 1));
}

}  // namespace

MeanLog mean_log_p(const ScoredPoints& points) {
  const std::size_t lanes = points.lanes();
  const Eigen::Map<const Eigen::VectorXd> log_p(points.log_p().data(), static_cast<Eigen::Index>(lanes));
  const Eigen::VectorXd weights = weights_of(points);
  const double centre = log_p[0];  // differences, else weights of both signs lose digits
  MeanLog result;
  result.mean =
      centre + weights.dot(log_p.array().matrix() - Eigen::VectorXd::Constant(log_p.size(), centre));
  const double count = static_cast<double>(lanes);
  double squares = 0;
  for (Eigen::Index k = 0; k < log_p.size(); ++k) {
    const double term = weights[k] * count * (log_p[k] - centre) - (result.mean - centre);
    squares += term * term;
  }
  result.spread = std::sqrt(squares / count / std::max(1.0, count - 1));
  result.error = error_of_units(log_p.array() - result.mean, weights, points.points().unit);
  return result;
}

}  // namespace kullback::infer
