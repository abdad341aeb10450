// A point is a mode where the gradient is 0 and the curvature positive in all directions. How far the
// gradient is from 0 is measured by what a Newton step would add to the log density, g'P^-1 g / 2 with the
// precision P, a number that no change of coordinates alters: a density that grows like log(theta) keeps it
// at 1/2 for ever, while its gradient vanishes.
//
// Where L-BFGS stopped too early, in a long valley or at an edge, a line search along Newton's direction
// leads on, and L-BFGS climbs again. Near the mode one plain Newton step makes it exact to what P is known
// to.
//
// A Gaussian falls by 2 over two standard deviations along any direction. A density that falls by less than a
// hundredth of that is a plateau (separated data in a logistic regression), whatever its curvature at the
// point.
#include "infer/optimize/mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "infer/coordinate_name.hpp"
#include "infer/optimize/points.hpp"

namespace kullback::infer {

namespace {

constexpr double kRising = 1e-3;    // of the log density: 0.04 standard deviations from the mode
constexpr double kNearMode = 1e-4;  // from nearer, P is that of the mode
constexpr std::uint64_t kMaxLeaps = 20;
constexpr std::uint64_t kMaxEscapes = 3;  // of leaps, those from points with an indefinite Hessian
// A coordinate so large, the density still rising, is on its way to infinity.
constexpr double kRunAway = 1e6;
constexpr double kRunAwayTransformed = 30;  // the logarithm of a scale of 1e-13
constexpr double kHugeDensity = 1e15;       // no data and priors give such a log density
constexpr double kDistance = 2;             // in standard deviations
constexpr double kLeastFall = 0.01 * 0.5 * kDistance * kDistance;
constexpr double kAsymmetry = 1e-3;
constexpr std::size_t kFlatnessDim = 500;  // it takes dim^3 operations
constexpr std::size_t kNamed = 3;

std::size_t largest_coordinate(std::span<const double> v) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    if (std::abs(v[i]) > std::abs(v[result])) result = i;
  }
  return result;
}

std::string how_far(const density::LogDensity& density, const Lbfgs& lbfgs) {
  const std::size_t far = largest_coordinate(lbfgs.theta());
  const std::size_t steep = largest_coordinate(lbfgs.gradient());
  return fmt::format(
      "log density {:.6g} at the start, {:.6g} after {} iterations; {} is {:.4g}; the largest partial "
      "derivative is "
      "{:.4g}, of {}",
      lbfgs.start_log_density(), lbfgs.log_density(), lbfgs.iterations(), coordinate_name(density, far),
      lbfgs.theta()[far], lbfgs.gradient()[steep], coordinate_name(density, steep));
}

}  // namespace

ModeSearch::ModeSearch(density::LogDensity& density, const Options& options, std::vector<double> start,
                       std::size_t max_hessian_dim)
    : density_(density),
      max_hessian_dim_(max_hessian_dim),
      lbfgs_(density, options, std::move(start)),
      hessian_(density.dim()) {}

bool ModeSearch::step() {
  if (phase_ == Phase::climbing) {
    if (lbfgs_.step()) return true;
    after_climbing();
    return true;
  }
  if (phase_ == Phase::curving) {
    const bool is_finite = hessian_.advance(density_, theta_);
    has_hessian_ = is_finite && hessian_.is_complete();
    if (has_hessian_)
      after_curving();
    else if (!is_finite)
      finish();
    return true;
  }
  return false;
}

double ModeSearch::value() const {
  if (phase_ != Phase::climbing) return log_density_;
  return lbfgs_.gradients() > 0 ? lbfgs_.log_density() : std::numeric_limits<double>::quiet_NaN();
}

void ModeSearch::after_climbing() {
  theta_ = lbfgs_.theta();
  gradient_ = lbfgs_.gradient();
  log_density_ = lbfgs_.log_density();
  if (wants_curvature())
    phase_ = Phase::curving;
  else
    finish();
}

// To the mode, to a better point to climb from, or to the end.
void ModeSearch::after_curving() {
  curvature_ = analyse(hessian_, density_.order() >= 2);
  const bool is_near = curvature_->precision && gain() < kNearMode;
  if (!is_near && leaps_ < kMaxLeaps && lbfgs_.stop() != Stop::max_iterations && leap()) return;
  if (curvature_->precision) newton_step();
  finish();
}

bool ModeSearch::leap() {
  ++leaps_;
  if (!curvature_->precision && ++escapes_ > kMaxEscapes) return false;
  const bool has_leapt =
      curvature_->precision ? lbfgs_.leap(curvature_->precision->covariance_times(gradient_), 0.1 * kNearMode)
                            : lbfgs_.leap(modified_newton(hessian_, gradient_), kRising);
  if (!has_leapt) return false;
  more_gradients_ += hessian_.gradients();
  hessian_ = Hessian(density_.dim());
  has_hessian_ = false;
  curvature_.reset();
  phase_ = Phase::climbing;
  return true;
}

void ModeSearch::finish() {
  phase_ = Phase::done;
  judge();
}

// Of what the search ended with; it evaluates the density, and changes nothing but the findings.
void ModeSearch::judge() {
  findings_.clear();
  find_stop();
  if (is_unbounded()) return;
  if (curvature_) {
    find_curvature();
    if (findings_.empty() && density_.dim() <= kFlatnessDim) find_flatness();
  } else if (wants_curvature() && findings_.empty()) {
    findings_.push_back(
        {"no-curvature", "The curvature where the optimiser stopped could not be computed.",
         "the log density is not finite at or right beside that point",
         "The optimum is at the edge of the support: look at bounds, and at functions that are not "
         "defined everywhere."});
  }
}

bool ModeSearch::wants_curvature() const {
  const bool is_lost = lbfgs_.stop() == Stop::start_not_finite || lbfgs_.stop() == Stop::unbounded;
  return !is_lost && density_.dim() > 0 && density_.dim() <= max_hessian_dim_;
}

double ModeSearch::gain() const {
  if (!curvature_ || !curvature_->precision) return lbfgs_.expected_gain();
  return 0.5 * dot(gradient_, curvature_->precision->covariance_times(gradient_));
}

void ModeSearch::newton_step() {
  const double gain_before = gain();
  if (!(gain_before > 0 && gain_before < kNearMode)) return;
  const std::vector<double> move = curvature_->precision->covariance_times(gradient_);
  std::vector<double> theta = theta_;
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += move[i];
  std::vector<double> gradient(theta.size());
  double value = 0;
  density::Status status = density::Status::ok;
  density_.evaluate({1, theta.data(), &value, gradient.data(), &status});
  ++more_gradients_;
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::abs(log_density_);
  if (status != density::Status::ok || !(value >= log_density_ - rounding)) return;
  std::swap(gradient, gradient_);
  if (!(gain() < gain_before)) {
    std::swap(gradient, gradient_);
    return;
  }
  theta_ = std::move(theta);
  log_density_ = value;
}

bool ModeSearch::is_unbounded() const {
  if (lbfgs_.stop() == Stop::unbounded || log_density_ > kHugeDensity) return true;
  const bool is_indefinite = curvature_ && !curvature_->precision;
  return (gain() > kRising || is_indefinite) && has_run_away();
}

bool ModeSearch::has_run_away() const {
  using Kind = density::Support::Kind;
  const auto supports = density_.supports();
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    const Kind kind = i < supports.size() ? supports[i].kind : Kind::real;
    const bool is_transformed = kind == Kind::positive || kind == Kind::bounded;
    if (std::abs(theta_[i]) > (is_transformed ? kRunAwayTransformed : kRunAway)) return true;
  }
  return false;
}

void ModeSearch::find_stop() {
  const Stop stop = lbfgs_.stop();
  if (stop == Stop::start_not_finite) {
    findings_.push_back(
        {"no-start", std::string(why(stop)), density_.message(), "Start from another point."});
    return;
  }
  const double rise = gain();
  if (is_unbounded()) {
    findings_.push_back(
        {"unbounded", "The log density has no maximum: it rises without bound.", how_far(density_, lbfgs_),
         "This is no mode. Give every parameter a proper prior or bounds; where a scale may go to 0, "
         "optimise with the Jacobian or sample instead."});
  } else if (stop == Stop::max_iterations) {
    findings_.push_back({"not-converged", std::string(why(stop)), how_far(density_, lbfgs_),
                         "Raise --max-iterations, or start nearer."});
  } else if (rise > kRising) {
    findings_.push_back(
        {"not-a-mode",
         fmt::format("The optimiser stopped where the log density still rises, by about {:.3g}.", rise),
         fmt::format("{} {}", why(stop), how_far(density_, lbfgs_)),
         "This is no mode: the density may have none, or an edge or a kink there. Look at the parameters "
         "named, "
         "start elsewhere, or lower the tolerances."});
  }
}

void ModeSearch::find_curvature() {
  if (!curvature_->precision) {
    std::string evidence;
    for (const CurvatureDirection& worst : curvature_->without_maximum) {
      evidence += fmt::format("{}curvature {:.4g} along {}", evidence.empty() ? "" : "; ", worst.curvature,
                              direction_name(density_, worst.direction));
    }
    if (evidence.empty()) evidence = "too many coordinates to name the directions";
    findings_.push_back(
        {"not-positive-definite",
         "The negative Hessian is not positive definite where the optimiser stopped.", evidence,
         "The point is a saddle, or the density is flat there: look for parameters that the data and "
         "priors do not determine, and start from another point."});
  } else if (curvature_->asymmetry > kAsymmetry) {
    findings_.push_back(
        {"noisy-hessian", "The Hessian is not symmetric: its numbers are noisy.",
         fmt::format("relative asymmetry {:.2g}", curvature_->asymmetry),
         "Solvers in the model may need tighter tolerances, or the density has a kink at the mode."});
  }
}

void ModeSearch::find_flatness() {
  const std::size_t dim = density_.dim();
  std::vector<double> points;
  for (std::size_t j = 0; j < dim; ++j) {
    std::vector<double> unit(dim, 0.0);
    unit[j] = kDistance;
    const std::vector<double> move = curvature_->precision->unwhiten(unit);
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < dim; ++i) points.push_back(theta_[i] + sign * move[i]);
    }
  }
  const std::vector<double> values = log_densities(density_, points, 2 * dim);
  std::string evidence;
  std::size_t count = 0;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (log_density_ - values[p] >= kLeastFall) continue;
    if (++count > kNamed) continue;
    std::vector<double> move(points.begin() + static_cast<std::ptrdiff_t>(p * dim),
                             points.begin() + static_cast<std::ptrdiff_t>((p + 1) * dim));
    for (std::size_t i = 0; i < dim; ++i) move[i] -= theta_[i];
    const std::size_t far = largest_coordinate(move);
    evidence += fmt::format("{}it changes by {:.2g} where {} moves by {:.3g}", evidence.empty() ? "" : "; ",
                            values[p] - log_density_, direction_name(density_, move), move[far]);
  }
  if (count == 0) return;
  findings_.push_back(
      {"flat-direction",
       fmt::format("The log density does not fall over two standard deviations from the mode, in {} of "
                   "{} directions.",
                   count, 2 * dim),
       evidence,
       "The mode is a plateau or one of several: parameters there are hardly determined. Give them "
       "informative priors."});
}

void ModeSearch::archive(Archive& archive) {
  lbfgs_.archive(archive);
  std::uint64_t phase = static_cast<std::uint64_t>(phase_);
  archive.value(phase);
  archive.value(theta_);
  archive.value(gradient_);
  archive.value(log_density_);
  archive.value(more_gradients_);
  archive.value(leaps_);
  archive.value(escapes_);
  hessian_.archive(archive);
  archive.value(has_hessian_);
  if (!archive.is_reading()) return;
  phase_ = static_cast<Phase>(phase);
  if (phase_ != Phase::done) return;
  if (has_hessian_) curvature_ = analyse(hessian_, density_.order() >= 2);
  judge();
}

}  // namespace kullback::infer
