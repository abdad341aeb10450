// Stein's identity E[f(x) grad log p(x) + grad f(x)] = 0 under p, with f = 1 and f = x_i - m_i:
//   E grad log p = 0,   E (x_i - m_i) (grad log p)_i = -1.
// For p = N(mu, S) and particles with mean m and covariance C the left sides are S^-1 (mu - m) and
// -(C S^-1)_ii. Neither is what SVGD makes 0: that is a sum weighted by the kernel, which in many dimensions
// particles satisfy with too small a variance (Ba, Erdogdu, Ghassemi, Sun, Suzuki, Wu, Zhang 2022). Of n
// independent draws from a Gaussian the ratio of a coordinate has a standard error of (2 / n)^(1/2).
#include "infer/particles/stein_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "infer/coordinate_name.hpp"

namespace kullback::infer {

namespace {

constexpr double kLeastMeanRatio = 0.75;
constexpr double kLeastRatio = 0.5;
constexpr double kLargestMeanRatio = 1.5;
constexpr double kErrors = 4;
constexpr double kLargestShift = 0.2;

}  // namespace

double SteinChecks::mean_ratio() const {
  return std::accumulate(variance_ratios.begin(), variance_ratios.end(), 0.0) /
         static_cast<double>(variance_ratios.size());
}

std::size_t SteinChecks::least_ratio() const {
  return static_cast<std::size_t>(std::min_element(variance_ratios.begin(), variance_ratios.end()) -
                                  variance_ratios.begin());
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
  SteinChecks result{std::vector<double>(dim), std::vector<double>(dim)};
  std::vector<double> along(count, 0.0);  // (theta_k - mean)' times the mean gradient
  std::vector<double> means(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    const double* x = theta.data() + i * count;
    const double* g = gradient.data() + i * count;
    means[i] = std::accumulate(x, x + count, 0.0) / n;
    const double mean_gradient = std::accumulate(g, g + count, 0.0) / n;
    double product = 0;
    for (std::size_t k = 0; k < count; ++k) {
      product += (x[k] - means[i]) * g[k];
      along[k] += (x[k] - means[i]) * mean_gradient;
    }
    result.variance_ratios[i] = -product / n;
  }
  for (std::size_t i = 0; i < dim; ++i) {
    const double* x = theta.data() + i * count;
    double square = 0;
    double product = 0;
    for (std::size_t k = 0; k < count; ++k) {
      square += (x[k] - means[i]) * (x[k] - means[i]);
      product += (x[k] - means[i]) * along[k];
    }
    result.mean_shifts[i] = square > 0 ? product / std::sqrt(square * n) : 0;
  }
  return result;
}

Findings stein_findings(const SteinChecks& checks, const density::LogDensity& density, std::size_t count) {
  Findings result;
  if (checks.variance_ratios.empty()) return result;
  const double mean = checks.mean_ratio();
  const std::size_t least = checks.least_ratio();
  const double lowest = checks.variance_ratios[least];
  const double error = std::sqrt(2 / static_cast<double>(count));
  const std::string evidence = fmt::format(
      "by Stein's identity the particles' variances are {:.2f} of the posterior's on average, {:.2f} for {}; {} "
      "particles, {} coordinates",
      mean, lowest, coordinate_name(density, least), count, checks.variance_ratios.size());
  if (mean < kLeastMeanRatio || lowest < std::min(kLeastRatio, 1 - kErrors * error))
    result.push_back({"variance-collapse", "The particles are too close together: their spread understates the posterior's.",
                      evidence,
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
