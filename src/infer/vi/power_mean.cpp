// With m the x of the largest exp(c x): log_mean = m + log1p(mean(expm1(c (x - m)))) / c, which loses no
// digits as c -> 0, and no exponential overflows.
#include "infer/vi/power_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kullback::infer {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double plain_mean(std::span<const double> x, std::span<double> shares) {
  const auto count = static_cast<double>(x.size());
  std::fill(shares.begin(), shares.end(), 1 / count);
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / count;
}

// A weight that is infinite, or all that are 0: they share among them.
double infinite_mean(std::span<const double> x, double extreme, std::span<double> shares) {
  const auto count = static_cast<double>(std::count(x.begin(), x.end(), extreme));
  for (std::size_t k = 0; k < shares.size(); ++k) shares[k] = x[k] == extreme ? 1 / count : 0;
  return extreme;
}

}  // namespace

double log_power_mean(std::span<const double> x, double power, std::span<double> shares) {
  if (power == 0 || x.size() == 1) return plain_mean(x, shares);
  const double extreme =
      power > 0 ? *std::max_element(x.begin(), x.end()) : *std::min_element(x.begin(), x.end());
  if (std::abs(extreme) == kInfinity) return infinite_mean(x, extreme, shares);
  const auto count = static_cast<double>(x.size());
  double excess = 0;
  for (const double value : x) excess += std::expm1(power * (value - extreme));
  const double sum = count + excess;
  for (std::size_t k = 0; k < shares.size(); ++k) shares[k] = std::exp(power * (x[k] - extreme)) / sum;
  return extreme + std::log1p(excess / count) / power;
}

}  // namespace kullback::infer
