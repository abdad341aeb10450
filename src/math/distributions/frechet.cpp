// Frechet distribution with shape alpha and scale sigma, y > 0, t = log(sigma / y), w = e^(alpha t).
//
//   log p = log alpha - (alpha + 1) log y + alpha log sigma - w
//   d/dy = (alpha w - alpha - 1)/y,  d/dalpha = 1/alpha + (1 - w) t,  d/dsigma = alpha (1 - w)/sigma
//   log cdf = -w,  log ccdf = log(1 - e^-w), in alpha t: see log1m_exp_exp
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct Frechet {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::positive}, {"shape", Domain::positive_finite}, {"scale", Domain::positive_finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain sigma, const Terms& terms, double* d) {
      const double log_y = std::log(y);
      const double log_sigma = std::log(sigma);
      const double t = log_sigma - log_y;
      const double w = std::exp(alpha * t);
      if (d != nullptr) {
        d[0] = (alpha * w - alpha - 1.0) / y;
        d[1] = 1.0 / alpha + (1.0 - w) * t;
        d[2] = alpha * (1.0 - w) / sigma;
      }
      double result = -w;
      if (terms.keep(2)) result += std::log(alpha);
      if (terms.keep(3)) result -= (alpha + 1.0) * log_y;
      if (terms.keep(6)) result += alpha * log_sigma;
      return result;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain sigma, const Terms&, double* d) {
      const double t = std::log(sigma / y);
      const double w = std::exp(alpha * t);
      const LogTail tail = is_upper ? log1m_exp_exp(alpha * t) : LogTail{-w, -w};
      if (d != nullptr) {
        d[0] = -tail.slope * alpha / y;
        d[1] = tail.slope * t;
        d[2] = tail.slope * alpha / sigma;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return p[1] * std::pow(random.exponential(), -1.0 / p[0]);
  }
};

}  // namespace

constinit const Distribution distributions::frechet = describe_distribution<Frechet>("frechet");

}  // namespace kullback::math
