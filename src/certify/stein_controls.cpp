// For a vector field v of moderate growth E_p[div v + v . grad log p] = 0 (Stein). Quantity f is all but
// linear in the direction that matters where p is nearly normal with covariance C: f ~ a'(theta - m),
// a = C^-1 Cov(theta, f). With b = C a / tau, tau^2 = a'C a, t = a'(theta - m) / tau, s = b . grad log p and
// the fields v = b, b t, b t^2 (b . grad t = 1):
//   controls s,  1 + t s,  2 t + t^2 s.
// For a normal p: s = -t, so that f and f^2 are linear in them and their estimates have no variance at all
// (Mira, Solgi, Imparato 2013; Oates, Girolami, Chopin 2017).
#include "certify/stein_controls.hpp"

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::certify {

namespace {

using Matrix = Eigen::MatrixXd;  // columns one after another
using ConstMap = Eigen::Map<const Matrix>;

}  // namespace

SteinControls::SteinControls(const ValuedPoints& points, std::span<const double> weights)
    : dim_(points.dim), quantities_(points.quantities) {
  constexpr std::size_t kPointsForEach = 4;  // coordinate, for the covariance
  const auto dim = static_cast<Eigen::Index>(dim_);
  const auto count = static_cast<Eigen::Index>(points.count);
  const auto quantities = static_cast<Eigen::Index>(quantities_);
  if (dim_ == 0 || dim_ > kMaxDim || points.count < kPointsForEach * dim_) return;
  const Eigen::Map<const Eigen::VectorXd> weight(weights.data(), count);
  const ConstMap theta(points.theta.data(), dim, count);
  const Eigen::VectorXd center = theta * weight;
  const Matrix weighted = (theta.colwise() - center) * weight.asDiagonal();
  const Matrix covariance = weighted * (theta.colwise() - center).transpose();
  Matrix factor(dim, dim);
  if (!covariance.allFinite() || !math::linear::cholesky(covariance, factor)) return;
  Matrix cross = weighted * ConstMap(points.values.data(), count, quantities);  // Cov(theta, f)
  Matrix along = cross;
  math::linear::solve_cholesky(factor, along);
  for (Eigen::Index j = 0; j < quantities; ++j) {
    const double tau = std::sqrt(along.col(j).dot(cross.col(j)));
    const double scale = tau > 0 && std::isfinite(tau) ? 1 / tau : 0;
    along.col(j) *= scale;
    cross.col(j) *= scale;
    if (scale == 0) along.col(j).setZero(), cross.col(j).setZero();
  }
  center_.assign(center.begin(), center.end());
  along_.assign(along.data(), along.data() + along.size());
  field_.assign(cross.data(), cross.data() + cross.size());
}

std::vector<double> SteinControls::evaluate(std::size_t count, std::span<const double> theta,
                                            std::span<const double> gradient) const {
  const auto dim = static_cast<Eigen::Index>(dim_);
  const auto n = static_cast<Eigen::Index>(count);
  const auto quantities = static_cast<Eigen::Index>(quantities_);
  const Eigen::Map<const Eigen::VectorXd> center(center_.data(), dim);
  const Matrix offset = ConstMap(theta.data(), dim, n).colwise() - center;
  const Matrix t = offset.transpose() * ConstMap(along_.data(), dim, quantities);
  const Matrix s = ConstMap(gradient.data(), dim, n).transpose() * ConstMap(field_.data(), dim, quantities);
  std::vector<double> result(quantities_ * kControls * count);
  for (std::size_t j = 0; j < quantities_; ++j) {
    double* first = result.data() + j * kControls * count;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = t(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      const double score = s(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      first[i] = score;
      first[count + i] = 1 + x * score;
      first[2 * count + i] = 2 * x + x * x * score;
    }
  }
  return result;
}

std::vector<double> without_controls(std::span<const double> y, const double* controls, std::size_t count,
                                     std::span<const double> weights) {
  constexpr int kTerms = static_cast<int>(SteinControls::kControls) + 1;
  using Square = Eigen::Matrix<double, kTerms, kTerms>;
  using Vector = Eigen::Matrix<double, kTerms, 1>;
  std::array<Square, 2> normal{Square::Zero(), Square::Zero()};
  std::array<Vector, 2> right{Vector::Zero(), Vector::Zero()};
  const auto terms = [&](std::size_t i) {
    Vector row;
    row(0) = 1;
    for (int c = 1; c < kTerms; ++c) row(c) = controls[static_cast<std::size_t>(c - 1) * count + i];
    return row;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    const Vector row = terms(i);
    normal[i % 2] += weights[i] * row * row.transpose();
    right[i % 2] += weights[i] * y[i] * row;
  }
  std::array<Vector, 2> coefficients;
  for (std::size_t half = 0; half < 2; ++half) {
    coefficients[half] = right[half];
    math::linear::solve_symmetric(normal[half], coefficients[half]);
    if (!coefficients[half].allFinite()) coefficients[half].setZero();
  }
  std::vector<double> result(y.begin(), y.end());
  for (std::size_t i = 0; i < count; ++i) {
    if (weights[i] == 0) continue;
    const Vector& b = coefficients[1 - i % 2];
    for (int c = 1; c < kTerms; ++c)
      result[i] -= b(c) * controls[static_cast<std::size_t>(c - 1) * count + i];
  }
  return result;
}

}  // namespace kullback::certify
