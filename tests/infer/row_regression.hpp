// A linear regression as a density with rows, and the covariance that stochastic-gradient dynamics have on
// it.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "density/log_density.hpp"

namespace kullback::infer {

// y_n ~ normal(x_n' b, 1), b ~ normal(0, 1), x_n of `dim` numbers of which the first is 1.
class RowRegression final : public density::LogDensity, public density::Rows {
 public:
  RowRegression(std::size_t count, std::size_t dim) : dim_(static_cast<Eigen::Index>(dim)) {
    Random random(11);
    const auto rows = static_cast<Eigen::Index>(count);
    x_.resize(dim_, rows);
    y_.resize(rows);
    for (Eigen::Index n = 0; n < rows; ++n) {
      for (Eigen::Index i = 0; i < dim_; ++i) x_(i, n) = i == 0 ? 1.0 : random.normal() + 0.3 * x_(i - 1, n);
      y_(n) = x_.col(n).sum() + random.normal();
    }
    choose({});
  }

  std::size_t dim() const override { return static_cast<std::size_t>(dim_); }
  density::Rows* rows() override { return this; }
  std::size_t count() const override { return static_cast<std::size_t>(y_.size()); }
  void choose(std::span<const std::uint32_t> rows) override {
    chosen_.assign(rows.begin(), rows.end());
    if (!rows.empty()) return;
    chosen_.resize(count());
    std::iota(chosen_.begin(), chosen_.end(), 0U);
  }
  void evaluate(const density::Batch& batch) override {
    const double scale = static_cast<double>(count()) / static_cast<double>(chosen_.size());
    for (std::size_t k = 0; k < batch.lanes; ++k) {
      Eigen::VectorXd b(dim_);
      for (Eigen::Index i = 0; i < dim_; ++i)
        b(i) = batch.theta[static_cast<std::size_t>(i) * batch.lanes + k];
      double value = -0.5 * b.squaredNorm();
      Eigen::VectorXd gradient = -b;
      for (const std::uint32_t n : chosen_) {
        const double rest = y_(n) - x_.col(n).dot(b);
        value -= 0.5 * scale * rest * rest;
        gradient += scale * rest * x_.col(n);
      }
      batch.log_density[k] = value;
      batch.status[k] = std::isfinite(value) ? density::Status::ok : density::Status::not_finite;
      if (batch.gradient == nullptr) continue;
      for (Eigen::Index i = 0; i < dim_; ++i)
        batch.gradient[static_cast<std::size_t>(i) * batch.lanes + k] = gradient(i);
    }
  }
  std::unique_ptr<density::LogDensity> clone() const override {
    return std::make_unique<RowRegression>(*this);
  }

  bool sees_all() const { return chosen_.size() == count(); }

  Eigen::MatrixXd precision() const { return Eigen::MatrixXd::Identity(dim_, dim_) + x_ * x_.transpose(); }
  Eigen::VectorXd mean() const { return precision().llt().solve(x_ * y_); }
  double largest_curvature() const {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(precision()).eigenvalues().maxCoeff();
  }

  // Of gradients of minibatches without repetition at points with mean m (the posterior's) and covariance
  // `spread`: N^2 / B (1 - B / N) times the covariance over rows of x_n (y_n - x_n' b). With an anchor at m
  // the part that does not depend on the point is gone.
  Eigen::MatrixXd gradient_noise(std::size_t batch_size, const Eigen::MatrixXd& spread,
                                 bool is_anchored) const {
    const auto rows = static_cast<double>(count());
    const auto size = static_cast<double>(batch_size);
    const Eigen::VectorXd m = mean();
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(dim_, dim_);
    const Eigen::MatrixXd mean_square = x_ * x_.transpose() / rows;
    const Eigen::VectorXd mean_force = x_ * (y_ - x_.transpose() * m) / rows;
    for (Eigen::Index n = 0; n < y_.size(); ++n) {
      const Eigen::MatrixXd square = x_.col(n) * x_.col(n).transpose() - mean_square;
      sum += square * spread * square.transpose();
      if (is_anchored) continue;
      const Eigen::VectorXd force = x_.col(n) * (y_(n) - x_.col(n).dot(m)) - mean_force;
      sum += force * force.transpose();
    }
    return rows * rows / size * (1 - size / rows) * sum / (rows - 1);
  }

 private:
  Eigen::Index dim_;
  Eigen::MatrixXd x_;
  Eigen::VectorXd y_;
  std::vector<std::uint32_t> chosen_;
};

// Fixed points of the recursions of covariances; `noise` gives the covariance of gradients at points with a
// covariance.
template <typename Noise>
Eigen::MatrixXd langevin_covariance(const Eigen::MatrixXd& precision, double h, Noise noise) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(precision.rows(), precision.cols());
  const Eigen::MatrixXd keeps = identity - h * precision;
  Eigen::MatrixXd result = precision.inverse();
  for (int i = 0; i < 5000; ++i)
    result = keeps * result * keeps.transpose() + 2 * h * identity + h * h * noise(result);
  return result;
}

// Of positions and momenta: p' = (1 - e C) p - e P x + noise, x' = x + e p'.
template <typename Noise>
Eigen::MatrixXd hamiltonian_covariance(const Eigen::MatrixXd& precision, double e, double friction,
                                       Noise noise) {
  const Eigen::Index d = precision.rows();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
  Eigen::MatrixXd keeps(2 * d, 2 * d);
  keeps << identity - e * e * precision, e * (1 - e * friction) * identity, -e * precision,
      (1 - e * friction) * identity;
  Eigen::MatrixXd brings(2 * d, d);
  brings << e * identity, identity;
  Eigen::MatrixXd result = Eigen::MatrixXd::Identity(2 * d, 2 * d);
  result.topLeftCorner(d, d) = precision.inverse();
  for (int i = 0; i < 20000; ++i) {
    const Eigen::MatrixXd spread = result.topLeftCorner(d, d);
    result = keeps * result * keeps.transpose() +
             brings * (2 * friction * e * identity + e * e * noise(spread)) * brings.transpose();
  }
  return result.topLeftCorner(d, d);
}

// Of positions under the thermostat of sgnht.cpp, its friction taken as the constant at which momenta after
// the kick and after friction have variance 1 in the mean. It varies by a standard deviation of
// 1 / sqrt(dim) around that, which matters to second order.
template <typename Noise>
Eigen::MatrixXd thermostat_covariance(const Eigen::MatrixXd& precision, double e, double injected,
                                      Noise noise) {
  const Eigen::Index d = precision.rows();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
  Eigen::MatrixXd kick = Eigen::MatrixXd::Identity(2 * d, 2 * d);
  kick.bottomLeftCorner(d, d) = -e * precision;
  Eigen::MatrixXd drift = Eigen::MatrixXd::Identity(2 * d, 2 * d);
  drift.topRightCorner(d, d) = e / 2 * identity;
  Eigen::MatrixXd state = Eigen::MatrixXd::Identity(2 * d, 2 * d);
  state.topLeftCorner(d, d) = precision.inverse();
  double friction = injected;
  for (int i = 0; i < 40000; ++i) {
    const Eigen::MatrixXd spread = state.topLeftCorner(d, d);
    state = kick * state * kick.transpose();
    state.bottomRightCorner(d, d) += e * e * noise(spread);
    const double hot = state.bottomRightCorner(d, d).trace();
    state = drift * state * drift.transpose();
    const double keeps = std::exp(-e * friction);
    state.rightCols(d) *= keeps;
    state.bottomRows(d) *= keeps;
    state.bottomRightCorner(d, d) += injected * (1 - keeps * keeps) / friction * identity;
    const double cooled = state.bottomRightCorner(d, d).trace();
    state = drift * state * drift.transpose();
    friction += e * ((hot + cooled) / static_cast<double>(2 * d) - 1);
  }
  return state.topLeftCorner(d, d);
}

}  // namespace kullback::infer
