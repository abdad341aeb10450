#include "math/solvers/directional.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace kullback::math {

namespace {

// Weights of g(k h) for k = 0, 1, ..., 4; odd in k for the first derivative, even for the second.
using Weights = std::array<double, 5>;
constexpr Weights kFirst8{0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
constexpr Weights kFirst6{0, 3.0 / 4, -3.0 / 20, 1.0 / 60, 0};
constexpr Weights kSecond8{-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
constexpr Weights kSecond6{-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90, 0};

constexpr double kFirstStep = 0.05;
constexpr double kFactor = 4;
constexpr int kMaxSteps = 8;

struct Estimate {
  std::vector<double> value;
  double truncation = 0;
  double rounding = 0;
  double error() const {
    const double sum = truncation + rounding;
    return std::isnan(sum) ? std::numeric_limits<double>::infinity() : sum;
  }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where g ends (it refuses t, or is not finite there) the error is infinite: the step is too wide.
Estimate estimate(const AlongLine& g, std::size_t size, int order, double h) {
  const Weights& high = order == 1 ? kFirst8 : kSecond8;
  const Weights& low = order == 1 ? kFirst6 : kSecond6;
  const double sign = order == 1 ? -1 : 1;
  Estimate result;
  result.value.assign(size, 0.0);
  std::vector<double> lower(size, 0.0);
  std::vector<double> out(size);
  double largest = 0;
  for (int k = -4; k <= 4; ++k) {
    const auto at = static_cast<std::size_t>(std::abs(k));
    if (high[at] == 0) continue;
    try {
      g(k * h, out.data());
    } catch (const std::domain_error&) {
      result.rounding = kInfinity;
      return result;
    }
    const double s = k < 0 ? sign : 1.0;
    for (std::size_t i = 0; i < size; ++i) {
      result.value[i] += s * high[at] * out[i];
      lower[i] += s * low[at] * out[i];
      largest = std::isfinite(out[i]) ? std::fmax(largest, std::abs(out[i])) : kInfinity;
    }
  }
  const double scale = std::pow(h, -order);
  for (std::size_t i = 0; i < size; ++i) {
    result.truncation = std::fmax(result.truncation, scale * std::abs(result.value[i] - lower[i]));
    result.value[i] *= scale;
  }
  result.rounding = scale * largest * std::numeric_limits<double>::epsilon();
  return result;
}

}  // namespace

// |order 8 - order 6| is the error of order 6: once it is below rounding, a wider step can only help.
std::vector<double> derivative_along(const AlongLine& g, std::size_t size, int order) {
  double h = kFirstStep;
  Estimate best = estimate(g, size, order, h);
  const bool widen = best.truncation < best.rounding && best.error() < kInfinity;
  for (int i = 0; i < kMaxSteps; ++i) {
    if (!widen && best.error() < kInfinity && best.truncation <= best.rounding) break;
    h = widen ? h * kFactor : h / kFactor;
    Estimate next = estimate(g, size, order, h);
    const bool ends = best.error() == kInfinity;
    if (!ends && !(next.error() < best.error())) break;
    best = std::move(next);
  }
  if (best.error() == kInfinity)
    throw std::domain_error("derivatives: the gradient is not finite however near it is taken");
  return best.value;
}

}  // namespace kullback::math
