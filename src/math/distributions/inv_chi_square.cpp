// Inverse chi-square distribution, y > 0: inverse gamma with shape nu/2 and scale 1/2.
//
//   log p = -(nu/2 + 1) log y - 1/(2y) - (nu/2) log 2 - log Gamma(nu/2)
//   d/dy = (1/(2y) - nu/2 - 1)/y,  d/dnu = -(log y + log 2 + digamma(nu/2)) / 2
//   cdf = Q(nu/2, 1/(2y)),  ccdf = P(nu/2, 1/(2y))
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct InvChiSquare {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"degrees of freedom", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

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
      if (!(y > 0)) return kNegativeInfinity;
      const double log_y = std::log(y);
      const double ratio = 0.5 / y;
      if (d != nullptr) {
        d[0] = (ratio - nu.half - 1.0) / y;
        d[1] = -0.5 * (log_y + nu.slope);
      }
      return -(nu.half + 1.0) * log_y - nu.constant - (terms.keep(1) ? ratio : 0.0);
    }
  };

  template <GammaTail (*tail_of)(double, double, bool)>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain y, Plain nu, const Terms& terms, double* d) {
      const double x = 0.5 / y;
      const GammaTail tail = tail_of(0.5 * nu, x, d != nullptr && terms.varies(1));
      if (d != nullptr) {
        d[0] = -tail.d_x * x / y;
        d[1] = 0.5 * tail.d_a;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<&log_gamma_q>;
  using LogCcdf = Cumulative<&log_gamma_p>;

  static double random(Random& random, const double* p) { return 0.5 / random.gamma(0.5 * p[0]); }
};

}  // namespace

constinit const Distribution distributions::inv_chi_square =
    describe_distribution<InvChiSquare>("inv_chi_square");

}  // namespace kullback::math
