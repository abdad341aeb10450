// Dual averaging, with errors h_t = target - acceptance_t:
//   H_t = (1 - 1/(t + 10)) H_{t-1} + h_t / (t + 10),   log e_t = mu - sqrt(t) / gamma H_t,
//   mean of log e: weights t^-0.75.
// The windows are those of the Stan reference manual. (Stan itself never ends its window where warm-up is
// shorter than 150, stan-dev/stan#3380; we do as the manual says.)
#include "infer/mcmc/warmup.hpp"

#include <algorithm>
#include <cmath>

#include "infer/mcmc/archive_fixed.hpp"
namespace kullback::infer {

namespace {

constexpr double kKappa = 0.75;
constexpr double kDelay = 10;

constexpr std::size_t kInitBuffer = 75;
constexpr std::size_t kTermBuffer = 50;
constexpr std::size_t kBaseWindow = 25;
constexpr std::size_t kLeastWarmup = 20;

}  // namespace

DualAveraging::DualAveraging(AcceptanceGoal goal, double step_size)
    : goal_(goal), centre_(std::log(10 * step_size)) {}

void DualAveraging::restart(double step_size) {
  centre_ = std::log(10 * step_size);
  count_ = 0;
  mean_error_ = 0;
  mean_log_step_ = 0;
}

double DualAveraging::learn(double acceptance) {
  ++count_;
  const double weight = 1.0 / (count_ + kDelay);
  mean_error_ += weight * (goal_.target - std::min(acceptance, 1.0) - mean_error_);
  const double log_step = centre_ - mean_error_ * std::sqrt(count_) / goal_.gamma;
  mean_log_step_ += std::pow(count_, -kKappa) * (log_step - mean_log_step_);
  return std::exp(log_step);
}

double DualAveraging::average() const { return std::exp(mean_log_step_); }

void DualAveraging::archive(Archive& archive) {
  for (double* number : {&centre_, &count_, &mean_error_, &mean_log_step_}) archive.value(*number);
}

WindowSchedule::WindowSchedule(std::size_t warmup) {
  if (warmup < kLeastWarmup) return;
  if (warmup < kInitBuffer + kBaseWindow + kTermBuffer) {
    first_ = warmup * 15 / 100;
    last_ = warmup - warmup / 10;
    ends_.push_back(last_ - 1);
    return;
  }
  first_ = kInitBuffer;
  last_ = warmup - kTermBuffer;
  std::size_t begin = first_ + kBaseWindow;
  ends_.push_back(begin - 1);
  for (std::size_t size = 2 * kBaseWindow; begin < last_; size *= 2) {
    // A window that the next, twice as long, could not follow is stretched to the end; the first never is.
    const std::size_t end = begin + size;
    begin = end + 2 * size > last_ ? last_ : end;
    ends_.push_back(begin - 1);
  }
}

bool WindowSchedule::ends_window(std::size_t iteration) const {
  return std::binary_search(ends_.begin(), ends_.end(), iteration);
}

RunningMoments::RunningMoments(std::size_t dim, bool is_dense)
    : is_dense_(is_dense), mean_(dim), squares_(is_dense ? dim * dim : dim), before_(dim) {}

void RunningMoments::add(const double* theta) {
  const std::size_t dim = mean_.size();
  ++count_;
  for (std::size_t i = 0; i < dim; ++i) {
    before_[i] = theta[i] - mean_[i];
    mean_[i] += before_[i] / count_;
    if (!is_dense_) squares_[i] += before_[i] * (theta[i] - mean_[i]);
  }
  if (!is_dense_) return;
  const double weight = (count_ - 1) / count_;
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) squares_[i * dim + j] += weight * (before_[i] * before_[j]);
  }
}

void RunningMoments::restart() {
  count_ = 0;
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(squares_.begin(), squares_.end(), 0.0);
}

std::vector<double> RunningMoments::shrunk() const {
  const std::size_t dim = mean_.size();
  const double scale = count_ > 1 ? count_ / ((count_ + 5) * (count_ - 1)) : 0;
  std::vector<double> result(squares_);
  for (double& number : result) number *= scale;
  const std::size_t stride = is_dense_ ? dim + 1 : 1;
  for (std::size_t i = 0; i < dim; ++i) result[i * stride] += 1e-3 * 5 / (count_ + 5);
  return result;
}

void RunningMoments::archive(Archive& archive) {
  archive.value(count_);
  archive_fixed(archive, mean_);
  archive_fixed(archive, squares_);
}

}  // namespace kullback::infer
