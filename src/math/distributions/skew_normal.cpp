// Skew normal distribution, z = (y - mu)/sigma, shape alpha.
//
//   log p = log(2 Phi(alpha z)) - z^2/2 - log sigma - log(2 pi)/2
//   with m = phi/Phi(alpha z): d/dz = alpha m - z,  d/dalpha = z m
//   cdf F(z) = 2 int_{-inf}^z phi(t) Phi(alpha t) dt = Phi(z) - 2 T(z, alpha), T = Owen's function
//   dF/dalpha = -exp(-(1 + alpha^2) z^2/2) / (pi (1 + alpha^2));  ccdf(z; alpha) = F(-z; -alpha)
//
// Delicate: for alpha > 0 the difference cancels on the left. There
//   F(z) = max(erf(z/sqrt 2), 0) + (1/pi) int_alpha^inf exp(-z^2 (1 + x^2)/2) / (1 + x^2) dx
// is integrated, all its terms being positive.
// Owen's T: Patefield and Tandy (2000), from Boost.
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

using Gauss = boost::math::quadrature::gauss<double, 20>;
namespace policies = boost::math::policies;
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;
constexpr double kInvSqrtTwo = 0.70710678118654752440;

// log of F(z) by quadrature.
double log_cdf_by_quadrature(double z, double alpha) {
  const double start = std::max(alpha, 0.0);
  const double square = z * z;
  const auto integrand = [&](double x) {
    return std::exp(-0.5 * square * (x - start) * (x + start)) / (1.0 + x * x);
  };
  double sum = 0;
  if (alpha < 0) {
    const int panels = 1 + static_cast<int>(std::min(-alpha, 20.0 / std::abs(z)));
    const double low = std::max(alpha, -40.0 / std::abs(z));
    for (int k = 0; k < panels; ++k)
      sum += Gauss::integrate(integrand, low * (k + 1) / panels, low * k / panels);
  }
  double from = start;
  for (int panel = 0; panel < 2000; ++panel) {
    const double width =
        std::min({3.0 / (square * from), 1.5 / std::abs(z), 0.7 * std::sqrt(1.0 + from * from)});
    const double part = Gauss::integrate(integrand, from, from + width);
    sum += part;
    if (part < 1e-17 * sum) break;
    from += width;
  }
  const double log_integral = std::log(sum / kPi) - 0.5 * square * (1.0 + start * start);
  return z > 0 ? log_sum_exp(std::log(std::erf(z * kInvSqrtTwo)), log_integral) : log_integral;
}

// log of F(z) where it is not near 1.
double log_lower_tail(double z, double alpha) {
  const double phi = 0.5 * std::erfc(-z * kInvSqrtTwo);
  const double direct = phi - 2.0 * boost::math::owens_t(z, alpha, Quiet());
  const bool is_accurate = phi > 1e-290 && direct > 0.2 * phi;
  return is_accurate ? std::log(direct) : log_cdf_by_quadrature(z, alpha);
}

double log_cdf_of(double z, double alpha) {
  if (z <= 0) return log_lower_tail(z, alpha);
  const double upper = std::exp(log_lower_tail(-z, -alpha));
  return upper < 0.9 ? std::log1p(-upper) : log_lower_tail(z, alpha);
}

struct SkewNormal {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"location", Domain::finite},
                                               {"scale", Domain::positive},
                                               {"shape", Domain::finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, Plain alpha, const Terms& terms, double* d) {
      const double z = (y - mu) / sigma;
      if (std::isinf(z)) return kNegativeInfinity;
      const LogTail tail = log_normal_cdf(alpha * z);
      if (d != nullptr) {
        d[0] = (alpha * tail.slope - z) / sigma;
        d[1] = -d[0];
        d[2] = -z * d[0] - 1.0 / sigma;
        d[3] = z * tail.slope;
      }
      double result = kLogTwo + tail.log;
      if (terms.normalized) result -= kHalfLogTwoPi;
      if (terms.keep(4)) result -= std::log(sigma);
      if (terms.keep(7)) result -= 0.5 * z * z;
      return result;
    }
  };

  template <int sign>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, Plain alpha, const Terms&, double* d) {
      const double z = sign * (y - mu) / sigma;
      const double shape = sign * alpha;
      if (std::isinf(z)) return z < 0 ? kNegativeInfinity : 0.0;
      const double result = log_cdf_of(z, shape);
      if (d != nullptr) {
        const double slope =
            std::exp(kLogTwo - 0.5 * z * z - kHalfLogTwoPi + log_normal_cdf(shape * z).log - result);
        const double square = 1.0 + shape * shape;
        d[0] = sign * slope / sigma;
        d[1] = -d[0];
        d[2] = -z * slope / sigma;
        d[3] = -sign * std::exp(-0.5 * square * z * z - result) / (kPi * square);
      }
      return result;
    }
  };
  using LogCdf = Cumulative<1>;
  using LogCcdf = Cumulative<-1>;

  static double random(Random& random, const double* p) {
    const double delta = p[2] / std::sqrt(1.0 + p[2] * p[2]);
    const double z = delta * std::abs(random.normal()) + std::sqrt(1.0 - delta * delta) * random.normal();
    return p[0] + p[1] * z;
  }
};

}  // namespace

constinit const Distribution distributions::skew_normal = describe_distribution<SkewNormal>("skew_normal");

}  // namespace kullback::math
