#include "infer/sgmcmc/laplace_guess.hpp"

#include <Eigen/Core>
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr double kMostGain = 1;  // of the log density

std::vector<double> gradient_at(density::LogDensity& density, const std::vector<double>& theta) {
  std::vector<double> gradient(theta.size());
  double log_density = 0;
  density::Status status = density::Status::ok;
  density.evaluate({1, theta.data(), &log_density, gradient.data(), &status});
  if (status != density::Status::ok) gradient.clear();
  return gradient;
}

}  // namespace

std::optional<GaussianGuess> laplace_guess(density::LogDensity& density, const Hessian& hessian,
                                           const std::vector<double>& theta) {
  const std::vector<double> gradient = gradient_at(density, theta);
  const Curvature curvature = analyse(hessian, density.order() >= 2);
  if (gradient.empty() || !curvature.precision) return std::nullopt;
  const std::size_t dim = theta.size();
  const std::vector<double> newton = curvature.precision->covariance_times(gradient);
  GaussianGuess result{theta, std::vector<double>(dim), {}};
  double gain = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    gain += 0.5 * newton[i] * gradient[i];
    result.mean[i] += newton[i];
  }
  if (!(gain < kMostGain)) return std::nullopt;
  const auto size = static_cast<Eigen::Index>(dim);
  Eigen::MatrixXd covariance(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    std::vector<double> unit(dim, 0.0);
    unit[static_cast<std::size_t>(j)] = 1;
    const std::vector<double> column = curvature.precision->covariance_times(unit);
    covariance.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), size);
    result.sd[static_cast<std::size_t>(j)] = std::sqrt(covariance(j, j));
  }
  Eigen::MatrixXd lower(size, size);
  if (!math::linear::cholesky(covariance, lower)) return std::nullopt;
  result.lower.assign(lower.data(), lower.data() + lower.size());
  return result;
}

}  // namespace kullback::infer
