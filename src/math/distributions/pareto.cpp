// Pareto distribution on y >= m (the scale) with shape alpha.
//
//   log p = log alpha + alpha log m - (alpha + 1) log y
//   d/dy = -(alpha + 1)/y,  d/dm = alpha/m,  d/dalpha = 1/alpha + log(m/y)
//   log ccdf = alpha log(m/y),  log cdf = log(1 - ccdf); below m: 0 and -inf
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct Pareto {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::any}, {"scale", Domain::positive_finite}, {"shape", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain least, Plain alpha, const Terms& terms, double* d) {
      if (y < least) return kNegativeInfinity;
      const double log_y = std::log(y);
      const double log_least = std::log(least);
      if (d != nullptr) {
        d[0] = -(alpha + 1.0) / y;
        d[1] = alpha / least;
        d[2] = 1.0 / alpha + log_least - log_y;
      }
      double result = 0;
      if (terms.keep(4)) result += std::log(alpha);
      if (terms.keep(5)) result -= (alpha + 1.0) * log_y;
      if (terms.keep(6)) result += alpha * log_least;
      return result;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain least, Plain alpha, const Terms&, double* d) {
      if (y < least) return is_upper ? 0.0 : kNegativeInfinity;
      const double excess = y - least;  // exact near the least value
      const double t = excess < least ? -std::log1p(excess / least) : std::log(least / y);
      const double slope = is_upper ? 1.0 : -1.0 / std::expm1(-alpha * t);
      if (d != nullptr) {
        d[0] = -slope * alpha / y;
        d[1] = slope * alpha / least;
        d[2] = slope * t;
      }
      return is_upper ? alpha * t : log1m_exp(alpha * t);
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return p[0] * std::exp(random.exponential() / p[1]);
  }
};

}  // namespace

constinit const Distribution distributions::pareto = describe_distribution<Pareto>("pareto");

}  // namespace kullback::math
