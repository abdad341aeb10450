// Gumbel distribution, z = (y - mu) / beta.
//
//   log p = -z - e^-z - log beta
//   d/dy = (e^-z - 1) / beta = -d/dmu,  d/dbeta = (z (1 - e^-z) - 1) / beta
//   log cdf = -e^-z,  log ccdf = log(1 - exp(-e^-z)), which is -z for large z
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/location_scale.hpp"

namespace kullback::math {
namespace {

struct Gumbel {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::any}, {"location", Domain::finite}, {"scale", Domain::positive}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, ScaleOf<4>>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    KULLBACK_INLINE static double evaluate(Plain y, Plain mu, const ScaleOf<4>& beta, const Terms&,
                                           double* d) {
      const double z = (y - mu) * beta.inverse;
      const double e = fast::exp(-z);
      if (d != nullptr) {
        d[1] = (1.0 - e) * beta.inverse;
        d[0] = -d[1];
        d[2] = (z * (1.0 - e) - 1.0) * beta.inverse;
      }
      const double result = -(z + e) - beta.log;
      return z == kNegativeInfinity ? kNegativeInfinity : result;
    }
  };

  struct Lower {
    static LogTail at(double z) {
      const double e = std::exp(-z);
      return {-e, e};
    }
  };
  struct Upper {
    static LogTail at(double z) {
      const LogTail tail = log1m_exp_exp(-z);
      return {tail.log, -tail.slope};
    }
  };
  using LogCdf = LocationScale<Lower>;
  using LogCcdf = LocationScale<Upper>;

  static double random(Random& random, const double* p) {
    return p[0] - p[1] * std::log(random.exponential());
  }
};

}  // namespace

constinit const Distribution distributions::gumbel = describe_distribution<Gumbel>("gumbel");

}  // namespace kullback::math
