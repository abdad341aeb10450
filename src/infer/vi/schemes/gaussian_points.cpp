// Genz and Monahan's rule of degree 3, for a random orthogonal matrix with columns v_j and a radius r with
// the chi distribution of dim + 2 degrees of freedom:
//   E[f(z)] = (1 - dim / r^2) f(0) + 1 / (2 r^2) sum_j (f(r v_j) + f(-r v_j)).
// For f = z u(z)' it is the central difference 1 / (2 r) sum_j v_j (u(r v_j) - u(-r v_j))', which is exact
// for linear u: so are Hessians of Gaussian log densities.
#include "infer/vi/schemes/gaussian_points.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMostBadShare = 4;  // at most one point in so many

Eigen::MatrixXd random_rotation(std::size_t dim, Random& random) {
  const auto size = static_cast<Eigen::Index>(dim);
  Eigen::MatrixXd normals(size, size);
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Eigen::Index i = 0; i < size; ++i) normals(i, j) = random.normal();
  }
  Eigen::MatrixXd rotation(size, size), upper(size, size);
  math::linear::qr(normals, rotation, upper);
  for (Eigen::Index j = 0; j < size; ++j) {  // else it is not uniform (Mezzadri 2007)
    if (upper(j, j) < 0) rotation.col(j) *= -1;
  }
  return rotation;
}

}  // namespace

NormalPoints spherical_radial_points(std::size_t dim, std::size_t rotations, Random random) {
  const std::size_t each = 2 * dim + 1;
  NormalPoints result{each * rotations, std::vector<double>(dim * each * rotations, 0.0),
                      std::vector<double>(each * rotations), each};
  const auto d = static_cast<double>(dim);
  const double share = 1 / static_cast<double>(rotations);
  for (std::size_t r = 0; r < rotations; ++r) {
    const Eigen::MatrixXd rotation = random_rotation(dim, random);
    const double square = 2 * random.gamma(0.5 * (d + 2));
    const double radius = std::sqrt(square);
    const std::size_t first = r * each;
    result.weights[first] = share * (1 - d / square);
    for (std::size_t j = 0; j < dim; ++j) {
      const std::size_t lane = first + 1 + 2 * j;
      result.weights[lane] = result.weights[lane + 1] = share / (2 * square);
      for (std::size_t i = 0; i < dim; ++i) {
        const double end = radius * rotation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        result.z[i * result.lanes + lane] = end;
        result.z[i * result.lanes + lane + 1] = -end;
      }
    }
  }
  return result;
}

NormalPoints independent_points(std::size_t dim, std::size_t lanes, Random random) {
  NormalPoints result{lanes, std::vector<double>(dim * lanes),
                      std::vector<double>(lanes, 1 / static_cast<double>(lanes))};
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = 0; i < dim; ++i) result.z[i * lanes + k] = random.normal();
  }
  return result;
}

NormalPoints antithetic_points(std::size_t dim, std::size_t lanes, Random random) {
  lanes += lanes % 2;
  NormalPoints result{lanes, std::vector<double>(dim * lanes),
                      std::vector<double>(lanes, 1 / static_cast<double>(lanes)), 2};
  for (std::size_t k = 0; k < lanes; k += 2) {
    for (std::size_t i = 0; i < dim; ++i) {
      result.z[i * lanes + k] = random.normal();
      result.z[i * lanes + k + 1] = -result.z[i * lanes + k];
    }
  }
  return result;
}

void ScoredPoints::place(const GaussianGuess& gaussian) {
  const std::size_t dim = gaussian.mean.size();
  const std::size_t lanes = points_.lanes;
  theta_.resize(dim * lanes);
  for (std::size_t i = 0; i < dim; ++i) {
    double* row = theta_.data() + i * lanes;
    std::fill(row, row + lanes, gaussian.mean[i]);
    const std::size_t first = gaussian.lower.empty() ? i : 0;
    for (std::size_t j = first; j <= i; ++j) {
      const double scale = gaussian.lower.empty() ? gaussian.sd[i] : gaussian.lower[j * dim + i];
      const double* z = points_.z.data() + j * lanes;
      for (std::size_t k = 0; k < lanes; ++k) row[k] += scale * z[k];
    }
  }
}

void ScoredPoints::whiten(const GaussianGuess& gaussian) {
  const std::size_t dim = gaussian.mean.size();
  const std::size_t lanes = points_.lanes;
  white_.assign(dim * lanes, 0.0);
  for (std::size_t j = 0; j < dim; ++j) {
    double* row = white_.data() + j * lanes;
    const std::size_t end = gaussian.lower.empty() ? j + 1 : dim;
    for (std::size_t i = j; i < end; ++i) {
      const double scale = gaussian.lower.empty() ? gaussian.sd[i] : gaussian.lower[j * dim + i];
      const double* g = gradient_.data() + i * lanes;
      for (std::size_t k = 0; k < lanes; ++k) row[k] += scale * g[k];
    }
  }
}

bool ScoredPoints::evaluate(const GaussianGuess& gaussian, NormalPoints points) {
  points_ = std::move(points);
  const std::size_t lanes = points_.lanes;
  place(gaussian);
  log_p_.resize(lanes);
  gradient_.resize(theta_.size());
  status_.resize(lanes);
  density_.evaluate({lanes, theta_.data(), log_p_.data(), gradient_.data(), status_.data()});
  gradients_ += lanes;
  std::vector<std::size_t> good;
  for (std::size_t k = 0; k < lanes; ++k) {
    bool is_finite = status_[k] == density::Status::ok && std::isfinite(log_p_[k]);
    for (std::size_t i = k; i < gradient_.size(); i += lanes)
      is_finite = is_finite && std::isfinite(gradient_[i]);
    if (is_finite) good.push_back(k);
  }
  is_whole_ = good.size() == lanes;
  if (!is_whole_) {
    message_ = density_.message();
    if ((lanes - good.size()) * kMostBadShare > lanes) return false;
    leave_out(good);
  }
  whiten(gaussian);
  return true;
}

void ScoredPoints::leave_out(const std::vector<std::size_t>& good) {
  const std::size_t lanes = points_.lanes;
  const auto keep = [&](std::vector<double>& values) {
    std::size_t to = 0;
    for (std::size_t first = 0; first < values.size(); first += lanes) {
      for (const std::size_t k : good) values[to++] = values[first + k];
    }
    values.resize(to);
  };
  keep(points_.z);
  keep(theta_);
  keep(log_p_);
  keep(gradient_);
  points_.lanes = good.size();
  points_.unit = points_.unit == 1 ? 1 : 0;
  points_.weights.assign(good.size(), 1 / static_cast<double>(good.size()));
}

void ScoredPoints::archive(Archive& archive) {
  archive.value(gradients_);
  archive.value(message_);
}

}  // namespace kullback::infer
