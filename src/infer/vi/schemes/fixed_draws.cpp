// The optimisers `lbfgs` and `newton-cg`: the ELBO over fixed draws, climbed to its maximum (Giordano, Ingram
// and Broderick 2024, "DADVI"). L-BFGS sees its own idea of the curvature, and takes a long flat slope for a
// maximum; where it ends, Newton steps go on. For a mean field the answer's draws come with the
// linear-response covariance, since the variances of a mean field are too small where the posterior is
// correlated.
//
// Newton-CG solves (-H) p = g by conjugate gradients to |(-H) p - g| < kResidual |g|, with H v from
// differences of gradients, up to a direction that is not curved downwards; then a line search along p
// (Nocedal and Wright 2006, algorithm 7.1). g'p / 2 is what the step gains where the bound is quadratic:
// below kLeastGain nats nothing is left to find.
//
// Draws come in pairs z, -z, which are exact for means of Gaussians; independent where pairs would not span
// all coordinates. With full rank and no more draws than coordinates the bound has no maximum: the span of
// the draws leaves a direction in which q can be as wide as it likes without any draw moving, and the entropy
// grows without end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "infer/coordinate_name.hpp"
#include "infer/optimize/lbfgs.hpp"
#include "infer/optimize/options.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/schemes/fixed_bound.hpp"
#include "infer/vi/schemes/gaussian_points.hpp"
#include "infer/vi/schemes/gaussian_scheme.hpp"
#include "infer/vi/schemes/linear_response.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kDraws = 30;
constexpr double kLeastGain = 1e-6;
constexpr double kSmallGain = 1e-3;  // of L-BFGS: time for Newton
constexpr std::uint64_t kMostFailures = 20;
constexpr std::size_t kMaxResponse = 500;  // coordinates: (2 dim)^2 numbers, 4 dim gradients for each draw
constexpr double kMostNoise = 0.1;         // sd of a mean over fixed draws, in posterior sds
constexpr std::size_t kMostInner = 250;    // products of one solve
constexpr double kResidual = 1e-5;         // of a solve: long flat slopes have small gradients

enum class Climber : unsigned char { lbfgs, newton };

class FixedDraws final : public Scheme {
 public:
  FixedDraws(const SchemeSetting& setting, Climber climber, std::size_t draws)
      : setting_(setting), climber_(climber), lambda_(setting.family->parameters()) {
    setting.family->begin(setting.guess, setting.noise.seed, lambda_);
    start_ = setting.family->gaussian_of(lambda_);
    is_diagonal_ = start_.lower.empty();
    const Random random(setting.noise.seed, setting.noise.chain, setting.noise.purpose);
    const std::size_t size = setting.family->noise();
    const bool has_pairs = is_diagonal_ || draws >= 2 * size;
    noise_ = (has_pairs ? antithetic_points(size, draws, random) : independent_points(size, draws, random)).z;
    lbfgs_options_ = *setting.options;
    lbfgs_options_.set(option::kMaxIterations, (*setting.options)[option::kMaxSteps]);
    phase_ = lambda_.empty() ? Phase::done : Phase::starting;
    make_bound();
  }

  bool step() override {
    if (phase_ == Phase::done) return false;
    ++steps_;
    switch (phase_) {
      case Phase::starting: start(); break;
      case Phase::climbing: climb(); break;
      case Phase::responding: respond(); break;
      case Phase::done: break;
    }
    return true;
  }

  std::span<const double> lambda() const override { return lambda_; }
  const GaussianGuess* drawn_from() const override { return response_.mean.empty() ? nullptr : &response_; }
  Bias bias() const override { return Bias::finite_k; }
  std::uint64_t gradients() const override { return bound_->gradients(); }
  std::uint64_t evaluations() const override { return 0; }
  std::span<const TraceRow> trace() const override { return trace_; }
  Findings findings() const override;
  void archive(Archive& archive) override;

 private:
  enum class Phase : std::uint64_t { starting, climbing, responding, done };

  void make_bound();
  void start();
  void climb();
  bool climb_newton();
  bool climb_lbfgs();
  std::vector<double> newton_direction();
  void end_climb();
  void respond();

  SchemeSetting setting_;
  Climber climber_;
  GaussianGuess start_;
  bool is_diagonal_ = false;
  std::vector<double> noise_;
  Options lbfgs_options_;
  std::vector<double> lambda_;
  std::optional<FixedBound> bound_;
  std::optional<Lbfgs> lbfgs_;
  Phase phase_ = Phase::starting;
  std::uint64_t steps_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t small_gains_ = 0;  // in a row
  bool is_polishing_ = false;
  bool has_converged_ = false;
  bool has_response_failed_ = false;
  GaussianGuess response_;
  std::vector<double> mean_sd_;
  std::vector<TraceRow> trace_;
};

void FixedDraws::make_bound() {
  setting_.family->set_gaussian(start_, lambda_);
  const std::uint64_t spent = bound_ ? bound_->gradients() : 0;
  bound_.emplace(*setting_.density, *setting_.family, noise_, lambda_);
  bound_->count(spent);
}

// A start whose draws reach where the density is not finite is narrowed.
void FixedDraws::start() {
  lbfgs_.emplace(*bound_, lbfgs_options_, std::vector<double>(lambda_.size(), 0.0));
  if (lbfgs_->stop() != Stop::start_not_finite) {
    phase_ = Phase::climbing;
    return;
  }
  if (++failures_ > kMostFailures) {
    throw Error(ErrorKind::bad_input,
                fmt::format("The density or its gradient is not finite at some of {} draws, however near the "
                            "start: {}",
                            bound_->draws(), bound_->message()),
                "Give starting values with --init, or try `--method pathfinder`.");
  }
  lbfgs_.reset();
  for (double& number : start_.sd) number *= 0.5;
  for (double& number : start_.lower) number *= 0.5;
  make_bound();
}

void FixedDraws::climb() {
  const bool goes_on = climber_ == Climber::newton || is_polishing_ ? climb_newton() : climb_lbfgs();
  trace_.push_back({steps_, gradients(), lbfgs_->log_density(), bound_->error(), 1.0});
  if (!goes_on) end_climb();
}

bool FixedDraws::climb_lbfgs() {
  const double before = lbfgs_->log_density();
  lbfgs_->step();
  const Stop stop = lbfgs_->stop();
  if (stop == Stop::unbounded || stop == Stop::max_iterations) return false;
  const double gain = std::max(lbfgs_->log_density() - before, lbfgs_->expected_gain());
  small_gains_ = gain < kSmallGain ? small_gains_ + 1 : 0;
  is_polishing_ = stop != Stop::not_yet || small_gains_ >= 2;
  return true;
}

bool FixedDraws::climb_newton() {
  const std::vector<double> direction = newton_direction();
  const double gain = 0.5 * dot(direction, lbfgs_->gradient());
  if (gain < kLeastGain) {
    has_converged_ = true;
    return false;
  }
  if (!lbfgs_->leap(direction, 0) || lbfgs_->stop() == Stop::unbounded) return false;
  return steps_ < (*setting_.options)[option::kMaxSteps];
}

std::vector<double> FixedDraws::newton_direction() {
  const std::vector<double>& g = lbfgs_->gradient();
  const double goal = kResidual * norm(g);
  std::vector<double> p(g.size(), 0.0);
  std::vector<double> rest = g;
  std::vector<double> along = g;
  std::vector<double> product(g.size());
  double squared = dot(rest, rest);
  for (std::size_t inner = 0; inner < std::min(kMostInner, 2 * g.size()); ++inner) {
    if (!bound_->curvature_times(lbfgs_->theta(), along, product)) break;
    const double curvature = -dot(along, product);
    if (!(curvature > 0)) break;
    const double length = squared / curvature;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] += length * along[i];
      rest[i] += length * product[i];
    }
    const double next = dot(rest, rest);
    if (std::sqrt(next) < goal) break;
    for (std::size_t i = 0; i < p.size(); ++i) along[i] = rest[i] + next / squared * along[i];
    squared = next;
  }
  return norm(p) > 0 ? p : g;
}

void FixedDraws::end_climb() {
  lambda_ = bound_->lambda_at(lbfgs_->theta());
  const bool wants_response = is_diagonal_ && has_converged_ && setting_.family->dim() <= kMaxResponse;
  phase_ = wants_response ? Phase::responding : Phase::done;
}

void FixedDraws::respond() {
  phase_ = Phase::done;
  const auto found = linear_response(*bound_, *setting_.family, lbfgs_->theta());
  has_response_failed_ = !found;
  if (!found) return;
  response_ = found->gaussian;
  mean_sd_ = found->mean_sd;
}

Findings FixedDraws::findings() const {
  Findings result;
  if (phase_ != Phase::done || lambda_.empty()) return result;
  if (!has_converged_) {
    const bool is_unbounded = lbfgs_ && lbfgs_->stop() == Stop::unbounded;
    result.push_back({"not-converged",
                      is_unbounded ? "The bound over the fixed draws rises without end."
                                   : "The bound over the fixed draws was still rising at the end.",
                      fmt::format("{} steps", steps_),
                      is_unbounded ? "Give every parameter a proper prior." : "Raise --max-steps."});
  } else if (is_diagonal_ && response_.mean.empty()) {
    result.push_back(
        {"no-linear-response",
         "Standard deviations are those of the mean field: too small where parameters are correlated.",
         has_response_failed_ ? "the curvature of the bound is not that of a maximum"
                              : fmt::format("{} coordinates; linear response takes {} at most",
                                            setting_.family->dim(), kMaxResponse),
         "Use `--method pathfinder` or nuts for intervals."});
  }
  std::size_t worst = 0;
  double ratio = 0;
  for (std::size_t i = 0; i < mean_sd_.size(); ++i) {
    if (mean_sd_[i] / response_.sd[i] <= ratio) continue;
    ratio = mean_sd_[i] / response_.sd[i];
    worst = i;
  }
  if (ratio > kMostNoise) {
    const double needed = static_cast<double>(bound_->draws()) * (ratio / kMostNoise) * (ratio / kMostNoise);
    result.push_back(
        {"fixed-draws", "Other fixed draws would give other means.",
         fmt::format("with {} draws the mean of {} has a Monte-Carlo error of {:.2g} posterior sd",
                     bound_->draws(), coordinate_name(*setting_.density, worst), ratio),
         fmt::format("Use --grad-draws {}.", 10 * static_cast<long>(std::ceil(needed / 10)))});
  }
  return result;
}

void FixedDraws::archive(Archive& archive) {
  std::uint64_t phase = static_cast<std::uint64_t>(phase_);
  archive.value(phase);
  phase_ = static_cast<Phase>(phase);
  archive.value(start_.mean);
  archive.value(start_.sd);
  archive.value(start_.lower);
  if (archive.is_reading()) {
    if (start_.mean.size() != setting_.family->dim()) return;  // numbers of another algorithm
    make_bound();
  }
  bound_->archive(archive);
  archive.value(lambda_);
  archive.value(steps_);
  archive.value(failures_);
  archive.value(small_gains_);
  archive.value(is_polishing_);
  archive.value(has_converged_);
  archive.value(has_response_failed_);
  archive.value(response_.mean);
  archive.value(response_.sd);
  archive.value(response_.lower);
  archive.value(mean_sd_);
  archive_trace(archive, trace_);
  bool has_lbfgs = lbfgs_.has_value();
  archive.value(has_lbfgs);
  if (!has_lbfgs) return;
  if (!lbfgs_) {  // its first evaluation is one too many
    const std::uint64_t spent = bound_->gradients();
    lbfgs_.emplace(*bound_, lbfgs_options_, std::vector<double>(lambda_.size(), 0.0));
    bound_->count(spent);
  }
  lbfgs_->archive(archive);
}

// A maximum exists for any draws of a mean field; else the draws must span all coordinates.
std::size_t draws_of(const SchemeSetting& setting) {
  const std::size_t dim = setting.family->dim();
  std::vector<double> lambda(setting.family->parameters());
  setting.family->begin(setting.guess, setting.noise.seed, lambda);
  const bool is_diagonal = setting.family->gaussian_of(lambda).lower.empty();
  std::size_t draws = (*setting.options)[option::kGradDraws];
  if (draws == 0) draws = is_diagonal ? kDraws : std::max(kDraws, 2 * dim);
  if (is_diagonal || draws > dim) return draws;
  throw Error(
      ErrorKind::usage,
      fmt::format("{} fixed draws do not determine a covariance of {} coordinates: the bound over them "
                  "has no maximum.",
                  draws, dim),
      fmt::format("Use --grad-draws {} or more, `--family meanfield`, which any number determines, or "
                  "`--optimizer natural`, whose draws are not fixed.",
                  2 * dim));
}

template <Climber climber>
std::unique_ptr<Scheme> make(const SchemeSetting& setting) {
  const std::string_view name = climber == Climber::newton ? "newton-cg" : "lbfgs";
  if (setting.objective->name != "elbo") {
    throw Error(ErrorKind::usage,
                fmt::format("--optimizer {} climbs the ELBO over fixed draws; found --objective {}.", name,
                            setting.objective->name),
                "Leave --objective out, or take another --optimizer: adam goes with any objective.");
  }
  const Abilities abilities = setting.family->abilities();
  if (!abilities.is_gaussian || !abilities.entropy || !abilities.moments || !abilities.reparameterised) {
    throw Error(ErrorKind::usage,
                fmt::format("--optimizer {} needs a Gaussian family: over fixed draws the bound of a more "
                            "flexible one has no maximum.",
                            name),
                "Use `--family meanfield`, or `--optimizer adam`, whose draws are not fixed.");
  }
  return std::make_unique<FixedDraws>(setting, climber, draws_of(setting));
}

constexpr const OptionRecord* kLbfgsOptions[] = {&option::kGradDraws, &option::kMaxSteps, &option::kHistory};
constexpr const OptionRecord* kNewtonOptions[] = {&option::kGradDraws, &option::kMaxSteps};
constexpr std::string_view kCitation =
    "Giordano, Ingram and Broderick (2024), Black box variational inference with a deterministic objective: "
    "faster, more accurate, and even more black box, JMLR 25.";

}  // namespace

const OptimizerRecord& lbfgs_optimizer() {
  static const OptimizerRecord record{
      .name = "lbfgs",
      .summary = "the ELBO over fixed draws, climbed by L-BFGS; linear-response covariance for a mean field",
      .citation = kCitation,
      .options = kLbfgsOptions,
      .has_step_size = false,
      .make_scheme = make<Climber::lbfgs>,
  };
  return record;
}

const OptimizerRecord& newton_cg_optimizer() {
  static const OptimizerRecord record{
      .name = "newton-cg",
      .summary = "the same by Newton steps, solved by conjugate gradients",
      .citation = kCitation,
      .options = kNewtonOptions,
      .has_step_size = false,
      .make_scheme = make<Climber::newton>,
  };
  return record;
}

}  // namespace kullback::infer
