// Uniform distribution on the integers from l to u: log p = -log(u - l + 1), which `~` drops, for nothing
// varies.
#include "base/random.hpp"
#include "math/distribution_kernel.hpp"

namespace kullback::math {
namespace {

struct DiscreteRange {
  static constexpr ArgumentDef kArguments[] = {
      {"variate", Domain::integer}, {"lower bound", Domain::integer}, {"upper bound", Domain::integer}};

  // log(inside / all) with whole numbers; the bounds must be in order.
  static double log_share(double inside, double low, double high, double* d) {
    if (d != nullptr) d[0] = d[1] = d[2] = 0;
    const double all = high - low + 1;
    if (all < 1) return kNotANumber;
    return inside <= 0 ? kNegativeInfinity : inside >= all ? 0 : std::log(inside) - std::log(all);
  }

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain low, Plain high, const Terms& terms, double* d) {
      const bool is_inside = n >= low && n <= high;
      const double value = log_share(is_inside ? 1 : 0, low, high, d);
      return is_inside && !terms.normalized ? 0 : value;
    }
  };

  struct LogCdf {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain low, Plain high, const Terms&, double* d) {
      return log_share(n - low + 1, low, high, d);
    }
  };

  struct LogCcdf {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain n, Plain low, Plain high, const Terms&, double* d) {
      return log_share(high - n, low, high, d);
    }
  };

  static const char* relation(const double* x) {
    return x[1] <= x[2] ? nullptr : "upper bound must not be less than lower bound";
  }

  static double random(Random& random, const double* p) {
    return p[0] + static_cast<double>(random.below(static_cast<std::uint64_t>(p[1] - p[0]) + 1));
  }
};

}  // namespace

constinit const Distribution distributions::discrete_range =
    describe_distribution<DiscreteRange>("discrete_range", true);

}  // namespace kullback::math
