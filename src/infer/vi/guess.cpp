// A draw is mean + T z: column j of T is the draw from the unit vector e_j less the mean, the covariance T
// T'.
#include "infer/vi/guess.hpp"

#include <Eigen/Core>
#include <cmath>
#include <numbers>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMaxDense = 500;

}  // namespace

GaussianGuess guess_of(const LowRankGaussian& gaussian) {
  const std::size_t dim = gaussian.dim();
  const auto size = static_cast<Eigen::Index>(dim);
  GaussianGuess result{gaussian.mean(), {}, {}};
  Eigen::VectorXd variances = Eigen::VectorXd::Zero(size);
  Eigen::MatrixXd root(dim <= kMaxDense ? size : 0, dim <= kMaxDense ? size : 0);
  std::vector<double> unit(dim, 0.0);
  for (std::size_t j = 0; j < dim; ++j) {
    unit[j] = 1;
    const std::vector<double> drawn = gaussian.draw(unit);
    unit[j] = 0;
    const Eigen::VectorXd column = Eigen::Map<const Eigen::VectorXd>(drawn.data(), size) -
                                   Eigen::Map<const Eigen::VectorXd>(result.mean.data(), size);
    variances += column.cwiseAbs2();
    if (root.size() > 0) root.col(static_cast<Eigen::Index>(j)) = column;
  }
  const Eigen::VectorXd sd = variances.cwiseSqrt();
  result.sd.assign(sd.data(), sd.data() + size);
  if (root.size() == 0) return result;
  Eigen::MatrixXd lower = root * root.transpose();
  if (!math::linear::cholesky(lower, lower)) return result;
  result.lower.assign(lower.data(), lower.data() + lower.size());
  return result;
}

void draw_from(const GaussianGuess& gaussian, const DrawBatch& batch) {
  using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto dim = static_cast<Eigen::Index>(gaussian.mean.size());
  const auto lanes = static_cast<Eigen::Index>(batch.lanes);
  const Eigen::Map<const Lanes> noise(batch.noise, dim, lanes);
  const Eigen::Map<const Eigen::MatrixXd> lower(gaussian.lower.data(), dim, dim);
  const Eigen::Map<const Eigen::VectorXd> mean(gaussian.mean.data(), dim);
  Eigen::Map<Lanes> theta(batch.theta, dim, lanes);
  theta = (lower.triangularView<Eigen::Lower>() * noise).colwise() + mean;
  const double constant =
      -lower.diagonal().array().log().sum() - 0.5 * static_cast<double>(dim) * std::log(2 * std::numbers::pi);
  for (Eigen::Index k = 0; k < lanes; ++k) batch.log_q[k] = constant - 0.5 * noise.col(k).squaredNorm();
}

}  // namespace kullback::infer
