// Lognormal distribution, z = (log y - mu) / sigma, y > 0.
//
//   log p = -z^2 / 2 - log y - log sigma - log(2 pi) / 2
//   d/dy = -(1 + z / sigma) / y,  d/dmu = z / sigma,  d/dsigma = (z^2 - 1) / sigma
//   log cdf = log Phi(z),  log ccdf = log Phi(-z)
//
// At y = 0 the density is 0. Stan's ~ keeps the constant -log(2 pi) / 2, and so do we.
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"

namespace kullback::math {
namespace {

struct Lognormal {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::nonnegative}, {"location", Domain::finite}, {"scale", Domain::positive_finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, ScaleOf<4>>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    KULLBACK_INLINE static double evaluate(Plain y, Plain mu, const ScaleOf<4>& sigma, const Terms& terms,
                                           double* d) {
      const double log_y = log_of_positive(y);
      const double z = (log_y - mu) * sigma.inverse;
      if (d != nullptr) {
        d[1] = z * sigma.inverse;
        d[0] = -(1.0 + d[1]) / y;
        d[2] = (z * z - 1.0) * sigma.inverse;
      }
      const double result = -0.5 * z * z - kept(terms.keep(1), log_y) - (sigma.log + kHalfLogTwoPi);
      return y > 0.0 ? result : kNegativeInfinity;
    }
  };

  template <int sign>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, const Terms&, double* d) {
      const double z = (std::log(y) - mu) / sigma;
      const LogTail tail = log_normal_cdf(sign * z);
      if (d != nullptr) {
        d[1] = -sign * tail.slope / sigma;
        d[0] = -d[1] / y;
        d[2] = z * d[1];
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<1>;
  using LogCcdf = Cumulative<-1>;

  static double random(Random& random, const double* p) { return std::exp(p[0] + p[1] * random.normal()); }
};

}  // namespace

constinit const Distribution distributions::lognormal = describe_distribution<Lognormal>("lognormal");

}  // namespace kullback::math
