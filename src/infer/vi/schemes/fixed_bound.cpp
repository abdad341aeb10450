// F(lambda) = mean_k log p(theta(lambda, z_k)) + entropy(lambda), with the entropy in closed form: that of
// the draws alone would let q collapse or spread to suit them.
#include "infer/vi/schemes/fixed_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

namespace {

constexpr double kDifference = 1e-5;  // in units: squared it is as small as rounding of gradients over it

}  // namespace

FixedBound::FixedBound(density::LogDensity& density, Family& family, std::vector<double> noise,
                       std::vector<double> start)
    : density_(density),
      family_(family),
      lanes_(noise.size() / std::max<std::size_t>(1, family.noise())),
      noise_(std::move(noise)),
      start_(std::move(start)),
      units_(start_.size()),
      theta_(density.dim() * lanes_),
      log_p_(lanes_),
      gradient_(theta_.size()),
      status_(lanes_) {
  family.units(start_, units_);
}

std::vector<double> FixedBound::lambda_at(std::span<const double> x) const {
  std::vector<double> lambda = start_;
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] += units_[i] * x[i];
  return lambda;
}

bool FixedBound::evaluate_draws(std::span<const double> lambda, double& bound, std::span<double> gradient) {
  family_.draw(lambda, {lanes_, noise_.data(), theta_.data(), nullptr});
  density_.evaluate({lanes_, theta_.data(), log_p_.data(), gradient_.data(), status_.data()});
  gradients_ += lanes_;
  bound = 0;
  const double share = 1 / static_cast<double>(lanes_);
  for (std::size_t k = 0; k < lanes_; ++k) {
    if (status_[k] != density::Status::ok) {
      message_ = density_.message();
      return false;
    }
    bound += share * log_p_[k];
  }
  for (double& number : gradient_) number *= share;
  bound += family_.entropy(lambda, 1, gradient);
  family_.pull_back(lambda, {lanes_, gradient_.data(), nullptr}, gradient);
  return std::isfinite(bound);
}

double FixedBound::error() const {
  const std::size_t pairs = lanes_ / 2;
  if (pairs < 2) return std::numeric_limits<double>::quiet_NaN();
  double mean = 0;
  double squares = 0;
  for (std::size_t p = 0; p < pairs; ++p) {
    const double value = 0.5 * (log_p_[2 * p] + log_p_[2 * p + 1]);
    const double gap = value - mean;
    mean += gap / static_cast<double>(p + 1);
    squares += gap * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(pairs * (pairs - 1)));
}

void FixedBound::evaluate(const density::Batch& batch) {
  std::vector<double> x(dim());
  std::vector<double> gradient(dim());
  for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
    for (std::size_t i = 0; i < dim(); ++i) x[i] = batch.theta[i * batch.lanes + lane];
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const bool is_finite = evaluate_draws(lambda_at(x), batch.log_density[lane], gradient);
    batch.status[lane] = is_finite ? density::Status::ok : density::Status::not_finite;
    for (std::size_t i = 0; batch.gradient != nullptr && i < dim(); ++i)
      batch.gradient[i * batch.lanes + lane] = units_[i] * gradient[i];
  }
}

bool FixedBound::curvature_times(std::span<const double> x, std::span<const double> v,
                                 std::span<double> result) {
  double length = 0;
  for (const double number : v) length = std::max(length, std::abs(number));
  std::fill(result.begin(), result.end(), 0.0);
  if (length == 0) return true;
  const double step = kDifference / length;
  std::vector<double> moved(x.size());
  std::vector<double> gradient(x.size());
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < x.size(); ++i) moved[i] = x[i] + side * step * v[i];
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double bound = 0;
    if (!evaluate_draws(lambda_at(moved), bound, gradient)) return false;
    for (std::size_t i = 0; i < x.size(); ++i) result[i] += side * units_[i] * gradient[i] / (2 * step);
  }
  return true;
}

bool FixedBound::gradients_of_draws(std::span<const double> x, std::vector<double>& result) {
  const std::vector<double> lambda = lambda_at(x);
  const std::size_t size = family_.noise();
  std::vector<double> noise(size);
  std::vector<double> theta(density_.dim());
  std::vector<double> slope(density_.dim());
  std::vector<double> gradient(lambda.size());
  result.resize(lambda.size() * lanes_);
  for (std::size_t k = 0; k < lanes_; ++k) {
    for (std::size_t i = 0; i < size; ++i) noise[i] = noise_[i * lanes_ + k];
    family_.draw(lambda, {1, noise.data(), theta.data(), nullptr});
    double log_p = 0;
    density::Status status = density::Status::ok;
    density_.evaluate({1, theta.data(), &log_p, slope.data(), &status});
    ++gradients_;
    if (status != density::Status::ok) return false;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    family_.entropy(lambda, 1, gradient);
    family_.pull_back(lambda, {1, slope.data(), nullptr}, gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i) result[i * lanes_ + k] = units_[i] * gradient[i];
  }
  return true;
}

void FixedBound::archive(Archive& archive) {
  archive.value(gradients_);
  archive.value(message_);
}

}  // namespace kullback::infer
