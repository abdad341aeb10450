// Exponentially modified normal distribution: normal(mu, sigma) plus exponential(lambda);
// u = (y - mu)/sigma, v = lambda sigma, w = v - u, E = e^(v^2/2 - u v) Phi(-w) = phi(u) R(w), R = Mills's
// ratio.
//
//   log p = log lambda + log E,  d log E/du = phi/Phi(-w) - v,  d log E/dv = w - phi/Phi(-w)
//   cdf = Phi(u) - E,  d/du = v E,  d/dv = phi(u) - w E = phi(u) (1 - w R(w));  ccdf = Phi(-u) + E
//   d/dlog sigma = v d/dv - u d/du, written out so that it does not cancel
//
// Delicate: for w > 0, E is taken from R, because v^2/2 overflows and cancels. The cdf cancels
// - for u < 5 where E is near Phi(u): cdf = phi(u) (R(-u) - R(-u + v)) is integrated from -R';
// - for u > 5 with small v: cdf = (Phi(u) - Phi(u - v)) - Phi(u - v) (e^(v^2/2 - u v) - 1).
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

// log E, and its derivatives: in u, in v, and in log sigma, which moves both.
struct Exponential {
  double log = 0;
  double by_u = 0;
  double by_v = 0;
  double by_log_sigma = 0;

  Exponential(double u, double v) {
    const double w = v - u;
    if (w > 0) {
      const double excess = mills_excess(w);
      log = -0.5 * u * u - kHalfLogTwoPi - std::log(w + excess);
      by_u = excess - u;
      by_v = -excess;
      by_log_sigma = u * u - excess * (u + v);
    } else {
      const LogTail tail = log_normal_cdf(-w);
      log = v * (0.5 * v - u) + tail.log;
      by_u = tail.slope - v;
      by_v = w - tail.slope;
      by_log_sigma = v * v - tail.slope * (u + v);
    }
  }
};

double upper_tail(double z) { return 0.5 * std::erfc(z * 0.70710678118654752440); }

double log_cdf_of(double u, double v, double log_e) {
  const double log_phi = log_normal_cdf(u).log;
  const double ratio = std::exp(log_e - log_phi);
  if (ratio < 0.5) {
    const double upper = upper_tail(u) + std::exp(log_e);
    return upper < 0.5 ? std::log1p(-upper) : log_phi + std::log1p(-ratio);
  }
  if (u < 5) {
    const auto slope = [&](double t) { return mills_slope(t - u); };
    const double integral = boost::math::quadrature::gauss<double, 30>::integrate(slope, 0.0, v);
    return -0.5 * u * u - kHalfLogTwoPi + std::log(integral);
  }
  const double shift = v * (0.5 * v - u);
  const double step = upper_tail(u - v) - upper_tail(u);
  return std::log(step - (1.0 - upper_tail(u - v)) * std::expm1(shift));
}

struct ExpModNormal {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any},
                                               {"location", Domain::finite},
                                               {"scale", Domain::positive_finite},
                                               {"inverse scale", Domain::positive_finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, Plain lambda, const Terms& terms, double* d) {
      const double u = (y - mu) / sigma;
      if (std::isinf(u)) return kNegativeInfinity;
      const Exponential e(u, lambda * sigma);
      if (d != nullptr) {
        d[0] = e.by_u / sigma;
        d[1] = -d[0];
        d[2] = e.by_log_sigma / sigma;
        d[3] = sigma * e.by_v + 1.0 / lambda;
      }
      // Stan's ~ keeps the 2 of erfc = 2 Phi and drops the 1/2 before it.
      return e.log + (terms.keep(8) ? std::log(lambda) : 0.0) + (terms.normalized ? 0.0 : kLogTwo);
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain sigma, Plain lambda, const Terms&, double* d) {
      const double u = (y - mu) / sigma;
      const double v = lambda * sigma;
      if (std::isinf(u)) return (u < 0) == is_upper ? 0.0 : kNegativeInfinity;
      const double log_e = Exponential(u, v).log;
      double result;
      if constexpr (is_upper) {
        result = log_sum_exp(log_normal_cdf(-u).log, log_e);
        if (result > -0.5) result = std::log1p(-std::exp(log_cdf_of(u, v, log_e)));
      } else {
        result = log_cdf_of(u, v, log_e);
      }
      if (d != nullptr) {
        const double w = v - u;
        const double sign = is_upper ? -1.0 : 1.0;
        const double phi = sign * std::exp(-0.5 * u * u - kHalfLogTwoPi - result);
        const double e = sign * std::exp(log_e - result);
        const double slope = w > 2 ? phi * mills_slope(w) : phi - w * e;
        d[0] = v * e / sigma;
        d[1] = -d[0];
        d[2] = v * (w > 2 ? slope - u * e : phi - v * e) / sigma;
        d[3] = sigma * slope;
      }
      return result;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return p[0] + p[1] * random.normal() + random.exponential() / p[2];
  }
};

}  // namespace

constinit const Distribution distributions::exp_mod_normal =
    describe_distribution<ExpModNormal>("exp_mod_normal");

}  // namespace kullback::math
