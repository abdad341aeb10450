// Stein's identity E[f(x) grad log p(x) + grad f(x)] = 0 under p, with f = 1 and f = x_i - m_i:
//   E grad log p = 0,   E (x_i - m_i) (grad log p)_i = -1.
// For p = N(mu, S) and particles with mean m and covariance C the left sides are S^-1 (mu - m) and
// -(C S^-1)_ii. Neither is what SVGD makes 0: that is a sum weighted by the kernel, which in many dimensions
// particles satisfy with too small a variance (Ba, Erdogdu, Ghassemi, Sun, Suzuki, Wu, Zhang 2022). Of n
// independent draws from a Gaussian the ratio of a coordinate has the variance (1 + S_ii (S^-1)_ii) / n.
#include "infer/particles/stein_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "infer/coordinate_name.hpp"

namespace kullback::infer {

namespace {

constexpr double kLeastMeanRatio = 0.75;
constexpr double kLeastRatio = 0.6;
constexpr double kLargestMeanRatio = 1.5;
constexpr double kErrors = 2.5;
constexpr double kLargestShift = 0.2;

std::vector<double> centered(std::vector<double> lanes, std::size_t count) {
  for (std::size_t first = 0; first < lanes.size(); first += count) {
    double* x = lanes.data() + first;
    const double mean = std::accumulate(x, x + count, 0.0) / static_cast<double>(count);
    for (std::size_t k = 0; k < count; ++k) x[k] -= mean;
  }
  return lanes;
}

}  // namespace

double SteinChecks::mean_ratio() const {
  return std::accumulate(variance_ratios.begin(), variance_ratios.end(), 0.0) /
         static_cast<double>(variance_ratios.size());
}

std::size_t SteinChecks::least_ratio() const {
  std::size_t least = 0;
  const auto errors_below = [this](std::size_t i) { return (1 - variance_ratios[i]) / ratio_errors[i]; };
  for (std::size_t i = 1; i < variance_ratios.size(); ++i) {
    if (errors_below(i) > errors_below(least)) least = i;
  }
  return least;
}

std::size_t SteinChecks::largest_shift() const {
  const auto found = std::max_element(mean_shifts.begin(), mean_shifts.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  return static_cast<std::size_t>(found - mean_shifts.begin());
}

SteinChecks stein_checks(const std::vector<double>& theta, const std::vector<double>& gradient,
                         std::size_t count) {
  const std::size_t dim = theta.size() / count;
  const auto n = static_cast<double>(count);
  SteinChecks result;
  const std::vector<double> x = centered(theta, count);
  std::vector<double> along(count, 0.0);  // (theta_k - mean)' times the mean gradient
  for (std::size_t i = 0; i < dim; ++i) {
    const double* g = gradient.data() + i * count;
    const double* d = x.data() + i * count;
    const double mean_gradient = std::accumulate(g, g + count, 0.0) / n;
    double products = 0;
    double squares = 0;
    for (std::size_t k = 0; k < count; ++k) {
      along[k] += d[k] * mean_gradient;
      products += d[k] * g[k];
      squares += d[k] * g[k] * d[k] * g[k];
    }
    result.variance_ratios.push_back(-products / n);
    result.ratio_errors.push_back(std::sqrt(std::max(squares - products * products / n, 0.0)) / n);
  }
  for (std::size_t i = 0; i < dim; ++i) {
    const double* d = x.data() + i * count;
    const double squares = std::inner_product(d, d + count, d, 0.0);
    const double product = std::inner_product(d, d + count, along.begin(), 0.0);
    result.mean_shifts.push_back(squares > 0 ? product / std::sqrt(squares * n) : 0);
  }
  return result;
}

Findings stein_findings(const SteinChecks& checks, const density::LogDensity& density, std::size_t count) {
  Findings result;
  if (checks.variance_ratios.empty()) return result;
  const double mean = checks.mean_ratio();
  const std::size_t least = checks.least_ratio();
  const double lowest = checks.variance_ratios[least];
  const double error = checks.ratio_errors[least];
  const std::string evidence = fmt::format(
      "by Stein's identity the particles' variances are {:.2f} of the posterior's on average, {:.2f} "
      "(standard error "
      "{:.2f}) for {}; {} particles, {} coordinates",
      mean, lowest, error, coordinate_name(density, least), count, checks.variance_ratios.size());
  if (mean < kLeastMeanRatio || (lowest < kLeastRatio && lowest < 1 - kErrors * error))
    result.push_back(
        {"variance-collapse",
         "The particles are too close together: their spread understates the posterior's.", evidence,
         "Do not use their standard deviations and intervals. Raise --svgd-particles, or use nuts."});
  if (mean > kLargestMeanRatio)
    result.push_back({"variance-excess",
                      "The particles are wider than the posterior near them, or have not come together.",
                      evidence, "Raise --max-iterations; where that does not help, use nuts."});
  const std::size_t shifted = checks.largest_shift();
  if (std::abs(checks.mean_shifts[shifted]) > kLargestShift)
    result.push_back({"mean-shift", "The particles' mean gradient is not 0: their means are off.",
                      fmt::format("a Newton step would move {} by {:.2f} of its standard deviations",
                                  coordinate_name(density, shifted), checks.mean_shifts[shifted]),
                      "Raise --max-iterations or --svgd-particles, or use nuts."});
  return result;
}

}  // namespace kullback::infer
