// Student's t distribution, z = (y - mu) / sigma, q = z^2 / nu.
//
//   log p = -(nu + 1)/2 log(1 + q) - log sigma + log Gamma((nu + 1)/2) - log Gamma(nu/2) - log(nu)/2 -
//   log(pi)/2 d/dy = -(nu + 1) z / (nu + z^2) / sigma = -d/dmu,  d/dsigma = (nu + 1) z^2 / (nu + z^2) / sigma
//   - 1 / sigma d/dnu = [digamma((nu + 1)/2) - digamma(nu/2) - 1/nu - log(1 + q) + (nu + 1)/nu q/(1 + q)] / 2
//   for z < 0: cdf = I_x(nu/2, 1/2) / 2,  x = nu / (nu + z^2);  symmetric
//
// Delicate: the difference of log Gamma for large nu, taken as -log B(nu/2, 1/2) + log(pi)/2; the tails,
// where x underflows only for |z| > 1e154.
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct StudentT {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"degrees of freedom", Domain::positive_finite},
                                               {"location", Domain::finite},
                                               {"scale", Domain::positive_finite}};

  struct Freedom {
    double nu = 0;
    double inverse = 0;
    double constant = 0;
    double slope = 0;  // of the constant
    Freedom() = default;
    Freedom(double value, const Terms& terms) : nu(value), inverse(1.0 / value) {
      if (terms.keep(2)) constant = 0.5 * kLogPi - log_beta(0.5 * nu, 0.5) - 0.5 * std::log(nu);
      if (terms.normalized) constant -= 0.5 * kLogPi;
      if (terms.varies(1)) slope = digamma_difference(0.5 * nu, 0.5) - inverse;
    }
  };

  struct Density {
    using Prepared = std::tuple<Plain, Freedom, Plain, ScaleOf<8>>;
    static constexpr unsigned kFastRows[] = {0b0001, 0b0101, 0b1101};
    KULLBACK_INLINE static double evaluate(Plain y, const Freedom& nu, Plain mu, const ScaleOf<8>& sigma,
                                           const Terms&, double* d) {
      const double z = (y - mu) * sigma.inverse;
      const double q = z * z * nu.inverse;
      const double log1p_q = fast::log1p(q);
      const double next = nu.nu + 1.0;
      if (d != nullptr) {
        const double weight = next * nu.inverse / (1.0 + q);
        d[2] = weight * z * sigma.inverse;
        d[0] = -d[2];
        d[3] = (weight * z * z - 1.0) * sigma.inverse;
        d[1] = 0.5 * (nu.slope - log1p_q + weight * q);
      }
      return -0.5 * next * log1p_q + (nu.constant - sigma.log);
    }
  };

  template <int sign>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain nu, Plain mu, Plain sigma, const Terms& terms, double* d) {
      const double z = sign * (y - mu) / sigma;
      if (std::isinf(z)) return z < 0 ? kNegativeInfinity : 0.0;
      const double sum = nu + z * z;
      const double x = nu / sum;
      const BetaTail tail = log_beta_i(0.5 * nu, 0.5, x, z * z / sum, d != nullptr && terms.varies(1));
      // log of half the two-sided tail, and its derivatives in |z| and nu
      const double log_half = tail.log - kLogTwo;
      const double by_z = -tail.d_x * 2.0 * std::abs(z) * x / sum;
      const double by_nu = 0.5 * tail.d_a + tail.d_x * z * z / (sum * sum);
      const double half = std::exp(log_half);
      const double factor = z < 0 ? 1.0 : -half / (1.0 - half);
      if (d != nullptr) {
        // at z = 0 only the density 1 / (B(nu/2, 1/2) sqrt(nu)) over 1/2 is left
        const double slope = z == 0 ? 2.0 * std::exp(-log_beta(0.5 * nu, 0.5)) / std::sqrt(nu)
                                    : factor * by_z * (z < 0 ? -1.0 : 1.0);
        d[0] = sign * slope / sigma;
        d[1] = z == 0 ? 0.0 : factor * by_nu;
        d[2] = -d[0];
        d[3] = -z * slope / sigma;
      }
      return z < 0 ? log_half : std::log1p(-half);
    }
  };
  using LogCdf = Cumulative<1>;
  using LogCcdf = Cumulative<-1>;

  static double random(Random& random, const double* p) {
    const double z = random.normal();
    return p[1] + p[2] * z / std::sqrt(random.gamma(0.5 * p[0]) / (0.5 * p[0]));
  }
};

}  // namespace

constinit const Distribution distributions::student_t = describe_distribution<StudentT>("student_t");

}  // namespace kullback::math
