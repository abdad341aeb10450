// With lag-one autocorrelation r of a tracked number, n iterates are worth n (1 - r) / (1 + r) independent
// ones. A drift shows as r near 1: fewer than four independent iterates are no average.
#include "infer/vi/schemes/iterate_average.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

constexpr double kLeastWorth = 4;

double square(double x) { return x * x; }

}  // namespace

bool IterateAverage::push(const GaussianGuess& gaussian) {
  if (count_ == 0) {
    scale_ = gaussian.sd;
    begin(gaussian.mean.size());
    sum_.assign(gaussian.lower.empty() ? gaussian.sd.size() : gaussian.lower.size(), 0.0);
    mean_.mean.assign(gaussian.mean.size(), 0.0);
  }
  add(gaussian);
  if (++count_ < length_) return false;
  end_window();
  count_ = 0;
  length_ *= 2;
  return true;
}

void IterateAverage::begin(std::size_t dim) {
  for (std::vector<double>* values : {&total_, &squares_, &products_, &first_, &last_})
    values->assign(2 * dim, 0.0);
}

void IterateAverage::add(const GaussianGuess& gaussian) {
  const std::size_t dim = gaussian.mean.size();
  const auto size = static_cast<Eigen::Index>(dim);
  for (std::size_t i = 0; i < dim; ++i) mean_.mean[i] += gaussian.mean[i];
  if (gaussian.lower.empty()) {
    for (std::size_t i = 0; i < dim; ++i) sum_[i] += square(gaussian.sd[i]);
  } else {
    const Eigen::Map<const Eigen::MatrixXd> lower(gaussian.lower.data(), size, size);
    Eigen::Map<Eigen::MatrixXd>(sum_.data(), size, size) += lower * lower.transpose();
  }
  for (std::size_t t = 0; t < 2 * dim; ++t) {
    const std::size_t i = t % dim;
    const double value = t < dim ? gaussian.mean[i] / scale_[i] : std::log(gaussian.sd[i]);
    if (count_ == 0) first_[t] = value;
    const double gap = value - first_[t];  // else large means lose their digits
    total_[t] += gap;
    squares_[t] += gap * gap;
    if (count_ > 0) products_[t] += gap * last_[t];
    last_[t] = gap;
  }
}

void IterateAverage::end_window() {
  const auto n = static_cast<double>(count_);
  mean_error_ = scale_error_ = 0;
  for (std::size_t t = 0; t < total_.size(); ++t) {
    const double mean = total_[t] / n;
    const double variance = std::max(0.0, squares_[t] / n - mean * mean);
    if (variance < 1e-20) continue;
    const double covariance = (products_[t] - mean * (2 * total_[t] - last_[t]) + (n - 1) * mean * mean) / n;
    const double r = std::clamp(covariance / variance, -0.5, 0.999);
    const double worth = n * (1 - r) / (1 + r);
    double& error = 2 * t < total_.size() ? mean_error_ : scale_error_;
    error = worth < kLeastWorth ? std::numeric_limits<double>::infinity()
                                : std::max(error, std::sqrt(variance / worth));
  }
  const std::size_t dim = mean_.mean.size();
  const auto size = static_cast<Eigen::Index>(dim);
  for (double& number : mean_.mean) number /= n;
  for (double& number : sum_) number /= n;
  mean_.sd.resize(dim);
  const std::size_t stride = sum_.size() == dim ? 1 : dim + 1;
  for (std::size_t i = 0; i < dim; ++i) mean_.sd[i] = std::sqrt(sum_[i * stride]);
  mean_.lower.clear();
  if (stride == 1) return;
  const Eigen::Map<const Eigen::MatrixXd> covariance(sum_.data(), size, size);
  Eigen::MatrixXd lower(size, size);
  math::linear::cholesky(covariance, lower);
  mean_.lower.assign(lower.data(), lower.data() + lower.size());
}

void IterateAverage::restart() { count_ = 0; }

void IterateAverage::archive(Archive& archive) {
  archive.value(length_);
  archive.value(count_);
  archive.value(mean_.mean);
  archive.value(mean_.sd);
  archive.value(mean_.lower);
  archive.value(mean_error_);
  archive.value(scale_error_);
  for (std::vector<double>* values : {&scale_, &sum_, &total_, &squares_, &products_, &first_, &last_})
    archive.value(*values);
}

}  // namespace kullback::infer
