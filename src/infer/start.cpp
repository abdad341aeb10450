// The derivative along v by central differences of fourth order,
//   d = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h,
// and its error by ten times the difference from d over 2h: with f smooth, the error of the latter is 16
// times that of the former; with the noise of an ODE solver, the two differ by about the noise over h. A
// disagreement counts where it is beyond that estimate, rounding, and one per cent. Lanes are the points.
#include "infer/start.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/random.hpp"
#include "infer/algorithm.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMostCoordinates = 50;
constexpr std::size_t kRandomDirections = 5;
// Sensitivities of an ODE solver are off by up to some tenths of a per cent, and do no harm.
constexpr double kRelativeTolerance = 1e-2;
constexpr double kAbsoluteTolerance = 1e-4;
constexpr std::size_t kPoints = 6;
constexpr double kPlaces[kPoints] = {1, -1, 2, -2, 4, -4};

bool is_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

std::string text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", number);
  return buffer;
}

std::string name_of(const density::LogDensity& density, std::size_t i) {
  for (const density::Block& block : density.blocks()) {
    if (i < block.first || i >= block.first + block.size) continue;
    return block.size == 1 ? block.name : block.name + "." + std::to_string(i - block.first + 1);
  }
  return "coordinate " + std::to_string(i + 1);
}

struct Difference {
  double value = 0;
  double tolerance = 0;  // of what smoothness and rounding explain
  bool is_ok = false;
};

// Along v, of points theta + place h v.
Difference derivative_along(density::LogDensity& density, const std::vector<double>& theta,
                            const std::vector<double>& v) {
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (v[i] != 0) step = std::min(step, 1e-3 * (1 + std::abs(theta[i])) / std::abs(v[i]));
  }
  std::vector<double> points(theta.size() * kPoints);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    for (std::size_t k = 0; k < kPoints; ++k) points[i * kPoints + k] = theta[i] + kPlaces[k] * step * v[i];
  }
  double f[kPoints];
  density::Status status[kPoints];
  density.evaluate({kPoints, points.data(), f, nullptr, status});
  if (std::any_of(status, status + kPoints, [](density::Status s) { return s != density::Status::ok; }))
    return {};
  const double near = (8 * (f[0] - f[1]) - (f[2] - f[3])) / (12 * step);
  const double far = (8 * (f[2] - f[3]) - (f[4] - f[5])) / (24 * step);
  double largest = 0;
  for (const double value : f) largest = std::max(largest, std::abs(value));
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * largest / step;
  return {near, 10 * std::abs(near - far) + rounding, true};
}

}  // namespace

FoundStart find_start(density::LogDensity& density, const StartOptions& options) {
  FoundStart found;
  const std::size_t dim = density.dim();
  std::vector<double> gradient(dim);
  const std::size_t tries = options.radius == 0 ? 1 : options.tries;
  for (std::size_t attempt = 0; attempt < tries; ++attempt) {
    Random random(options.seed, options.chain, static_cast<std::uint32_t>(Purpose::start),
                  static_cast<std::uint32_t>(attempt));
    found.theta.resize(dim);
    for (double& x : found.theta) x = options.radius * (2 * random.uniform() - 1);
    double log_density = 0;
    density::Status status = density::Status::ok;
    density.evaluate({1, found.theta.data(), &log_density, gradient.data(), &status});
    ++found.tries;
    const bool density_is_ok = status == density::Status::ok && std::isfinite(log_density);
    if (density_is_ok && is_finite(gradient)) {
      found.is_ok = true;
      return found;
    }
    found.message = density_is_ok ? "the gradient is not finite" : density.message();
  }
  return found;
}

std::optional<Finding> check_gradient_at(density::LogDensity& density, const std::vector<double>& theta,
                                         std::uint64_t seed) {
  const std::size_t dim = theta.size();
  std::vector<double> gradient(dim);
  double log_density = 0;
  density::Status status = density::Status::ok;
  density.evaluate({1, theta.data(), &log_density, gradient.data(), &status});
  if (status != density::Status::ok) return std::nullopt;
  const bool by_coordinate = dim <= kMostCoordinates;
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::start), ~0U);
  std::vector<double> v(dim);
  for (std::size_t d = 0; d < (by_coordinate ? dim : kRandomDirections); ++d) {
    for (std::size_t i = 0; i < dim; ++i) v[i] = by_coordinate ? (i == d ? 1.0 : 0.0) : random.normal();
    double along = 0;
    double size = 0;
    for (std::size_t i = 0; i < dim; ++i) {
      along += gradient[i] * v[i];
      size += std::abs(gradient[i] * v[i]);
    }
    const Difference difference = derivative_along(density, theta, v);
    const double error = std::abs(along - difference.value);
    if (!difference.is_ok || error <= difference.tolerance + kRelativeTolerance * size + kAbsoluteTolerance)
      continue;
    return Finding{
        "gradient", "The gradient disagrees with differences of the density at the start.",
        (by_coordinate ? "for " + name_of(density, d) : std::string("along a random direction")) +
            ": gradient " + text(along) + ", differences " + text(difference.value),
        "Check the program for step functions, branches and rounding of parameters; see `kullback density "
        "--check`."};
  }
  return std::nullopt;
}

}  // namespace kullback::infer
