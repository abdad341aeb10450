// First passage time at the upper boundary of a Wiener process with drift delta between boundaries alpha
// apart, which starts at beta alpha after the time tau: w = 1 - beta, x = (y - tau) / alpha^2.
//
//   log p = delta alpha w - delta^2 (y - tau)/2 - 2 log alpha + log f(x, w)
//   small x: f = (2 pi x^3)^(-1/2) sum_k (w + 2k) exp(-(w + 2k)^2/(2x))
//   large x: f = pi sum_{k>0} k exp(-k^2 pi^2 x/2) sin(k pi w)
//
// Derivatives term by term. Six terms of either sum reach double precision on their side of x = 1/2; Stan
// stops at an error of 1e-6 of f. Both sums are taken relative to their first term's exponential, so that log
// f does not underflow. Navarro and Fuss (2009), J. Math. Psychology 53, 222-230.
//
// Delicate: beta near 0, where the terms cancel (relative error of f about 1e-16 / beta).
#include <algorithm>
#include <cmath>

#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

// log f and its derivatives.
struct Passage {
  double log = 0;
  double by_x = 0;
  double by_w = 0;
};

Passage small_time(double x, double w) {
  double sum = 0, sum_x = 0, sum_w = 0;
  for (int k = -6; k <= 6; ++k) {
    const double a = w + 2 * k;
    const double e = std::exp(-2 * k * (k + w) / x);
    sum += a * e;
    sum_x += a * a * a * e;
    sum_w += (1 - a * a / x) * e;
  }
  return {std::log(sum) - 0.5 * w * w / x - 1.5 * std::log(x) - kHalfLogTwoPi,
          0.5 * sum_x / (sum * x * x) - 1.5 / x, sum_w / sum};
}

Passage large_time(double x, double w, double beta) {
  constexpr double kRate = 0.5 * kPi * kPi;
  double sum = 0, sum_x = 0, sum_w = 0;
  for (int k = 1; k <= 6; ++k) {
    const double e = k * std::exp((1 - k * k) * kRate * x);
    const double sign = k % 2 == 0 ? -1 : 1;
    const double sine = w < 0.5 ? std::sin(k * kPi * w) : sign * std::sin(k * kPi * beta);
    sum += e * sine;
    sum_x -= e * k * k * kRate * sine;
    sum_w += e * k * kPi * std::cos(k * kPi * w);
  }
  return {std::log(sum) + kLogPi - kRate * x, sum_x / sum, sum_w / sum};
}

struct Wiener {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::positive},
                                               {"boundary separation", Domain::positive_finite},
                                               {"nondecision time", Domain::positive_finite},
                                               {"a-priori bias", Domain::probability},
                                               {"drift rate", Domain::finite}};

  static const char* relation(const double* x) {
    return x[0] > x[2] ? nullptr : "variate must be greater than nondecision time";
  }

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain tau, Plain beta, Plain delta, const Terms&,
                           double* d) {
      const double time = y - tau;
      if (!(time > 0)) {
        if (d != nullptr) std::fill_n(d, 5, kNotANumber);
        return kNotANumber;
      }
      const double w = 1 - beta;
      const double x = time / (alpha * alpha);
      if (x == kInfinity || w <= 0 || w >= 1) return kNegativeInfinity;
      const Passage f = x < 0.5 ? small_time(x, w) : large_time(x, w, beta);
      if (d != nullptr) {
        d[0] = f.by_x / (alpha * alpha) - 0.5 * delta * delta;
        d[1] = delta * w - 2 * (1 + x * f.by_x) / alpha;
        d[2] = -d[0];
        d[3] = -(delta * alpha + f.by_w);
        d[4] = alpha * w - delta * time;
      }
      return delta * (alpha * w - 0.5 * delta * time) - 2 * std::log(alpha) + f.log;
    }
  };
};

}  // namespace

constinit const Distribution distributions::wiener = describe_distribution<Wiener>("wiener");

}  // namespace kullback::math
