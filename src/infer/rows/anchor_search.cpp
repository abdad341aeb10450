#include "infer/rows/anchor_search.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/optimize/points.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using density::Status;

constexpr std::size_t kMaxDense = 500;  // coordinates: the Hessian of the subset
constexpr std::size_t kShare = 256;     // of all rows, one in so many
constexpr std::size_t kLeastRows = 4096;
constexpr std::size_t kMostRows = 16384;
constexpr std::size_t kRowsPerCoordinate = 50;
constexpr double kNear = 0.03;  // a Newton step, all coordinates together, in standard deviations
constexpr std::uint64_t kMostGradients = 12;
constexpr double kLeastScale = 1.0 / 64;
constexpr std::uint32_t kSubset = ~0U;  // an index that no step has

std::vector<std::uint32_t> subset_of(std::size_t rows, std::size_t dim, std::size_t least, NoiseName name) {
  const std::size_t wanted =
      std::max({std::clamp(rows / kShare, kLeastRows, kMostRows), least, kRowsPerCoordinate * dim});
  RowSampler sampler(name, RowSampling::uniform, rows, std::min(rows, wanted));
  return sampler.at(kSubset).front().rows;
}

// Of P^-1, P = L L'.
GaussianGuess gaussian_around(const std::vector<double>& mean, const PrecisionFactor& precision) {
  const auto dim = static_cast<Eigen::Index>(mean.size());
  Eigen::MatrixXd covariance(dim, dim);
  std::vector<double> unit(mean.size(), 0.0);
  for (Eigen::Index j = 0; j < dim; ++j) {
    unit[static_cast<std::size_t>(j)] = 1;
    const std::vector<double> column = precision.covariance_times(unit);
    unit[static_cast<std::size_t>(j)] = 0;
    covariance.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), dim);
  }
  Eigen::MatrixXd lower = 0.5 * (covariance + covariance.transpose());
  GaussianGuess result{mean, std::vector<double>(mean.size()), {}};
  for (Eigen::Index i = 0; i < dim; ++i) result.sd[static_cast<std::size_t>(i)] = std::sqrt(covariance(i, i));
  if (!math::linear::cholesky(lower, lower)) return result;
  result.lower.assign(lower.data(), lower.data() + lower.size());
  return result;
}

}  // namespace

void SubsetDensity::evaluate(const density::Batch& batch) {
  if (!is_chosen_) density_.rows()->choose(rows_);
  is_chosen_ = true;
  density_.evaluate(batch);
  row_gradients_ += static_cast<double>(rows_.size() * batch.lanes);
}

void SubsetDensity::release() {
  if (is_chosen_) density_.rows()->choose({});
  is_chosen_ = false;
}

AnchorSearch::AnchorSearch(density::LogDensity& density, NoiseName name, std::vector<double> start,
                           std::size_t least_rows, bool is_refined)
    : density_(density),
      is_refined_(is_refined),
      subset_(density, subset_of(density.rows()->count(), density.dim(), least_rows, name)) {
  search_.emplace(subset_, Options{}, std::move(start), kMaxDense);
}

bool AnchorSearch::step() {
  if (is_done_) return false;
  if (!has_anchor_) {
    if (!search_->step()) end_subset();
  } else {
    newton_step();
  }
  return true;
}

void AnchorSearch::end_subset() {
  const Curvature* curvature = search_->curvature();
  const bool has_mode = !search_->is_unbounded() && curvature != nullptr && curvature->precision;
  if (!has_mode) {
    is_done_ = true;
    subset_.release();
  } else if (!is_refined_) {
    anchor_.theta = search_->theta();
    finish();
  } else {
    has_anchor_ = evaluate_all(search_->theta(), anchor_);
    if (!has_anchor_)
      is_done_ = true;
    else if (length_of(anchor_) < kNear)
      finish();
  }
}

double AnchorSearch::length_of(const Anchor& at) const {
  const std::vector<double> step = search_->curvature()->precision->covariance_times(at.gradient);
  return std::sqrt(std::max(0.0, dot(step, at.gradient)));
}

void AnchorSearch::newton_step() {
  const std::vector<double> step = search_->curvature()->precision->covariance_times(anchor_.gradient);
  std::vector<double> theta = anchor_.theta;
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += scale_ * step[i];
  Anchor next;
  if (evaluate_all(theta, next) && next.log_density >= anchor_.log_density) {
    const bool is_near = length_of(next) < kNear;
    anchor_ = std::move(next);
    scale_ = std::min(1.0, 2 * scale_);
    if (is_near || gradients_ >= kMostGradients) finish();
    return;
  }
  scale_ *= 0.5;
  if (scale_ < kLeastScale || gradients_ >= kMostGradients) finish();
}

void AnchorSearch::finish() {
  is_done_ = true;
  subset_.release();
  guess_ = gaussian_around(anchor_.theta, *search_->curvature()->precision);
  has_gaussian_ = !guess_.lower.empty();
}

bool AnchorSearch::evaluate_all(const std::vector<double>& theta, Anchor& result) {
  subset_.release();
  result = {theta, 0, std::vector<double>(theta.size())};
  Status status = Status::ok;
  density_.evaluate({1, theta.data(), &result.log_density, result.gradient.data(), &status});
  ++gradients_;
  return status == Status::ok && std::all_of(result.gradient.begin(), result.gradient.end(),
                                             [](double g) { return std::isfinite(g); });
}

double AnchorSearch::row_gradients() const {
  return subset_.row_gradients() + static_cast<double>(gradients_ * density_.rows()->count());
}

void AnchorSearch::archive(Archive& archive) {
  search_->archive(archive);
  subset_.archive(archive);
  archive.value(anchor_.theta);
  archive.value(anchor_.log_density);
  archive.value(anchor_.gradient);
  archive.value(has_anchor_);
  archive.value(scale_);
  archive.value(has_gaussian_);
  archive.value(is_done_);
  archive.value(guess_.mean);
  archive.value(guess_.sd);
  archive.value(guess_.lower);
  archive.value(gradients_);
}

}  // namespace kullback::infer
