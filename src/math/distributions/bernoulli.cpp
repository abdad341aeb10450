// Bernoulli distribution: log p = log theta for n = 1, log(1 - theta) for n = 0; d/dtheta = 1/theta, -1/(1 -
// theta). cdf: 1 - theta for n = 0, one from n = 1, zero below n = 0.
#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/vector_math.hpp"

namespace kullback::math {
namespace {

struct Bernoulli {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::integer},
                                               {"probability", Domain::probability}};

  struct Probability {
    double value = 0;
    double log = 0;
    double log1m = 0;
    Probability() = default;
    KULLBACK_INLINE Probability(double theta, const Terms&)
        : value(theta), log(fast::log(theta)), log1m(fast::log1p(-theta)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Probability>;
    static constexpr unsigned kFastRows[] = {0b01, 0b11};
    KULLBACK_INLINE static double evaluate(Plain n, const Probability& theta, const Terms& terms, double* d) {
      const bool one = n == 1.0;
      if (d != nullptr) {
        d[0] = 0;
        d[1] = 1.0 / (one ? theta.value : theta.value - 1.0);
      }
      const double value = kept(terms.keep(2), one ? theta.log : theta.log1m);
      return ((n == 0.0) | one) ? value : kNegativeInfinity;
    }
  };

  struct LogCdf {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain n, Plain theta, const Terms&, double* d) {
      if (d != nullptr) d[0] = d[1] = 0;
      if (n < 0) return kNegativeInfinity;
      if (n >= 1) return 0;
      if (d != nullptr) d[1] = 1 / (theta - 1);
      return std::log1p(-theta);
    }
  };

  struct LogCcdf {
    using Prepared = std::tuple<Plain, Plain>;
    static double evaluate(Plain n, Plain theta, const Terms&, double* d) {
      if (d != nullptr) d[0] = d[1] = 0;
      if (n < 0) return 0;
      if (n >= 1) return kNegativeInfinity;
      if (d != nullptr) d[1] = 1 / theta;
      return std::log(theta);
    }
  };

  static const char* relation(const double* x) {
    return x[0] == 0 || x[0] == 1 ? nullptr : "variate must be 0 or 1";
  }

  static double random(Random& random, const double* p) { return random.uniform() < p[0] ? 1 : 0; }
};

}  // namespace

constinit const Distribution distributions::bernoulli = describe_distribution<Bernoulli>("bernoulli", true);

}  // namespace kullback::math
