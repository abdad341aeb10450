// The variable v, y = scale sinh(v):
//   line      x = center + y
//   above     x = lower + (center - lower) exp(y), y with the scale of log(x - lower)
//   below     its mirror image
//   interval  x = lower + (upper - lower) / (1 + exp(-c - y)), c the logit of the center
// Normal tails, powers at infinity and powers at an end all fall at least exponentially in v.
//
// Gauss-Kronrod with 10 and 21 points, the error estimated as in QUADPACK; the interval with the largest
// error is halved.
#include "stats/divergence/quadrature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLargestExponent = 690;
constexpr double kPanels[] = {0.5, 1, 1.5, 2, 3, 4, 6, 8, 11, 15, 25, 50, 100, 200, 400};
constexpr std::size_t kPoints = 21;

double logit(double z) { return std::log(z) - std::log1p(-z); }

struct Panel {
  double from = 0, to = 0;
  double value = 0, error = 0;
  bool operator<(const Panel& other) const { return error < other.error; }
};

using Kronrod = boost::math::quadrature::gauss_kronrod<double, 21>;
using Gauss = boost::math::quadrature::gauss<double, 10>;

double estimated_error(double difference, double absolute, double spread) {
  double error = std::abs(difference);
  if (spread > 0 && error > 0) error = spread * std::min(1.0, std::pow(200 * error / spread, 1.5));
  return std::max(error, 50 * kEpsilon * absolute);
}

// Kronrod's nodes are 0, then +-; those with an odd index are Gauss's.
Panel panel(double from, double to, const std::function<double(double)>& integrand) {
  const auto &nodes = Kronrod::abscissa(), &weights = Kronrod::weights();
  const double center = (from + to) / 2, half = (to - from) / 2;
  double values[kPoints], of_value[kPoints];
  double kronrod = 0, gauss = 0, absolute = 0, spread = 0;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const std::size_t node = (i + 1) / 2;
    values[i] = integrand(center + (i % 2 == 0 ? half : -half) * nodes[node]);
    of_value[i] = weights[node];
    kronrod += weights[node] * values[i];
    absolute += weights[node] * std::abs(values[i]);
    if (node % 2 == 1) gauss += Gauss::weights()[node / 2] * values[i];
  }
  if (std::isinf(kronrod)) return {from, to, kronrod, 0};
  for (std::size_t i = 0; i < kPoints; ++i) spread += of_value[i] * std::abs(values[i] - kronrod / 2);
  return {from, to, half * kronrod,
          estimated_error(half * (kronrod - gauss), half * absolute, half * spread)};
}

std::vector<double> all_breaks(const Axis& axis, std::span<const double> breaks) {
  std::vector<double> result{0, -axis.reach(), axis.reach()};
  const auto add = [&](double v) {
    if (std::abs(v) < axis.reach()) result.push_back(v);
  };
  for (const double v : kPanels) add(v), add(-v);
  for (const double x : breaks) add(axis.inverse(x));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Without the rounding errors of a running total.
Integral exact_total(const std::vector<Panel>& panels) {
  Integral result;
  for (const Panel& of : panels) {
    result.value += of.value;
    result.error += of.error;
  }
  return result;
}

[[noreturn]] void did_not_converge(const Integral& reached, std::size_t evaluations) {
  throw Error(
      ErrorKind::bad_input,
      fmt::format("the integral is not known to the tolerance: {} with an estimated error of {} after {} "
                  "evaluations.",
                  reached.value, reached.error, evaluations),
      "It may be infinite. If not, give center and scale of the densities, or a larger max_evaluations.");
}

}  // namespace

Axis::Axis(double lower, double upper, double center, double scale)
    : lower_(lower), upper_(upper), anchor_(center), scale_(scale), reach_(kLargestExponent) {
  const bool from_below = std::isfinite(lower), to_above = std::isfinite(upper);
  shape_ = from_below ? (to_above ? Shape::interval : Shape::above) : (to_above ? Shape::below : Shape::line);
  if (shape_ == Shape::line) return;
  if (shape_ == Shape::interval) {
    const double z = std::clamp((center - lower) / (upper - lower), 0.001, 0.999);
    anchor_ = logit(z);
    scale_ = scale / (upper - lower) / z / (1 - z);
  } else {
    const double distance = shape_ == Shape::above ? center - lower : upper - center;
    anchor_ = distance > 0 ? distance : scale;
    scale_ = scale / anchor_;
  }
  scale_ = std::min(scale_, 1.0);
  reach_ = std::asinh(kLargestExponent / scale_);
}

Place Axis::place(double v) const {
  const double y = scale_ * std::sinh(v);
  switch (shape_) {
    case Shape::line: return {anchor_ + y, kInfinity};
    case Shape::above: return {lower_ + anchor_ * std::exp(y), kInfinity};
    case Shape::below: return {upper_ - anchor_ * std::exp(-y), anchor_ * std::exp(-y)};
    case Shape::interval: break;
  }
  const double length = upper_ - lower_;
  return {lower_ + length / (1 + std::exp(-anchor_ - y)), length / (1 + std::exp(anchor_ + y))};
}

double Axis::log_derivative(double v) const {
  const double of_y = std::log(scale_) + std::abs(v) + std::log1p(std::exp(-2 * std::abs(v))) - std::log(2.0);
  const double y = scale_ * std::sinh(v);
  switch (shape_) {
    case Shape::line: return of_y;
    case Shape::above: return of_y + y + std::log(anchor_);
    case Shape::below: return of_y - y + std::log(anchor_);
    case Shape::interval: break;
  }
  const double z = std::abs(anchor_ + y);
  return of_y + std::log(upper_ - lower_) - z - 2 * std::log1p(std::exp(-z));
}

double Axis::inverse(double x) const {
  switch (shape_) {
    case Shape::line: return std::asinh((x - anchor_) / scale_);
    case Shape::above: return std::asinh(std::log((x - lower_) / anchor_) / scale_);
    case Shape::below: return -std::asinh(std::log((upper_ - x) / anchor_) / scale_);
    case Shape::interval: break;
  }
  return std::asinh((std::log((x - lower_) / (upper_ - x)) - anchor_) / scale_);
}

Integral integrate(const Axis& axis, std::span<const double> breaks,
                   const std::function<double(double v)>& integrand, const QuadratureOptions& options) {
  const auto places = all_breaks(axis, breaks);
  std::vector<Panel> panels;  // a heap: the largest error first
  Integral total;
  const auto add = [&](double from, double to) {
    panels.push_back(panel(from, to, integrand));
    total.value += panels.back().value;
    total.error += panels.back().error;
    std::push_heap(panels.begin(), panels.end());
  };
  for (std::size_t i = 1; i < places.size(); ++i) add(places[i - 1], places[i]);
  std::size_t evaluations = kPoints * panels.size();
  while (!(total.error <= options.tolerance * std::abs(total.value) + options.absolute_tolerance)) {
    if (std::isinf(total.value)) return {total.value, 0};
    if (evaluations + 2 * kPoints > options.max_evaluations) did_not_converge(total, evaluations);
    std::pop_heap(panels.begin(), panels.end());
    const Panel worst = panels.back();
    panels.pop_back();
    total.value -= worst.value;
    total.error -= worst.error;
    const double middle = (worst.from + worst.to) / 2;
    add(worst.from, middle);
    add(middle, worst.to);
    evaluations += 2 * kPoints;
  }
  return exact_total(panels);
}

Integral integrate_pair(const Axis& axis, std::span<const double> breaks, const LogDensities& densities,
                        const PairElement& element, const QuadratureOptions& options) {
  const auto integrand = [&](double v) {
    return element(densities(axis.place(v)).times(axis.log_derivative(v)));
  };
  return integrate(axis, breaks, integrand, options);
}

}  // namespace kullback::stats
