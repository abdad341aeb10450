#include "infer/vi/lower_factor.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Lanes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

Eigen::Map<const Eigen::MatrixXd> square(const std::vector<double>& values, std::size_t size) {
  return {values.data(), index(size), index(size)};
}

Eigen::Map<const Lanes> draws(const double* values, std::size_t size, std::size_t lanes) {
  return {values, index(size), index(lanes)};
}

Eigen::Map<Lanes> draws(double* values, std::size_t size, std::size_t lanes) {
  return {values, index(size), index(lanes)};
}

void divide_rows(const std::vector<double>& divisors, std::size_t lanes, double* x) {
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    for (std::size_t k = 0; k < lanes; ++k) x[i * lanes + k] /= divisors[i];
  }
}

}  // namespace

void LowerFactor::set(std::span<const double> packed) {
  log_det_ = 0;
  for (std::size_t j = 0; j < size_; ++j) {
    const double log_diagonal = packed[place(j, j)];
    log_det_ += log_diagonal;
    values_[is_diagonal() ? j : j * size_ + j] = std::exp(log_diagonal);
    for (std::size_t i = j + 1; i < size_ && !is_diagonal(); ++i)
      values_[j * size_ + i] = packed[place(i, j)];
  }
}

void LowerFactor::pack(std::span<const double> dense, std::span<const double> sd,
                       std::span<double> packed) const {
  std::fill(packed.begin(), packed.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j) {
    if (is_diagonal() || dense.empty()) {
      packed[place(j, j)] = std::log(sd[j]);
      continue;
    }
    packed[place(j, j)] = std::log(dense[j * size_ + j]);
    for (std::size_t i = j + 1; i < size_; ++i) packed[place(i, j)] = dense[j * size_ + i];
  }
}

void LowerFactor::scale_by(double scale, std::span<double> packed) const {
  for (std::size_t j = 0; j < size_; ++j) {
    packed[place(j, j)] += std::log(scale);
    for (std::size_t i = j + 1; i < size_ && !is_diagonal(); ++i) packed[place(i, j)] *= scale;
  }
}

std::vector<double> LowerFactor::dense() const {
  if (!is_diagonal()) return values_;
  std::vector<double> result(size_ * size_);
  for (std::size_t i = 0; i < size_; ++i) result[i * size_ + i] = values_[i];
  return result;
}

double LowerFactor::row_norm(std::size_t row) const {
  if (is_diagonal()) return values_[row];
  return square(values_, size_).row(index(row)).head(index(row + 1)).norm();
}

void LowerFactor::times(std::size_t lanes, const double* z, double* result) const {
  if (!is_diagonal()) {
    draws(result, size_, lanes).noalias() =
        square(values_, size_).triangularView<Eigen::Lower>() * draws(z, size_, lanes);
    return;
  }
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < lanes; ++k) result[i * lanes + k] = values_[i] * z[i * lanes + k];
  }
}

void LowerFactor::solve(std::size_t lanes, double* x) const {
  if (is_diagonal()) return divide_rows(values_, lanes, x);
  auto target = draws(x, size_, lanes);
  math::linear::solve_lower(square(values_, size_), target);
}

void LowerFactor::solve_transposed(std::size_t lanes, double* x) const {
  if (is_diagonal()) return divide_rows(values_, lanes, x);
  auto target = draws(x, size_, lanes);
  math::linear::solve_lower_transposed(square(values_, size_), target);
}

void LowerFactor::add_outer(std::size_t lanes, const double* a, const double* z, std::span<double> packed) {
  if (is_diagonal()) {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) packed[i] += a[i * lanes + k] * z[i * lanes + k] * values_[i];
    }
    return;
  }
  slope_.assign(size_ * size_, 0.0);
  Eigen::Map<Eigen::MatrixXd> slope(slope_.data(), index(size_), index(size_));
  slope.triangularView<Eigen::Lower>() += draws(a, size_, lanes) * draws(z, size_, lanes).transpose();
  for (std::size_t j = 0; j < size_; ++j) {
    packed[place(j, j)] += slope_[j * size_ + j] * values_[j * size_ + j];
    for (std::size_t i = j + 1; i < size_; ++i) packed[place(i, j)] += slope_[j * size_ + i];
  }
}

void LowerFactor::units(std::span<double> mean, std::span<double> packed) const {
  std::vector<double> inverse(size_ * size_);
  for (std::size_t i = 0; i < size_; ++i) inverse[i * size_ + i] = 1;
  solve(size_, inverse.data());
  for (std::size_t i = 0; i < size_; ++i) {
    double precision = 0;
    for (std::size_t j = i; j < size_; ++j) precision += inverse[j * size_ + i] * inverse[j * size_ + i];
    mean[i] = 1 / std::sqrt(precision);
    for (std::size_t j = 0; j < i && !is_diagonal(); ++j) packed[place(i, j)] = mean[i];
    packed[place(i, i)] = std::sqrt(2 / (precision * at(i, i) * at(i, i) + 1));
  }
}

void LowerFactor::add_log_det(double scale, std::span<double> packed) const {
  for (std::size_t j = 0; j < size_; ++j) packed[place(j, j)] += scale;
}

std::vector<double> conditional_lower(std::span<const double> lower, std::size_t size, std::size_t first,
                                      std::size_t count) {
  const Eigen::Map<const Eigen::MatrixXd> whole(lower.data(), index(size), index(size));
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(index(size), index(count));
  columns.middleRows(index(first), index(count)).setIdentity();
  math::linear::solve_lower(whole, columns);
  Eigen::MatrixXd precision = columns.transpose() * columns;
  math::linear::cholesky(precision, precision);
  Eigen::MatrixXd own = Eigen::MatrixXd::Identity(index(count), index(count));
  math::linear::solve_cholesky(precision, own);
  math::linear::cholesky(own, own);
  return {own.data(), own.data() + own.size()};
}

}  // namespace kullback::infer
