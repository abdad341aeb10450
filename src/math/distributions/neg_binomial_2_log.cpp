// Negative binomial distribution by log location eta and precision phi; t = eta - log phi, p = inv_logit(t).
//   log p = log(n + phi - 1 over n) + n eta - phi log(1 + e^t) - n (log phi + log(1 + e^t))
//   d/deta = n (1 - p) - phi p,
//   d/dphi = p - n (1 - p) / phi - log(1 + e^t) + digamma(n + phi) - digamma(phi)
// The binomial coefficient is kept with phi, n eta with eta, as in Stan.
#include "base/random.hpp"
#include "math/discrete_random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/fast_gamma.hpp"
#include "math/logistic_pair.hpp"

namespace kullback::math {
namespace {

struct NegBinomial2Log {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"log location", Domain::finite},
                                               {"precision", Domain::positive_finite}};

  struct Precision {
    double value = 0;
    double log = 0;
    Precision() = default;
    KULLBACK_INLINE Precision(double phi, const Terms&) : value(phi), log(fast::log(phi)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Precision>;
    static constexpr unsigned kFastRows[] = {0b001, 0b011, 0b111};
    static constexpr Terms kTermsCases[] = {{false, 0b110}, {false, 0b010}, {true, 0b110}};
    KULLBACK_INLINE static double evaluate(Plain n, Plain eta, const Precision& phi, const Terms& terms,
                                           double* d) {
      const double t = eta - phi.log;
      const LogisticParts parts = logistic_parts(t);
      const double log1p_exp = fast::at_least(t, 0.0) + parts.log1p;
      if (d != nullptr) {
        d[0] = d[2] = 0;
        d[1] = n * parts.complement - phi.value * parts.probability;
        if (terms.varies(2)) {
          d[2] = parts.probability - n * parts.complement / phi.value - log1p_exp +
                 fast::digamma_difference(phi.value, n);
        }
      }
      double value = kept(terms.keep(6), -phi.value * log1p_exp - n * (phi.log + log1p_exp));
      if (terms.keep(2)) value += n * eta;
      if (terms.keep(4)) value += fast::log_rising(phi.value, n) - fast::log_factorial(n);
      return value;
    }
  };

  static double random(Random& random, const double* p) {
    return draw_poisson(random, std::exp(p[0] - std::log(p[1])) * random.gamma(p[1]));
  }
};

}  // namespace

constinit const Distribution distributions::neg_binomial_2_log =
    describe_distribution<NegBinomial2Log>("neg_binomial_2_log", true);

}  // namespace kullback::math
