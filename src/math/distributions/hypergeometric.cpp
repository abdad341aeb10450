// Hypergeometric distribution: n marked among N drawn without replacement from a marked and b unmarked.
//   log p = log(a over n) + log(b over N - n) - log(a + b over N); nothing in it varies, so that `~` drops it
//   all.
#include "math/discrete_random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct Hypergeometric {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"draws", Domain::nonnegative_integer},
                                               {"successes in population", Domain::nonnegative_integer},
                                               {"failures in population", Domain::nonnegative_integer}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain draws, Plain a, Plain b, const Terms& terms, double* d) {
      if (d != nullptr) d[0] = d[1] = d[2] = d[3] = 0;
      if (n > a || n > draws || draws - n > b) return kNegativeInfinity;
      if (!terms.normalized) return 0;
      return log_choose(a, n) + log_choose(b, draws - n) - log_choose(a + b, draws);
    }
  };

  static const char* relation(const double* x) {
    if (x[1] > x[2] + x[3]) return "draws must not be greater than the population";
    if (x[0] > x[2]) return "variate must not be greater than successes in population";
    if (x[0] > x[1]) return "variate must not be greater than draws";
    if (x[1] - x[0] > x[3]) return "draws minus variate must not be greater than failures in population";
    return nullptr;
  }

  static double random(Random& random, const double* p) {
    return draw_hypergeometric(random, p[0], p[1], p[2]);
  }
};

}  // namespace

constinit const Distribution distributions::hypergeometric =
    describe_distribution<Hypergeometric>("hypergeometric", true);

}  // namespace kullback::math
