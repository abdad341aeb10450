// Poisson distribution.
//   log p = n log lambda - lambda - log n!,   d/dlambda = n / lambda - 1
// lambda = 0 puts all mass on 0; lambda = infinity has none anywhere.
// cdf by summing masses from the variate away from the mean; d cdf / dlambda = -p(n).
#include "math/discrete_random.hpp"
#include "math/distributions/discrete_sums.hpp"
#include "math/fast_gamma.hpp"

namespace kullback::math {
namespace {

struct Poisson {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"rate", Domain::nonnegative}};
  static constexpr Domain kCdfVariate = Domain::integer;

  struct Count {
    double value = 0;
    double log_factorial = 0;
    Count() = default;
    KULLBACK_INLINE Count(double n, const Terms& terms)
        : value(n), log_factorial(terms.normalized ? fast::log_factorial(n) : 0.0) {}
  };

  struct Rate {
    double value = 0;
    double log = 0;
    double inverse = 0;
    Rate() = default;
    KULLBACK_INLINE Rate(double lambda, const Terms&)
        : value(lambda),
          log(lambda > 0.0 ? log_of_positive(lambda) : kNegativeInfinity),
          inverse(1.0 / lambda) {}
  };

  struct Density {
    using Prepared = std::tuple<Count, Rate>;
    static constexpr unsigned kFastRows[] = {0b01, 0b11};
    static constexpr Terms kTermsCases[] = {{false, 0b10}, {true, 0b10}};
    KULLBACK_INLINE static double evaluate(const Count& n, const Rate& lambda, const Terms& terms,
                                           double* d) {
      if (d != nullptr) {
        d[0] = 0;
        d[1] = (n.value == 0.0 ? 0.0 : n.value * lambda.inverse) - 1.0;
      }
      const double power = n.value == 0.0 ? 0.0 : n.value * lambda.log;
      const double value = kept(terms.keep(2), power - lambda.value - n.log_factorial);
      return lambda.value < kInfinity ? value : kNegativeInfinity;
    }
  };

  static Sides sides(double n, double lambda) {
    if (n < 0) return Sides::all_above();
    if (lambda == 0) return Sides::all_below();
    if (lambda == kInfinity) return Sides::all_above();
    const double log_mass = n * std::log(lambda) - lambda - fast::log_factorial(n);
    if (n < lambda) {
      double k = n;
      const MassSum sum = sum_masses({}, [&](double& ratio, auto&) { ratio = k-- / lambda; });
      return Sides::from_lower(log_mass + sum.log_sum, {-std::exp(-sum.log_sum)});
    }
    double k = n + 1;
    const MassSum sum = sum_masses({}, [&](double& ratio, auto&) { ratio = lambda / ++k; });
    const double log_ccdf = log_mass + std::log(lambda / (n + 1)) + sum.log_sum;
    return Sides::from_upper(log_ccdf, {std::exp(log_mass - log_ccdf)});
  }

  struct LogCdf {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain n, Plain lambda, const Terms&, double* d) {
      const Sides both = sides(n, lambda);
      if (d != nullptr) {
        d[0] = 0;
        d[1] = both.cdf_slopes[0];
      }
      return both.log_cdf;
    }
  };

  struct LogCcdf {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain n, Plain lambda, const Terms&, double* d) {
      const Sides both = sides(n, lambda);
      if (d != nullptr) {
        d[0] = 0;
        d[1] = both.ccdf_slopes[0];
      }
      return both.log_ccdf;
    }
  };

  static double random(Random& random, const double* p) { return draw_poisson(random, p[0]); }
};

}  // namespace

constinit const Distribution distributions::poisson = describe_distribution<Poisson>("poisson", true);

}  // namespace kullback::math
