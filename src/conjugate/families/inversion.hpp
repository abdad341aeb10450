// Newton's method for the equations that lead from mean parameters back to natural ones.
#pragma once

#include <cstddef>

namespace kullback::conjugate {

double trigamma(double x);         // x > 0
double inverse_digamma(double y);  // the positive x with digamma(x) = y

// The a > 0 with sum_{j<d} log(a) - digamma(a - j/2) = gap, a > (d - 1)/2, for gap > 0: of a gamma (d = 1) or
// Wishart distribution (a = nu/2) with log E|x| - E log|x| = gap.
double shape_of_gap(double gap, std::size_t d = 1);
// alpha with digamma(alpha_i) - digamma(sum alpha) = mean_i; false where none has these means.
bool dirichlet_of_mean(const double* mean, std::size_t k, double* alpha);
// kappa with I_1(kappa) / I_0(kappa) = r, 0 <= r < 1.
double concentration_of_length(double r);

}  // namespace kullback::conjugate
