// Beta negative binomial distribution: n failures before the r-th success, the success probability
// beta(alpha, beta).
//   log p = lgamma(n + beta) - lgamma(beta) + log B(n + r, alpha + beta) - log B(r, alpha) - log n!
//   with e = alpha + beta + r, digamma' s written psi:
//   d/dr = psi(n + r) - psi(r) + psi(r + alpha) - psi(n + e),   d/dalpha = psi(alpha + beta) - psi(alpha) +
//   psi(r + alpha)
//   - psi(n + e),   d/dbeta = psi(n + beta) - psi(beta) + psi(alpha + beta) - psi(n + e)
// cdf by summing masses, p(k + 1) / p(k) = (k + r)(k + beta) / ((k + 1)(k + e)). The upper tail is a power
// law, p(k) ~ k^-(alpha + 1), so that it is taken as 1 - cdf, or, where that has lost its digits, summed up
// to K with
//   sum_{k >= K} p(k) = p(K) (K + c) / alpha (1 + O(K^-2)),
//   c = (1 + e^2 - r^2 - beta^2) / (2 (alpha + 1)) + (alpha - 1) / 2.
#include "base/random.hpp"
#include "math/discrete_random.hpp"
#include "math/distributions/discrete_sums.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct BetaNegBinomial {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"successes", Domain::positive_finite},
                                               {"prior successes", Domain::positive_finite},
                                               {"prior failures", Domain::positive_finite}};
  static constexpr Domain kCdfVariate = Domain::integer;

  // Without log n!. The large parts of (r)_n (beta)_n / (e)_n and of B(r + alpha, beta) cancel in pairs.
  static double log_kernel(double n, double r, double a, double b) {
    return log_rising(b, n) + log_rising(r, n) - log_rising(a + b + r, n) + log_beta(r + a, b) -
           log_beta(a, b);
  }

  static std::array<double, 3> slopes_at(double n, double r, double a, double b) {
    const double all = digamma_difference(a + b + r, n);
    const double ar = digamma_difference(r + a, b);    // psi(e) - psi(r + alpha)
    const double ab = digamma_difference(a, b);        // psi(alpha + beta) - psi(alpha)
    const double ab_r = digamma_difference(a + b, r);  // psi(e) - psi(alpha + beta)
    return {digamma_difference(r, n) - all - ar, ab - all - ar, digamma_difference(b, n) - all - ab_r};
  }

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain r, Plain a, Plain b, const Terms& terms, double* d) {
      if (d != nullptr) {
        const std::array<double, 3> slopes = slopes_at(n, r, a, b);
        d[0] = 0;
        for (std::size_t j = 0; j < 3; ++j) d[j + 1] = slopes[j];
      }
      double value = terms.keep(14) ? log_kernel(n, r, a, b) : 0.0;
      if (terms.normalized) value -= log_gamma(n + 1);
      return value;
    }
  };

  // One mass up: ratio and slopes.
  static double step_up(double k, double r, double a, double b, std::array<double, 3>& slopes) {
    const double e = a + b + r;
    slopes[0] += 1 / (k + r) - 1 / (k + e);
    slopes[1] -= 1 / (k + e);
    slopes[2] += 1 / (k + b) - 1 / (k + e);
    return (k + r) / (k + 1) * ((k + b) / (k + e));
  }

  static Sides sides(double n, double r, double a, double b) {
    if (n < 0) return Sides::all_above();
    const double e = a + b + r;
    double k = n;
    const double at_n = log_kernel(n, r, a, b) - log_gamma(n + 1);
    const MassSum below = sum_masses(slopes_at(n, r, a, b), [&](double& ratio, auto& slopes) {
      if (k == 0) return;
      --k;
      ratio = (k + 1) / (k + r) * ((k + e) / (k + b));
      slopes[0] -= 1 / (k + r) - 1 / (k + e);
      slopes[1] += 1 / (k + e);
      slopes[2] -= 1 / (k + b) - 1 / (k + e);
    });
    const double log_cdf = at_n + below.log_sum;
    if (log_cdf < -0.01) return Sides::from_lower(log_cdf, below.mean);
    return upper_tail(n, {r, a, b});
  }

  static Sides upper_tail(double n, std::array<double, 3> p) {
    constexpr double kTerms = 300'000;
    const auto [r, a, b] = p;
    const double e = a + b + r;
    double k = n + 1;
    const double at_start = log_kernel(k, r, a, b) - log_gamma(k + 1);
    std::array<double, 3> slopes = slopes_at(k, r, a, b);
    std::array<double, 3> weighted{};
    double term = 1;
    double sum = 0;
    const double c = (1 + e * e - r * r - b * b) / (2 * (a + 1)) + (a - 1) / 2;
    const double enough = std::max(kTerms, 1000 * (e + std::abs(c)));
    while (k < n + enough && term > 1e-19 * sum / (k + std::abs(c))) {
      sum += term;
      for (std::size_t j = 0; j < 3; ++j) weighted[j] += term * slopes[j];
      term *= step_up(k, r, a, b, slopes);
      ++k;
    }
    const double rest = term * (k + c) / a;
    const std::array<double, 3> c_slopes = {
        (e - r) / (a + 1), e / (a + 1) - (1 + e * e - r * r - b * b) / (2 * (a + 1) * (a + 1)) + 0.5,
        (e - b) / (a + 1)};
    for (std::size_t j = 0; j < 3; ++j) {
      weighted[j] += rest * (slopes[j] + c_slopes[j] / (k + c) - (j == 1 ? 1 / a : 0.0));
    }
    sum += rest;
    for (double& w : weighted) w /= sum;
    return Sides::from_upper(at_start + std::log(sum), weighted);
  }

  template <bool lower>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain r, Plain a, Plain b, const Terms&, double* d) {
      const Sides both = sides(n, r, a, b);
      if (d != nullptr) {
        const auto& slopes = lower ? both.cdf_slopes : both.ccdf_slopes;
        d[0] = 0;
        for (std::size_t j = 0; j < 3; ++j) d[j + 1] = slopes[j];
      }
      return lower ? both.log_cdf : both.log_ccdf;
    }
  };
  using LogCdf = Cumulative<true>;
  using LogCcdf = Cumulative<false>;

  static double random(Random& random, const double* p) {
    const double success = draw_beta(random, p[1], p[2]);
    return draw_poisson(random, random.gamma(p[0]) * (1 - success) / success);
  }
};

}  // namespace

constinit const Distribution distributions::beta_neg_binomial =
    describe_distribution<BetaNegBinomial>("beta_neg_binomial", true);

}  // namespace kullback::math
