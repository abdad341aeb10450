// Weibull distribution with shape alpha and scale sigma, y >= 0, t = log(y / sigma), w = e^(alpha t).
//
//   log p = log alpha + (alpha - 1) log y - alpha log sigma - w
//   d/dy = (alpha - 1 - alpha w)/y,  d/dalpha = 1/alpha + (1 - w) t,  d/dsigma = alpha (w - 1)/sigma
//   log ccdf = -w,  log cdf = log(1 - e^-w), in alpha t: see log1m_exp_exp
//
// At y = 0 with alpha = 1 the second term is 0, its limit.
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct Weibull {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::finite}, {"shape", Domain::positive_finite}, {"scale", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  struct Positive {
    double value = 0;
    double inverse = 0;
    double log = 0;
    Positive() = default;
    KULLBACK_INLINE Positive(double x, const Terms&) : value(x), inverse(1.0 / x), log(log_of_positive(x)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Positive, Positive>;
    static constexpr unsigned kFastRows[] = {0b001, 0b101};
    KULLBACK_INLINE static double evaluate(Plain y, const Positive& alpha, const Positive& sigma,
                                           const Terms& terms, double* d) {
      const double log_y = fast::log(y);
      const double t = log_y - sigma.log;
      const double w = fast::exp(alpha.value * t);
      const double less = alpha.value - 1.0;
      if (d != nullptr) {
        d[0] = (less - alpha.value * w) / y;
        d[1] = alpha.inverse + (1.0 - w) * t;
        d[2] = alpha.value * (w - 1.0) * sigma.inverse;
      }
      const double result =
          kept(terms.keep(2), alpha.log) +
          (kept(terms.keep(3) && less != 0.0, less * log_y) - kept(terms.keep(6), alpha.value * sigma.log)) -
          w;
      return y < 0.0 ? kNegativeInfinity : result;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain sigma, const Terms&, double* d) {
      const double t = std::log(y / sigma);
      const double w = std::exp(alpha * t);
      const LogTail tail = is_upper ? LogTail{-w, -w} : log1m_exp_exp(alpha * t);
      if (d != nullptr) {
        d[0] = tail.slope * alpha / y;
        d[1] = tail.slope * t;
        d[2] = -tail.slope * alpha / sigma;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return p[1] * std::pow(random.exponential(), 1.0 / p[0]);
  }
};

}  // namespace

constinit const Distribution distributions::weibull = describe_distribution<Weibull>("weibull");

}  // namespace kullback::math
