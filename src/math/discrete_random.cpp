// Poisson and binomial by transformed rejection with squeeze (PTRS, BTRS: Hormann 1993) where their mean is
// at least 10, by counting up the distribution function below; hypergeometric by inversion from its mode.
#include "math/discrete_random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

constexpr double kRejectionFrom = 10;
constexpr double kLargestCount = 0x1p53;

}  // namespace

double draw_poisson(Random& random, double rate) {
  if (!(rate >= 0) || rate >= kLargestCount) return std::numeric_limits<double>::quiet_NaN();
  if (rate < kRejectionFrom) {
    double mass = std::exp(-rate);
    double u = random.uniform();
    double k = 0;
    while (u > mass) {
      u -= mass;
      k += 1;
      mass *= rate / k;
      if (mass < 1e-300) break;
    }
    return k;
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_rate - rate - log_gamma(k + 1)) return k;
  }
}

double draw_binomial(Random& random, double trials, double probability) {
  if (probability > 0.5) return trials - draw_binomial(random, trials, 1 - probability);
  const double n = trials;
  const double p = probability;
  if (n == 0 || p == 0) return 0;
  const double odds = p / (1 - p);
  if (n * p < kRejectionFrom) {
    for (;;) {
      double mass = std::exp(n * std::log1p(-p));
      double u = random.uniform();
      double k = 0;
      while (u > mass && k < n) {
        u -= mass;
        k += 1;
        mass *= odds * (n - k + 1) / k;
        if (mass < 1e-300) break;
      }
      if (u <= mass) return k;
    }
  }
  const double spread = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * spread;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5;
  const double alpha = (2.83 + 5.1 / b) * spread;
  const double v_r = 0.92 - 4.2 / b;
  const double mode = std::floor((n + 1) * p);
  const double at_mode = log_choose(n, mode);
  const double log_odds = std::log(odds);
  for (;;) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (k < 0 || k > n) continue;
    if (us >= 0.07 && v <= v_r) return k;
    const double target = log_choose(n, k) - at_mode + (k - mode) * log_odds;
    if (std::log(v * alpha / (a / (us * us) + b)) <= target) return k;
  }
}

double draw_hypergeometric(Random& random, double draws, double marked, double unmarked) {
  const double low = std::max(0.0, draws - unmarked);
  const double high = std::min(draws, marked);
  const double mode = std::clamp(std::floor((draws + 1) * (marked + 1) / (marked + unmarked + 2)), low, high);
  const double at_mode = std::exp(log_choose(marked, mode) + log_choose(unmarked, draws - mode) -
                                  log_choose(marked + unmarked, draws));
  for (;;) {  // the mass is summed outwards from the mode; rounding may leave a sliver, then try again
    double u = random.uniform() - at_mode;
    if (u <= 0) return mode;
    double up = mode;
    double down = mode;
    double mass_up = at_mode;
    double mass_down = at_mode;
    while (up < high || down > low) {
      if (up < high) {
        mass_up *= (marked - up) * (draws - up) / ((up + 1) * (unmarked - draws + up + 1));
        up += 1;
        u -= mass_up;
        if (u <= 0) return up;
      }
      if (down > low) {
        mass_down *= down * (unmarked - draws + down) / ((marked - down + 1) * (draws - down + 1));
        down -= 1;
        u -= mass_down;
        if (u <= 0) return down;
      }
    }
  }
}

double draw_beta(Random& random, double a, double b) {
  if (a >= 1 || b >= 1) {
    const double x = random.gamma(a);
    const double y = random.gamma(b);
    return x / (x + y);
  }
  // Small shapes: both gammas may underflow; in logarithms, gamma(a) = gamma(a + 1) u^(1/a).
  const double x = std::log(random.gamma(a + 1)) + std::log(random.uniform()) / a;
  const double y = std::log(random.gamma(b + 1)) + std::log(random.uniform()) / b;
  return 1 / (1 + std::exp(y - x));
}

}  // namespace kullback::math
