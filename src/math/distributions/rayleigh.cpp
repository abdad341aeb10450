// Rayleigh distribution, y > 0, w = y^2 / (2 sigma^2).
//
//   log p = log y - 2 log sigma - w,  d/dy = 1/y - y/sigma^2,  d/dsigma = 2 (w - 1)/sigma
//   log ccdf = -w,  log cdf = log(1 - e^-w), in log w: see log1m_exp_exp
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct Rayleigh {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::positive}, {"scale", Domain::positive}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  struct Density {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain y, Plain sigma, const Terms& terms, double* d) {
      const double z = y / sigma;
      if (d != nullptr) {
        d[0] = 1.0 / y - z / sigma;
        d[1] = (z * z - 2.0) / sigma;
      }
      if (y == kInfinity) return kNegativeInfinity;
      double result = -0.5 * z * z;
      if (terms.keep(2)) result -= 2.0 * std::log(sigma);
      if (terms.keep(1)) result += std::log(y);
      return result;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain y, Plain sigma, const Terms&, double* d) {
      const double z = y / sigma;
      const double w = 0.5 * z * z;
      if (is_upper) {
        if (d != nullptr) {
          d[0] = -z / sigma;
          d[1] = z * z / sigma;
        }
        return -w;
      }
      const LogTail tail = log1m_exp_exp(2.0 * std::log(z) - kLogTwo);
      if (d != nullptr) {
        d[0] = 2.0 * tail.slope / y;
        d[1] = -2.0 * tail.slope / sigma;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return p[0] * std::sqrt(2.0 * random.exponential());
  }
};

}  // namespace

constinit const Distribution distributions::rayleigh = describe_distribution<Rayleigh>("rayleigh");

}  // namespace kullback::math
