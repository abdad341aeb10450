// A Gaussian kernel estimate with Silverman's bandwidth h = 0.9 min(sd, IQR / 1.34) n^(-1/5), n the effective
// number of draws, and no less than the step between points. Values are reflected at their smallest and
// largest, so that a density that ends (a scale at 0) is not smeared over its end; far from an end this
// changes nothing. The curve ends two half-widths beyond the 90 % interval, or where the values end: one wild
// draw does not flatten it.
#include "report/density.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "report/base64.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kBins = 512;
constexpr double kReach = 4;  // of the kernel, in bandwidths

struct Shape {
  double smallest = 0, q5 = 0, q25 = 0, q50 = 0, q75 = 0, q95 = 0, largest = 0;
  double sd = 0;
  double count = 0;  // effective
};

Shape shape_of(std::span<const double> values, std::span<const double> weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const auto weight = [&](std::size_t i) {
    return weights.empty() ? 1.0 / static_cast<double>(values.size()) : weights[i];
  };
  Shape shape{.smallest = values[order.front()], .largest = values[order.back()]};
  const std::pair<double, double Shape::*> wanted[] = {
      {0.05, &Shape::q5}, {0.25, &Shape::q25}, {0.5, &Shape::q50}, {0.75, &Shape::q75}, {0.95, &Shape::q95}};
  double below = 0, mean = 0, squares = 0;
  std::size_t next = 0;
  for (const std::size_t i : order) {
    below += weight(i);
    mean += weight(i) * values[i];
    squares += weight(i) * weight(i);
    while (next < std::size(wanted) && below >= wanted[next].first)
      shape.*(wanted[next++].second) = values[i];
  }
  while (next < std::size(wanted)) shape.*(wanted[next++].second) = shape.largest;
  double spread = 0;
  for (const std::size_t i : order) spread += weight(i) * (values[i] - mean) * (values[i] - mean);
  shape.sd = std::sqrt(spread);
  shape.count = 1 / squares;
  return shape;
}

double bandwidth(const Shape& shape) {
  const double range = (shape.q75 - shape.q25) / 1.34;
  const double scale = range > 0 ? std::min(shape.sd, range) : shape.sd;
  return 0.9 * scale * std::pow(shape.count, -0.2);
}

}  // namespace

DensityCurve density_curve(std::span<const double> values, std::span<const double> weights) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (values.size() < 2 || !std::all_of(values.begin(), values.end(), is_finite)) return {};
  const Shape shape = shape_of(values, weights);
  double h = bandwidth(shape);
  if (!(h > 0) || !(shape.largest > shape.smallest) || !std::isfinite(shape.largest - shape.smallest))
    return {};

  DensityCurve curve;
  curve.low = std::max(shape.smallest, shape.q5 - 2 * (shape.q50 - shape.q5) - h);
  curve.high = std::min(shape.largest, shape.q95 + 2 * (shape.q95 - shape.q50) + h);
  if (!(curve.high > curve.low)) return {};
  // A kernel narrower than the step between points could fall between them, and the curve be 0 everywhere.
  h = std::max(h, (curve.high - curve.low) / (DensityCurve::kPoints - 1));

  // Bins reach a kernel beyond the curve, and hold the reflected values too.
  const double first = curve.low - kReach * h;
  const double width = (curve.high - curve.low + 2 * kReach * h) / static_cast<double>(kBins);
  std::vector<double> bins(kBins, 0.0);
  const auto put = [&](double value, double weight) {
    const double at = (value - first) / width;
    if (at >= 0 && at < static_cast<double>(kBins)) bins[static_cast<std::size_t>(at)] += weight;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    put(values[i], weight);
    put(2 * shape.smallest - values[i], weight);
    put(2 * shape.largest - values[i], weight);
  }

  double heights[DensityCurve::kPoints];
  for (std::size_t p = 0; p < DensityCurve::kPoints; ++p) {
    const double x =
        curve.low + (curve.high - curve.low) * static_cast<double>(p) / (DensityCurve::kPoints - 1);
    heights[p] = 0;
    for (std::size_t b = 0; b < kBins; ++b) {
      const double z = (x - first - (static_cast<double>(b) + 0.5) * width) / h;
      if (bins[b] > 0 && std::abs(z) < kReach) heights[p] += bins[b] * std::exp(-0.5 * z * z);
    }
  }
  const double highest = *std::max_element(std::begin(heights), std::end(heights));
  for (const double height : heights)
    curve.heights += kBase64Digits[static_cast<std::size_t>(std::lround(63 * height / highest))];
  return curve;
}

}  // namespace kullback::report
