// lgamma and digamma differences without branches, for loops that the compiler vectorises (see
// vector_math.hpp).
//
// Arguments are shifted by eight, where Stirling's series is exact:
//   lgamma(x) = (z - 1/2) log z - z + log(2 pi)/2 + D(z) - log(x (x+1) ... (x+7)),  z = x + 8,
//   D(z) = 1/(12 z) - 1/(360 z^3) + ...
// and the large parts of lgamma(x + n) - lgamma(x) cancel by hand, with a = x + 8, b = a + n:
//   (a - 1/2) log1p(n/a) + n (log b - 1) + D(b) - D(a) - log(P(x + n) / P(x)),  P(x) = x (x+1) ... (x+7).
// Absolute error a few 1e-16 of the largest term kept; for 0 < x, n < 1e15.
#pragma once

#include "math/vector_math.hpp"

namespace kullback::math::fast {

namespace detail {

// x (x+1) ... (x+7) and the sum of the reciprocals of its factors: q = (x)(x+7), then (x+1)(x+6) = q + 6, ...
struct Shift {
  double product;
  double reciprocals;
};
KULLBACK_INLINE Shift shift(double x) {
  const double middle = 2.0 * x + 7.0;  // the sum of each pair of factors
  const double q = x * (x + 7.0);
  const double q1 = q + 6.0;
  const double q2 = q + 10.0;
  const double q3 = q + 12.0;
  const double outer = q * q1;
  const double inner = q2 * q3;
  const double product = outer * inner;
  return {product, middle * ((q + q1) * inner + (q2 + q3) * outer) / product};
}
KULLBACK_INLINE double shift_product(double x) {
  const double q = x * (x + 7.0);
  return (q * (q + 6.0)) * ((q + 10.0) * (q + 12.0));
}

// D(z) for z >= 8, and (1/2) / z + 1/(12 z^2) - ... = log z - digamma(z).
KULLBACK_INLINE double stirling_rest(double u) {
  const double v = u * u;
  return u *
         (1.0 / 12 +
          v * (-1.0 / 360 +
               v * (1.0 / 1260 +
                    v * (-1.0 / 1680 + v * (1.0 / 1188 + v * (-691.0 / 360360 +
                                                              v * (1.0 / 156 - v * (3617.0 / 122400))))))));
}
KULLBACK_INLINE double digamma_rest(double u) {
  const double v = u * u;
  return 0.5 * u +
         v * (1.0 / 12 +
              v * (-1.0 / 120 +
                   v * (1.0 / 252 +
                        v * (-1.0 / 240 + v * (1.0 / 132 + v * (-691.0 / 32760 +
                                                                v * (1.0 / 12 - v * (3617.0 / 8160))))))));
}

}  // namespace detail

// lgamma(x), x > 0.
KULLBACK_INLINE double log_gamma(double x) {
  constexpr double kHalfLogTwoPi = 0.918938533204672741780329736405617640;
  const double z = x + 8.0;
  return ((z - 0.5) * log(z) - z + kHalfLogTwoPi) +
         (detail::stirling_rest(1.0 / z) - log(detail::shift_product(x)));
}

// log n!, exactly zero for 0 and 1.
KULLBACK_INLINE double log_factorial(double n) { return n < 1.5 ? 0.0 : log_gamma(n + 1.0); }

// lgamma(x + n) - lgamma(x) for x > 0, n >= 0.
KULLBACK_INLINE double log_rising(double x, double n) {
  const double a = x + 8.0;
  const double b = a + n;
  const double large = (a - 0.5) * log1p(n / a) + n * (log(b) - 1.0);
  const double rest = detail::stirling_rest(1.0 / b) - detail::stirling_rest(1.0 / a);
  const double result = large + (rest - log(detail::shift_product(x + n) / detail::shift_product(x)));
  return n == 0.0 ? 0.0 : result;
}

// digamma(x + n) - digamma(x) for x > 0, n >= 0.
KULLBACK_INLINE double digamma_difference(double x, double n) {
  const double a = x + 8.0;
  const double b = a + n;
  const double rest = detail::digamma_rest(1.0 / a) - detail::digamma_rest(1.0 / b);
  return (log1p(n / a) + rest) + (detail::shift(x).reciprocals - detail::shift(x + n).reciprocals);
}

// log of n over k, 0 <= k <= n.
KULLBACK_INLINE double log_choose(double n, double k) {
  const double m = k < n - k ? k : n - k;
  return log_rising(n - m + 1.0, m) - log_factorial(m);
}

}  // namespace kullback::math::fast
