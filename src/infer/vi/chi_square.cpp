// W = 2 G, G the quantile of the gamma distribution of shape a = degrees / 2. Implicit differentiation of
// P(a, G) = Phi(z) gives dG/da = -(dP/da) / p(G) with the density p, and dW/d degrees = dG/da
// (Figurnov, Mohamed and Mnih 2018). Prefactors cancel in the quotient, so that nothing overflows in the
// tails:
//   x < a + 1   P = x^a e^-x / Gamma(a + 1) S,  S = sum_n x^n / ((a + 1) ... (a + n)),
//               dG/da = -(x / a) [(log x - psi(a + 1)) S + dS/da]
//   else        Q = x^a e^-x / Gamma(a) h,  h = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)),
//               dG/da = x [(log x - psi(a)) h + dh/da]
// (DLMF 8.7.1, 8.9.2); derivatives of the sum and of the continued fraction are carried along.
#include "infer/vi/chi_square.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace kullback::infer {

namespace {

namespace policies = boost::math::policies;
using Policy = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>, policies::underflow_error<policies::ignore_error>,
    policies::denorm_error<policies::ignore_error>, policies::evaluation_error<policies::ignore_error>,
    policies::promote_double<false>>;

constexpr int kMostTerms = 10000;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// A number with its derivative to a.
struct Dual {
  double value = 0;
  double slope = 0;
};

Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
Dual operator*(Dual x, Dual y) { return {x.value * y.value, x.slope * y.value + x.value * y.slope}; }
Dual inverse(Dual x) { return {1 / x.value, -x.slope / (x.value * x.value)}; }

double slope_by_series(double a, double x) {
  Dual term{1, 0};
  Dual sum = term;
  for (int n = 1; n < kMostTerms; ++n) {
    const double factor = x / (a + n);
    term = {term.value * factor, (term.slope - term.value / (a + n)) * factor};
    sum = sum + term;
    if (std::abs(term.slope) <= kEpsilon * std::abs(sum.slope) && term.value <= kEpsilon * sum.value) break;
  }
  const double log_ratio = std::log(x) - boost::math::digamma(a + 1, Policy());
  return -x / a * (log_ratio * sum.value + sum.slope);
}

// The modified algorithm of Lentz.
double slope_by_fraction(double a, double x) {
  Dual b{x + 1 - a, -1};
  Dual d = inverse(b);
  Dual c{1 / std::numeric_limits<double>::min(), 0};
  Dual h = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const Dual numerator{-n * (n - a), static_cast<double>(n)};
    b.value += 2;
    d = inverse(numerator * d + b);
    c = b + numerator * inverse(c);
    const Dual change = c * d;
    h = h * change;
    if (std::abs(change.value - 1) <= 4 * kEpsilon && std::abs(change.slope) <= 4 * kEpsilon) break;
  }
  return x * ((std::log(x) - boost::math::digamma(a, Policy())) * h.value + h.slope);
}

}  // namespace

ChiSquareDraw chi_square_of_normal(double degrees, double z) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!(degrees > 0) || !std::isfinite(degrees) || std::isnan(z)) return {nan, nan};
  const double a = degrees / 2;
  const double tail = 0.5 * std::erfc(std::abs(z) / std::numbers::sqrt2);
  const double x =
      z < 0 ? boost::math::gamma_p_inv(a, tail, Policy()) : boost::math::gamma_q_inv(a, tail, Policy());
  if (!(x > 0) || !std::isfinite(x)) return {2 * x, nan};
  return {2 * x, x < a + 1 ? slope_by_series(a, x) : slope_by_fraction(a, x)};
}

}  // namespace kullback::infer
