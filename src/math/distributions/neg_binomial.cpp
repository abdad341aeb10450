// Negative binomial distribution by shape alpha and inverse scale beta: a Poisson whose rate is gamma(alpha,
// beta).
//   log p = log(n + alpha - 1 over n) - alpha log(1 + 1/beta) - n log(1 + beta)
//   d/dalpha = digamma(n + alpha) - digamma(alpha) - log(1 + 1/beta),   d/dbeta = (alpha / beta - n) / (1 +
//   beta)
// cdf: success probability p = beta / (1 + beta), see negative_binomial_sums.hpp.
#include "base/random.hpp"
#include "math/discrete_random.hpp"
#include "math/distributions/negative_binomial_sums.hpp"

namespace kullback::math {
namespace {

struct NegBinomial {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"shape", Domain::positive_finite},
                                               {"inverse scale", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::integer;

  struct InverseScale {
    double value = 0;
    double log1p = 0;
    double log1p_inverse = 0;
    InverseScale() = default;
    KULLBACK_INLINE InverseScale(double beta, const Terms&)
        : value(beta), log1p(fast::log1p(beta)), log1p_inverse(fast::log1p(1.0 / beta)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Plain, InverseScale>;
    static constexpr unsigned kFastRows[] = {0b001, 0b111};
    static constexpr Terms kTermsCases[] = {{false, 0b110}, {true, 0b110}};
    KULLBACK_INLINE static double evaluate(Plain n, Plain alpha, const InverseScale& beta, const Terms& terms,
                                           double* d) {
      if (d != nullptr) {
        d[0] = 0;
        d[1] = terms.varies(1) ? fast::digamma_difference(alpha, n) - beta.log1p_inverse : 0.0;
        d[2] = (alpha / beta.value - n) / (1.0 + beta.value);
      }
      double value = kept(terms.keep(6), -alpha * beta.log1p_inverse - n * beta.log1p);
      if (terms.keep(2)) value += fast::log_rising(alpha, n) - fast::log_factorial(n);
      return value;
    }
  };

  template <bool lower>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain alpha, Plain beta, const Terms&, double* d) {
      const double q = 1 / (1 + beta);
      const Sides both = negative_binomial_sides(n, alpha, beta * q, q);
      if (d != nullptr) {
        const auto& slopes = lower ? both.cdf_slopes : both.ccdf_slopes;
        d[0] = 0;
        d[1] = slopes[0];
        d[2] = slopes[1] * q * q;
      }
      return lower ? both.log_cdf : both.log_ccdf;
    }
  };
  using LogCdf = Cumulative<true>;
  using LogCcdf = Cumulative<false>;

  static double random(Random& random, const double* p) {
    return draw_poisson(random, random.gamma(p[0]) / p[1]);
  }
};

}  // namespace

constinit const Distribution distributions::neg_binomial =
    describe_distribution<NegBinomial>("neg_binomial", true);

}  // namespace kullback::math
