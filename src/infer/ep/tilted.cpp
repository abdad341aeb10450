#include "infer/ep/tilted.hpp"

#include <cmath>
#include <limits>

#include "infer/ep/frames.hpp"

namespace kullback::infer {

namespace {

constexpr double kEdge = 0.8;  // of the reach
constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

double square_of(const double* v, std::size_t rank) {
  double sum = 0;
  for (std::size_t a = 0; a < rank; ++a) sum += v[a] * v[a];
  return sum;
}

}  // namespace

TiltedSums::TiltedSums(const SiteView& view, std::size_t rank, bool is_lattice, double power)
    : view_(&view),
      rank_(rank),
      is_lattice_(is_lattice),
      power_(power),
      reach_(is_lattice ? lattice_reach(rank) : 0),
      largest_(kMinusInfinity),
      first_(rank, 0.0),
      second_(rank * rank, 0.0) {}

void TiltedSums::add(const double* v, const double* log_terms, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k, v += rank_) {
    const double square = square_of(v, rank_);
    if (is_lattice_ && square > reach_ * reach_) continue;
    const double base = is_lattice_ ? -0.5 * square : 0;
    base_ += is_lattice_ ? std::exp(base) : 1;
    double log_site = view_->constant;
    for (std::size_t a = 0; a < rank_; ++a) {
      double row = 0;
      for (std::size_t b = 0; b < rank_; ++b) row += view_->natural.precision[a * rank_ + b] * v[b];
      log_site += v[a] * (view_->natural.shift[a] - 0.5 * row);
    }
    const double log_weight = base + power_ * (log_terms[k] - log_site);
    if (!(log_weight > kMinusInfinity) || log_weight > 1e300) continue;  // outside the support: no mass
    if (log_weight > largest_) {
      const double factor = std::exp(largest_ - log_weight);
      sum_ *= factor;
      squares_ *= factor * factor;
      edge_ *= factor;
      for (double& number : first_) number *= factor;
      for (double& number : second_) number *= factor;
      largest_ = log_weight;
    }
    const double weight = std::exp(log_weight - largest_);
    sum_ += weight;
    squares_ += weight * weight;
    if (is_lattice_ && square > kEdge * kEdge * reach_ * reach_) edge_ += weight;
    for (std::size_t a = 0; a < rank_; ++a) {
      first_[a] += weight * v[a];
      for (std::size_t b = 0; b <= a; ++b) second_[a * rank_ + b] += weight * v[a] * v[b];
    }
  }
}

Moments TiltedSums::moments() const {
  Moments result;
  result.log_mass = (largest_ + std::log(sum_) - std::log(base_)) / power_;
  result.edge = edge_ / sum_;
  result.effective = sum_ * sum_ / squares_;
  result.mean.resize(rank_);
  result.covariance.resize(rank_ * rank_);
  for (std::size_t a = 0; a < rank_; ++a) result.mean[a] = first_[a] / sum_;
  for (std::size_t a = 0; a < rank_; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const double value = second_[a * rank_ + b] / sum_ - result.mean[a] * result.mean[b];
      result.covariance[a * rank_ + b] = result.covariance[b * rank_ + a] = value;
    }
  }
  return result;
}

QuadraticFit::QuadraticFit(std::size_t rank, bool is_lattice)
    : rank_(rank), is_lattice_(is_lattice), first_(rank, 0.0), second_(rank * rank, 0.0) {}

void QuadraticFit::add(const double* v, const double* log_terms, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k, v += rank_) {
    if (!std::isfinite(log_terms[k])) continue;
    const double square = square_of(v, rank_);
    const double weight = is_lattice_ ? std::exp(-0.5 * square) : 1;
    base_ += weight;
    const double value = weight * log_terms[k];
    sum_ += value;
    for (std::size_t a = 0; a < rank_; ++a) {
      first_[a] += value * v[a];
      for (std::size_t b = 0; b <= a; ++b) second_[a * rank_ + b] += value * v[a] * v[b];
    }
  }
}

NaturalGaussian QuadraticFit::result() const {
  NaturalGaussian result(rank_);
  for (std::size_t a = 0; a < rank_; ++a) {
    result.shift[a] = first_[a] / base_;
    for (std::size_t b = 0; b <= a; ++b) {
      const double m = (second_[a * rank_ + b] - (a == b ? sum_ : 0)) / base_;
      result.precision[a * rank_ + b] = result.precision[b * rank_ + a] = -m;
    }
  }
  return result;
}

}  // namespace kullback::infer
