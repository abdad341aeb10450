// Uniform distribution on [a, b].
//
//   log p = -log(b - a) inside, bounds included;  d/da = 1/(b - a) = -d/db
//   log cdf = log((y - a)/(b - a)),  log ccdf = log((b - y)/(b - a)); outside, 0 or -inf
//
// For y > b Stan 2.36 has log cdf = -inf, which is wrong; ours is 0.
#include <cmath>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"

namespace kullback::math {
namespace {

struct Uniform {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::any}, {"lower bound", Domain::finite}, {"upper bound", Domain::finite}};

  static const char* relation(const double* x) {
    return x[2] > x[1] ? nullptr : "upper bound must be greater than lower bound";
  }

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    struct Joint {
      double log = 0;  // NaN for an empty interval
      double inverse = 0;
      Joint() = default;
      Joint(double a, double b, const Terms& terms) : inverse(1.0 / (b - a)) {
        if (terms.keep(6)) log = std::log(b - a);
        if (!(b > a)) log = inverse = kNotANumber;
      }
    };
    static double evaluate(Plain y, Plain a, Plain b, const Joint& joint, const Terms&, double* d) {
      if (d != nullptr) {
        d[0] = 0.0;
        d[1] = joint.inverse;
        d[2] = -joint.inverse;
      }
      const bool is_outside = (y < a || y > b) && a < b;
      return is_outside ? kNegativeInfinity : -joint.log;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain a, Plain b, const Terms&, double* d) {
      if (d != nullptr) d[0] = d[1] = d[2] = 0.0;
      if (!(b > a)) return kNotANumber;
      if (y <= a) return is_upper ? 0.0 : kNegativeInfinity;
      if (y >= b) return is_upper ? kNegativeInfinity : 0.0;
      const double width = b - a;
      if (d != nullptr) {
        d[0] = is_upper ? -1.0 / (b - y) : 1.0 / (y - a);
        d[1] = is_upper ? 1.0 / width : -(b - y) / (width * (y - a));
        d[2] = is_upper ? (y - a) / (width * (b - y)) : -1.0 / width;
      }
      const double lower = (y - a) / width;
      const double upper = (b - y) / width;
      const double own = is_upper ? upper : lower;
      const double other = is_upper ? lower : upper;
      return own < 0.5 ? std::log(own) : std::log1p(-other);
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) { return p[0] + (p[1] - p[0]) * random.uniform(); }
};

}  // namespace

constinit const Distribution distributions::uniform = describe_distribution<Uniform>("uniform");

}  // namespace kullback::math
