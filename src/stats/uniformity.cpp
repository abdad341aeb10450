// Symmetry: with s_i the sign of u_i - 1/2, in the order of falling |u_i - 1/2|, the difference of the
// distribution functions of u and 1 - u at distance |u_i - 1/2| from the middle is the partial sum of the
// signs over n. Under symmetry the signs are fair coins, whatever the distances: D = max |S_k| / n of a
// random walk (Butler 1969). Taking u and 1 - u for independent samples gives another law: sqrt(n) D then
// tends to sqrt(2) times the largest of a Brownian bridge instead of the largest of a Brownian motion.
//
// The walk is stopped when it reaches m or -m; the probability of being at each place is carried along.
//
// Uniformity: Q(x) = 2 sum over k of (-1)^(k-1) exp(-2 k^2 x^2) at x = D (sqrt(n) + 0.12 + 0.11 / sqrt(n)).
//
// Crowding: (2 u - 1)^2 has mean 1/3 and variance 1/5 - 1/9 = 4/45 for uniform u.
#include "stats/uniformity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace kullback::stats {

double walk_reaches(std::size_t n, std::size_t m) {
  if (m == 0) return 1;
  if (m > n) return 0;
  std::vector<double> at(2 * m + 1, 0.0);  // places -m..m; the ends keep what comes to them
  at[m] = 1;
  std::vector<double> next(at.size());
  for (std::size_t step = 0; step < n; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    next.front() = at.front();
    next.back() = at.back();
    for (std::size_t i = 1; i + 1 < at.size(); ++i) {
      next[i - 1] += 0.5 * at[i];
      next[i + 1] += 0.5 * at[i];
    }
    std::swap(at, next);
  }
  return std::min(at.front() + at.back(), 1.0);
}

SymmetryTest symmetry_test(std::span<const double> u) {
  std::vector<double> deviations;
  for (const double value : u) deviations.push_back(value - 0.5);
  std::sort(deviations.begin(), deviations.end(),
            [](double a, double b) { return std::abs(a) > std::abs(b); });
  long sum = 0;
  long largest = 0;
  for (std::size_t i = 0; i < deviations.size(); ++i) {
    sum += deviations[i] > 0 ? 1 : (deviations[i] < 0 ? -1 : 0);
    const bool is_tie = i + 1 < deviations.size() && std::abs(deviations[i + 1]) == std::abs(deviations[i]);
    if (!is_tie) largest = std::max(largest, std::abs(sum));
  }
  if (u.empty()) return {};
  return {static_cast<double>(largest) / static_cast<double>(u.size()),
          walk_reaches(u.size(), static_cast<std::size_t>(largest))};
}

double uniformity_p_value(std::span<const double> u) {
  if (u.empty()) return 1;
  std::vector<double> ordered(u.begin(), u.end());
  std::sort(ordered.begin(), ordered.end());
  const auto n = static_cast<double>(ordered.size());
  double largest = 0;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const auto below = static_cast<double>(i);
    largest = std::max({largest, ordered[i] - below / n, (below + 1) / n - ordered[i]});
  }
  const double x = largest * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
  if (x < 0.3) return 1;  // within 1e-5, where the series is slow
  double sum = 0;
  for (int k = 1; k <= 20; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(sum, 0.0, 1.0);
}

double end_crowding(std::span<const double> u) {
  double sum = 0;
  for (const double value : u) sum += (2 * value - 1) * (2 * value - 1) - 1.0 / 3;
  return sum / std::sqrt(static_cast<double>(u.size()) * 4 / 45);
}

double normal_p_value(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

}  // namespace kullback::stats
