#include "infer/sgmcmc/coordinates.hpp"

#include <algorithm>
#include <utility>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

Coordinates::Coordinates(Metric metric, GaussianGuess guess)
    : metric_(metric == Metric::dense && guess.lower.empty() ? Metric::diagonal : metric),
      centre_(std::move(guess.mean)),
      sd_(centre_.size(), 1.0) {
  if (metric_ == Metric::unit) sd_ = std::move(guess.sd);
  if (metric_ == Metric::diagonal) scale_ = std::move(guess.sd);
  if (metric_ == Metric::dense) lower_ = std::move(guess.lower);
}

std::vector<double> Coordinates::forward(std::span<const double> v) const {
  const std::size_t dim = v.size();
  std::vector<double> result(v.begin(), v.end());
  if (metric_ == Metric::diagonal) {
    for (std::size_t i = 0; i < dim; ++i) result[i] *= scale_[i];
  } else if (metric_ == Metric::dense) {
    std::fill(result.begin(), result.end(), 0.0);
    for (std::size_t j = 0; j < dim; ++j) {
      const double* column = lower_.data() + j * dim;
      for (std::size_t i = j; i < dim; ++i) result[i] += column[i] * v[j];
    }
  }
  return result;
}

std::vector<double> Coordinates::theta_of(std::span<const double> phi) const {
  std::vector<double> theta = forward(phi);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += centre_[i];
  return theta;
}

void Coordinates::pull_back(std::span<const double> gradient, std::span<double> result) const {
  const std::size_t dim = gradient.size();
  if (metric_ == Metric::dense) {
    for (std::size_t j = 0; j < dim; ++j) {
      const double* column = lower_.data() + j * dim;
      double sum = 0;
      for (std::size_t i = j; i < dim; ++i) sum += column[i] * gradient[i];
      result[j] = sum;
    }
    return;
  }
  for (std::size_t i = 0; i < dim; ++i)
    result[i] = metric_ == Metric::diagonal ? scale_[i] * gradient[i] : gradient[i];
}

std::vector<double> Coordinates::phi_of(std::span<const double> theta) const {
  const std::size_t dim = theta.size();
  std::vector<double> phi(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    phi[i] = theta[i] - centre_[i];
    if (metric_ == Metric::diagonal) phi[i] /= scale_[i];
  }
  if (metric_ == Metric::dense)
    math::linear::solve_lower({lower_.data(), dim, dim}, math::linear::View::vector(phi.data(), dim));
  return phi;
}

std::vector<double> Coordinates::inv_metric() const {
  if (metric_ == Metric::unit) return {};
  const std::size_t dim = centre_.size();
  if (metric_ == Metric::diagonal) {
    std::vector<double> result = scale_;
    for (double& number : result) number *= number;
    return result;
  }
  std::vector<double> result(dim * dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      for (std::size_t k = 0; k <= std::min(i, j); ++k)
        result[i * dim + j] += lower_[k * dim + i] * lower_[k * dim + j];
    }
  }
  return result;
}

void Coordinates::archive(Archive& archive) {
  auto metric = static_cast<std::uint64_t>(metric_);
  archive.value(metric);
  metric_ = static_cast<Metric>(metric);
  archive.value(centre_);
  archive.value(sd_);
  archive.value(scale_);
  archive.value(lower_);
}

}  // namespace kullback::infer
