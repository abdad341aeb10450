// Are numbers in (0, 1) uniform? For probability integral transforms: how far up its posterior each true
// value lies, over many simulations.
#pragma once

#include <cstddef>
#include <span>

namespace kullback::stats {

// The largest difference D between the distribution functions of u and 1 - u: that of Kolmogorov and
// Smirnov's test of the two samples, as Yao, Vehtari, Simpson, Gelman (2018) take it. The p-value is exact: u
// and 1 - u are one sample, not two.
struct SymmetryTest {
  double statistic = 0;
  double p_value = 1;
};
SymmetryTest symmetry_test(std::span<const double> u);

// Kolmogorov's test; p-value by his limit with the correction of Stephens (1970), right within 1 % of itself
// from 8 numbers on.
double uniformity_p_value(std::span<const double> u);

// The mean of (2 u - 1)^2 less 1/3, in standard errors: positive where the u crowd at the ends (the posterior
// is too narrow), negative where they crowd in the middle (too wide).
double end_crowding(std::span<const double> u);

// Two-sided, of a standard normal number.
double normal_p_value(double z);

// P(max over k <= n of |S_k| >= m) of a symmetric random walk with steps -1 and 1.
double walk_reaches(std::size_t n, std::size_t m);

}  // namespace kullback::stats
