// Relatives of the gamma function.
//
// Stirling: lgamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + D(x), D(x) = 1/(12 x) - 1/(360 x^3) + ...; for x
// >= 10 eight terms of D are exact to double precision. With x <= y and y >= 10 the large parts of log B(x,
// y) = lgamma(x) + lgamma(y) - lgamma(x + y) cancel by hand:
//   x < 10:   lgamma(x) + D(y) - D(x + y) + (y - 1/2) log1p(-x / (x + y)) + x (1 - log(x + y))
//   x >= 10:  D(x) + D(y) - D(x + y) + (x - 1/2) log(x / (x + y)) + y log1p(-x / (x + y)) + (log(2 pi) - log
//   y)/2
// log of n over k = -log(1 + n) - log B(n - k + 1, k + 1), and lgamma(x + n) - lgamma(x) = lgamma(n) - log
// B(x, n).
#include "math/gamma_functions.hpp"

#include <math.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace kullback::math {
namespace {

constexpr double kStirlingFrom = 10;
constexpr double kHalfLogTwoPi = 0.918938533204672741780329736405617640;
constexpr double kLogPi = 1.144729885849400174143427351353058712;

double stirling_rest(double x) {
  const double u = 1 / x;
  const double v = u * u;
  return u * (1.0 / 12 +
              v * (-1.0 / 360 +
                   v * (1.0 / 1260 +
                        v * (-1.0 / 1680 + v * (1.0 / 1188 + v * (-691.0 / 360360 +
                                                                  v * (1.0 / 156 - v * 3617.0 / 122400)))))));
}

}  // namespace

double log_gamma(double x) {
#if defined(__GLIBC__)
  int sign = 0;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

double log_factorial(double n) {
  constexpr std::size_t kSize = 256;
  static const std::array<double, kSize> table = [] {
    std::array<double, kSize> logs{};
    for (std::size_t k = 2; k < kSize; ++k) logs[k] = log_gamma(static_cast<double>(k) + 1);
    return logs;
  }();
  return n < kSize ? table[static_cast<std::size_t>(n)] : log_gamma(n + 1);
}

double digamma_positive(double x) {
  double shift = 0;
  while (x < kStirlingFrom) {
    shift += 1 / x;
    x += 1;
  }
  const double u = 1 / x;
  const double v = u * u;
  const double series =
      v *
      (1.0 / 12 -
       v * (1.0 / 120 -
            v * (1.0 / 252 - v * (1.0 / 240 - v * (1.0 / 132 - v * (691.0 / 32760 -
                                                                    v * (1.0 / 12 - v * 3617.0 / 8160)))))));
  return std::log(x) - 0.5 * u - series - shift;
}

double log_beta(double a, double b) {
  const double x = std::min(a, b);
  const double y = std::max(a, b);
  if (!(x > 0)) return x == 0 ? HUGE_VAL : std::nan("");
  if (y < kStirlingFrom) return log_gamma(x) + log_gamma(y) - log_gamma(x + y);
  if (std::isinf(y)) return -HUGE_VAL;
  const double rest = stirling_rest(y) - stirling_rest(x + y);
  const double part = x / (x + y);
  if (x < kStirlingFrom) {
    return log_gamma(x) + rest + (y - 0.5) * std::log1p(-part) + x * (1 - std::log(x + y));
  }
  return stirling_rest(x) + rest + (x - 0.5) * std::log(part) + y * std::log1p(-part) + kHalfLogTwoPi -
         0.5 * std::log(y);
}

double log_choose(double n, double k) {
  if (k == 0 || k == n) return 0;
  return -std::log1p(n) - log_beta(n - k + 1, k + 1);
}

double log_rising(double x, double n) {
  if (n == 0) return 0;
  if (n < 8 && n == std::floor(n)) {
    double product = x;
    for (double i = 1; i < n; ++i) product *= x + i;
    if (std::isfinite(product) && product > 1e-290) return std::log(product);
  }
  return log_gamma(n) - log_beta(x, n);
}

double digamma_difference(double x, double n) {
  if (n == 0) return 0;
  if (n < 24 && n == std::floor(n)) {  // exact sum, no cancellation for large x
    double sum = 0;
    for (double i = n - 1; i >= 0; --i) sum += 1 / (x + i);
    return sum;
  }
  if (x < kStirlingFrom) return digamma_positive(x + n) - digamma_positive(x);
  // log((x + n) / x) and the series' difference, each small where n << x.
  const auto series = [](double z) {
    const double u = 1 / z;
    const double v = u * u;
    return 0.5 * u +
           v * (1.0 / 12 -
                v * (1.0 / 120 - v * (1.0 / 252 - v * (1.0 / 240 - v * (1.0 / 132 - v * 691.0 / 32760)))));
  };
  return std::log1p(n / x) + series(x) - series(x + n);
}

double log_multivariate_gamma(int k, double x) {
  double sum = 0.25 * k * (k - 1) * kLogPi;
  for (int j = 0; j < k; ++j) sum += log_gamma(x - 0.5 * j);
  return sum;
}

double multivariate_digamma(int k, double x) {
  double sum = 0;
  for (int j = 0; j < k; ++j) sum += digamma_positive(x - 0.5 * j);
  return sum;
}

}  // namespace kullback::math
