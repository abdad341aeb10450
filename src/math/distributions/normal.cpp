// Normal distribution, z = (y - mu) / sigma.
//
//   log p = -z^2 / 2 - log sigma - log(2 pi) / 2
//   d/dy = -z / sigma,  d/dmu = z / sigma,  d/dsigma = (z^2 - 1) / sigma
//   log cdf = log Phi(z),  log ccdf = log Phi(-z),  derivative phi(z) / Phi(z)
//
// Delicate: Phi(z) underflows below z = -38, where log Phi is about -z^2 / 2; see tails.cpp.
#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"
#include "math/distributions/normal_sum.hpp"

namespace kullback::math {
namespace {

struct Normal {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::any}, {"location", Domain::finite}, {"scale", Domain::positive}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, ScaleOf<4>>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    KULLBACK_INLINE static double evaluate(Plain y, Plain mu, const ScaleOf<4>& sigma, const Terms& terms,
                                           double* d) {
      const double z = (y - mu) * sigma.inverse;
      if (d != nullptr) {
        d[1] = z * sigma.inverse;
        d[0] = -d[1];
        d[2] = (z * z - 1.0) * sigma.inverse;
      }
      return -0.5 * z * z - (sigma.log + kept(terms.normalized, kHalfLogTwoPi));
    }
  };

  struct Tail {
    static LogTail at(double z) { return log_normal_cdf(z); }
  };
  using LogCdf = LocationScale<Tail>;
  using LogCcdf = LocationScale<Reflected<Tail>>;

  static double random(Random& random, const double* p) { return p[0] + p[1] * random.normal(); }
};

// Sums of many elements have loops of their own.
void batch(const DensityCall& call) {
  if (!normal_sum(call)) kernel::Function<Normal, Normal::Density, Domain::any>::batch(call);
}

constexpr Distribution describe_normal() {
  Distribution result = describe_distribution<Normal>("normal");
  result.log_density.batch = &batch;
  return result;
}

}  // namespace

constinit const Distribution distributions::normal = describe_normal();

}  // namespace kullback::math
