#include "certify/whitening.hpp"

#include <algorithm>
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::certify {

namespace {

constexpr std::size_t kDrawsPerCoordinate = 5;
constexpr std::size_t kLargestDense = 500;
constexpr double kShrinkage = 1e-9;  // of correlations, so that rounding leaves them positive definite

std::vector<double> means_of(std::span<const double> draws, std::size_t dim) {
  const std::size_t count = draws.size() / dim;
  std::vector<double> means(dim, 0.0);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < dim; ++i) means[i] += draws[n * dim + i];
  }
  for (double& mean : means) mean /= static_cast<double>(count);
  return means;
}

// Lower triangle of the draws' correlations.
std::vector<double> correlations_of(std::span<const double> draws, const std::vector<double>& means,
                                    const std::vector<double>& sd) {
  const std::size_t dim = means.size();
  const std::size_t count = draws.size() / dim;
  std::vector<double> result(dim * dim, 0.0);
  std::vector<double> z(dim);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < dim; ++i) z[i] = (draws[n * dim + i] - means[i]) / sd[i];
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j < i; ++j) result[i * dim + j] += z[i] * z[j];
    }
  }
  for (double& r : result) r *= (1 - kShrinkage) / static_cast<double>(count - 1);
  for (std::size_t i = 0; i < dim; ++i) result[i * dim + i] = 1;
  return result;
}

}  // namespace

Whitening::Whitening(std::span<const double> draws, std::size_t dim) : dim_(dim), sd_(dim, 0.0) {
  const std::size_t count = draws.size() / dim;
  const std::vector<double> means = means_of(draws, dim);
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < dim; ++i) {
      const double deviation = draws[n * dim + i] - means[i];
      sd_[i] += deviation * deviation;
    }
  }
  for (double& sd : sd_) {
    sd = std::sqrt(sd / static_cast<double>(count - 1));
    if (!(sd > 0) || !std::isfinite(sd)) sd = 1;
  }
  if (dim == 1 || dim > kLargestDense || count < kDrawsPerCoordinate * dim) return;
  lower_ = correlations_of(draws, means, sd_);
  const auto lower = math::linear::View::by_rows(lower_.data(), dim, dim);
  if (!math::linear::cholesky(lower, lower)) {
    lower_.clear();
    return;
  }
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower_[i * dim + j] *= sd_[i];
  }
}

void Whitening::to_theta(std::size_t lanes, const double* z, double* theta) const {
  for (std::size_t i = 0; i < dim_; ++i) {
    double* row = theta + i * lanes;
    if (!is_dense()) {
      for (std::size_t k = 0; k < lanes; ++k) row[k] = sd_[i] * z[i * lanes + k];
      continue;
    }
    std::fill(row, row + lanes, 0.0);
    for (std::size_t j = 0; j <= i; ++j) {
      const double factor = lower_[i * dim_ + j];
      for (std::size_t k = 0; k < lanes; ++k) row[k] += factor * z[j * lanes + k];
    }
  }
}

void Whitening::to_z(std::size_t lanes, const double* theta, double* z) const {
  for (std::size_t i = 0; i < dim_; ++i) {
    double* row = z + i * lanes;
    std::copy(theta + i * lanes, theta + (i + 1) * lanes, row);
    double pivot = sd_[i];
    if (is_dense()) {
      pivot = lower_[i * dim_ + i];
      for (std::size_t j = 0; j < i; ++j) {
        const double factor = lower_[i * dim_ + j];
        for (std::size_t k = 0; k < lanes; ++k) row[k] -= factor * z[j * lanes + k];
      }
    }
    for (std::size_t k = 0; k < lanes; ++k) row[k] /= pivot;
  }
}

void Whitening::pull_gradient(std::size_t lanes, const double* gradient, double* of_z) const {
  for (std::size_t j = 0; j < dim_; ++j) {
    double* row = of_z + j * lanes;
    if (!is_dense()) {
      for (std::size_t k = 0; k < lanes; ++k) row[k] = sd_[j] * gradient[j * lanes + k];
      continue;
    }
    std::fill(row, row + lanes, 0.0);
    for (std::size_t i = j; i < dim_; ++i) {
      const double factor = lower_[i * dim_ + j];
      for (std::size_t k = 0; k < lanes; ++k) row[k] += factor * gradient[i * lanes + k];
    }
  }
}

}  // namespace kullback::certify
