// Yule-Simon distribution on 1, 2, ...:
//   log p = log alpha + lgamma(n) + lgamma(alpha + 1) - lgamma(n + alpha + 1)
//   d/dalpha = 1/alpha - (digamma(n + alpha + 1) - digamma(alpha + 1))
//   ccdf = n B(n, alpha + 1) = n! Gamma(alpha + 1) / Gamma(n + alpha + 1)
#include "base/random.hpp"
#include "math/distributions/discrete_sums.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct YuleSimon {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::positive_integer},
                                               {"shape", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::integer;

  struct Density {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain n, Plain alpha, const Terms& terms, double* d) {
      if (d != nullptr) {
        d[0] = 0;
        d[1] = 1 / alpha - digamma_difference(alpha + 1, n);
      }
      double value = terms.keep(2) ? std::log(alpha) - log_rising(alpha + 1, n) : 0.0;
      if (terms.normalized) value += log_gamma(n);
      return value;
    }
  };

  static Sides sides(double n, double alpha) {
    if (n < 1) return Sides::all_above();
    return Sides::from_upper(log_gamma(n + 1) - log_rising(alpha + 1, n),
                             {-digamma_difference(alpha + 1, n)});
  }

  template <bool lower>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain n, Plain alpha, const Terms&, double* d) {
      const Sides both = sides(n, alpha);
      if (d != nullptr) {
        d[0] = 0;
        d[1] = lower ? both.cdf_slopes[0] : both.ccdf_slopes[0];
      }
      return lower ? both.log_cdf : both.log_ccdf;
    }
  };
  using LogCdf = Cumulative<true>;
  using LogCcdf = Cumulative<false>;

  // Geometric with success probability exp(-W), W exponential with rate alpha.
  static double random(Random& random, const double* p) {
    const double success = std::exp(-random.exponential() / p[0]);
    if (success == 1) return 1;
    return std::ceil(random.exponential() / -std::log1p(-success));
  }
};

}  // namespace

constinit const Distribution distributions::yule_simon = describe_distribution<YuleSimon>("yule_simon", true);

}  // namespace kullback::math
