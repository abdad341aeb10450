// Cauchy distribution, z = (y - mu) / sigma.
//
//   log p = -log(1 + z^2) - log sigma - log pi
//   d/dy = -2 z / (1 + z^2) / sigma = -d/dmu,  d/dsigma = (z^2 - 1) / (1 + z^2) / sigma
//   cdf = atan2(1, -z) / pi, which keeps its accuracy for z -> -inf; ccdf by symmetry
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"

namespace kullback::math {
namespace {

struct Cauchy {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::any}, {"location", Domain::finite}, {"scale", Domain::positive_finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, ScaleOf<4>>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    KULLBACK_INLINE static double evaluate(Plain y, Plain mu, const ScaleOf<4>& sigma, const Terms& terms,
                                           double* d) {
      const double z = (y - mu) * sigma.inverse;
      const double square = z * z;
      if (d != nullptr) {
        const double weight = sigma.inverse / (1.0 + square);
        d[1] = 2.0 * z * weight;
        d[0] = -d[1];
        d[2] = (square - 1.0) * weight;
      }
      return -fast::log1p(square) - (sigma.log + kept(terms.normalized, kLogPi));
    }
  };

  struct Tail {
    static LogTail at(double z) {
      const double tail = std::atan2(1.0, std::abs(z)) / kPi;
      const double density = 1.0 / (kPi * (1.0 + z * z));
      return z < 0 ? LogTail{std::log(tail), density / tail}
                   : LogTail{std::log1p(-tail), density / (1.0 - tail)};
    }
  };
  using LogCdf = LocationScale<Tail>;
  using LogCcdf = LocationScale<Reflected<Tail>>;

  static double random(Random& random, const double* p) {
    return p[0] + p[1] * std::tan(kPi * (random.uniform() - 0.5));
  }
};

}  // namespace

constinit const Distribution distributions::cauchy = describe_distribution<Cauchy>("cauchy");

}  // namespace kullback::math
