// Pareto distribution of the second type (Lomax), y >= mu, t = log(1 + (y - mu)/lambda), s = y - mu + lambda.
//
//   log p = log alpha - log lambda - (alpha + 1) t
//   d/dy = -(alpha + 1)/s = -d/dmu,  d/dlambda = ((alpha + 1)(y - mu)/s - 1)/lambda,  d/dalpha = 1/alpha - t
//   log ccdf = -alpha t,  log cdf = log(1 - ccdf)
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct ParetoType2 {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"location", Domain::any},
                                               {"scale", Domain::positive_finite},
                                               {"shape", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::nonnegative;

  static const char* relation(const double* x) {
    return x[0] < x[1] ? "variate must not be less than location" : nullptr;
  }

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain lambda, Plain alpha, const Terms& terms, double* d) {
      const double t = std::log1p((y - mu) / lambda);
      if (!(y >= mu)) {
        if (d != nullptr) d[0] = d[1] = d[2] = d[3] = kNotANumber;
        return kNotANumber;
      }
      if (d != nullptr) {
        const double sum = y - mu + lambda;
        d[0] = -(alpha + 1.0) / sum;
        d[1] = -d[0];
        d[2] = ((alpha + 1.0) * (y - mu) / sum - 1.0) / lambda;
        d[3] = 1.0 / alpha - t;
      }
      double result = -(alpha + 1.0) * t;
      if (terms.keep(8)) result += std::log(alpha);
      if (terms.keep(4)) result -= std::log(lambda);
      return result;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain lambda, Plain alpha, const Terms&, double* d) {
      if (!(y >= mu)) {
        if (d != nullptr) d[0] = d[1] = d[2] = d[3] = kNotANumber;
        return kNotANumber;
      }
      const double t = std::log1p((y - mu) / lambda);
      const double slope = is_upper ? -1.0 : 1.0 / std::expm1(alpha * t);  // in alpha t
      if (d != nullptr) {
        const double sum = y - mu + lambda;
        d[0] = slope * alpha / sum;
        d[1] = -d[0];
        d[2] = -d[0] * (y - mu) / lambda;
        d[3] = slope * t;
      }
      return is_upper ? -alpha * t : log1m_exp(-alpha * t);
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return p[0] + p[1] * std::expm1(random.exponential() / p[2]);
  }
};

}  // namespace

constinit const Distribution distributions::pareto_type_2 =
    describe_distribution<ParetoType2>("pareto_type_2");

}  // namespace kullback::math
