// A scheme has arrived where its steps no longer shrink and no longer agree in direction: what is left is
// noise. From then on an update that averages itself takes steps of length 1, 1/2, 1/3, ...; with S steps d_s
// (as steps of length 1) the error of a mean is sqrt(sum d_s^2) / S. The scheme ends where it is below
// kMeanTol standard deviations, or where a step changes nothing: KL(next || now) < kExact.
#include "infer/vi/schemes/gaussian_scheme.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/schemes/iterate_average.hpp"
#include "infer/vi/schemes/white_expansion.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kMeanTol = 0.04;   // standard errors, of means in standard deviations
constexpr double kScaleTol = 0.08;  // of logarithms of standard deviations
constexpr double kExact = 1e-10;    // a divergence, per coordinate
constexpr std::uint64_t kLeastRank = 3;
constexpr std::uint64_t kMostFailures = 20;
constexpr double kFallErrors = 4;  // standard errors by which the ELBO has fallen
constexpr double kFarFall = 5;
constexpr std::uint64_t kManyUndone = 25;  // and a third of all steps: the scheme is stuck

Eigen::Map<const Vector> vector_of(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

Eigen::Map<const Matrix> lower_of(const GaussianGuess& gaussian) {
  const auto dim = static_cast<Index>(gaussian.mean.size());
  return {gaussian.lower.data(), dim, dim};
}

Matrix inverse_of(const Matrix& positive) {
  Matrix root(positive.rows(), positive.rows());
  math::linear::cholesky(positive, root);
  Matrix inverse = Matrix::Identity(positive.rows(), positive.rows());
  math::linear::solve_cholesky(root, inverse);
  return inverse;
}

bool is_usable(const GaussianGuess& gaussian) {
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(gaussian.mean.begin(), gaussian.mean.end(), finite) &&
         std::all_of(gaussian.sd.begin(), gaussian.sd.end(), positive) &&
         std::all_of(gaussian.lower.begin(), gaussian.lower.end(), finite);
}

double entropy_of(const GaussianGuess& gaussian) {
  const std::size_t dim = gaussian.mean.size();
  double sum = 0.5 * static_cast<double>(dim) * (1 + std::log(2 * std::numbers::pi));
  for (std::size_t i = 0; i < dim; ++i)
    sum += std::log(gaussian.lower.empty() ? gaussian.sd[i] : gaussian.lower[i * (dim + 1)]);
  return sum;
}

Vector white_shift(const GaussianGuess& now, const GaussianGuess& next) {
  const Vector shift = vector_of(next.mean) - vector_of(now.mean);
  if (now.lower.empty()) return shift.cwiseQuotient(vector_of(now.sd));
  Vector solved = shift;
  math::linear::solve_lower(lower_of(now), solved);
  return solved;
}

class GaussianScheme final : public Scheme {
 public:
  GaussianScheme(const SchemeSetting& setting, std::unique_ptr<GaussianUpdate> update)
      : setting_(setting),
        update_(std::move(update)),
        points_(*setting.density),
        lambda_(setting.family->parameters()) {
    setting.family->begin(setting.guess, setting.noise.seed, lambda_);
    now_ = before_ = setting.family->gaussian_of(lambda_);
    is_done_ = now_.mean.empty();
  }

  bool step() override {
    if (is_done_) return false;
    const Random random(setting_.noise.seed, setting_.noise.chain, setting_.noise.purpose,
                        static_cast<std::uint32_t>(steps_++));
    if (!points_.evaluate(now_, update_->points(now_.mean.size(), random)))
      fail();
    else if (has_fallen())
      undo();
    else
      advance();
    if (steps_ >= (*setting_.options)[option::kMaxSteps]) is_done_ = true;
    if (failures_ >= kManyUndone && 3 * failures_ > steps_) is_done_ = true;
    return true;
  }

  bool has_stalled() const override { return is_done_ && !has_converged_ && !now_.mean.empty(); }

  std::span<const double> lambda() const override { return lambda_; }
  Bias bias() const override { return update_->bias(); }
  std::uint64_t gradients() const override { return points_.gradients(); }
  std::uint64_t evaluations() const override { return 0; }
  std::span<const TraceRow> trace() const override { return trace_; }
  Findings findings() const override;
  void archive(Archive& archive) override;

 private:
  bool has_fallen();
  double error_of_bound();
  void advance();
  void hold(const GaussianGuess& next);
  void fail();
  void undo();
  void judge(const GaussianMove& move, const Vector& shift);
  void judge_steps(const GaussianMove& move, const Vector& shift);
  void judge_average();
  void count_step(const Vector& shift);

  SchemeSetting setting_;
  std::unique_ptr<GaussianUpdate> update_;
  ScoredPoints points_;
  GaussianGuess now_;
  GaussianGuess before_;  // the last step
  std::vector<double> lambda_;
  double bound_ = 0;
  double bound_error_ = 0;  // NaN where it is not known
  double spread_ = 0;
  double bound_before_ = -std::numeric_limits<double>::infinity();
  double spread_before_ = 0;
  std::vector<double> settled_bounds_;  // since the iterates stand still
  double caution_ = 1;
  std::uint64_t steps_ = 0;
  std::uint64_t rank_ = 1;
  std::uint64_t failures_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
  double last_divergence_ = std::numeric_limits<double>::infinity();
  std::vector<double> last_shift_;
  std::vector<double> squares_;  // sum of squared steps of each mean, and of each log sd
  std::vector<double> sums_;     // of the steps
  IterateAverage average_;
  bool is_done_ = false;
  bool has_converged_ = false;
  std::vector<TraceRow> trace_;
};

// By more than the errors of both bounds; or so far that the error of this one, which is large where q has
// gone astray, is no excuse.
bool GaussianScheme::has_fallen() {
  const MeanLog log_p = mean_log_p(points_);
  bound_ = log_p.mean + entropy_of(now_);
  bound_error_ = log_p.error;
  spread_ = log_p.spread;
  // The noise of minibatches is common to all points of a step: the error does not know it.
  if (!update_->climbs_elbo() || setting_.subsampled != nullptr) return false;
  const double fall = bound_before_ - bound_;
  const double error = std::hypot(spread_, spread_before_);
  return fall > kFallErrors * error + 1e-9 * (1 + std::abs(bound_before_)) ||
         fall > kFallErrors * spread_before_ + kFarFall;
}

// Points of one unit do not tell their error: the scatter of the bounds does, once the iterates stand still.
double GaussianScheme::error_of_bound() {
  if (rank_ == 1) settled_bounds_.clear();
  settled_bounds_.push_back(bound_);
  if (std::isfinite(bound_error_) || rank_ == 1) return bound_error_;
  return error_of_mean(settled_bounds_, Sampling::iid) *
         std::sqrt(static_cast<double>(settled_bounds_.size()));
}

void GaussianScheme::advance() {
  trace_.push_back(
      {steps_, points_.gradients(), bound_, error_of_bound(), caution_ / static_cast<double>(rank_)});
  GaussianGuess next;
  if (!update_->update(now_, points_, {caution_, steps_, rank_}, next) || !is_usable(next)) {
    fail();
    return;
  }
  failures_in_a_row_ = 0;
  before_ = now_;
  bound_before_ = bound_;
  spread_before_ = spread_;
  hold(next);
  if (!is_usable(now_)) {
    now_ = before_;
    fail();
    return;
  }
  judge(move_between(before_, now_), white_shift(before_, now_));
  caution_ = std::min(1.0, 2 * caution_);
}

void GaussianScheme::hold(const GaussianGuess& next) {
  setting_.family->set_gaussian(next, lambda_);
  now_ = setting_.family->gaussian_of(lambda_);
}

// The density is not finite at too many points of q, or there is no next q: back to the one before, or to a
// narrower one where there is none.
void GaussianScheme::fail() {
  if (++failures_in_a_row_ > kMostFailures) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{} steps in a row led to where the density or its gradient is not finite{}{}",
                            failures_in_a_row_, points_.message().empty() ? "" : "; the last time: ",
                            points_.message().empty() ? "." : points_.message()),
                "Give starting values with --init, or try `--method pathfinder`.");
  }
  if (before_.mean == now_.mean && before_.sd == now_.sd) {
    for (double& number : now_.sd) number *= 0.5;
    for (double& number : now_.lower) number *= 0.5;
    before_ = now_;
    bound_before_ = -std::numeric_limits<double>::infinity();
  }
  undo();
}

void GaussianScheme::undo() {
  ++failures_;
  caution_ *= 0.25;
  if (caution_ < 1e-6) caution_ = 1e-6;
  hold(before_);
  rank_ = 1;
  last_divergence_ = std::numeric_limits<double>::infinity();
  average_.restart();
}

void GaussianScheme::judge(const GaussianMove& move, const Vector& shift) {
  if (caution_ == 1 && move.divergence < kExact * static_cast<double>(now_.mean.size())) {
    is_done_ = has_converged_ = true;
    return;
  }
  if (update_->averages_itself())
    judge_steps(move, shift);
  else if (average_.push(now_))
    judge_average();
}

void GaussianScheme::count_step(const Vector& shift) {
  const std::size_t dim = now_.mean.size();
  const double length = static_cast<double>(rank_) / caution_;
  if (rank_ == 1) {
    squares_.assign(2 * dim, 0.0);
    sums_.assign(dim, 0.0);
  }
  for (std::size_t i = 0; i < dim; ++i) {
    const double mean_step = length * (now_.mean[i] - before_.mean[i]) / now_.sd[i];
    const double scale_step = length * std::log(now_.sd[i] / before_.sd[i]);
    squares_[i] += mean_step * mean_step;
    squares_[dim + i] += scale_step * scale_step;
    sums_[i] += length * shift[static_cast<Index>(i)];
  }
}

void GaussianScheme::judge_steps(const GaussianMove& move, const Vector& shift) {
  count_step(shift);
  const Vector last =
      last_shift_.empty() ? Vector(Vector::Zero(shift.size())) : Vector(vector_of(last_shift_));
  const bool stands_still = move.divergence > 0.5 * last_divergence_ && shift.dot(last) <= 0;
  last_divergence_ = move.divergence;
  last_shift_.assign(shift.data(), shift.data() + shift.size());
  if (caution_ < 1) return;
  if (rank_ == 1) {
    if (stands_still) rank_ = 2;
    return;
  }
  double largest = 0;
  const std::size_t dim = sums_.size();
  for (std::size_t i = 0; i < dim; ++i) {
    largest = std::max(largest, std::sqrt(squares_[i]) / kMeanTol);
    largest = std::max(largest, std::sqrt(squares_[dim + i]) / kScaleTol);
  }
  if (rank_ >= kLeastRank && largest < static_cast<double>(rank_)) {
    is_done_ = has_converged_ = true;
    return;
  }
  double total = 0;
  for (std::size_t i = 0; i < dim; ++i) total += squares_[i];
  const bool drifts = rank_ > 4 && vector_of(sums_).squaredNorm() > 4 * std::max(total, 1e-12);
  rank_ = drifts ? 1 : rank_ + 1;
}

void GaussianScheme::judge_average() {
  if (average_.mean_error() > kMeanTol || average_.scale_error() > kScaleTol) return;
  hold(average_.mean());
  is_done_ = has_converged_ = true;
}

Findings GaussianScheme::findings() const {
  Findings result;
  if (has_stalled()) {
    result.push_back(
        {"not-converged", "The approximation was still moving when its updates ended.",
         fmt::format("{} steps, {} of them undone", steps_, failures_),
         "Raise --max-steps, or --grad-draws for less noise; `--optimizer adam` is more patient."});
  }
  return result;
}

void GaussianScheme::archive(Archive& archive) {
  points_.archive(archive);
  for (GaussianGuess* gaussian : {&now_, &before_}) {
    archive.value(gaussian->mean);
    archive.value(gaussian->sd);
    archive.value(gaussian->lower);
  }
  archive.value(lambda_);
  archive.value(bound_before_);
  archive.value(spread_before_);
  archive.value(settled_bounds_);
  archive.value(caution_);
  archive.value(steps_);
  archive.value(rank_);
  archive.value(failures_);
  archive.value(failures_in_a_row_);
  archive.value(last_divergence_);
  archive.value(last_shift_);
  archive.value(squares_);
  archive.value(sums_);
  average_.archive(archive);
  archive.value(is_done_);
  archive.value(has_converged_);
  archive_trace(archive, trace_);
}

}  // namespace

GaussianMove move_between(const GaussianGuess& now, const GaussianGuess& next) {
  const auto dim = static_cast<double>(now.mean.size());
  GaussianMove result;
  result.divergence = 0.5 * (white_shift(now, next).squaredNorm() - dim) + entropy_of(now) - entropy_of(next);
  if (now.lower.empty()) {
    result.divergence += 0.5 * vector_of(next.sd).cwiseQuotient(vector_of(now.sd)).squaredNorm();
  } else {
    Matrix ratio = lower_of(next);
    math::linear::solve_lower(lower_of(now), ratio);
    result.divergence += 0.5 * ratio.squaredNorm();
  }
  for (std::size_t i = 0; i < now.mean.size(); ++i)
    result.largest_shift = std::max(result.largest_shift, std::abs(next.mean[i] - now.mean[i]) / now.sd[i]);
  return result;
}

std::unique_ptr<Scheme> make_gaussian_scheme(const SchemeSetting& setting,
                                             std::unique_ptr<GaussianUpdate> update) {
  return std::make_unique<GaussianScheme>(setting, std::move(update));
}

// The precision 1 + v v' with v = (0.1, 0.2, ...) goes in; entries of what comes out are the same, or 0.
GaussianShape shape_of(const Family& family) {
  if (!family.abilities().is_gaussian) return GaussianShape::none;
  const auto dim = static_cast<Index>(family.dim());
  std::vector<double> lambda(family.parameters());
  GaussianGuess guess{std::vector<double>(family.dim(), 0.0), std::vector<double>(family.dim(), 1.0), {}};
  if (family.dim() == 0) return GaussianShape::dense;
  family.set_gaussian(guess, lambda);
  if (family.gaussian_of(lambda).lower.empty()) return GaussianShape::restricted;
  const Vector v = Vector::LinSpaced(dim, 0.1, 0.1 * static_cast<double>(std::min<Index>(dim, 20)));
  const Matrix precision = Matrix::Identity(dim, dim) + v * v.transpose();
  const Matrix covariance = inverse_of(precision);
  Matrix lower(dim, dim);
  math::linear::cholesky(covariance, lower);
  for (Index i = 0; i < dim; ++i) guess.sd[static_cast<std::size_t>(i)] = std::sqrt(covariance(i, i));
  guess.lower.assign(lower.data(), lower.data() + lower.size());
  family.set_gaussian(guess, lambda);
  const GaussianGuess held = family.gaussian_of(lambda);
  const Matrix back = inverse_of(lower_of(held) * lower_of(held).transpose());
  bool has_zeros = false;
  for (Index i = 0; i < dim * dim; ++i) {
    const double entry = back.data()[i];
    const double wanted = precision.data()[i];
    if (std::abs(entry - wanted) < 1e-8 * std::abs(wanted)) continue;
    if (std::abs(entry) > 1e-8) return GaussianShape::other;
    has_zeros = true;
  }
  return has_zeros ? GaussianShape::restricted : GaussianShape::dense;
}

}  // namespace kullback::infer
