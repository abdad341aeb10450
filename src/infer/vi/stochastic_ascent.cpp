// Stochastic ascent: an estimate of the gradient, a step of the optimiser in the units of the parameters. The
// answer is the mean of the iterates of the last window; infer/vi/stages.hpp says when the step size falls
// and when it is done. With --decay c the step size of iteration t is first (1 + t / 50)^-c, as Robbins and
// Monro (1951) have it, and the ascent is done where two windows agree.
//
// A step that leads to where the density or its gradient is not finite is undone: the ascent goes on from
// the last answer with half the step size.
#include "infer/vi/stochastic_ascent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/row_plan.hpp"
#include "infer/vi/stages.hpp"

namespace kullback::infer {

namespace {

constexpr std::uint64_t kMostFailures = 20;
constexpr std::size_t kDefaultDraws = 8;
constexpr std::size_t kMoreDraws = 16;
constexpr double kDelay = 50;
constexpr double kFall = 6;  // standard errors of the best bound
constexpr double kSmallFall = 3;
constexpr double kNetShare = 0.5;  // of the step size, where parameters are weights of nets

bool is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void check_options(const Options& options) {
  if (options[option::kDecay] != 0 && !(options[option::kDecay] > 0.5 && options[option::kDecay] <= 1))
    throw Error(ErrorKind::usage,
                fmt::format("--decay is {}; steps t^-c reach the optimum where 0.5 < c <= 1.",
                            options[option::kDecay]),
                "0.7 is usual; 0 lowers the step size in stages.");
}

class StochasticAscent final : public Scheme {
 public:
  explicit StochasticAscent(const SchemeSetting& setting)
      : setting_(setting),
        noise_(setting.noise, sampling_of((*setting.options)[option::kSampling]), setting.family->noise()),
        optimizer_(setting.optimizer->make(*setting.options, setting.family->parameters())),
        lambda_(start_of(setting)),
        units_(units_of(setting, lambda_)),
        stages_(stages_in(setting, units_)) {
    check_options(*setting.options);
    make_estimator();
    first_step_size_ = (*setting.options)[option::kLearningRate] > 0
                           ? (*setting.options)[option::kLearningRate]
                       : setting.family->abilities().is_identified ? setting.optimizer->step_size
                                                                   : kNetShare * setting.optimizer->step_size;
    answer_ = lambda_;
  }

  bool step() override {
    if (is_done_) return false;
    estimator_->estimate(lambda_, static_cast<std::uint32_t>(iterations_++), estimate_);
    if (!estimate_.is_finite || !is_finite(estimate_.gradient) || !climb()) fail();
    if (iterations_ >= (*setting_.options)[option::kMaxSteps]) is_done_ = true;
    return true;
  }

  std::span<const double> lambda() const override { return answer_; }
  Bias bias() const override { return estimator_->bias(); }
  std::uint64_t gradients() const override { return estimator_->draws().gradients(); }
  std::uint64_t evaluations() const override { return estimator_->draws().evaluations(); }
  std::span<const TraceRow> trace() const override { return trace_; }
  Findings findings() const override;
  void archive(Archive& archive) override;

 private:
  static std::vector<double> start_of(const SchemeSetting& setting) {
    std::vector<double> lambda(setting.family->parameters());
    setting.family->begin(setting.guess, setting.noise.seed, lambda);
    return lambda;
  }

  static std::vector<double> units_of(const SchemeSetting& setting, std::span<const double> lambda) {
    std::vector<double> units(lambda.size());
    setting.family->units(lambda, units);
    return units;
  }

  static Stages stages_in(const SchemeSetting& setting, const std::vector<double>& units) {
    return {units, setting.optimizer->has_step_size && (*setting.options)[option::kDecay] == 0,
            setting.family->abilities().is_identified};
  }

  double step_size() const {
    const double decay = (*setting_.options)[option::kDecay];
    const double fallen =
        decay == 0 ? stages_.step_scale() : std::pow(1 + static_cast<double>(iterations_) / kDelay, -decay);
    return first_step_size_ * failure_scale_ * fallen;
  }

  std::size_t default_draws() const {
    const bool is_elbo = setting_.objective->name == "elbo";
    return is_elbo && setting_.family->abilities().is_identified ? kDefaultDraws : kMoreDraws;
  }

  void make_estimator();
  void take_new_units();
  bool climb();
  void end_window();
  void fail();

  SchemeSetting setting_;
  NoiseSource noise_;
  std::unique_ptr<Objective> objective_;  // null where the objective brings its own estimator
  std::unique_ptr<Estimator> estimator_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<double> lambda_;
  std::vector<double> units_;
  Stages stages_;
  std::vector<double> answer_;
  std::vector<double> scaled_;  // lambda in units
  Estimate estimate_;
  std::uint64_t iterations_ = 0;
  double first_step_size_ = 0;
  double failure_scale_ = 1;
  double best_bound_ = -std::numeric_limits<double>::infinity();  // of a window
  double best_error_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
  bool is_done_ = false;
  std::vector<TraceRow> trace_;
};

void StochasticAscent::make_estimator() {
  const Options& options = *setting_.options;
  EstimatorSetting parts{setting_.density,
                         setting_.family,
                         nullptr,
                         &noise_,
                         options[option::kGradDraws] > 0 ? options[option::kGradDraws] : default_draws(),
                         &options};
  if (setting_.objective->make_estimator != nullptr) {
    estimator_ = setting_.objective->make_estimator(parts);
    return;
  }
  objective_ = setting_.objective->make(options);
  parts.objective = objective_.get();
  const std::size_t group = objective_->draws();
  parts.draws = (parts.draws + group - 1) / group * group;
  if (const auto reason = setting_.estimator->refuse(parts)) {
    const std::size_t end = std::min(reason->find("; "), reason->size());  // then what would work
    throw Error(ErrorKind::usage,
                fmt::format("--estimator {} does not go with this family and --objective {}: {}.",
                            setting_.estimator->name, setting_.objective->name, reason->substr(0, end)),
                end == reason->size() ? "" : reason->substr(end + 2) + ".");
  }
  estimator_ = setting_.estimator->make(parts);
  if (setting_.has_row_factors)
    estimator_ = make_row_factor_estimator(std::move(estimator_), *setting_.family, *setting_.subsampled);
}

// Where q has left the scale that it began with, so have the units of its parameters: the ascent begins anew.
void StochasticAscent::take_new_units() {
  units_ = units_of(setting_, lambda_);
  stages_ = stages_in(setting_, units_);
  optimizer_->reset();
}

// False where the step leads to numbers that are not finite.
bool StochasticAscent::climb() {
  if (iterations_ == 1 || estimate_.has_new_scale) {
    best_bound_ = estimate_.bound;
    best_error_ = std::isfinite(estimate_.bound_error) ? estimate_.bound_error : 1;
  }
  if (iterations_ > 1 && estimate_.has_new_scale) take_new_units();
  const bool completes_window = stages_.note(lambda_, estimate_.bound);
  scaled_.resize(lambda_.size());
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    scaled_[i] = lambda_[i] / units_[i];
    estimate_.gradient[i] *= units_[i];
  }
  optimizer_->step(estimate_.gradient, step_size(), scaled_, estimate_.frozen);
  if (!is_finite(scaled_)) return false;
  for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] = scaled_[i] * units_[i];
  if (completes_window) end_window();
  return true;
}

// A window whose bound has fallen far below the best one so far is undone, as a step that fails.
void StochasticAscent::end_window() {
  const double size = step_size();
  const WindowReport report = stages_.end_window();
  const double fall = best_bound_ - report.bound;
  if (!(fall < kFall * best_error_ + kSmallFall)) return fail();
  if (report.bound > best_bound_) {
    best_bound_ = report.bound;
    best_error_ = report.error;
  }
  const double sign = objective_ ? objective_->sign() : 1;
  trace_.push_back({iterations_, gradients(), sign * report.bound, report.error, size});
  failures_in_a_row_ = 0;
  answer_.assign(stages_.mean().begin(), stages_.mean().end());
  is_done_ = stages_.is_done();
}

void StochasticAscent::fail() {
  ++failures_;
  if (++failures_in_a_row_ > kMostFailures) {
    const std::string& said = estimator_->draws().message();
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{} steps in a row led to where the density or its gradient is not finite; the last "
                    "time: {}",
                    failures_in_a_row_, said.empty() ? "a coordinate of the gradient is not finite." : said),
        "Give starting values with --init, or a smaller --learning-rate.");
  }
  lambda_ = answer_;
  failure_scale_ *= 0.5;
  optimizer_->reset();
  stages_.restart_window();
}

Findings StochasticAscent::findings() const {
  Findings result;
  if (is_done_ && !stages_.is_done()) {
    result.push_back({"not-converged", "The steps ran out before the approximation had settled.",
                      fmt::format("{} steps", iterations_), "Raise --max-steps."});
  }
  if (is_done_ && stages_.has_run_out()) {
    const bool is_identified = setting_.family->abilities().is_identified;
    result.push_back(
        {"not-converged",
         "The step size has fallen as far as it goes, and the approximation had not settled.",
         fmt::format("expected way to the optimum: {:.2g} {}; {} is the tolerance", stages_.remaining(),
                     is_identified ? "standard deviations" : "of the bound", Stages::kTolerance),
         "Raise --grad-draws for less noise."});
  }
  if (failures_ > 0) {
    result.push_back(
        {"undone-steps",
         fmt::format("{} times the bound fell far or the density was not finite; that was undone.",
                     failures_),
         estimator_->draws().message(), "A smaller --learning-rate avoids some of it."});
  }
  if (estimator_->draws().replaced() > 0) {
    result.push_back(
        {"outside-support-steps",
         fmt::format("At {} draws of the gradients the log density was not finite; others took "
                     "their place.",
                     estimator_->draws().replaced()),
         "the bound is that of q cut to where the density is finite; " + estimator_->draws().message(),
         "Look at functions of parameters that are not defined everywhere, and at overflow."});
  }
  return result;
}

void StochasticAscent::archive(Archive& archive) {
  estimator_->archive(archive);
  optimizer_->archive(archive);
  archive.value(units_);
  stages_.archive(archive);
  archive.value(lambda_);
  archive.value(answer_);
  archive.value(iterations_);
  archive.value(failure_scale_);
  archive.value(best_bound_);
  archive.value(best_error_);
  archive.value(failures_);
  archive.value(failures_in_a_row_);
  archive.value(is_done_);
  archive_trace(archive, trace_);
}

}  // namespace

std::unique_ptr<Scheme> make_stochastic_ascent(const SchemeSetting& setting) {
  return std::make_unique<StochasticAscent>(setting);
}

}  // namespace kullback::infer
