// Logistic distribution, z = (y - mu) / sigma, e = e^-|z|.
//
//   log p = -|z| - 2 log(1 + e) - log sigma (symmetric in z)
//   d/dy = -t / sigma = -d/dmu,  t = tanh(z/2) = sign(z) (1 - e)/(1 + e),  d/dsigma = (z t - 1) / sigma
//   log cdf = -log(1 + e^-z),  derivative in z: 1 / (1 + e^z); ccdf by symmetry
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"

namespace kullback::math {
namespace {

struct Logistic {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::finite}, {"location", Domain::finite}, {"scale", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::any;

  struct Density {
    using Prepared = std::tuple<Plain, Plain, ScaleOf<4>>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    KULLBACK_INLINE static double evaluate(Plain y, Plain mu, const ScaleOf<4>& sigma, const Terms&,
                                           double* d) {
      const double z = (y - mu) * sigma.inverse;
      const double size = fast::abs(z);
      const double less = fast::expm1(-size);  // e - 1
      const double e = 1.0 + less;
      if (d != nullptr) {
        const double t = fast::copysign(less / (2.0 + less), z);
        d[1] = t * sigma.inverse;
        d[0] = -d[1];
        d[2] = (z * t - 1.0) * sigma.inverse;
      }
      return -size - 2.0 * fast::log1p_unit(e) - sigma.log;
    }
  };

  struct Tail {
    static LogTail at(double z) {
      const double e = std::exp(-std::abs(z));
      return z < 0 ? LogTail{z - std::log1p(e), 1.0 / (1.0 + e)} : LogTail{-std::log1p(e), e / (1.0 + e)};
    }
  };
  using LogCdf = LocationScale<Tail>;
  using LogCcdf = LocationScale<Reflected<Tail>>;

  static double random(Random& random, const double* p) {
    const double u = random.uniform();
    return p[0] + p[1] * (std::log(u) - std::log1p(-u));
  }
};

}  // namespace

constinit const Distribution distributions::logistic = describe_distribution<Logistic>("logistic");

}  // namespace kullback::math
