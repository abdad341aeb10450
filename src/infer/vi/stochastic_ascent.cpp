// Stochastic ascent in windows of iterations with one step size. The answer is the mean of the iterates of
// the best window; where the mean bound of a window no longer rises by more than its Monte-Carlo error the
// step size falls, and where it has fallen far enough the ascent ends.
#include "infer/vi/stochastic_ascent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/optimizer.hpp"

namespace kullback::infer {

namespace {

constexpr std::uint64_t kWindow = 100;
constexpr double kStepDecay = 0.25;
constexpr double kLeastStep = 1e-2;  // of the first
constexpr std::uint64_t kMostFailures = 20;
constexpr std::size_t kDefaultDraws = 16;

class StochasticAscent final : public Scheme {
 public:
  explicit StochasticAscent(const SchemeSetting& setting)
      : setting_(setting),
        noise_(setting.noise, sampling_of(setting.options->sampling), setting.family->noise()),
        objective_(setting.objective->make(*setting.options)),
        optimizer_(setting.optimizer->make(*setting.options, setting.family->parameters())),
        lambda_(setting.family->parameters()),
        sum_(lambda_.size()) {
    make_estimator();
    first_step_size_ =
        setting.options->learning_rate > 0 ? setting.options->learning_rate : setting.optimizer->step_size;
    step_size_ = first_step_size_;
    setting.family->begin(setting.guess, setting.noise.seed, lambda_);
    best_ = before_ = lambda_;
  }

  bool step() override {
    if (is_done_) return false;
    estimator_->estimate(lambda_, static_cast<std::uint32_t>(iterations_++), estimate_);
    if (!estimate_.is_finite || !is_finite(estimate_.gradient)) {
      fail();
    } else {
      failures_in_a_row_ = 0;
      before_ = lambda_;
      count_in_window();
      optimizer_->step(estimate_.gradient, step_size_, lambda_);
      if (!is_finite(lambda_)) fail();
    }
    if (in_window_ == kWindow) end_window();
    if (iterations_ >= setting_.options->max_steps) is_done_ = true;
    return true;
  }

  std::span<const double> lambda() const override { return best_; }
  Bias bias() const override { return estimator_->bias(); }
  std::uint64_t gradients() const override { return estimator_->draws().gradients(); }
  std::uint64_t evaluations() const override { return estimator_->draws().evaluations(); }
  std::span<const TraceRow> trace() const override { return trace_; }

  Findings findings() const override {
    Findings result;
    if (iterations_ >= setting_.options->max_steps && step_size_ > kLeastStep * first_step_size_) {
      result.push_back({"not-converged", "The bound was still rising when the steps ran out.",
                        fmt::format("{} steps", iterations_), "Raise --max-steps."});
    }
    return result;
  }

  void archive(Archive& archive) override {
    estimator_->archive(archive);
    optimizer_->archive(archive);
    archive.value(lambda_);
    archive.value(before_);
    archive.value(best_);
    archive.value(sum_);
    archive.value(iterations_);
    archive.value(in_window_);
    archive.value(window_bound_);
    archive.value(window_square_);
    archive.value(best_bound_);
    archive.value(step_size_);
    archive.value(failures_in_a_row_);
    archive.value(is_done_);
    archive_trace(archive, trace_);
  }

 private:
  static bool is_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  }

  void make_estimator() {
    const std::size_t group = objective_->draws();
    const std::size_t wanted =
        setting_.options->grad_draws > 0 ? setting_.options->grad_draws : kDefaultDraws;
    const EstimatorSetting parts{
        setting_.density, setting_.family, objective_.get(), &noise_, (wanted + group - 1) / group * group,
        setting_.options};
    if (const auto reason = setting_.estimator->refuse(parts)) {
      throw Error(ErrorKind::usage,
                  fmt::format("--estimator {} does not go with this family and --objective {}: {}.",
                              setting_.estimator->name, setting_.objective->name, *reason));
    }
    estimator_ = setting_.estimator->make(parts);
  }

  void fail() {
    if (++failures_in_a_row_ > kMostFailures) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{} steps in a row led to where the density or its gradient is not finite; the "
                              "last time: {}",
                              failures_in_a_row_, estimator_->draws().message()),
                  "Give starting values with --init, or a smaller --learning-rate.");
    }
    lambda_ = before_ = best_;
    step_size_ *= 0.5;
    optimizer_->reset();
    begin_window();
  }

  void begin_window() {
    in_window_ = 0;
    window_bound_ = window_square_ = 0;
    std::fill(sum_.begin(), sum_.end(), 0.0);
  }

  void count_in_window() {
    ++in_window_;
    const double gap = estimate_.bound - window_bound_;
    window_bound_ += gap / static_cast<double>(in_window_);
    window_square_ += gap * (estimate_.bound - window_bound_);
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += lambda_[i];
  }

  void end_window() {
    const auto count = static_cast<double>(in_window_);
    const double error = std::sqrt(window_square_ / (count - 1) / count);
    trace_.push_back({iterations_, gradients(), objective_->sign() * window_bound_, error, step_size_});
    const bool rises = window_bound_ > best_bound_ + error;
    if (window_bound_ > best_bound_) {
      best_bound_ = window_bound_;
      for (std::size_t i = 0; i < sum_.size(); ++i) best_[i] = sum_[i] / count;
    }
    if (!rises) step_size_ *= kStepDecay;
    is_done_ = step_size_ < kLeastStep * first_step_size_;
    begin_window();
  }

  SchemeSetting setting_;
  NoiseSource noise_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Estimator> estimator_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<double> lambda_;
  std::vector<double> before_;  // the last step
  std::vector<double> best_;    // mean of the iterates of the best window
  std::vector<double> sum_;     // of the iterates of this window
  Estimate estimate_;
  std::uint64_t iterations_ = 0;
  std::uint64_t in_window_ = 0;
  double window_bound_ = 0;
  double window_square_ = 0;
  double best_bound_ = -std::numeric_limits<double>::infinity();
  double step_size_ = 0;
  double first_step_size_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
  bool is_done_ = false;
  std::vector<TraceRow> trace_;
};

}  // namespace

std::unique_ptr<Scheme> make_stochastic_ascent(const SchemeSetting& setting) {
  return std::make_unique<StochasticAscent>(setting);
}

}  // namespace kullback::infer
