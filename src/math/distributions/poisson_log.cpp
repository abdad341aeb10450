// Poisson distribution by its log rate.
//   log p = n alpha - exp(alpha) - log n!,   d/dalpha = n - exp(alpha)
// alpha = -infinity puts all mass on 0; alpha = infinity has none anywhere.
#include "math/discrete_random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/fast_gamma.hpp"

namespace kullback::math {
namespace {

struct PoissonLog {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"log rate", Domain::any}};

  struct Count {
    double value = 0;
    double log_factorial = 0;
    Count() = default;
    KULLBACK_INLINE Count(double n, const Terms& terms)
        : value(n), log_factorial(terms.normalized ? fast::log_factorial(n) : 0.0) {}
  };

  struct LogRate {
    double value = 0;
    double rate = 0;
    LogRate() = default;
    KULLBACK_INLINE LogRate(double alpha, const Terms&) : value(alpha), rate(fast::exp(alpha)) {}
  };

  struct Density {
    using Prepared = std::tuple<Count, LogRate>;
    static constexpr unsigned kFastRows[] = {0b01, 0b11};
    static constexpr Terms kTermsCases[] = {{false, 0b10}, {true, 0b10}};
    KULLBACK_INLINE static double evaluate(const Count& n, const LogRate& alpha, const Terms& terms,
                                           double* d) {
      if (d != nullptr) {
        d[0] = 0;
        d[1] = n.value - alpha.rate;
      }
      const double power = n.value == 0.0 ? 0.0 : n.value * alpha.value;
      const double value = kept(terms.keep(2), power - alpha.rate - n.log_factorial);
      return alpha.value < kInfinity ? value : kNegativeInfinity;
    }
  };

  static double random(Random& random, const double* p) { return draw_poisson(random, std::exp(p[0])); }
};

}  // namespace

constinit const Distribution distributions::poisson_log =
    describe_distribution<PoissonLog>("poisson_log", true);

}  // namespace kullback::math
