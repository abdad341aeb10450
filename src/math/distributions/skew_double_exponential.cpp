// Skew double exponential (asymmetric Laplace) distribution, z = (y - mu) / sigma, skewness tau in [0, 1];
// r = 1 - tau for z < 0 and tau for z > 0.
//
//   log p = log 2 + log tau + log(1 - tau) - log sigma - 2 r |z|
//   d/dz = -2 r sign(z),  d/dtau = 1/tau - 1/(1 - tau) - 2 z
//   z < 0: log cdf = log tau + 2 (1 - tau) z;   z > 0: log ccdf = log(1 - tau) - 2 tau z; the others by
//   complement
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct SkewDoubleExponential {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"location", Domain::finite},
                                               {"scale", Domain::positive_finite},
                                               {"skewness", Domain::probability}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, Plain tau, const Terms& terms, double* d) {
      const double z = (y - mu) / sigma;
      const double rate = z < 0 ? 1.0 - tau : tau;
      const double size = std::abs(z);
      if (d != nullptr) {
        const double sign = z < 0 ? -1.0 : z > 0 ? 1.0 : 0.0;
        d[0] = -2.0 * rate * sign / sigma;
        d[1] = -d[0];
        d[2] = (2.0 * rate * size - 1.0) / sigma;
        d[3] = 1.0 / tau - 1.0 / (1.0 - tau) - 2.0 * z;
      }
      if (size == kInfinity) return kNegativeInfinity;
      double result = -2.0 * rate * size;
      if (terms.normalized) result += kLogTwo;
      if (terms.keep(4)) result -= std::log(sigma);
      if (terms.keep(8)) result += std::log(tau) + std::log1p(-tau);
      return result;
    }
  };

  // The lower tail; the upper one is that of -z and 1 - tau.
  template <int sign>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, Plain tau, const Terms&, double* d) {
      const double z = sign * (y - mu) / sigma;
      const double t = sign > 0 ? +tau : 1.0 - tau;
      const double other = sign > 0 ? 1.0 - tau : +tau;
      double result, by_z, by_t;
      if (z < 0) {
        result = std::log(t) + 2.0 * other * z;
        by_z = 2.0 * other;
        by_t = 1.0 / t - 2.0 * z;
      } else {
        const double e = std::exp(-2.0 * t * z);
        const double rest = other * e;
        result = std::log1p(-rest);
        by_z = 2.0 * t * rest / (1.0 - rest);
        by_t = (e + 2.0 * z * rest) / (1.0 - rest);
      }
      if (d != nullptr) {
        d[0] = sign * by_z / sigma;
        d[1] = -d[0];
        d[2] = -z * by_z / sigma;
        d[3] = sign * by_t;
      }
      return result;
    }
  };
  using LogCdf = Cumulative<1>;
  using LogCcdf = Cumulative<-1>;

  static double random(Random& random, const double* p) {
    const double tau = p[2];
    const double size = 0.5 * p[1] * random.exponential();
    return random.uniform() < tau ? p[0] - size / (1.0 - tau) : p[0] + size / tau;
  }
};

}  // namespace

constinit const Distribution distributions::skew_double_exponential =
    describe_distribution<SkewDoubleExponential>("skew_double_exponential");

}  // namespace kullback::math
