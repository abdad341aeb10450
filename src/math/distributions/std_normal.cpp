// Standard normal distribution.
//
//   log p = -y^2 / 2 - log(2 pi) / 2,  d/dy = -y
//   log cdf = log Phi(y),  log ccdf = log Phi(-y),  derivative phi(y) / Phi(y)
#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/distributions/tails.hpp"

namespace kullback::math {
namespace {

struct StdNormal {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::any}};

  struct Density {
    using Prepared = std::tuple<Plain>;
    static constexpr unsigned kFastRows[] = {0b1};
    KULLBACK_INLINE static double evaluate(Plain y, const Terms& terms, double* d) {
      if (d != nullptr) d[0] = -y;
      return -0.5 * y * y - kept(terms.normalized, kHalfLogTwoPi);
    }
  };

  template <int sign>
  struct Cumulative {
    using Prepared = std::tuple<Plain>;
    static double evaluate(Plain y, const Terms&, double* d) {
      const LogTail tail = log_normal_cdf(sign * y);
      if (d != nullptr) d[0] = sign * tail.slope;
      return tail.log;
    }
  };
  using LogCdf = Cumulative<1>;
  using LogCcdf = Cumulative<-1>;

  static double random(Random& random, const double*) { return random.normal(); }
};

}  // namespace

constinit const Distribution distributions::std_normal = describe_distribution<StdNormal>("std_normal");

}  // namespace kullback::math
