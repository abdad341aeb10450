#include "infer/vi/whitened_density.hpp"

#include <Eigen/Core>
#include <cmath>

namespace kullback::infer {

namespace {

using Eigen::Index;
using Lower = Eigen::Map<const Eigen::MatrixXd>;
using Lanes = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using ConstLanes = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

double log_determinant_of(const std::vector<double>& lower, std::size_t dim) {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += std::log(lower[i * dim + i]);
  return sum;
}

}  // namespace

WhitenedDensity::WhitenedDensity(density::LogDensity& density, const GaussianGuess& guess)
    : density_(density),
      mean_(guess.mean),
      lower_(guess.lower),
      log_determinant_(log_determinant_of(guess.lower, guess.mean.size())) {}

void WhitenedDensity::to_theta(std::size_t lanes, const double* phi, double* theta) const {
  const auto size = static_cast<Index>(mean_.size());
  const Lower lower(lower_.data(), size, size);
  const ConstLanes from(phi, size, static_cast<Index>(lanes));
  Lanes to(theta, size, static_cast<Index>(lanes));
  to.noalias() = lower.triangularView<Eigen::Lower>() * from;
  to.colwise() += Eigen::Map<const Eigen::VectorXd>(mean_.data(), size);
}

GaussianGuess WhitenedDensity::to_theta(const GaussianGuess& phi) const {
  const auto size = static_cast<Index>(mean_.size());
  const Lower outer(lower_.data(), size, size);
  Eigen::MatrixXd inner = Eigen::Map<const Eigen::VectorXd>(phi.sd.data(), size).asDiagonal();
  if (!phi.lower.empty()) inner = Lower(phi.lower.data(), size, size);
  const Eigen::MatrixXd lower = outer * inner;
  const Eigen::VectorXd sd = lower.rowwise().norm();
  GaussianGuess result{std::vector<double>(mean_.size()), {sd.data(), sd.data() + size}, {}};
  result.lower.assign(lower.data(), lower.data() + lower.size());
  to_theta(1, phi.mean.data(), result.mean.data());
  return result;
}

void WhitenedDensity::evaluate(const density::Batch& batch) {
  const auto size = static_cast<Index>(mean_.size());
  const auto lanes = static_cast<Index>(batch.lanes);
  theta_.resize(mean_.size() * batch.lanes);
  if (batch.gradient != nullptr) gradient_.resize(theta_.size());
  to_theta(batch.lanes, batch.theta, theta_.data());
  density_.evaluate({batch.lanes, theta_.data(), batch.log_density,
                     batch.gradient == nullptr ? nullptr : gradient_.data(), batch.status});
  for (std::size_t k = 0; k < batch.lanes; ++k) batch.log_density[k] += log_determinant_;
  if (batch.gradient == nullptr) return;
  const Lower lower(lower_.data(), size, size);
  Lanes(batch.gradient, size, lanes).noalias() =
      lower.transpose().triangularView<Eigen::Upper>() * ConstLanes(gradient_.data(), size, lanes);
}

}  // namespace kullback::infer
