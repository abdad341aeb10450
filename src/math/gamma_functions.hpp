// The gamma function's relatives that discrete and multivariate densities need, for positive arguments,
// accurate where differences of lgamma are not.
#pragma once

namespace kullback::math {

double log_gamma(double x);  // x > 0; re-entrant, unlike std::lgamma
double digamma_positive(double x);
// log B(a, b), a, b > 0: no cancellation where one or both are large.
double log_beta(double a, double b);
double log_factorial(double n);  // n a whole number; from a table where it is small
// log of n over k, 0 <= k <= n, n real.
double log_choose(double n, double k);
// lgamma(x + n) - lgamma(x) for n >= 0, and its derivative by x.
double log_rising(double x, double n);
double digamma_difference(double x, double n);
// log of the multivariate gamma function of dimension k and its derivative.
double log_multivariate_gamma(int k, double x);
double multivariate_digamma(int k, double x);

}  // namespace kullback::math
