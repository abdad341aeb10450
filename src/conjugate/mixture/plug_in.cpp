#include "conjugate/mixture/plug_in.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::conjugate::mixture {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Of the observed cells of one row; the factor of all cells is used where none is missing.
double log_normal(std::span<const double> row, const double* mean, const Matrix& covariance,
                  const Matrix& factor) {
  std::vector<Eigen::Index> observed;
  for (std::size_t d = 0; d < row.size(); ++d) {
    if (!std::isnan(row[d])) observed.push_back(static_cast<Eigen::Index>(d));
  }
  Eigen::VectorXd away(static_cast<Eigen::Index>(observed.size()));
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const auto d = static_cast<std::size_t>(observed[i]);
    away[static_cast<Eigen::Index>(i)] = row[d] - mean[d];
  }
  const auto density = [&](const Matrix& of) {
    const double log_det = of.diagonal().array().log().sum();
    math::linear::solve_lower(of, away);
    return -0.5 * (away.squaredNorm() + static_cast<double>(away.size()) * std::log(2 * std::numbers::pi)) -
           log_det;
  };
  if (observed.size() == row.size()) return density(factor);
  Matrix of_observed = covariance(observed, observed);
  math::linear::cholesky(of_observed, of_observed);
  return density(of_observed);
}

}  // namespace

double log_likelihood(const PlugIn& parameters, const Batch& units) {
  const std::size_t components = parameters.weights.size(), columns = units.columns;
  if (parameters.means.size() != components * columns ||
      parameters.covariances.size() != components * columns * columns) {
    throw Error(ErrorKind::bad_input, "weights, means and covariances are not of one mixture.");
  }
  const double all = std::accumulate(parameters.weights.begin(), parameters.weights.end(), 0.0);
  const auto size = static_cast<Eigen::Index>(columns);
  std::vector<Matrix> covariances;
  std::vector<Matrix> factors;
  for (std::size_t k = 0; k < components; ++k) {
    covariances.emplace_back(
        Eigen::Map<const Matrix>(parameters.covariances.data() + k * columns * columns, size, size));
    factors.emplace_back(size, size);
    if (!math::linear::cholesky(covariances.back(), factors.back())) {
      throw Error(ErrorKind::bad_input,
                  "covariance " + std::to_string(k + 1) + " of the mixture is not positive definite.");
    }
  }
  double total = 0;
  std::vector<double> logs(components);
  for (std::size_t n = 0; n < units.units; ++n) {
    for (std::size_t k = 0; k < components; ++k) {
      logs[k] = std::log(parameters.weights[k] / all) +
                log_normal(units.row(n), parameters.means.data() + k * columns, covariances[k], factors[k]);
    }
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - largest);
    total += units.weight(n) * (largest + std::log(sum));
  }
  return total;
}

}  // namespace kullback::conjugate::mixture
