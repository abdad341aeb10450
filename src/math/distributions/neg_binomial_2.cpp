// Negative binomial distribution by location mu and precision phi (variance mu + mu^2 / phi).
//   log p = log(n + phi - 1 over n) + n log mu - phi log(1 + mu / phi) - n log(mu + phi)
//   d/dmu = n / mu - (n + phi) / (mu + phi),
//   d/dphi = (mu - n) / (mu + phi) - log(1 + mu / phi) + digamma(n + phi) - digamma(phi)
// The binomial coefficient is kept with phi, as in Stan. Large phi (the Poisson limit): log1p and the
// differences of gamma functions keep their accuracy. cdf: success probability p = phi / (mu + phi), see
// negative_binomial_sums.hpp.
#include "base/random.hpp"
#include "math/discrete_random.hpp"
#include "math/distributions/negative_binomial_sums.hpp"

namespace kullback::math {
namespace {

struct NegBinomial2 {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"location", Domain::positive_finite},
                                               {"precision", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::integer;

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    static constexpr Terms kTermsCases[] = {{false, 0b110}, {false, 0b010}, {true, 0b110}};
    KULLBACK_INLINE static double evaluate(Plain n, Plain mu, Plain phi, const Terms& terms, double* d) {
      const double sum = mu + phi;
      const double log1p_ratio = fast::log1p(mu / phi);
      if (d != nullptr) {
        d[0] = 0;
        d[1] = n / mu - (n + phi) / sum;
        d[2] = terms.varies(2) ? (mu - n) / sum - log1p_ratio + fast::digamma_difference(phi, n) : 0.0;
      }
      double value = kept(terms.keep(6), -phi * log1p_ratio - n * log_of_positive(sum));
      if (terms.keep(2)) value += n * log_of_positive(mu);
      if (terms.keep(4)) value += fast::log_rising(phi, n) - fast::log_factorial(n);
      return value;
    }
  };

  template <bool lower>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain mu, Plain phi, const Terms&, double* d) {
      const double sum = mu + phi;
      const Sides both = negative_binomial_sides(n, phi, phi / sum, mu / sum);
      if (d != nullptr) {
        const auto& slopes = lower ? both.cdf_slopes : both.ccdf_slopes;
        d[0] = 0;
        d[1] = -slopes[1] * phi / (sum * sum);
        d[2] = slopes[0] + slopes[1] * mu / (sum * sum);
      }
      return lower ? both.log_cdf : both.log_ccdf;
    }
  };
  using LogCdf = Cumulative<true>;
  using LogCcdf = Cumulative<false>;

  static double random(Random& random, const double* p) {
    return draw_poisson(random, random.gamma(p[1]) * (p[0] / p[1]));
  }
};

}  // namespace

constinit const Distribution distributions::neg_binomial_2 =
    describe_distribution<NegBinomial2>("neg_binomial_2", true);

}  // namespace kullback::math
