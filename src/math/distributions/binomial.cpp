// Binomial distribution: n successes in N trials.
//   log p = log(N over n) + n log theta + (N - n) log(1 - theta),   d/dtheta = n / theta - (N - n) / (1 -
//   theta)
// A factor with exponent zero is one, also at theta = 0 and 1.
// cdf by summing masses from the variate away from the mean; d cdf / dtheta = -(N - n) / (1 - theta) p(n).
#include "math/discrete_random.hpp"
#include "math/distributions/discrete_sums.hpp"
#include "math/fast_gamma.hpp"

namespace kullback::math {
namespace {

struct Binomial {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"trials", Domain::nonnegative_integer},
                                               {"probability", Domain::probability}};
  static constexpr Domain kCdfVariate = Domain::integer;

  struct Probability {
    double value = 0;
    double log = 0;
    double log1m = 0;
    Probability() = default;
    KULLBACK_INLINE Probability(double theta, const Terms&)
        : value(theta), log(fast::log(theta)), log1m(fast::log1p(-theta)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Probability>;
    static constexpr unsigned kFastRows[] = {0b011, 0b111};
    static constexpr Terms kTermsCases[] = {{false, 0b100}, {true, 0b100}};
    KULLBACK_INLINE static double evaluate(Plain n, Plain trials, const Probability& theta,
                                           const Terms& terms, double* d) {
      const double failures = trials - n;
      if (d != nullptr) {
        d[0] = d[1] = 0;
        d[2] = (n == 0.0 ? 0.0 : n / theta.value) - (failures == 0.0 ? 0.0 : failures / (1.0 - theta.value));
      }
      const double kernel =
          (n == 0.0 ? 0.0 : n * theta.log) + (failures == 0.0 ? 0.0 : failures * theta.log1m);
      double value = kept(terms.keep(4), kernel);
      if (terms.normalized) value += fast::log_choose(trials, n);
      return failures >= 0.0 ? value : kNegativeInfinity;
    }
  };

  static Sides sides(double n, double trials, double theta) {
    if (n < 0) return Sides::all_above();
    if (n >= trials) return Sides::all_below();
    if (theta == 0) return Sides::from_upper(kNegativeInfinity, {});
    if (theta == 1) return Sides::from_lower(kNegativeInfinity, {});
    const double log_mass =
        fast::log_choose(trials, n) + n * std::log(theta) + (trials - n) * std::log1p(-theta);
    const double odds = theta / (1 - theta);
    const double slope = (trials - n) / (1 - theta);
    double k = n;
    if (n < trials * theta) {
      const MassSum sum = sum_masses({}, [&](double& ratio, auto&) {
        ratio = k / ((trials - k + 1) * odds);
        --k;
      });
      return Sides::from_lower(log_mass + sum.log_sum, {-slope * std::exp(-sum.log_sum)});
    }
    const auto next_ratio = [&] {
      const double ratio = (trials - k) / (k + 1) * odds;
      ++k;
      return ratio;
    };
    const double first = std::log(next_ratio());
    const MassSum sum = sum_masses({}, [&](double& ratio, auto&) { ratio = next_ratio(); });
    return Sides::from_upper(log_mass + first + sum.log_sum, {slope * std::exp(-first - sum.log_sum)});
  }

  template <bool lower>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain trials, Plain theta, const Terms&, double* d) {
      const Sides both = sides(n, trials, theta);
      if (d != nullptr) {
        d[0] = d[1] = 0;
        d[2] = lower ? both.cdf_slopes[0] : both.ccdf_slopes[0];
      }
      return lower ? both.log_cdf : both.log_ccdf;
    }
  };
  using LogCdf = Cumulative<true>;
  using LogCcdf = Cumulative<false>;

  static const char* relation(const double* x) {
    return x[0] <= x[1] ? nullptr : "variate must not be greater than trials";
  }

  static double random(Random& random, const double* p) { return draw_binomial(random, p[0], p[1]); }
};

}  // namespace

constinit const Distribution distributions::binomial = describe_distribution<Binomial>("binomial", true);

}  // namespace kullback::math
