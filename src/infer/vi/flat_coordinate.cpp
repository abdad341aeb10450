// A density that is integrable along a line falls there to both sides faster than |t|^-1: over the factor
// kFar in t, from kNear standard deviations of the draws on, its logarithm falls by log(kFar) = 9.2 at least.
// Half of that is asked for.
#include "infer/vi/flat_coordinate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "infer/optimize/points.hpp"

namespace kullback::infer {

namespace {

constexpr double kNear = 10;
constexpr double kFar = 1e4;
constexpr double kLeastFall = 4.6;
constexpr std::size_t kMostCoordinates = 256;  // four evaluations each

struct Moments {
  std::vector<double> mean;
  std::vector<double> sd;
};

Moments moments_of(std::size_t dim, std::span<const double> draws) {
  Moments result{std::vector<double>(dim), std::vector<double>(dim)};
  const auto count = static_cast<double>(draws.size() / dim);
  for (std::size_t at = 0; at < draws.size(); ++at) result.mean[at % dim] += draws[at] / count;
  for (std::size_t at = 0; at < draws.size(); ++at)
    result.sd[at % dim] += std::pow(draws[at] - result.mean[at % dim], 2) / count;
  for (double& number : result.sd) number = std::sqrt(number);
  return result;
}

}  // namespace

std::optional<FlatCoordinate> find_flat_coordinate(density::LogDensity& density,
                                                   std::span<const double> draws,
                                                   std::uint64_t& evaluations) {
  const std::size_t dim = density.dim();
  if (draws.empty()) return std::nullopt;
  const Moments moments = moments_of(dim, draws);
  for (std::size_t i = 0; i < std::min(dim, kMostCoordinates); ++i) {
    for (const double side : {kNear, -kNear}) {
      std::vector<double> points = moments.mean;
      points.insert(points.end(), moments.mean.begin(), moments.mean.end());
      points[i] += side * moments.sd[i];
      points[dim + i] += side * kFar * moments.sd[i];
      const std::vector<double> logs = log_densities(density, points, 2);
      evaluations += 2;
      const double fall = logs[0] - logs[1];
      if (std::isfinite(logs[0]) && std::isfinite(logs[1]) && fall < kLeastFall)
        return FlatCoordinate{i, side * kFar * moments.sd[i], fall};
    }
  }
  return std::nullopt;
}

}  // namespace kullback::infer
