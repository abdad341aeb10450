// Beta-binomial distribution: n successes in N trials whose probability is beta(alpha, beta).
//   log p = log(N over n) + log B(n + alpha, N - n + beta) - log B(alpha, beta)
//   d/dalpha = digamma(n + alpha) - digamma(alpha) - (digamma(N + alpha + beta) - digamma(alpha + beta)), and
//   the same for beta with N - n.
// cdf by summing masses from the variate away from the mean, with
//   p(k + 1) / p(k) = (N - k) / (k + 1) (k + alpha) / (N - k - 1 + beta).
#include "base/random.hpp"
#include "math/discrete_random.hpp"
#include "math/distributions/discrete_sums.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct BetaBinomial {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::integer},
                                               {"trials", Domain::nonnegative_integer},
                                               {"first prior sample size", Domain::positive_finite},
                                               {"second prior sample size", Domain::positive_finite}};

  static double log_mass(double n, double trials, double a, double b) {
    return log_rising(a, n) + log_rising(b, trials - n) - log_rising(a + b, trials);
  }

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain trials, Plain a, Plain b, const Terms& terms, double* d) {
      if (d != nullptr) d[0] = d[1] = d[2] = d[3] = 0;
      if (n < 0 || n > trials) return kNegativeInfinity;
      if (d != nullptr) {
        const double both = digamma_difference(a + b, trials);
        if (terms.varies(2)) d[2] = digamma_difference(a, n) - both;
        if (terms.varies(3)) d[3] = digamma_difference(b, trials - n) - both;
      }
      double value = terms.keep(12) ? log_mass(n, trials, a, b) : 0.0;
      if (terms.normalized) value += log_choose(trials, n);
      return value;
    }
  };

  static Sides sides(double n, double trials, double a, double b) {
    if (n < 0) return Sides::all_above();
    if (n >= trials) return Sides::all_below();
    const bool is_lower = n < trials * a / (a + b);
    double k = is_lower ? n : n + 1;
    const double at_start = log_choose(trials, k) + log_mass(k, trials, a, b);
    const double both = digamma_difference(a + b, trials);
    const std::array<double, 3> slopes = {digamma_difference(a, k) - both,
                                          digamma_difference(b, trials - k) - both};
    if (is_lower) {
      const MassSum sum = sum_masses(slopes, [&](double& ratio, auto& slope) {
        if (k == 0) return;
        ratio = k / (trials - k + 1) * (trials - k + b) / (k - 1 + a);
        slope[0] -= 1 / (k - 1 + a);
        slope[1] += 1 / (trials - k + b);
        --k;
      });
      return Sides::from_lower(at_start + sum.log_sum, sum.mean);
    }
    const MassSum sum = sum_masses(slopes, [&](double& ratio, auto& slope) {
      if (k == trials) return;
      ratio = (trials - k) / (k + 1) * (k + a) / (trials - k - 1 + b);
      slope[0] += 1 / (k + a);
      slope[1] -= 1 / (trials - k - 1 + b);
      ++k;
    });
    return Sides::from_upper(at_start + sum.log_sum, sum.mean);
  }

  template <bool lower>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain trials, Plain a, Plain b, const Terms&, double* d) {
      const Sides both = sides(n, trials, a, b);
      if (d != nullptr) {
        const auto& slopes = lower ? both.cdf_slopes : both.ccdf_slopes;
        d[0] = d[1] = 0;
        d[2] = slopes[0];
        d[3] = slopes[1];
      }
      return lower ? both.log_cdf : both.log_ccdf;
    }
  };
  using LogCdf = Cumulative<true>;
  using LogCcdf = Cumulative<false>;

  static double random(Random& random, const double* p) {
    return draw_binomial(random, p[0], draw_beta(random, p[1], p[2]));
  }
};

}  // namespace

constinit const Distribution distributions::beta_binomial =
    describe_distribution<BetaBinomial>("beta_binomial", true);

}  // namespace kullback::math
