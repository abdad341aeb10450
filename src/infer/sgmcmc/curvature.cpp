#include "infer/sgmcmc/curvature.hpp"

#include <cmath>
#include <utility>

namespace kullback::infer {

namespace {

constexpr std::uint64_t kFewest = 5;
constexpr std::uint64_t kMost = 30;
constexpr double kChange = 0.01;  // relative

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

LargestCurvature::LargestCurvature(std::vector<double> direction) : direction_(std::move(direction)) {
  const double length = norm(direction_);
  for (double& x : direction_) x /= length;
}

bool LargestCurvature::step(density::LogDensity& density, const Coordinates& coordinates) {
  if (has_converged_ || has_failed_) return false;
  const std::vector<double> v = coordinates.forward(direction_);
  std::vector<double> product(v.size());
  ++products_;
  if (!density.hessian_times(coordinates.centre().data(), 1, v.data(), product.data())) {
    has_failed_ = true;
    return true;
  }
  coordinates.pull_back(product, direction_);
  const double before = value_;
  value_ = norm(direction_);
  has_failed_ = !(value_ > 0) || !std::isfinite(value_);
  if (has_failed_) return true;
  for (double& x : direction_) x /= value_;
  has_converged_ =
      products_ == kMost || (products_ >= kFewest && std::abs(value_ - before) < kChange * value_);
  return true;
}

void LargestCurvature::archive(Archive& archive) {
  archive.value(direction_);
  archive.value(value_);
  archive.value(products_);
  archive.value(has_converged_);
  archive.value(has_failed_);
}

}  // namespace kullback::infer
