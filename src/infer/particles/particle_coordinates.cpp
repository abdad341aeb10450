// SVGD with the matrix-valued kernel Q^-1 k(|x - y|_Q), Q constant, is SVGD with the kernel k in the
// coordinates z = A x with A'A = Q (Wang, Tang, Bajaj, Liu 2019, section 4.2): there it takes steps that are
// natural, and a rotation or scaling of the parameters changes nothing. Q is the average over particles of
// -H. With D the starting units, C = D Q D = U diag(c) U' has no units; A = diag(|c|^(1/2)) U' D^-1, |c| at
// least 1e-4.
#include "infer/particles/particle_coordinates.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "infer/mcmc/archive_fixed.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr double kLeastCurvature = 1e-4;
constexpr std::size_t kCurvatureParticles = 8;
constexpr std::uint64_t kDifferenceGradients = 4;  // of a Hessian-vector product by differences

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// result_a = sum_b matrix_ab x_b, or with the transposed matrix.
std::vector<double> times(const std::vector<double>& matrix, bool is_transposed, const std::vector<double>& x,
                          std::size_t count) {
  const std::size_t dim = x.size() / count;
  std::vector<double> result(x.size(), 0.0);
  for (std::size_t a = 0; a < dim; ++a) {
    double* to = result.data() + a * count;
    for (std::size_t b = 0; b < dim; ++b) {
      const double factor = is_transposed ? matrix[b * dim + a] : matrix[a * dim + b];
      const double* from = x.data() + b * count;
      for (std::size_t k = 0; k < count; ++k) to[k] += factor * from[k];
    }
  }
  return result;
}

std::vector<double> row_after_row(const MatrixXd& matrix) {
  std::vector<double> result(static_cast<std::size_t>(matrix.size()));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j)
      result[static_cast<std::size_t>(i * matrix.cols() + j)] = matrix(i, j);
  }
  return result;
}

}  // namespace

void ParticleCoordinates::set_units(std::vector<double> units) {
  units_ = std::move(units);
  to_z_.clear();
  from_z_.clear();
}

void ParticleCoordinates::set_curvature(std::span<const double> curvature) {
  const auto dim = static_cast<Index>(dim_);
  const Eigen::Map<const MatrixXd> given(curvature.data(), dim, dim);
  const Eigen::Map<const VectorXd> units(units_.data(), dim);
  const MatrixXd scaled = units.asDiagonal() * (0.5 * (given + given.transpose())) * units.asDiagonal();
  VectorXd values(dim);
  MatrixXd vectors(dim, dim);
  math::linear::symmetric_eigen(scaled, values, vectors);
  const VectorXd root = values.cwiseAbs().cwiseMax(kLeastCurvature).cwiseSqrt();
  to_z_ = row_after_row(root.asDiagonal() * vectors.transpose() * units.cwiseInverse().asDiagonal());
  from_z_ = row_after_row(units.asDiagonal() * vectors * root.cwiseInverse().asDiagonal());
}

std::vector<double> ParticleCoordinates::to_z(const std::vector<double>& theta, std::size_t count) const {
  if (!to_z_.empty()) return times(to_z_, false, theta, count);
  std::vector<double> z(theta);
  for (std::size_t at = 0; at < z.size(); ++at) z[at] /= units_[at / count];
  return z;
}

std::vector<double> ParticleCoordinates::scores_to_z(const std::vector<double>& gradient,
                                                     std::size_t count) const {
  if (!from_z_.empty()) return times(from_z_, true, gradient, count);
  std::vector<double> score(gradient);
  for (std::size_t at = 0; at < score.size(); ++at) score[at] *= units_[at / count];
  return score;
}

void ParticleCoordinates::add_move(const std::vector<double>& move, std::size_t count,
                                   std::vector<double>& theta) const {
  if (from_z_.empty()) {
    for (std::size_t at = 0; at < move.size(); ++at) theta[at] += units_[at / count] * move[at];
    return;
  }
  const std::vector<double> moved = times(from_z_, false, move, count);
  for (std::size_t at = 0; at < move.size(); ++at) theta[at] += moved[at];
}

void ParticleCoordinates::archive(Archive& archive) {
  archive_fixed(archive, units_);
  archive.value(to_z_);
  archive.value(from_z_);
  const bool is_dense = to_z_.size() == dim_ * dim_ && from_z_.size() == dim_ * dim_;
  if (archive.is_reading() && !is_dense) set_units(units_);
}

AverageCurvature average_curvature(density::LogDensity& density, const std::vector<double>& theta,
                                   std::size_t count) {
  const std::size_t dim = density.dim();
  AverageCurvature result;
  std::vector<double> unit(dim * dim, 0.0);
  for (std::size_t i = 0; i < dim; ++i) unit[i * dim + i] = 1;
  std::vector<double> product(dim * dim);
  std::vector<double> sum(dim * dim, 0.0);
  std::vector<double> point(dim);
  std::size_t used = 0;
  const std::size_t particles = std::min(count, kCurvatureParticles);
  for (std::size_t p = 0; p < particles; ++p) {
    const std::size_t k = p * count / particles;
    for (std::size_t i = 0; i < dim; ++i) point[i] = theta[i * count + k];
    result.gradients += dim * (density.order() >= 2 ? 1 : kDifferenceGradients);
    if (!density.hessian_times(point.data(), dim, unit.data(), product.data())) continue;
    if (!std::all_of(product.begin(), product.end(), [](double x) { return std::isfinite(x); })) continue;
    for (std::size_t at = 0; at < sum.size(); ++at) sum[at] -= product[at];
    ++used;
  }
  if (used == 0) return result;
  for (double& number : sum) number /= static_cast<double>(used);
  result.matrix = std::move(sum);
  return result;
}

}  // namespace kullback::infer
