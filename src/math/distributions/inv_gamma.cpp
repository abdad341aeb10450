// Inverse gamma distribution with shape alpha and scale beta, y > 0.
//
//   log p = alpha log beta - log Gamma(alpha) - (alpha + 1) log y - beta / y
//   d/dy = (beta/y - alpha - 1)/y,  d/dalpha = log beta - digamma(alpha) - log y,  d/dbeta = alpha/beta - 1/y
//   cdf = Q(alpha, beta / y),  ccdf = P(alpha, beta / y): see tails.cpp
#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct InvGamma {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::any}, {"shape", Domain::positive_finite}, {"scale", Domain::positive_finite}};
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
  struct Scale {
    double beta = 0;
    double inverse = 0;
    double log = 0;
    Scale() = default;
    KULLBACK_INLINE Scale(double value, const Terms&)
        : beta(value), inverse(1.0 / value), log(log_of_positive(value)) {}
    static Scale once(double value, const Terms& terms) {
      Scale result;
      result.beta = value;
      result.inverse = 1.0 / value;
      if (terms.keep(6)) result.log = log_of_positive(value);
      return result;
    }
  };

  struct Density {
    using Prepared = std::tuple<Plain, Shape, Scale>;
    static constexpr unsigned kFastRows[] = {0b001};
    KULLBACK_INLINE static double evaluate(Plain y, const Shape& shape, const Scale& scale,
                                           const Terms& terms, double* d) {
      const double log_y = log_of_positive(y);
      const double inverse = 1.0 / y;
      const double ratio = scale.beta * inverse;
      if (d != nullptr) {
        d[0] = (ratio - (shape.alpha + 1.0)) * inverse;
        d[1] = (scale.log - shape.digamma) - log_y;
        d[2] = shape.alpha * scale.inverse - inverse;
      }
      const double result = (kept(terms.keep(6), shape.alpha * scale.log) - shape.log_gamma) -
                            (kept(terms.keep(3), (shape.alpha + 1.0) * log_y) + kept(terms.keep(5), ratio));
      return y > 0.0 ? result : y <= 0.0 ? kNegativeInfinity : kNotANumber;
    }
  };

  template <GammaTail (*tail_of)(double, double, bool)>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain beta, const Terms& terms, double* d) {
      const GammaTail tail = tail_of(alpha, beta / y, d != nullptr && terms.varies(1));
      if (d != nullptr) {
        d[2] = tail.d_x / y;
        d[1] = tail.d_a;
        d[0] = -d[2] * (beta / y);
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<&log_gamma_q>;
  using LogCcdf = Cumulative<&log_gamma_p>;

  static double random(Random& random, const double* p) { return p[1] / random.gamma(p[0]); }
};

}  // namespace

constinit const Distribution distributions::inv_gamma = describe_distribution<InvGamma>("inv_gamma");

}  // namespace kullback::math
