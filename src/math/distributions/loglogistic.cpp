// Log-logistic distribution with scale alpha and shape beta, y > 0, t = log(y / alpha), p = 1 / (1 + e^(-beta
// t)).
//
//   log f = log beta - log alpha + (beta - 1) t - 2 log(1 + e^(beta t))
//   d/dy = (beta - 1 - 2 beta p)/y,  d/dalpha = beta (2 p - 1)/alpha,  d/dbeta = 1/beta + (1 - 2 p) t
//   log cdf = -log(1 + e^(-beta t)); Stan has no ccdf
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"

namespace kullback::math {
namespace {

struct Loglogistic {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::positive_finite},
                                               {"scale", Domain::positive_finite},
                                               {"shape", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain beta, const Terms& terms, double* d) {
      const double log_y = std::log(y);
      const double log_alpha = std::log(alpha);
      const double t = log_y - log_alpha;
      const double p = fast::inv_logit(beta * t);
      if (d != nullptr) {
        d[0] = (beta - 1.0 - 2.0 * beta * p) / y;
        d[1] = beta * (2.0 * p - 1.0) / alpha;
        d[2] = 1.0 / beta + (1.0 - 2.0 * p) * t;
      }
      const double result = (beta - 1.0) * log_y - 2.0 * fast::log1p_exp(beta * t);
      return terms.keep(6) ? result + std::log(beta) - beta * log_alpha : result;
    }
  };

  struct LogCdf {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain beta, const Terms&, double* d) {
      const double t = std::log(y / alpha);
      const double slope = fast::inv_logit(-beta * t);
      if (d != nullptr) {
        d[0] = slope * beta / y;
        d[1] = -slope * beta / alpha;
        d[2] = slope * t;
      }
      return fast::log_inv_logit(beta * t);
    }
  };

  static double random(Random& random, const double* p) {
    const double u = random.uniform();
    return p[0] * std::exp((std::log(u) - std::log1p(-u)) / p[1]);
  }
};

}  // namespace

constinit const Distribution distributions::loglogistic = describe_distribution<Loglogistic>("loglogistic");

}  // namespace kullback::math
