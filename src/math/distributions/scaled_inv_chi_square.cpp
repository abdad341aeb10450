// Scaled inverse chi-square distribution, y > 0: inverse gamma with shape h = nu/2 and scale h s^2.
//
//   log p = h log h - log Gamma(h) + nu log s - (h + 1) log y - h s^2 / y
//   d/dy = (h s^2/y - h - 1)/y,  d/ds = nu (1/s - s/y)
//   d/dnu = [log h + 1 - digamma(h) + 2 log s - log y - s^2/y] / 2
//   cdf = Q(h, h s^2/y),  ccdf = P(h, h s^2/y)
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct ScaledInvChiSquare {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"degrees of freedom", Domain::positive_finite},
                                               {"scale", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  struct Freedom {
    double half = 0;
    double constant = 0;
    double slope = 0;
    Freedom() = default;
    Freedom(double nu, const Terms& terms) : half(0.5 * nu) {
      const double log_half = std::log(half);
      if (terms.keep(2)) constant = half * log_half - log_gamma(half);
      if (terms.varies(1)) slope = log_half + 1.0 - digamma_positive(half);
    }
  };
  struct Scale {
    double s = 0;
    double log = 0;
    Scale() = default;
    Scale(double value, const Terms&) : s(value), log(std::log(value)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Freedom, Scale>;
    static double evaluate(Plain y, const Freedom& nu, const Scale& scale, const Terms& terms, double* d) {
      if (!(y > 0)) return kNegativeInfinity;
      const double log_y = std::log(y);
      const double square = scale.s * scale.s / y;
      if (d != nullptr) {
        d[0] = (nu.half * square - nu.half - 1.0) / y;
        d[1] = 0.5 * (nu.slope + 2.0 * scale.log - log_y - square);
        d[2] = 2.0 * nu.half * (1.0 - square) / scale.s;
      }
      double result = nu.constant - nu.half * square;
      if (terms.keep(6)) result += 2.0 * nu.half * scale.log;
      if (terms.keep(3)) result -= (nu.half + 1.0) * log_y;
      return result;
    }
  };

  template <GammaTail (*tail_of)(double, double, bool)>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain nu, Plain s, const Terms& terms, double* d) {
      const double half = 0.5 * nu;
      const double x = half * s * s / y;
      const GammaTail tail = tail_of(half, x, d != nullptr && terms.varies(1));
      if (d != nullptr) {
        d[0] = -tail.d_x * x / y;
        d[1] = 0.5 * tail.d_a + tail.d_x * x / nu;
        d[2] = 2.0 * tail.d_x * x / s;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<&log_gamma_q>;
  using LogCcdf = Cumulative<&log_gamma_p>;

  static double random(Random& random, const double* p) {
    const double half = 0.5 * p[0];
    return half * p[1] * p[1] / random.gamma(half);
  }
};

}  // namespace

constinit const Distribution distributions::scaled_inv_chi_square =
    describe_distribution<ScaledInvChiSquare>("scaled_inv_chi_square");

}  // namespace kullback::math
