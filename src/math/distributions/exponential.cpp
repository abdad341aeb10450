// Exponential distribution with rate beta, y >= 0.
//
//   log p = log beta - beta y,  d/dy = -beta,  d/dbeta = 1/beta - y
//   log cdf = log(1 - e^(-beta y)),  d/d(beta y) = 1 / (e^(beta y) - 1);  log ccdf = -beta y
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct Exponential {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative},
                                               {"inverse scale", Domain::positive_finite}};

  struct Rate {
    double beta = 0;
    double inverse = 0;
    double log = 0;
    Rate() = default;
    KULLBACK_INLINE Rate(double value, const Terms& terms)
        : beta(value), inverse(1.0 / value), log(kept(terms.keep(2), log_of_positive(value))) {}
    static Rate once(double value, const Terms& terms) {
      Rate result;
      result.beta = value;
      if (!terms.keep(2)) return result;
      result.inverse = 1.0 / value;
      result.log = log_of_positive(value);
      return result;
    }
  };

  struct Density {
    using Prepared = std::tuple<Plain, Rate>;
    static constexpr unsigned kFastRows[] = {0b01, 0b11};
    KULLBACK_INLINE static double evaluate(Plain y, const Rate& rate, const Terms&, double* d) {
      if (d != nullptr) {
        d[0] = -rate.beta;
        d[1] = rate.inverse - y;
      }
      return rate.log - rate.beta * y;
    }
  };

  struct LogCdf {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain y, Plain beta, const Terms&, double* d) {
      const double slope = 1.0 / std::expm1(beta * y);
      if (d != nullptr) {
        d[0] = beta * slope;
        d[1] = y * slope;
      }
      return log1m_exp(-beta * y);
    }
  };
  struct LogCcdf {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain y, Plain beta, const Terms&, double* d) {
      if (d != nullptr) {
        d[0] = -beta;
        d[1] = -y;
      }
      return -beta * y;
    }
  };

  static double random(Random& random, const double* p) { return random.exponential() / p[0]; }
};

}  // namespace

constinit const Distribution distributions::exponential = describe_distribution<Exponential>("exponential");

}  // namespace kullback::math
