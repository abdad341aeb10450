// With a constant step size the iterates of stochastic ascent end in a stationary distribution about the
// optimum, whose mean is off by a term proportional to the step size (Dieuleveut, Durmus and Bach 2020). So,
// as in RABVI (Welandawe, Andersen, Vehtari and Huggins 2024):
// - a window of iterates has settled where split R-hat over its quarters, as if they were chains, is
// below 1.1
//   in 19 of 20 parameters, and the Monte-Carlo error of the mean of the iterates is small; else a longer
//   window follows;
// - then a stage ends: its answer is the mean of the iterates, and the step size falls to a quarter;
// - when the means of two stages differ by d, what is left is d (1/4 + 1/16 + ...) = d / 3: where that is
//   below the tolerance, in units of the parameters, the ascent is done.
// Weights of nets wander without changing q: there a window has settled where the bound has not risen in two
// windows, and the ascent is done where a stage has not raised it.
#include "infer/vi/stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

namespace {

constexpr std::size_t kQuarters = 4;
constexpr std::uint64_t kFirstLength = 80;
constexpr std::uint64_t kLongest = 1600;
constexpr std::uint64_t kMostWindows = 12;  // of a stage
constexpr std::uint64_t kMostStages = 8;
constexpr std::uint64_t kFlatWindows = 2;
constexpr double kRhat = 1.1;
constexpr double kStepFall = 0.25;
constexpr double kSmallRise = 0.02;  // of the bound

double nineteen_of_twenty(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Stages::Stages(std::vector<double> units, bool has_step_sizes, bool is_identified)
    : units_(std::move(units)),
      has_step_sizes_(has_step_sizes),
      is_identified_(is_identified),
      sums_(kQuarters * units_.size()),
      squares_(units_.size()),
      bounds_(kQuarters),
      length_(kFirstLength) {}

bool Stages::note(std::span<const double> lambda, double bound) {
  if (noted_ == 0) origin_.assign(lambda.begin(), lambda.end());
  const std::size_t quarter = static_cast<std::size_t>(noted_ * kQuarters / length_);
  double* sums = sums_.data() + quarter * units_.size();
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const double gap = lambda[i] - origin_[i];
    sums[i] += gap;
    squares_[i] += gap * gap;
  }
  bounds_[quarter] += bound;
  return ++noted_ == length_;
}

void Stages::restart_window() {
  noted_ = 0;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
  std::fill(bounds_.begin(), bounds_.end(), 0.0);
}

// Split R-hat of one chain per quarter.
double Stages::rhat(std::size_t parameter) const {
  const double size = static_cast<double>(length_) / kQuarters;
  double total = 0;
  double of_means = 0;
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const double mean = sums_[q * units_.size() + parameter] / size;
    total += mean / kQuarters;
    of_means += mean * mean;
  }
  const double within = (squares_[parameter] - size * of_means) / (static_cast<double>(length_) - kQuarters);
  const double between = (of_means - kQuarters * total * total) / (kQuarters - 1);
  const double floor =
      1e-20 * units_[parameter] * units_[parameter];  // iterates that stand still have settled
  if (between <= floor) return 1;
  return std::sqrt((size - 1) / size + between / std::max(within, floor));
}

double Stages::error_of_mean(std::size_t parameter) const {
  const double size = static_cast<double>(length_) / kQuarters;
  double mean = 0;
  for (std::size_t q = 0; q < kQuarters; ++q) mean += sums_[q * units_.size() + parameter] / size / kQuarters;
  double squares = 0;
  for (std::size_t q = 0; q < kQuarters; ++q)
    squares += std::pow(sums_[q * units_.size() + parameter] / size - mean, 2);
  return std::sqrt(squares / (kQuarters - 1) / kQuarters) / units_[parameter];
}

// Means of the iterates, and of the bound with its standard error.
WindowReport Stages::end_window() {
  const std::size_t count = units_.size();
  mean_.assign(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t q = 0; q < kQuarters; ++q)
      mean_[i] += sums_[q * count + i] / static_cast<double>(length_);
    mean_[i] += origin_[i];
  }
  WindowReport report;
  const double size = static_cast<double>(length_) / kQuarters;
  for (const double sum : bounds_) report.bound += sum / size / kQuarters;
  for (const double sum : bounds_) report.error += std::pow(sum / size - report.bound, 2);
  report.error = std::sqrt(report.error / (kQuarters - 1) / kQuarters);
  const bool rises = windows_ == 0 || report.bound > last_bound_ + std::max(2 * report.error, kSmallRise);
  flat_windows_ = rises ? 0 : flat_windows_ + 1;
  last_bound_ = report.bound;
  ++windows_;
  report.is_settled = has_settled();
  if (report.is_settled)
    end_stage(report);
  else
    length_ = std::min(is_identified_ ? kLongest : kLongest / 4, length_ * 3 / 2 / kQuarters * kQuarters);
  restart_window();
  return report;
}

bool Stages::has_settled() const {
  if (units_.empty() || windows_ >= kMostWindows) return true;
  if (!is_identified_) return flat_windows_ >= kFlatWindows;
  if (length_ >= kLongest && flat_windows_ > 0) return true;
  std::vector<double> rhats(units_.size());
  std::vector<double> errors(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    rhats[i] = rhat(i);
    errors[i] = error_of_mean(i);
  }
  return nineteen_of_twenty(rhats) < kRhat && nineteen_of_twenty(errors) < kTolerance;
}

void Stages::end_stage(const WindowReport& report) {
  remaining_ = std::numeric_limits<double>::infinity();
  if (!stage_mean_.empty() && is_identified_) {
    std::vector<double> moves(units_.size());
    for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = std::abs(mean_[i] - stage_mean_[i]) / units_[i];
    remaining_ = nineteen_of_twenty(moves) * kStepFall / (1 - kStepFall);
  } else if (!stage_mean_.empty()) {
    remaining_ = std::max(report.bound - stage_bound_ - 2 * report.error, 0.0);
  }
  ++stages_;
  is_done_ = !has_step_sizes_ || units_.empty() || remaining_ < kTolerance || stages_ == kMostStages;
  stage_mean_ = mean_;
  stage_bound_ = report.bound;
  step_scale_ *= kStepFall;
  windows_ = 0;
  flat_windows_ = 0;
  length_ = std::max(kFirstLength, length_ / 2 / kQuarters * kQuarters);
}

void Stages::archive(Archive& archive) {
  archive.value(units_);
  archive.value(origin_);
  archive.value(sums_);
  archive.value(squares_);
  archive.value(bounds_);
  archive.value(length_);
  archive.value(noted_);
  archive.value(mean_);
  archive.value(stage_mean_);
  archive.value(last_bound_);
  archive.value(flat_windows_);
  archive.value(stage_bound_);
  archive.value(windows_);
  archive.value(stages_);
  archive.value(step_scale_);
  archive.value(remaining_);
  archive.value(is_done_);
}

}  // namespace kullback::infer
