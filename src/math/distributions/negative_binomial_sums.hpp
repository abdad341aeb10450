// cdf and ccdf of the negative binomial with shape a and success probability p, and their slopes in a and p:
//   p(k) = Gamma(k + a) / (k! Gamma(a)) p^a (1 - p)^k,  cdf(n) = I_p(a, n + 1),  d cdf / dp = (n + a) / p
//   p(n), d log p(k) / da = digamma(k + a) - digamma(a) + log p.
// Private to math/distributions/*.cpp.
#pragma once

#include "math/distributions/discrete_sums.hpp"
#include "math/fast_gamma.hpp"

namespace kullback::math {

// Slopes: [0] by a at fixed p, [1] by p at fixed a. `q` is 1 - p, given apart for its accuracy.
inline Sides negative_binomial_sides(double n, double a, double p, double q) {
  if (n < 0) return Sides::all_above();
  if (q == 0) return Sides::all_below();
  if (p == 0) return Sides::from_lower(kNegativeInfinity, {});
  const double log_p = p < 0.5 ? std::log(p) : std::log1p(-q);
  const double log_q = q < 0.5 ? std::log(q) : std::log1p(-p);
  const double log_mass = fast::log_rising(a, n) - fast::log_factorial(n) + a * log_p + n * log_q;
  const double slope_p = (n + a) / p;
  const double slope_a = fast::digamma_difference(a, n) + log_p;
  double k = n;
  if (n * p < a * q) {  // below the mean
    const MassSum sum = sum_masses({slope_a}, [&](double& ratio, auto& slopes) {
      if (k == 0) return;
      ratio = k / ((k - 1 + a) * q);
      slopes[0] -= 1 / (k - 1 + a);
      --k;
    });
    return Sides::from_lower(log_mass + sum.log_sum, {sum.mean[0], slope_p * std::exp(-sum.log_sum)});
  }
  const double first = std::log((n + a) / (n + 1)) + log_q;
  k = n + 1;
  const MassSum sum = sum_masses({slope_a + 1 / (n + a)}, [&](double& ratio, auto& slopes) {
    ratio = (k + a) / (k + 1) * q;
    slopes[0] += 1 / (k + a);
    ++k;
  });
  return Sides::from_upper(log_mass + first + sum.log_sum,
                           {sum.mean[0], -slope_p * std::exp(-first - sum.log_sum)});
}

}  // namespace kullback::math
