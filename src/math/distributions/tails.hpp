// Logarithms of tail probabilities with their derivatives: normal, incomplete gamma, incomplete beta.
// Relative accuracy holds in the far tails, where the probability itself underflows.
#pragma once

namespace kullback::math {

inline constexpr double kHalfLogTwoPi = 0.91893853320467274178;
inline constexpr double kLogTwo = 0.69314718055994530942;
inline constexpr double kLogPi = 1.14472988584940017414;
inline constexpr double kPi = 3.14159265358979323846;

// The logarithm of a probability as a function of one variable, and its derivative.
struct LogTail {
  double log = 0;
  double slope = 0;
};

// log Phi(z) and its derivative phi(z) / Phi(z). log of 1 - Phi(z) is log_normal_cdf(-z).
LogTail log_normal_cdf(double z);

// Mills's ratio R(x) = (1 - Phi(x)) / phi(x), for x > -37; 1/R(x) - x; and -R'(x) = 1 - x R(x): all three
// without cancellation for large x.
double mills_ratio(double x);
double mills_excess(double x);
double mills_slope(double x);

// log P(a, x) or log Q(a, x), the regularised incomplete gamma functions, a > 0, x >= 0.
struct GammaTail {
  double log = 0;
  double d_a = 0;  // where wanted
  double d_x = 0;
};
GammaTail log_gamma_p(double a, double x, bool with_d_a);
GammaTail log_gamma_q(double a, double x, bool with_d_a);

// log I_x(a, b), the regularised incomplete beta function, a, b > 0; y = 1 - x is given too, for x near 1.
// The complement is log_beta_i(b, a, y, x).
struct BetaTail {
  double log = 0;
  double d_a = 0;  // d_a, d_b: where wanted
  double d_b = 0;
  double d_x = 0;
};
BetaTail log_beta_i(double a, double b, double x, double y, bool with_d_ab);

// log(1 - exp(-e^t)), as a function of t.
LogTail log1m_exp_exp(double t);

// log(e^x + e^y), log(1 - e^x) for x <= 0, log(e^x - e^y) for x >= y.
double log_sum_exp(double x, double y);
double log1m_exp(double x);
double log_diff_exp(double x, double y);

}  // namespace kullback::math
