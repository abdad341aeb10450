// Maximises log p(theta) with gradient g: along the direction p = H g, H the inverse of the negative Hessian
// as the last steps tell it, to a step that meets the strong Wolfe conditions (Nocedal and Wright 2006,
// chapter 7). The first direction is g itself, with a step of length 1 at most. Where no step along H g
// rises, the history is forgotten and g is tried.
//
// Stan's tests of convergence, in Stan's order, with f = -log p:
//   tol_obj       |f' - f| < tol_obj
//   tol_grad      |g| < tol_grad
//   tol_param     |theta' - theta| < tol_param
//   tol_rel_obj   |f' - f| / max(|f'|, |f|, 1) < tol_rel_obj eps
//   tol_rel_grad  g'Hg / max(|f|, 1) < tol_rel_grad eps
// The last one only after a step that changed f little: a first step down a cliff leaves an H that is far too
// small.
#include "infer/optimize/lbfgs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "infer/optimize/options.hpp"

namespace kullback::infer {

namespace {

constexpr double kFarAway = 1e15;  // a coordinate that gets there, the density still rising, has no bound

constexpr double kCalm = 1e-4;  // a relative change of the log density

double largest(std::span<const double> v) {
  double result = 0;
  for (const double x : v) result = std::max(result, std::abs(x));
  return result;
}

std::vector<double> moved(std::span<const double> from, double step, std::span<const double> direction) {
  std::vector<double> result(from.begin(), from.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += step * direction[i];
  return result;
}

}  // namespace

std::string_view why(Stop stop) {
  switch (stop) {
    case Stop::not_yet: return "It has not stopped.";
    case Stop::tol_obj: return "Converged: the log density changed by less than --tol-obj.";
    case Stop::tol_rel_obj:
      return "Converged: the relative change of the log density was below --tol-rel-obj.";
    case Stop::tol_grad: return "Converged: the gradient's norm was below --tol-grad.";
    case Stop::tol_rel_grad: return "Converged: the relative size of the gradient was below --tol-rel-grad.";
    case Stop::tol_param: return "Converged: the parameters changed by less than --tol-param.";
    case Stop::max_iterations: return "It stopped after --max-iterations iterations.";
    case Stop::line_search: return "It stopped because no step along the gradient raised the log density.";
    case Stop::unbounded: return "It stopped because the log density rose without end along a line.";
    case Stop::start_not_finite:
      return "It did not start: the log density or its gradient is not finite at the start.";
  }
  return {};
}

bool is_convergence(Stop stop) {
  return stop == Stop::tol_obj || stop == Stop::tol_rel_obj || stop == Stop::tol_grad ||
         stop == Stop::tol_rel_grad || stop == Stop::tol_param;
}

Lbfgs::Lbfgs(density::LogDensity& density, const Options& options, std::vector<double> start)
    : density_(density), options_(options), pairs_(density.dim(), options[option::kHistory]) {
  Point point = evaluate(std::move(start));
  theta_ = std::move(point.theta);
  gradient_ = std::move(point.gradient);
  log_density_ = start_log_density_ = point.log_density;
  if (!point.is_finite)
    stop_ = Stop::start_not_finite;
  else if (norm(gradient_) == 0 || norm(gradient_) < options_[option::kTolGrad])
    stop_ = Stop::tol_grad;
}

Lbfgs::Point Lbfgs::evaluate(std::vector<double> theta) {
  Point point{std::move(theta), std::vector<double>(density_.dim()), 0.0, false};
  density::Status status = density::Status::ok;
  density_.evaluate({1, point.theta.data(), &point.log_density, point.gradient.data(), &status});
  ++gradients_;
  point.is_finite =
      status == density::Status::ok && std::isfinite(point.log_density) &&
      std::all_of(point.gradient.begin(), point.gradient.end(), [](double g) { return std::isfinite(g); });
  return point;
}

double Lbfgs::expected_gain() const { return 0.5 * dot(gradient_, pairs_.inverse_times(gradient_)); }

std::vector<double> Lbfgs::next_direction() const {
  if (pairs_.count() > 0) return pairs_.inverse_times(gradient_);
  std::vector<double> direction = gradient_;
  const double length = std::max(1.0, norm(gradient_));
  for (double& number : direction) number /= length;
  return direction;
}

// `reached` is the point at the step of the result.
SearchResult Lbfgs::search(std::span<const double> direction, double slope, Point& reached) {
  double reached_step = 0;
  const auto line = [&](double step) {
    reached = evaluate(moved(theta_, step, direction));
    reached_step = step;
    return LinePoint{step, -reached.log_density, -dot(reached.gradient, direction), reached.is_finite};
  };
  const double max_step = std::max(1.0, kFarAway / largest(direction));
  const SearchResult result = search_line(line, {0, -log_density_, slope, true}, 1.0, max_step);
  if (result.end != SearchEnd::failed && reached_step != result.step)
    reached = evaluate(moved(theta_, result.step, direction));
  return result;
}

void Lbfgs::move_to(Point reached) {
  std::vector<double> s(theta_.size());
  std::vector<double> y(theta_.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] = reached.theta[i] - theta_[i];
    y[i] = gradient_[i] - reached.gradient[i];
  }
  pairs_.push(s, y);
  const double gain = reached.log_density - log_density_;
  theta_ = std::move(reached.theta);
  gradient_ = std::move(reached.gradient);
  log_density_ = reached.log_density;
  stop_ = test(gain, norm(s));
}

Stop Lbfgs::test(double gain, double step_length) const {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double size = std::max(std::abs(log_density_), 1.0);
  const double size_before = std::max(std::abs(log_density_ - gain), size);
  if (std::abs(gain) < options_[option::kTolObj]) return Stop::tol_obj;
  if (norm(gradient_) == 0 || norm(gradient_) < options_[option::kTolGrad]) return Stop::tol_grad;
  if (step_length < options_[option::kTolParam]) return Stop::tol_param;
  if (std::abs(gain) / size_before < options_[option::kTolRelObj] * kEpsilon) return Stop::tol_rel_obj;
  const bool is_calm = std::abs(gain) / size_before < kCalm;
  if (is_calm && 2 * expected_gain() / size < options_[option::kTolRelGrad] * kEpsilon)
    return Stop::tol_rel_grad;
  if (iterations_ >= options_[option::kMaxIterations]) return Stop::max_iterations;
  return Stop::not_yet;
}

bool Lbfgs::step() {
  if (stop_ != Stop::not_yet) return false;
  ++iterations_;
  if (climb()) return true;
  CurvaturePairs history = std::move(pairs_);
  pairs_ = CurvaturePairs(density_.dim(), options_[option::kHistory]);
  if (history.count() > 0 && climb()) return true;
  pairs_ = std::move(history);  // still the best guess of the curvature
  stop_ = Stop::line_search;
  return true;
}

// Along the direction that the history gives; false where no step rises.
bool Lbfgs::climb() {
  const std::vector<double> direction = next_direction();
  const double slope = -dot(direction, gradient_);
  if (!(slope < 0) || !std::isfinite(slope)) return false;
  Point reached;
  const SearchResult result = search(direction, slope, reached);
  if (result.end == SearchEnd::failed) return false;
  move_to(std::move(reached));
  if (result.end == SearchEnd::unbounded || largest(theta_) > kFarAway) stop_ = Stop::unbounded;
  return true;
}

bool Lbfgs::leap(std::span<const double> direction, double least_gain) {
  const double slope = -dot(direction, gradient_);
  if (stop_ == Stop::start_not_finite || !(slope < 0) || !std::isfinite(slope)) return false;
  Point reached;
  const SearchResult result = search(direction, slope, reached);
  if (result.end == SearchEnd::failed || !(reached.log_density - log_density_ > least_gain)) return false;
  move_to(std::move(reached));
  pairs_.clear();
  stop_ = iterations_ < options_[option::kMaxIterations] ? Stop::not_yet : Stop::max_iterations;
  if (result.end == SearchEnd::unbounded) stop_ = Stop::unbounded;
  return true;
}

void Lbfgs::archive(Archive& archive) {
  pairs_.archive(archive);
  archive.value(theta_);
  archive.value(gradient_);
  archive.value(log_density_);
  archive.value(start_log_density_);
  archive.value(iterations_);
  archive.value(gradients_);
  std::uint64_t stop = static_cast<std::uint64_t>(stop_);
  archive.value(stop);
  stop_ = static_cast<Stop>(stop);
}

}  // namespace kullback::infer
