// Chi-square distribution, y >= 0: gamma with shape nu/2 and rate 1/2.
//
//   log p = (nu/2 - 1) log y - y/2 - (nu/2) log 2 - log Gamma(nu/2)
//   d/dy = (nu/2 - 1)/y - 1/2,  d/dnu = (log y - log 2 - digamma(nu/2)) / 2
//   cdf = P(nu/2, y/2),  ccdf = Q(nu/2, y/2)
//
// At y = 0 with nu = 2 the first term is 0, its limit.
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct ChiSquare {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative},
                                               {"degrees of freedom", Domain::positive_finite}};

  struct Freedom {
    double half = 0;
    double constant = 0;
    double slope = 0;
    Freedom() = default;
    Freedom(double nu, const Terms& terms) : half(0.5 * nu) {
      if (terms.keep(2)) constant = half * kLogTwo + log_gamma(half);
      if (terms.varies(1)) slope = kLogTwo + digamma_positive(half);
    }
  };

  struct Density {
    using Prepared = std::tuple<Plain, Freedom>;
    static double evaluate(Plain y, const Freedom& nu, const Terms& terms, double* d) {
      const double log_y = std::log(y);
      if (d != nullptr) {
        d[0] = (nu.half - 1.0) / y - 0.5;
        d[1] = 0.5 * (log_y - nu.slope);
      }
      if (y == kInfinity) return kNegativeInfinity;
      const double power = nu.half == 1.0 ? 0.0 : (nu.half - 1.0) * log_y;
      return power - nu.constant - (terms.keep(1) ? 0.5 * y : 0.0);
    }
  };

  template <GammaTail (*tail_of)(double, double, bool)>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain y, Plain nu, const Terms& terms, double* d) {
      const GammaTail tail = tail_of(0.5 * nu, 0.5 * y, d != nullptr && terms.varies(1));
      if (d != nullptr) {
        d[0] = 0.5 * tail.d_x;
        d[1] = 0.5 * tail.d_a;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<&log_gamma_p>;
  using LogCcdf = Cumulative<&log_gamma_q>;

  static double random(Random& random, const double* p) { return 2.0 * random.gamma(0.5 * p[0]); }
};

}  // namespace

constinit const Distribution distributions::chi_square = describe_distribution<ChiSquare>("chi_square");

}  // namespace kullback::math
