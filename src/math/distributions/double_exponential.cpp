// Double exponential (Laplace) distribution, z = (y - mu) / sigma.
//
//   log p = -|z| - log sigma - log 2
//   d/dy = -sign(z) / sigma = -d/dmu (0 at z = 0),  d/dsigma = (|z| - 1) / sigma
//   log cdf = z - log 2 for z < 0, log(1 - e^-z / 2) otherwise; symmetric
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"

namespace kullback::math {
namespace {

struct DoubleExponential {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::finite}, {"location", Domain::finite}, {"scale", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::any;

  struct Density {
    using Prepared = std::tuple<Plain, Plain, ScaleOf<4>>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    KULLBACK_INLINE static double evaluate(Plain y, Plain mu, const ScaleOf<4>& sigma, const Terms& terms,
                                           double* d) {
      const double z = (y - mu) * sigma.inverse;
      const double size = fast::abs(z);
      if (d != nullptr) {
        const double slope = fast::copysign(sigma.inverse, z);
        d[1] = z == 0.0 ? 0.0 : slope;
        d[0] = -d[1];
        d[2] = (size - 1.0) * sigma.inverse;
      }
      return -size - (sigma.log + kept(terms.normalized, kLogTwo));
    }
  };

  struct Tail {
    static LogTail at(double z) {
      if (z < 0) return {z - kLogTwo, 1.0};
      const double half = 0.5 * std::exp(-z);
      return {std::log1p(-half), half / (1.0 - half)};
    }
  };
  using LogCdf = LocationScale<Tail>;
  using LogCcdf = LocationScale<Reflected<Tail>>;

  static double random(Random& random, const double* p) {
    const double size = p[1] * random.exponential();
    return random.uniform() < 0.5 ? p[0] - size : p[0] + size;
  }
};

}  // namespace

constinit const Distribution distributions::double_exponential =
    describe_distribution<DoubleExponential>("double_exponential");

}  // namespace kullback::math
