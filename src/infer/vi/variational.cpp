// Three phases: an L-BFGS path, whose Gaussian with the largest ELBO is the start (Zhang et al. 2022); the
// scheme; draws from the approximation with log p and log q, and what their ratios say against it.
#include "infer/vi/variational.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "infer/coordinate_name.hpp"
#include "infer/optimize/importance.hpp"
#include "infer/optimize/path.hpp"
#include "infer/rows/anchor_search.hpp"
#include "infer/start.hpp"
#include "infer/vi/defaults.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/evaluated_draws.hpp"
#include "infer/vi/flat_coordinate.hpp"
#include "infer/vi/guess.hpp"
#include "infer/vi/judge_bound.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/row_plan.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/whitened_density.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kDrawsAtOnce = 64;
constexpr std::size_t kMostNumbers = 100'000'000;  // in the draws of one gradient: 800 MB
constexpr std::uint64_t kMostRestarts = 3;
constexpr double kSmallGain = 0.01;                // of the log density
constexpr std::uint32_t kFirstRestart = 1U << 20;  // names of random streams: beyond those of chains

bool names_a_part(const std::string& message) {
  for (const char* flag : {"--family ", "--objective ", "--estimator ", "--optimizer "}) {
    if (message.find(flag) != std::string::npos) return true;
  }
  return false;
}

// Objectives and optimisers may bring their own; then the part of that name has no say.
bool has_estimator(const Parts& parts) {
  return !parts.has_own_scheme() && parts.objective->make_estimator == nullptr;
}
bool has_optimizer(const Parts& parts) {
  return parts.optimizer->make_scheme != nullptr || parts.objective->make_scheme == nullptr;
}

std::string text_of(const Parts& parts) {
  std::string text = fmt::format("--family {} --objective {}", parts.family->name, parts.objective->name);
  if (has_estimator(parts)) text += fmt::format(" --estimator {}", parts.estimator->name);
  if (has_optimizer(parts)) text += fmt::format(" --optimizer {}", parts.optimizer->name);
  return text;
}

constexpr const char* kUnknown = "not known";

std::string error_text(double error) {
  return std::isfinite(error) ? fmt::format("{:.2g}", error) : std::string(kUnknown);
}

class Variational final : public Algorithm {
 public:
  Variational(density::LogDensity& density, const Options& options, Start start, const Preset& preset)
      : density_(density),
        options_(options),
        start_(std::move(start)),
        rows_(plan_rows(density, preset, options_)),
        parts_(
            choose_parts(preset, options_, parts_for_rows(rows_, default_parts(density, preset, options_)))),
        family_(parts_.family->make({density.dim(), density.blocks(), density.supports(), &options_})),
        noise_({start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::approximation)},
               sampling_of(options[option::kSampling]), family_->noise()) {
    if (preset.estimator.empty() && options_[option::kEstimator].empty())
      parts_.estimator = &default_estimator(parts_, *family_, density, options_);
    may_fall_back_ =
        preset.optimizer.empty() && options_[option::kOptimizer].empty() && family_->abilities().is_gaussian;
    if (rows_.is_on()) check_parts_for_rows(rows_, parts_, *family_, *density.rows());
    refuse_early();
    if (density.dim() > 0) begin_search(start_.theta);
  }

  bool step(Draws& draws) override {
    if (is_done_) return false;
    ++steps_;
    if (anchor_search_) {
      if (!anchor_search_->step()) end_anchor_search();
    } else if (path_) {
      if (!path_->step() || is_near_mode()) end_path();
    } else if (!scheme_) {
      make_scheme_from({start_.theta, {}, {}});  // no parameters
    } else if (!advance()) {
      draw(draws);
      is_done_ = log_ratios_.size() == options_[option::kDraws];
      if (is_done_) look_for_flat_coordinate();
    }
    return true;
  }

  Progress progress() const override {
    std::uint64_t gradients = earlier_gradients_;
    if (anchor_search_) gradients += anchor_search_->gradients();
    if (path_) gradients += path_->lbfgs().gradients();
    if (scheme_) gradients += scheme_->gradients();
    return {.done = steps_, .total = is_done_ ? steps_ : 0, .gradients = gradients, .value = last_bound()};
  }

  void archive(Archive& archive) override;
  Findings findings() const override;
  Facts facts() const override;
  Trace trace() const override;

 private:
  void begin_search(const std::vector<double>& theta);
  void begin_anchor_search(const std::vector<double>& theta);
  void end_anchor_search();
  void begin_path(const std::vector<double>& theta);
  void end_path();
  // Updates of their own, which use curvature, need no exact start: the path ends where a Newton step would
  // gain next to nothing.
  bool is_near_mode() const {
    return parts_.has_own_scheme() && path_->has_gaussian() && path_->lbfgs().expected_gain() < kSmallGain;
  }
  bool advance();
  bool fall_back();
  void take_adam();
  bool restart();
  // A rehearsal evaluates nothing.
  void make_scheme_from(GaussianGuess guess, bool is_rehearsal = false);
  void find_anchor();
  void make_subsampled(bool is_rehearsal);
  void leave_scheme();
  double passes() const;
  void add_row_facts(Facts& facts) const;
  void refuse_early();
  double error_of_elbo() const;
  double last_bound() const;  // NaN before the first
  void look_for_flat_coordinate();
  void make_draws(std::size_t first, std::vector<double>& theta, std::vector<double>& log_q);
  void draw(Draws& draws);
  void to_theta(std::vector<double>& draws, std::vector<double>& log_q) const;

  density::LogDensity& density_;
  Options options_;
  Start start_;
  RowPlan rows_;
  Parts parts_;
  std::unique_ptr<Family> family_;
  NoiseSource noise_;
  std::optional<AnchorSearch> anchor_search_;
  std::optional<Path> path_;
  GaussianGuess guess_;
  std::optional<Anchor> anchor_;
  std::optional<SubsampledDensity> subsampled_;
  std::optional<WhitenedDensity> whitened_;
  std::unique_ptr<Scheme> scheme_;
  std::uint64_t earlier_gradients_ = 0;  // of paths that have ended and of schemes that failed
  std::uint64_t earlier_evaluations_ = 0;
  std::vector<TraceRow> earlier_trace_;  // of those schemes; gradients are those of the whole run
  std::uint64_t full_gradients_ = 0;     // of all rows, where there are minibatches
  double earlier_row_gradients_ = 0;     // likewise: rows times points, of all that has ended
  bool may_fall_back_ = false;           // the optimiser was chosen, not asked for
  bool has_fallen_back_ = false;
  std::uint64_t restarts_ = 0;
  std::string failure_;  // of the last scheme that failed
  std::uint64_t steps_ = 0;
  bool is_done_ = false;
  std::vector<double> log_ratios_;     // log p - log q of the draws so far
  std::uint64_t flat_coordinate_ = 0;  // from 1: along it the log density does not fall; 0: none was found
  double flat_length_ = 0;
  double flat_fall_ = 0;
};

// Affine families live in coordinates in which the guess is standard normal.
void Variational::make_scheme_from(GaussianGuess guess, bool is_rehearsal) {
  guess_ = std::move(guess);
  const std::size_t dim = density_.dim();
  whitened_.reset();
  density::LogDensity* stepped = &density_;
  if (rows_.is_on() && dim > 0) {
    make_subsampled(is_rehearsal);
    stepped = &*subsampled_;
  }
  if (parts_.family->is_affine && !guess_.lower.empty() && !rows_.has_own)
    whitened_.emplace(*stepped, guess_);
  scheme_ = make_scheme(
      {whitened_ ? &*whitened_ : stepped,
       family_.get(),
       parts_.objective,
       parts_.estimator,
       parts_.optimizer,
       &options_,
       {start_.seed, start_.chain, static_cast<std::uint32_t>(Purpose::gradient_noise)},
       whitened_ ? GaussianGuess{std::vector<double>(dim), std::vector<double>(dim, 1.0), {}} : guess_,
       subsampled_ ? &*subsampled_ : nullptr,
       rows_.has_own});
}

void Variational::make_subsampled(bool is_rehearsal) {
  if (rows_.anchored && !is_rehearsal && !anchor_) find_anchor();
  const NoiseName name{start_.seed, start_.chain, 0};
  RowPlan plan = rows_;
  if (is_rehearsal && plan.sampling == RowSampling::importance) plan.sampling = RowSampling::uniform;
  subsampled_.emplace(density_, make_row_sampler(plan, density_, name, anchor_, guess_), anchor_);
  if (plan.sampling == RowSampling::importance) earlier_row_gradients_ += 2 * static_cast<double>(rows_.rows);
}

// Where the search for one found none: the mean of the start will do. Without a finite gradient there the
// minibatches are plain.
void Variational::find_anchor() {
  Anchor at{guess_.mean, 0, std::vector<double>(density_.dim())};
  density::Status status = density::Status::ok;
  density_.evaluate({1, at.theta.data(), &at.log_density, at.gradient.data(), &status});
  ++full_gradients_;
  ++earlier_gradients_;
  earlier_row_gradients_ += static_cast<double>(rows_.rows);
  if (status == density::Status::ok) anchor_ = std::move(at);
}

// A part that refuses knows the others by what they can do: their names are added.
void Variational::refuse_early() {
  try {
    make_scheme_from({start_.theta, std::vector<double>(density_.dim(), 1.0), {}}, true);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage || !names_a_part(error.message())) throw;
    throw Error(ErrorKind::usage, error.message() + " Found " + text_of(parts_) + ".", error.hint());
  }
  scheme_.reset();
  subsampled_.reset();
}

// Parameters that belong to rows have no place in a subset of the rows.
void Variational::begin_search(const std::vector<double>& theta) {
  if (rows_.is_on() && !rows_.has_own)
    begin_anchor_search(theta);
  else
    begin_path(theta);
}

void Variational::begin_anchor_search(const std::vector<double>& theta) {
  anchor_search_.emplace(density_, NoiseName{start_.seed, static_cast<std::uint32_t>(restarts_), 0}, theta,
                         rows_.batch_size, rows_.anchored);
}

void Variational::end_anchor_search() {
  earlier_gradients_ += anchor_search_->gradients();
  full_gradients_ += anchor_search_->full_gradients();
  earlier_row_gradients_ += anchor_search_->row_gradients();
  const bool has_gaussian = anchor_search_->has_gaussian();
  GaussianGuess guess = anchor_search_->guess();
  if (has_gaussian && rows_.anchored) anchor_ = anchor_search_->anchor();
  anchor_search_.reset();
  if (has_gaussian)
    make_scheme_from(std::move(guess));
  else
    begin_path(start_.theta);
}

void Variational::begin_path(const std::vector<double>& theta) {
  path_.emplace(density_, options_, PathName{start_.seed, static_cast<std::uint32_t>(restarts_)}, theta);
}

void Variational::end_path() {
  earlier_gradients_ += path_->lbfgs().gradients();
  earlier_evaluations_ += path_->evaluations();
  if (rows_.is_on()) {
    full_gradients_ += path_->lbfgs().gradients();
    earlier_row_gradients_ +=
        static_cast<double>(rows_.rows * (path_->lbfgs().gradients() + path_->evaluations()));
  }
  if (!path_->has_gaussian() && restart()) return;
  GaussianGuess guess =
      path_->has_gaussian()
          ? guess_of(path_->gaussian())
          : GaussianGuess{path_->lbfgs().theta(), std::vector<double>(density_.dim(), 1.0), {}};
  path_.reset();
  make_scheme_from(std::move(guess));
}

// A step of the scheme; where it fails for good, another start.
bool Variational::advance() {
  try {
    return scheme_->step() || fall_back();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
    failure_ = error.message();
    if (!restart()) throw;
    return true;
  }
}

// Where the optimiser that was chosen for the user has got stuck, stochastic ascent goes on from its answer.
bool Variational::fall_back() {
  if (!may_fall_back_ || has_fallen_back_ || !scheme_->has_stalled()) return false;
  GaussianGuess reached = family_->gaussian_of(scheme_->lambda());
  if (whitened_) reached = whitened_->to_theta(reached);
  leave_scheme();
  take_adam();
  make_scheme_from(std::move(reached));
  return true;
}

void Variational::leave_scheme() {
  const std::uint64_t before = earlier_trace_.empty() ? 0 : earlier_trace_.back().iteration;
  for (TraceRow row : scheme_->trace()) {
    row.iteration += before;
    row.gradients += earlier_gradients_;
    earlier_trace_.push_back(row);
  }
  earlier_gradients_ += scheme_->gradients();
  earlier_evaluations_ += scheme_->evaluations();
  if (subsampled_) earlier_row_gradients_ += subsampled_->row_gradients();
}

void Variational::take_adam() {
  has_fallen_back_ = true;
  parts_.optimizer = &find_optimizer("adam");
  parts_.estimator = &default_estimator(parts_, *family_, density_, options_);
}

// From another random point; false where there have been enough, or no point with a finite density is found.
bool Variational::restart() {
  if (restarts_ == kMostRestarts) return false;
  const FoundStart found = find_start(
      density_, {.seed = start_.seed, .chain = kFirstRestart + static_cast<std::uint32_t>(restarts_)});
  if (!found.is_ok) return false;
  ++restarts_;
  if (scheme_) leave_scheme();
  scheme_.reset();
  anchor_.reset();
  begin_search(found.theta);
  return true;
}

// As many as log_q has room for.
void Variational::make_draws(std::size_t first, std::vector<double>& theta, std::vector<double>& log_q) {
  const std::size_t lanes = log_q.size();
  std::vector<double> noise(noise_.size() * lanes);
  noise_.fill_part(first, lanes, noise.data());
  const DrawBatch batch{lanes, noise.data(), theta.data(), log_q.data()};
  if (const GaussianGuess* gaussian = scheme_->drawn_from())
    draw_from(*gaussian, batch);
  else
    family_->draw(scheme_->lambda(), batch);
  if (whitened_) to_theta(theta, log_q);
}

void Variational::draw(Draws& draws) {
  const std::size_t dim = density_.dim();
  const std::size_t first = log_ratios_.size();
  const std::size_t lanes = std::min(kDrawsAtOnce, options_[option::kDraws] - first);
  std::vector<double> theta(dim * lanes);
  std::vector<double> log_q(lanes);
  std::vector<double> log_p(lanes);
  std::vector<density::Status> status(lanes);
  make_draws(first, theta, log_q);
  density_.evaluate({lanes, theta.data(), log_p.data(), nullptr, status.data()});
  draws.dim = dim;
  for (std::size_t k = 0; k < lanes; ++k) {
    if (status[k] != density::Status::ok) log_p[k] = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < dim; ++i) draws.theta.push_back(theta[i * lanes + k]);
    draws.log_density.push_back(log_p[k]);
    draws.log_q.push_back(log_q[k]);
    log_ratios_.push_back(log_p[k] - log_q[k]);
  }
}

// Where the weights tell that something is wrong.
void Variational::look_for_flat_coordinate() {
  if (!khat_finding(importance_weights(log_ratios_), "")) return;
  const std::size_t lanes = std::min(kDrawsAtOnce, options_[option::kDraws]);
  std::vector<double> theta(density_.dim() * lanes);
  std::vector<double> log_q(lanes);
  make_draws(0, theta, log_q);
  std::vector<double> points;  // draw after draw
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = k; i < theta.size(); i += lanes) points.push_back(theta[i]);
  }
  if (const auto found = find_flat_coordinate(density_, points, earlier_evaluations_)) {
    flat_coordinate_ = found->coordinate + 1;
    flat_length_ = found->length;
    flat_fall_ = found->fall;
  }
}

void Variational::to_theta(std::vector<double>& draws, std::vector<double>& log_q) const {
  const std::vector<double> phi = draws;
  whitened_->to_theta(log_q.size(), phi.data(), draws.data());
  for (double& value : log_q) value -= whitened_->log_determinant();
}

void Variational::archive(Archive& archive) {
  archive.value(steps_);
  archive.value(is_done_);
  archive.value(earlier_gradients_);
  archive.value(earlier_evaluations_);
  archive_trace(archive, earlier_trace_);
  archive.value(restarts_);
  archive.value(failure_);
  archive.value(has_fallen_back_);
  if (archive.is_reading() && has_fallen_back_) take_adam();
  archive.value(log_ratios_);
  archive.value(flat_coordinate_);
  archive.value(flat_length_);
  archive.value(flat_fall_);
  archive.value(full_gradients_);
  archive.value(earlier_row_gradients_);
  bool has_anchor = anchor_.has_value();
  archive.value(has_anchor);
  if (has_anchor) {
    if (!anchor_) anchor_.emplace();
    archive.value(anchor_->theta);
    archive.value(anchor_->log_density);
    archive.value(anchor_->gradient);
  }
  bool is_searching = anchor_search_.has_value();
  archive.value(is_searching);
  if (is_searching) {
    if (archive.is_reading()) begin_anchor_search(start_.theta);
    anchor_search_->archive(archive);
    return;
  }
  anchor_search_.reset();
  bool has_path = path_.has_value();
  archive.value(has_path);
  if (has_path) {
    if (archive.is_reading()) begin_path(start_.theta);
    path_->archive(archive);
    return;
  }
  path_.reset();
  bool has_scheme = scheme_ != nullptr;
  archive.value(has_scheme);
  if (!has_scheme) return;
  archive.value(guess_.mean);
  archive.value(guess_.sd);
  archive.value(guess_.lower);
  if (archive.is_reading()) {
    if (guess_.mean.size() != density_.dim()) return;  // numbers of another algorithm
    const double counted = earlier_row_gradients_;
    make_scheme_from(guess_);
    earlier_row_gradients_ = counted;
  }
  if (subsampled_) subsampled_->archive(archive);
  scheme_->archive(archive);
}

Findings Variational::findings() const {
  if (!scheme_) return {};
  Findings result = scheme_->findings();
  if (restarts_ > 0) {
    result.push_back({"restarted",
                      fmt::format("The approximation began anew from another starting point {} time{}.",
                                  restarts_, restarts_ == 1 ? "" : "s"),
                      failure_.empty() ? "no Gaussian along the path of L-BFGS from there" : failure_,
                      "Give starting values with --init."});
  }
  if (!is_done_) return result;
  if (auto found = outside_finding(log_ratios_)) result.push_back(*found);
  if (flat_coordinate_ > 0) {
    result.push_back({"improper",
                      fmt::format("The posterior looks improper: the log density does not fall along {}.",
                                  coordinate_name(density_, flat_coordinate_ - 1)),
                      fmt::format("it falls by {:.2g} over the way from {:.3g} to {:.3g} beside the "
                                  "approximation; a density with a finite integral falls by 9.2",
                                  flat_fall_, 1e-4 * flat_length_, flat_length_),
                      "Give every parameter a proper prior or bounds."});
  }
  if (auto found = khat_finding(importance_weights(log_ratios_), "the approximation"))
    result.push_back(*found);
  if (parts_.objective->make != nullptr) {
    const auto objective = parts_.objective->make(options_);
    if (auto found = bound_finding(judge_bound(*objective, log_ratios_), *objective))
      result.push_back(*found);
    if (is_elbo(*objective) && parts_.objective->name == "renyi" && options_[option::kAlpha] != 1)
      result.push_back({"is-elbo", "The Renyi bound of one draw is the ELBO, whatever --alpha is.",
                        "--importance-draws 1", "Raise --importance-draws; 10 is the default."});
  }
  return result;
}

// Antithetic mates are one unit; Sobol's draws are one altogether, and do not tell their error.
double Variational::error_of_elbo() const {
  std::vector<double> units;
  const bool has_mates = noise_.sampling() == Sampling::antithetic;
  for (std::size_t first = 0; first < log_ratios_.size(); first += kDrawsAtOnce) {
    const std::size_t lanes = std::min(kDrawsAtOnce, log_ratios_.size() - first);
    const std::size_t mate = has_mates ? (lanes + 1) / 2 : 0;
    for (std::size_t k = first; k + mate < first + lanes; ++k)
      units.push_back(0.5 * (log_ratios_[k] + log_ratios_[k + mate]));
  }
  return error_of_mean(units, has_mates ? Sampling::iid : noise_.sampling());
}

Facts Variational::facts() const {
  if (!scheme_) return {};
  Facts result{{"family", std::string(parts_.family->name)},
               {"objective", std::string(parts_.objective->name)}};
  if (has_estimator(parts_)) result.emplace_back("estimator", std::string(parts_.estimator->name));
  if (has_optimizer(parts_)) result.emplace_back("optimizer", std::string(parts_.optimizer->name));
  result.emplace_back("gradient", std::string(bias_name(scheme_->bias())));
  result.emplace_back("evaluations without gradient",
                      fmt::format("{}", earlier_evaluations_ + scheme_->evaluations() + log_ratios_.size()));
  if (rows_.is_on()) add_row_facts(result);
  if (scheme_->drawn_from() != nullptr) result.emplace_back("covariance", "linear response");
  if (!is_done_) return result;
  const stats::Psis weights = importance_weights(log_ratios_);
  double mean = 0;
  for (const double ratio : log_ratios_) mean += ratio / static_cast<double>(log_ratios_.size());
  const std::string elbo = family_->abilities().log_q_is_surrogate ? "surrogate elbo" : "elbo";
  result.emplace_back(elbo, fmt::format("{:.6g}", mean));
  if (std::isfinite(mean)) result.emplace_back(elbo + " standard error", error_text(error_of_elbo()));
  result.emplace_back("khat", fmt::format("{:.2f}", weights.khat));
  if (parts_.objective->make == nullptr || parts_.objective->name == "elbo") return result;
  const auto objective = parts_.objective->make(options_);
  if (is_elbo(*objective)) {
    result.emplace_back("bound", "the elbo");
    return result;
  }
  const BoundJudgement bound = judge_bound(*objective, log_ratios_);
  result.emplace_back("bound", bound.text());
  if (!bound.is_infinite)
    result.emplace_back("bound standard error",
                        noise_.sampling() == Sampling::iid ? error_text(bound.error) : kUnknown);
  return result;
}

double Variational::passes() const {
  const double rows = earlier_row_gradients_ + (subsampled_ ? subsampled_->row_gradients() : 0);
  return rows / static_cast<double>(rows_.rows);
}

// Only the bound and its gradient are unbiased under minibatches: log densities of the draws, on which k-hat
// and the reported ELBO rest, are of all rows, and what that costs is told.
void Variational::add_row_facts(Facts& facts) const {
  facts.emplace_back("minibatch", fmt::format("{} of {} rows, {}", rows_.batch_size, rows_.rows,
                                              options_[option::kRowSampling]));
  facts.emplace_back("row control", anchor_ ? "anchor" : "none");
  facts.emplace_back("gradients of all rows", fmt::format("{}", full_gradients_));
  facts.emplace_back("passes over the data for the fit", fmt::format("{:.1f}", passes()));
  facts.emplace_back("passes over the data for the log densities of the draws",
                     fmt::format("{}", log_ratios_.size()));
}

double Variational::last_bound() const {
  if (scheme_ && !scheme_->trace().empty()) return scheme_->trace().back().bound;
  return earlier_trace_.empty() ? std::numeric_limits<double>::quiet_NaN() : earlier_trace_.back().bound;
}

Trace Variational::trace() const {
  Trace result{{"iteration", "gradients", "bound", "error", "step_size"}, {}};
  const auto add = [&](const TraceRow& row, std::uint64_t iterations, std::uint64_t gradients) {
    result.values.insert(result.values.end(), {static_cast<double>(iterations + row.iteration),
                                               static_cast<double>(gradients + row.gradients), row.bound,
                                               row.error, row.step_size});
  };
  for (const TraceRow& row : earlier_trace_) add(row, 0, 0);
  if (!scheme_) return result;
  const std::uint64_t before = earlier_trace_.empty() ? 0 : earlier_trace_.back().iteration;
  for (const TraceRow& row : scheme_->trace()) add(row, before, earlier_gradients_);
  return result;
}

// Draws of one gradient are held together, with their gradients.
void refuse_huge(std::string_view flag, std::size_t count, std::size_t dim) {
  if (count <= kMostNumbers / std::max<std::size_t>(1, dim)) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} is {}; so many draws of {} coordinates do not fit in memory.", flag, count, dim),
      fmt::format("{} at most; 8 to 100 are usual.", kMostNumbers / std::max<std::size_t>(1, dim)));
}

}  // namespace

std::unique_ptr<Algorithm> make_variational(density::LogDensity& density, const Options& options, Start start,
                                            const Preset& preset) {
  refuse_huge("--grad-draws", options[option::kGradDraws], density.dim());
  refuse_huge("--importance-draws", options[option::kImportanceDraws], density.dim());
  return std::make_unique<Variational>(density, options, std::move(start), preset);
}

}  // namespace kullback::infer
