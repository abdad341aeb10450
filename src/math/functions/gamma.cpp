// The gamma function and its relatives; see math/gamma_functions.cpp for those that avoid cancellation.
//
//   lgamma' = digamma, digamma' = trigamma, trigamma' = polygamma(2), tgamma' = tgamma digamma
//   lbeta(a, b) = lgamma(a) + lgamma(b) - lgamma(a + b); d/da = digamma(a) - digamma(a + b)
//   lchoose(n, k) = -log(1 + n) - lbeta(n - k + 1, k + 1), real n >= -1, -1 <= k <= n + 1
//   rising_factorial(x, n) = x (x+1) ... (x+n-1), falling_factorial(x, n) = x (x-1) ... (x-n+1), n a natural
//   number:
//     products, whose derivative is carried along, for a quotient of gammas fails where a factor is zero
//   log_rising_factorial(x, n) = lgamma(x+n) - lgamma(x); log_falling_factorial(x, n) = lgamma(x+1) -
//   lgamma(x-n+1) lmgamma(k, x) = k (k-1)/4 log(pi) + sum_j lgamma(x - j/2), j = 0..k-1
// Poles: lgamma is +inf, tgamma and digamma NaN, trigamma +inf.
#include <math.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "math/elementwise_kernel.hpp"
#include "math/functions/boost_policy.hpp"
#include "math/gamma_functions.hpp"
#include "math/vector_math.hpp"

namespace kullback::math::functions {

namespace {

bool is_pole(double x) { return x <= 0.0 && x == std::floor(x); }

double digamma(double x) {
  if (is_pole(x) || x == -fast::kInfinity) return fast::kNaN;
  if (x == fast::kInfinity) return x;
  return boost::math::digamma(x, kPolicy);
}
double trigamma(double x) {
  if (is_pole(x)) return fast::kInfinity;
  if (x == fast::kInfinity) return 0.0;
  return boost::math::trigamma(x, kPolicy);
}

// digamma(x + n) - digamma(x). For x > 0, with each difference taken by hand, so that it is right for small n
// too:
//   sum_k n / ((x + k)(x + k + n)) up to z = x + k >= 10, then log1p(n/z) and the terms of Stirling's series.
double difference_of_digamma(double x, double n) {
  if (!(x > 0.0 && x + n > 0.0) || std::isinf(x) || std::isinf(n)) return digamma(x + n) - digamma(x);
  double sum = 0.0;
  double z = x;
  for (; z < 10.0; ++z) sum += n / (z * (z + n));
  if (z + n < 10.0) return digamma(x + n) - digamma(x);
  const double u = 1.0 / z, w = 1.0 / (z + n);
  const double difference = n * u * w;  // u - w
  const auto rest = [](double t) {
    const double v = t * t;
    return v * v *
           (1.0 / 120 - v * (1.0 / 252 - v * (1.0 / 240 - v * (1.0 / 132 - v * (691.0 / 32760 - v / 12.0)))));
  };
  return sum + (std::log1p(n / z) + difference * (0.5 + (u + w) / 12.0) - (rest(u) - rest(w)));
}
double log_beta_any(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return fast::kNaN;
  return a >= 0.0 && b >= 0.0 ? log_beta(a, b) : fast::kNaN;
}

}  // namespace

struct Lgamma {
  static double value(double x) { return log_gamma(x); }
  static void partials(double x, double, double* d) { d[0] = digamma(x); }
};
KULLBACK_KERNELS(Lgamma)

struct Digamma {
  static double value(double x) { return digamma(x); }
  static void partials(double x, double, double* d) { d[0] = trigamma(x); }
};
KULLBACK_KERNELS(Digamma)

struct Trigamma {
  static double value(double x) { return trigamma(x); }
  static void partials(double x, double, double* d) {
    d[0] = is_pole(x) ? fast::kNaN : boost::math::polygamma(2, x, kPolicy);
  }
};
KULLBACK_KERNELS(Trigamma)

struct Tgamma {
  static double value(double x) { return is_pole(x) ? fast::kNaN : std::tgamma(x); }
  static void partials(double x, double value, double* d) { d[0] = value * digamma(x); }
};
KULLBACK_KERNELS(Tgamma)

struct Lbeta {
  static double value(double a, double b) { return log_beta_any(a, b); }
  static void partials(double a, double b, double, double* d) {
    d[0] = -difference_of_digamma(a, b);
    d[1] = -difference_of_digamma(b, a);
  }
};
KULLBACK_KERNELS(Lbeta)

struct Beta {
  static double value(double a, double b) {
    return a > 0.0 && b > 0.0 ? boost::math::beta(a, b, kPolicy) : std::exp(log_beta_any(a, b));
  }
  static void partials(double a, double b, double value, double* d) {
    d[0] = -value * difference_of_digamma(a, b);
    d[1] = -value * difference_of_digamma(b, a);
  }
};
KULLBACK_KERNELS(Beta)

struct Lchoose {
  static double value(double n, double k) {
    if (!(n >= -1.0 && k >= -1.0 && n - k >= -1.0)) return fast::kNaN;
    return log_choose(n, k);
  }
  static void partials(double n, double k, double, double* d) {
    d[0] = difference_of_digamma(n - k + 1.0, k);
    d[1] = difference_of_digamma(k + 1.0, n - k - k);
  }
};
KULLBACK_KERNELS(Lchoose)

// Stan's choose is of ints: exact below 2^53.
struct Choose {
  static double value(double n, double k) {
    if (std::isnan(n) || std::isnan(k)) return fast::kNaN;
    if (k > n || k < 0.0) return 0.0;
    const double m = std::fmin(k, n - k);
    double product = 1.0;
    for (double i = 1.0; i <= m; ++i) product = std::round(product * (n - m + i) / i);
    return product;
  }
  static void partials(double, double, double, double* d) { d[0] = d[1] = 0.0; }
};
KULLBACK_KERNELS(Choose)

// The product of n factors x, x + step, ... and its derivative in x.
struct Product {
  double value = 1.0;
  double derivative = 0.0;
  Product(double x, double n, double step) {
    for (double i = 0.0; i < n; ++i) {
      const double factor = x + i * step;
      derivative = derivative * factor + value;
      value *= factor;
    }
  }
};

struct RisingFactorial {
  static double value(double x, double n) { return n >= 0.0 ? Product(x, n, 1.0).value : fast::kNaN; }
  static void partials(double x, double n, double, double* d) {
    d[0] = Product(x, n, 1.0).derivative;
    d[1] = 0.0;
  }
};
KULLBACK_KERNELS(RisingFactorial)

struct FallingFactorial {
  static double value(double x, double n) { return n >= 0.0 ? Product(x, n, -1.0).value : fast::kNaN; }
  static void partials(double x, double n, double, double* d) {
    d[0] = Product(x, n, -1.0).derivative;
    d[1] = 0.0;
  }
};
KULLBACK_KERNELS(FallingFactorial)

struct LogRisingFactorial {
  static double value(double x, double n) {
    return x > 0.0 && n >= 0.0 ? log_rising(x, n) : log_gamma(x + n) - log_gamma(x);
  }
  static void partials(double x, double n, double, double* d) {
    d[0] = difference_of_digamma(x, n);
    d[1] = digamma(x + n);
  }
};
KULLBACK_KERNELS(LogRisingFactorial)

struct LogFallingFactorial {
  static double value(double x, double n) {
    const double low = x - n + 1.0;
    return low > 0.0 && n >= 0.0 ? log_rising(low, n) : log_gamma(x + 1.0) - log_gamma(low);
  }
  static void partials(double x, double n, double, double* d) {
    d[0] = difference_of_digamma(x - n + 1.0, n);
    d[1] = digamma(x - n + 1.0);
  }
};
KULLBACK_KERNELS(LogFallingFactorial)

struct Lmgamma {
  static double value(double k, double x) {
    return k >= 1.0 && k < 1e6 ? log_multivariate_gamma(static_cast<int>(k), x)
                               : (k == 0.0 ? 0.0 : fast::kNaN);
  }
  static void partials(double k, double x, double, double* d) {
    d[0] = 0.0;
    d[1] = 0.0;
    for (double j = 0.0; j < k; ++j) d[1] += digamma(x - 0.5 * j);
  }
};
KULLBACK_KERNELS(Lmgamma)

}  // namespace kullback::math::functions
