// P(|T| < t) is a finite sum in theta = atan(t / sqrt(n)) (Abramowitz and Stegun 26.7.3, 26.7.4); the
// quantile is found by bisection of it. From 400 degrees on the expansion about the normal quantile z
// (26.7.5) is better than 1e-10:
//   t = z + (z^3 + z) / (4 n) + (5 z^5 + 16 z^3 + 3 z) / (96 n^2) + (3 z^7 + 19 z^5 + 17 z^3 - 15 z) / (384
//   n^3).
#include "stats/t_quantile.hpp"

#include <cmath>
#include <numbers>

#include "stats/normal_scores.hpp"

namespace kullback::stats {

namespace {

constexpr std::size_t kManyDegrees = 400;

double central_probability(double t, std::size_t degrees) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(theta);
  const bool is_odd = degrees % 2 == 1;
  double term = is_odd ? cosine : 1;
  double sum = 0;
  for (std::size_t k = is_odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    const auto next = static_cast<double>(k);
    term *= cosine * cosine * (next - 1) / next;
  }
  return is_odd ? 2 / std::numbers::pi * (theta + std::sin(theta) * sum) : std::sin(theta) * sum;
}

double expansion(double z, double n) {
  const double z2 = z * z;
  return z * (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
              (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n));
}

}  // namespace

double t_quantile(double probability, std::size_t degrees) {
  if (probability < 0.5) return -t_quantile(1 - probability, degrees);
  if (degrees >= kManyDegrees) return expansion(normal_quantile(probability), static_cast<double>(degrees));
  const double central = 2 * probability - 1;
  double above = 1;
  while (central_probability(above, degrees) < central && std::isfinite(above)) above *= 2;
  double below = 0;
  while (above - below > 1e-13 * above) {
    const double middle = 0.5 * (below + above);
    (central_probability(middle, degrees) < central ? below : above) = middle;
    if (middle == below && middle == above) break;
  }
  return 0.5 * (below + above);
}

}  // namespace kullback::stats
