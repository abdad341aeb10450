// Normal. For z > -5, log of erfc as it comes (near 0 on the right: log1p of the other tail). Below, Mills's
// ratio by Laplace's continued fraction, R(x) = 1/(x + 1/(x + 2/(x + 3/(x + ...)))), so that
//   log Phi(-x) = -x^2/2 - log(2 pi)/2 + log R(x),   phi/Phi = 1/R.
//
// Incomplete gamma, f = x^(a-1) e^-x / Gamma(a) (Abramowitz and Stegun 6.5.29, 6.5.31):
//   P = f (x/a) S,  S = sum_n x^n / ((a+1)...(a+n))                     for x < a + 1
//   Q = f x C,      C = 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...)))  otherwise
// so that f/P = a/(x S) and f/Q = 1/(x C): derivatives in x need no exponential. Derivatives in a:
//   d log P/da = log x - digamma(a+1) + S'/S,  d log Q/da = log x - digamma(a) + C'/C,
// S' and C' by carrying derivatives through the recurrences. The other tail follows from
// d log Q = -(P/Q) d log P. Values come from Boost while they can be represented, and from S or C beyond.
//
// Incomplete beta: the continued fraction K of Abramowitz and Stegun 26.5.8,
//   I_x(a,b) = x^a (1-x)^b K / (a B(a,b))                               for x < (a+1)/(a+b+2)
// and 1 - I_{1-x}(b,a) otherwise; derivatives likewise.
#include "math/distributions/tails.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

namespace policies = boost::math::policies;
using Quiet = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>, policies::underflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>, policies::rounding_error<policies::ignore_error>>;

constexpr double kSqrtTwoPi = 2.50662827463100050242;
constexpr double kInvSqrtTwo = 0.70710678118654752440;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-290;  // below, logarithms are computed directly
constexpr int kMaxTerms = 100000;

// Laplace's continued fraction from its second level: 1/(x + 2/(x + 3/(x + ...))), x >= 2.
double laplace_fraction(double x) {
  const int terms = x > 20 ? 12 : x > 8 ? 24 : x > 5 ? 40 : x > 3 ? 90 : 130;
  double t = x;
  for (int k = terms; k >= 2; --k) t = x + k / t;
  return 1.0 / t;
}

// x and its derivatives in up to two parameters.
struct Dual {
  double v = 0;
  double a = 0;
  double b = 0;
};
Dual operator*(const Dual& x, const Dual& y) {
  return {x.v * y.v, x.a * y.v + x.v * y.a, x.b * y.v + x.v * y.b};
}
Dual operator+(const Dual& x, const Dual& y) { return {x.v + y.v, x.a + y.a, x.b + y.b}; }
Dual operator/(const Dual& x, const Dual& y) {
  const double inverse = 1.0 / y.v;
  const double v = x.v * inverse;
  return {v, (x.a - v * y.a) * inverse, (x.b - v * y.b) * inverse};
}
Dual away_from_zero(const Dual& x) { return std::abs(x.v) < 1e-300 ? Dual{1e-300, x.a, x.b} : x; }

// The modified method of Lentz for f = b0 + a1/(b1 + a2/(b2 + ...)).
class Lentz final {
 public:
  explicit Lentz(const Dual& b0) : f_(away_from_zero(b0)), c_(f_), d_{0, 0, 0} {}
  // True when the fraction and its derivatives have converged.
  bool step(const Dual& a, const Dual& b) {
    d_ = Dual{1, 0, 0} / away_from_zero(b + a * d_);
    c_ = away_from_zero(b + a / c_);
    const Dual delta = c_ * d_;
    f_ = f_ * delta;
    return std::abs(delta.v - 1) < kEpsilon && std::abs(delta.a) < kEpsilon && std::abs(delta.b) < kEpsilon;
  }
  const Dual& value() const { return f_; }

 private:
  Dual f_, c_, d_;
};

// C of the header and its derivative in a.
Dual gamma_fraction(double a, double x) {
  Lentz fraction(Dual{x + 1 - a, -1, 0});
  for (int n = 1; n < kMaxTerms; ++n)
    if (fraction.step(Dual{n * (a - n), static_cast<double>(n), 0}, Dual{x + 2 * n + 1 - a, -1, 0})) break;
  return Dual{1, 0, 0} / fraction.value();
}

// S and its derivative in a: the n-th term's is -term * sum_k 1/(a+k).
Dual gamma_series(double a, double x) {
  double term = 1, harmonic = 0;
  Dual sum{1, 0, 0};
  for (int n = 1; n < kMaxTerms; ++n) {
    term *= x / (a + n);
    harmonic += 1 / (a + n);
    sum.v += term;
    sum.a -= term * harmonic;
    if (term * (1 + harmonic) < kEpsilon * 0.1 && x < a + n) break;
  }
  return sum;
}

// log x^a e^-x / Gamma(a + 1), where it is far below zero.
double log_gamma_prefix(double a, double x) { return a * std::log(x) - x - log_gamma(a + 1); }

// The one of P, Q whose expansion converges; `is_lower`: P.
struct GammaPair {
  bool is_lower;
  double lower, upper;  // P, Q
  GammaTail tail;
};
GammaPair gamma_pair(double a, double x, bool with_d_a) {
  GammaPair result;
  result.lower = boost::math::gamma_p(a, x, Quiet());
  result.upper = boost::math::gamma_q(a, x, Quiet());
  result.is_lower = x < a + 1;
  GammaTail& tail = result.tail;
  if (result.is_lower) {
    const Dual s = gamma_series(a, x);
    tail.d_x = a / (x * s.v);
    if (with_d_a) tail.d_a = std::log(x) - digamma_positive(a + 1) + s.a / s.v;
    tail.log = result.lower > kTiny ? std::log(result.lower) : log_gamma_prefix(a, x) + std::log(s.v);
  } else {
    const Dual c = gamma_fraction(a, x);
    tail.d_x = -1 / (x * c.v);
    if (with_d_a) tail.d_a = std::log(x) - digamma_positive(a) + c.a / c.v;
    tail.log = result.upper > kTiny ? std::log(result.upper) : log_gamma_prefix(a, x) + std::log(a * c.v);
  }
  return result;
}

// -(p/q) d, the derivative of log q from that of log p = log_p; p may underflow where p d does not.
double complement_slope(double log_p, double q, double d) {
  const double root = std::exp(0.5 * log_p);
  return -(d * root) * root / q;
}

GammaTail other_tail(const GammaTail& tail, double p, double q) {
  return {p < 0.5 ? std::log1p(-p) : std::log(q), complement_slope(tail.log, q, tail.d_a),
          complement_slope(tail.log, q, tail.d_x)};
}

// K and its derivatives in a and b.
Dual beta_fraction(double a, double b, double x) {
  const auto odd = [&](int m) {
    const Dual top = Dual{a + m, 1, 0} * Dual{a + b + m, 1, 1} * Dual{-x, 0, 0};
    return top / (Dual{a + 2 * m, 1, 0} * Dual{a + 2 * m + 1, 1, 0});
  };
  const auto even = [&](int m) {
    const Dual top = Dual{b - m, 0, 1} * Dual{m * x, 0, 0};
    return top / (Dual{a + 2 * m - 1, 1, 0} * Dual{a + 2 * m, 1, 0});
  };
  const Dual one{1, 0, 0};
  Lentz fraction(one);
  fraction.step(odd(0), one);
  for (int m = 1; m < kMaxTerms; ++m) {
    const bool is_even_done = fraction.step(even(m), one);
    if (fraction.step(odd(m), one) && is_even_done) break;
  }
  return one / fraction.value();
}

// log I_x(a,b) where the fraction converges.
BetaTail direct_beta(double a, double b, double x, double y, double value, bool with_d_ab) {
  const Dual k = beta_fraction(a, b, x);
  BetaTail tail;
  tail.d_x = a / (x * y * k.v);
  if (with_d_ab) {
    const double digamma_sum = digamma_positive(a + b);
    const double log_y = y < 0.5 ? std::log(y) : std::log1p(-x);
    tail.d_a = std::log(x) - digamma_positive(a + 1) + digamma_sum + k.a / k.v;
    tail.d_b = log_y - digamma_positive(b) + digamma_sum + k.b / k.v;
  }
  tail.log = value > kTiny ? std::log(value)
                           : a * std::log(x) + b * std::log1p(-x) - log_beta(a, b) + std::log(k.v / a);
  return tail;
}

}  // namespace

LogTail log_normal_cdf(double z) {
  if (z >= -5) {
    const double tail = 0.5 * std::erfc(std::abs(z) * kInvSqrtTwo);
    const double p = z < 0 ? tail : 1 - tail;
    return {z < 0 ? std::log(tail) : std::log1p(-tail), std::exp(-0.5 * z * z) / (kSqrtTwoPi * p)};
  }
  if (z == -kInfinity) return {-kInfinity, kInfinity};
  const double inverse = -z + laplace_fraction(-z);  // 1/R
  return {-0.5 * z * z - kHalfLogTwoPi - std::log(inverse), inverse};
}

double mills_ratio(double x) {
  if (x > 2) return 1 / (x + laplace_fraction(x));
  return kSqrtTwoPi * 0.5 * std::erfc(x * kInvSqrtTwo) * std::exp(0.5 * x * x);
}

double mills_excess(double x) { return x > 2 ? laplace_fraction(x) : 1 / mills_ratio(x) - x; }

double mills_slope(double x) {
  if (x <= 2) return 1 - x * mills_ratio(x);
  const double next = laplace_fraction(x);
  return next / (x + next);
}

GammaTail log_gamma_p(double a, double x, bool with_d_a) {
  if (x == 0) return {-kInfinity, 0, kInfinity};
  if (x == kInfinity) return {0, 0, 0};
  const GammaPair pair = gamma_pair(a, x, with_d_a);
  return pair.is_lower ? pair.tail : other_tail(pair.tail, pair.upper, pair.lower);
}

GammaTail log_gamma_q(double a, double x, bool with_d_a) {
  if (x == 0) return {0, 0, 0};
  if (x == kInfinity) return {-kInfinity, 0, -kInfinity};
  const GammaPair pair = gamma_pair(a, x, with_d_a);
  return pair.is_lower ? other_tail(pair.tail, pair.lower, pair.upper) : pair.tail;
}

BetaTail log_beta_i(double a, double b, double x, double y, bool with_d_ab) {
  if (x <= 0) return {-kInfinity, 0, 0, kInfinity};
  if (y <= 0) return {0, 0, 0, 0};
  // Boost takes the smaller of x and y as it is.
  const bool is_x_small = x <= y;
  const double lower =
      is_x_small ? boost::math::ibeta(a, b, x, Quiet()) : boost::math::ibetac(b, a, y, Quiet());
  if (x <= (a + 1) / (a + b + 2)) return direct_beta(a, b, x, y, lower, with_d_ab);
  const double upper =
      is_x_small ? boost::math::ibetac(a, b, x, Quiet()) : boost::math::ibeta(b, a, y, Quiet());
  const BetaTail other = direct_beta(b, a, y, x, upper, with_d_ab);
  return {upper < 0.5 ? std::log1p(-upper) : std::log(lower), complement_slope(other.log, lower, other.d_b),
          complement_slope(other.log, lower, other.d_a), -complement_slope(other.log, lower, other.d_x)};
}

LogTail log1m_exp_exp(double t) {
  if (t < -40) return {t, 1};
  const double w = std::exp(t);
  return w > 700 ? LogTail{-std::exp(-w), 0} : LogTail{log1m_exp(-w), w / std::expm1(w)};
}

double log_sum_exp(double x, double y) {
  if (x < y) return log_sum_exp(y, x);
  if (y == -kInfinity || x == kInfinity) return x;
  return x + std::log1p(std::exp(y - x));
}

double log1m_exp(double x) { return x > -kLogTwo ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }

double log_diff_exp(double x, double y) { return y == -kInfinity ? x : x + log1m_exp(y - x); }

}  // namespace kullback::math
