// Von Mises distribution with concentration kappa; f(t) = e^(kappa cos t) / (2 pi I_0(kappa)).
//
//   log p = kappa cos(y - mu) - log I_0(kappa) - log(2 pi)
//   d/dy = -kappa sin(y - mu) = -d/dmu,  d/dkappa = cos(y - mu) - A(kappa),  A = I_1/I_0
//   cdf on [-pi, pi] = int_{-pi}^y f(t - mu) dt;  d/dmu = f(-pi - mu) - f(y - mu),  d/dkappa = int (cos - A)
//   f
//
// kappa (cos - 1) and e^-kappa I_0 replace kappa cos and I_0, which would cancel for large kappa. Bessel
// functions: power series for kappa < 30, Hankel's expansion beyond (Abramowitz and Stegun 9.6.10, 9.7.1).
// Cumulative functions are integrated, between the modes and antimodes of f and from the higher end, which
// keeps the relative accuracy of small tails; Stan's use a normal approximation for kappa > 50 (absolute
// error 1e-3 to 1e-5). Random: Best and Fisher (1979); the result is within pi of mu.
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "base/random.hpp"
#include "math/bessel_ratio.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

using Gauss = boost::math::quadrature::gauss<double, 20>;

// The integral of e^(kappa (cos t - top)), top = the largest cosine, and the mean of 1 - cos under it.
struct Arc {
  double log = kNegativeInfinity;  // of the integral of e^(kappa (cos t - 1))
  double versine = 0;
};

// From the end with the higher density to the other; cos is monotone between.
Arc monotone_arc(double high, double low, double kappa) {
  const double top = std::cos(high);
  const double step = std::copysign(std::min(0.7, 1.5 / std::sqrt(kappa)), low - high);
  const double rate = kappa * std::abs(std::sin(high));
  const double width = rate > 0 ? std::copysign(std::min(std::abs(step), 3.0 / rate), step) : step;
  double sum = 0, moment = 0;
  double from = high;
  while (from != low) {
    const double to = std::abs(from + width - high) < std::abs(low - high) ? from + width : low;
    // cos t - top without cancellation
    const auto density = [&](double t) {
      return std::exp(-2 * kappa * std::sin(0.5 * (t - high)) * std::sin(0.5 * (t + high)));
    };
    const auto weighted = [&](double t) { return 2 * std::sin(0.5 * t) * std::sin(0.5 * t) * density(t); };
    const double part = std::abs(Gauss::integrate(density, std::min(from, to), std::max(from, to)));
    sum += part;
    moment += std::abs(Gauss::integrate(weighted, std::min(from, to), std::max(from, to)));
    if (part < 1e-17 * sum) break;
    from = to;
  }
  return {kappa * (top - 1) + std::log(sum), moment / sum};
}

// From a to b, in any period.
Arc arc(double a, double b, double kappa) {
  Arc result;
  for (double from = a; from < b;) {
    const double to = std::min(b, kPi * (std::floor(from / kPi) + 1));
    const double end = to > from ? to : b;
    const bool is_falling = std::cos(from) > std::cos(end);
    const Arc part = monotone_arc(is_falling ? from : end, is_falling ? end : from, kappa);
    const double log = log_sum_exp(result.log, part.log);
    result.versine = result.versine * std::exp(result.log - log) + part.versine * std::exp(part.log - log);
    result.log = log;
    from = end;
  }
  return result;
}

struct VonMises {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::finite},
                                               {"location", Domain::finite},
                                               {"concentration", Domain::nonnegative_finite}};

  struct Concentration {
    double kappa = 0;
    double log = 0;
    double complement = 0;
    Concentration() = default;
    Concentration(double value, const Terms& terms) : kappa(value) {
      if (!terms.keep(4)) return;
      const BesselRatio bessel(value);
      log = bessel.log;
      complement = bessel.complement;
    }
  };

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Concentration>;
    static double evaluate(Plain y, Plain mu, const Concentration& c, const Terms& terms, double* d) {
      const double angle = y - mu;
      const double half = std::sin(0.5 * angle);
      const double versine = 2 * half * half;
      if (d != nullptr) {
        d[1] = c.kappa * std::sin(angle);
        d[0] = -d[1];
        d[2] = c.complement - versine;
      }
      const double constant = terms.normalized ? 2 * kHalfLogTwoPi : 0.0;
      return terms.keep(4) ? -c.kappa * versine - c.log - constant : c.kappa * std::cos(angle) - constant;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain kappa, const Terms&, double* d) {
      if (d != nullptr) d[0] = d[1] = d[2] = 0;
      if (!(std::abs(y) <= kPi)) return kNotANumber;
      if (y == (is_upper ? kPi : -kPi)) return kNegativeInfinity;
      if (y == (is_upper ? -kPi : kPi)) return 0.0;
      const double center = std::remainder(mu, 2 * kPi);
      const BesselRatio bessel(kappa);
      const double norm = bessel.log + 2 * kHalfLogTwoPi;
      const Arc lower = arc(-kPi - center, y - center, kappa);
      const Arc upper = arc(y - center, kPi - center, kappa);
      const Arc& own = is_upper ? upper : lower;
      const double log_own = own.log - norm;
      const double log_other = (is_upper ? lower : upper).log - norm;
      const double result = log_own < -0.7 ? log_own : std::log1p(-std::exp(log_other));
      if (d != nullptr) {
        const auto density = [&](double t) {
          const double half = std::sin(0.5 * (t - center));
          return std::exp(-2 * kappa * half * half - norm - result);
        };
        const double sign = is_upper ? -1 : 1;
        const double at_y = density(y);
        d[0] = sign * at_y;
        d[1] = sign * (density(kPi) - at_y);
        // the smaller part has the better relative accuracy
        const Arc& small = lower.log < upper.log ? lower : upper;
        const double part = (bessel.complement - small.versine) * std::exp(small.log - norm - result);
        d[2] = &small == &own ? part : -part;
      }
      return result;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    const double kappa = p[1];
    if (kappa < 1e-8) return p[0] + kPi * (2 * random.uniform() - 1);
    const double tau = 1 + std::sqrt(1 + 4 * kappa * kappa);
    const double rho = (tau - std::sqrt(2 * tau)) / (2 * kappa);
    const double r = kappa < 1e-5 ? 1 / kappa + kappa : (1 + rho * rho) / (2 * rho);
    for (;;) {
      const double z = std::cos(kPi * random.uniform());
      const double w = (1 + r * z) / (r + z);
      const double c = kappa * (r - w);
      const double u = random.uniform();
      if (c * (2 - c) > u || std::log(c / u) + 1 - c >= 0) {
        const double angle = std::acos(std::max(-1.0, std::min(1.0, w)));
        return random.uniform() < 0.5 ? p[0] - angle : p[0] + angle;
      }
    }
  }
};

}  // namespace

constinit const Distribution distributions::von_mises = describe_distribution<VonMises>("von_mises");

}  // namespace kullback::math
