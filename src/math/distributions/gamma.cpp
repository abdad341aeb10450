// Gamma distribution with shape alpha and rate beta, y > 0.
//
//   log p = alpha log beta - log Gamma(alpha) + (alpha - 1) log y - beta y
//   d/dy = (alpha - 1)/y - beta,  d/dalpha = log beta - digamma(alpha) + log y,  d/dbeta = alpha/beta - y
//   cdf = P(alpha, beta y),  ccdf = Q(alpha, beta y): see tails.cpp
#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct Gamma {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::positive_finite},
                                               {"shape", Domain::positive_finite},
                                               {"inverse scale", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  struct Shape {
    double alpha = 0;
    double log_gamma = 0;
    double digamma = 0;
    Shape() = default;
    Shape(double value, const Terms& terms) : alpha(value) {
      if (terms.keep(2)) log_gamma = math::log_gamma(value);
      if (terms.varies(1)) digamma = digamma_positive(value);
    }
  };
  struct Rate {
    double beta = 0;
    double inverse = 0;
    double log = 0;
    Rate() = default;
    KULLBACK_INLINE Rate(double value, const Terms&)
        : beta(value), inverse(1.0 / value), log(log_of_positive(value)) {}
    static Rate once(double value, const Terms& terms) {
      Rate result;
      result.beta = value;
      result.inverse = 1.0 / value;
      if (terms.keep(6)) result.log = log_of_positive(value);
      return result;
    }
  };

  struct Density {
    using Prepared = std::tuple<Plain, Shape, Rate>;
    static constexpr unsigned kFastRows[] = {0b001, 0b101};
    KULLBACK_INLINE static double evaluate(Plain y, const Shape& shape, const Rate& rate, const Terms& terms,
                                           double* d) {
      const double log_y = log_of_positive(y);
      if (d != nullptr) {
        d[0] = (shape.alpha - 1.0) / y - rate.beta;
        d[1] = (rate.log - shape.digamma) + log_y;
        d[2] = shape.alpha * rate.inverse - y;
      }
      return (kept(terms.keep(6), shape.alpha * rate.log) - shape.log_gamma) +
             (kept(terms.keep(3), (shape.alpha - 1.0) * log_y) - kept(terms.keep(5), rate.beta * y));
    }
  };

  template <GammaTail (*tail_of)(double, double, bool)>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain beta, const Terms& terms, double* d) {
      const GammaTail tail = tail_of(alpha, beta * y, d != nullptr && terms.varies(1));
      if (d != nullptr) {
        d[0] = tail.d_x * beta;
        d[1] = tail.d_a;
        d[2] = tail.d_x * y;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<&log_gamma_p>;
  using LogCcdf = Cumulative<&log_gamma_q>;

  static double random(Random& random, const double* p) { return random.gamma(p[0]) / p[1]; }
};

}  // namespace

constinit const Distribution distributions::gamma = describe_distribution<Gamma>("gamma");

}  // namespace kullback::math
