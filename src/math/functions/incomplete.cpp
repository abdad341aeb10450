// Regularised incomplete gamma and beta functions, and the inverse of the latter.
//
// Values and derivatives in the last argument are Boost's. The derivatives in the parameters come from
// expansions whose terms are differentiated along, on the side where nothing cancels:
//   z < a + 1:  P(a, z) = z^a e^-z / Gamma(a + 1) S,  S = sum_n z^n / ((a+1) ... (a+n))
//     dP/da = P (log z - digamma(a + 1)) + z^a e^-z / Gamma(a + 1) dS/da,  d(term n) = -term n sum_k 1/(a +
//     k)
//   z >= a + 1:  Q(a, z) = z^a e^-z / Gamma(a) C,  C = 1/(z+1-a - 1 (1-a)/(z+3-a - 2 (2-a)/(z+5-a - ...)))
//     dQ/da = Q (log z - digamma(a) + d log C / da), both summands positive
//   x <= (a + 1)/(a + b + 2):  I_x(a, b) = x^a (1-x)^b / (a B(a, b)) C, C the continued fraction of
//   DLMF 8.17.22
//     dI/da = I (log x - digamma(a + 1) + digamma(a + b) + d log C / da)
//     dI/db = I (log(1-x) - digamma(b) + digamma(a + b) + d log C / db)
//   otherwise by I_x(a, b) = 1 - I_{1-x}(b, a).
// Continued fractions by the modified Lentz method, carried in dual numbers.
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/functions/boost_policy.hpp"
#include "math/gamma_functions.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

namespace {

constexpr double kTolerance = 1e-16;
constexpr int kMaxTerms = 100000;
constexpr double kTiny = 1e-290;

// A number and its derivatives in one or two parameters.
struct Dual {
  double value = 0.0;
  double da = 0.0;
  double db = 0.0;
};
Dual operator+(const Dual& x, const Dual& y) { return {x.value + y.value, x.da + y.da, x.db + y.db}; }
Dual operator*(const Dual& x, const Dual& y) {
  return {x.value * y.value, x.da * y.value + x.value * y.da, x.db * y.value + x.value * y.db};
}
Dual operator/(const Dual& x, const Dual& y) {
  const double quotient = x.value / y.value;
  return {quotient, (x.da - quotient * y.da) / y.value, (x.db - quotient * y.db) / y.value};
}
Dual away_from_zero(Dual x) {
  if (std::fabs(x.value) < kTiny) x.value = kTiny;
  return x;
}

// b_0 + a_1/(b_1 + a_2/(b_2 + ...)): numerator(n) = a_n, denominator(n) = b_n. Stops when neither the value
// nor a derivative moves.
template <class Numerator, class Denominator>
Dual continued_fraction(Numerator numerator, Denominator denominator) {
  Dual f = away_from_zero(denominator(0));
  Dual c = f;
  Dual d{};
  for (int n = 1; n < kMaxTerms; ++n) {
    const Dual a = numerator(n);
    const Dual b = denominator(n);
    d = Dual{1.0, 0.0, 0.0} / away_from_zero(b + a * d);
    c = away_from_zero(b + a / c);
    const Dual factor = c * d;
    f = f * factor;
    if (std::fabs(factor.value - 1.0) <= 4.0 * kTolerance &&
        std::fabs(factor.da * f.value) <= kTolerance * std::fabs(f.da) &&
        std::fabs(factor.db * f.value) <= kTolerance * std::fabs(f.db)) {
      break;
    }
  }
  return f;
}

double digamma(double x) { return boost::math::digamma(x, kPolicy); }

bool are_gamma_arguments(double a, double z) { return a > 0.0 && z >= 0.0 && a < fast::kInfinity; }

double gamma_lower(double a, double z) {
  if (!are_gamma_arguments(a, z)) return fast::kNaN;
  return z == fast::kInfinity ? 1.0 : boost::math::gamma_p(a, z, kPolicy);
}
double gamma_upper(double a, double z) {
  if (!are_gamma_arguments(a, z)) return fast::kNaN;
  return z == fast::kInfinity ? 0.0 : boost::math::gamma_q(a, z, kPolicy);
}
double gamma_density(double a, double z) {
  return z == fast::kInfinity ? 0.0 : boost::math::gamma_p_derivative(a, z, kPolicy);
}

// dP/da = -dQ/da.
double gamma_lower_in_shape(double a, double z) {
  if (z == 0.0 || z == fast::kInfinity) return 0.0;
  if (z < a + 1.0) {
    double term = 1.0;
    double reciprocals = 0.0;
    double sum = 1.0;
    double slope = 0.0;
    for (int n = 1; n < kMaxTerms; ++n) {
      term *= z / (a + n);
      reciprocals += 1.0 / (a + n);
      sum += term;
      slope += term * reciprocals;
      if (term * reciprocals <= kTolerance * slope && term <= kTolerance * sum) break;
    }
    const double first = boost::math::gamma_p_derivative(a, z, kPolicy) * z / a;  // z^a e^-z / Gamma(a + 1)
    return first * (sum * (std::log(z) - digamma(a + 1.0)) - slope);
  }
  const Dual c = continued_fraction(
      [a](int n) {
        return n == 1 ? Dual{1.0, 0.0, 0.0} : Dual{-(n - 1) * (n - 1 - a), static_cast<double>(n - 1), 0.0};
      },
      [a, z](int n) {
        return n == 0 ? Dual{} : Dual{z + (2 * n - 1) - a, -1.0, 0.0};
      });
  return -boost::math::gamma_q(a, z, kPolicy) * (std::log(z) - digamma(a) + c.da / c.value);
}

struct Slopes {
  double da;
  double db;
};

// Derivatives of I_x(a, b) for x <= (a + 1)/(a + b + 2); y = 1 - x.
Slopes lower_beta_in_shapes(double a, double b, double x, double y) {
  // The fraction 1/(1 + d_1/(1 + d_2/...)) with
  // d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)),  d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)).
  const auto numerator = [a, b, x](int n) {
    if (n == 1) return Dual{1.0, 0.0, 0.0};
    const int k = n - 1;
    const double m = k / 2;
    if (k % 2 == 0) {
      const double low = a + 2.0 * m - 1.0;
      const double high = a + 2.0 * m;
      const double value = m * (b - m) * x / (low * high);
      return Dual{value, -value * (1.0 / low + 1.0 / high), m * x / (low * high)};
    }
    const double low = a + 2.0 * m;
    const double high = a + 2.0 * m + 1.0;
    const double value = -(a + m) * (a + b + m) * x / (low * high);
    return Dual{value, value * (1.0 / (a + m) + 1.0 / (a + b + m) - 1.0 / low - 1.0 / high),
                value / (a + b + m)};
  };
  const Dual c = continued_fraction(numerator, [](int n) { return Dual{n == 0 ? 0.0 : 1.0, 0.0, 0.0}; });
  const double value = boost::math::ibeta(a, b, x, kPolicy);
  const double da = std::log(x) + digamma_difference(a, b) - 1.0 / a + c.da / c.value;
  const double db = std::log(y) + digamma_difference(b, a) + c.db / c.value;
  return {value * da, value * db};
}

Slopes beta_in_shapes(double a, double b, double x) {
  if (x <= 0.0 || x >= 1.0) return {0.0, 0.0};
  if (x <= (a + 1.0) / (a + b + 2.0)) return lower_beta_in_shapes(a, b, x, 1.0 - x);
  const Slopes upper = lower_beta_in_shapes(b, a, 1.0 - x, x);
  return {-upper.db, -upper.da};
}

bool are_beta_arguments(double a, double b, double x) {
  return a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0 && a < fast::kInfinity && b < fast::kInfinity;
}

}  // namespace

struct GammaP {
  static double value(double a, double z) { return gamma_lower(a, z); }
  static void partials(double a, double z, double, double* d, unsigned wanted) {
    d[0] = d[1] = fast::kNaN;
    if (!are_gamma_arguments(a, z)) return;
    if ((wanted & 1U) != 0) d[0] = gamma_lower_in_shape(a, z);
    d[1] = gamma_density(a, z);
  }
};
KULLBACK_KERNELS(GammaP)

struct GammaQ {
  static double value(double a, double z) { return gamma_upper(a, z); }
  static void partials(double a, double z, double, double* d, unsigned wanted) {
    d[0] = d[1] = fast::kNaN;
    if (!are_gamma_arguments(a, z)) return;
    if ((wanted & 1U) != 0) d[0] = -gamma_lower_in_shape(a, z);
    d[1] = -gamma_density(a, z);
  }
};
KULLBACK_KERNELS(GammaQ)

struct IncBeta {
  static double value(double a, double b, double x) {
    return are_beta_arguments(a, b, x) ? boost::math::ibeta(a, b, x, kPolicy) : fast::kNaN;
  }
  static void partials(double a, double b, double x, double, double* d, unsigned wanted) {
    d[0] = d[1] = d[2] = fast::kNaN;
    if (!are_beta_arguments(a, b, x)) return;
    if ((wanted & 3U) != 0) {
      const Slopes slopes = beta_in_shapes(a, b, x);
      d[0] = slopes.da;
      d[1] = slopes.db;
    }
    d[2] = boost::math::ibeta_derivative(a, b, x, kPolicy);
  }
};
KULLBACK_KERNELS(IncBeta)

// x with I_x(a, b) = p; implicit differentiation.
struct InvIncBeta {
  static double value(double a, double b, double p) {
    return are_beta_arguments(a, b, p) ? boost::math::ibeta_inv(a, b, p, kPolicy) : fast::kNaN;
  }
  static void partials(double a, double b, double p, double value, double* d) {
    d[0] = d[1] = d[2] = fast::kNaN;
    if (!are_beta_arguments(a, b, p)) return;
    const double density = boost::math::ibeta_derivative(a, b, value, kPolicy);
    const Slopes slopes = beta_in_shapes(a, b, value);
    d[0] = -slopes.da / density;
    d[1] = -slopes.db / density;
    d[2] = 1.0 / density;
  }
};
KULLBACK_KERNELS(InvIncBeta)

}  // namespace kullback::math::functions
