// Bernoulli distribution by log odds. With s = 2 n - 1, x = s alpha and e = exp(-|x|):
//   log p = log inv_logit(x) = min(x, 0) - log(1 + e),   d/dalpha = s inv_logit(-x) = s (x < 0 ? 1 : e) / (1
//   + e)
// The loop over log odds is the hot one of logistic regression; it runs in two passes, see logistic_pair.hpp.
#include <algorithm>

#include "base/random.hpp"
#include "math/distribution_kernel.hpp"
#include "math/logistic_pair.hpp"

namespace kullback::math {
namespace {

struct BernoulliLogit {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::integer}, {"log odds", Domain::any}};

  struct LogOdds {
    double value = 0;
    LogisticParts parts{};
    LogOdds() = default;
    KULLBACK_INLINE LogOdds(double alpha, const Terms&) : LogOdds(alpha, logistic_exp(alpha)) {}
    KULLBACK_INLINE LogOdds(double alpha, double e) : value(alpha), parts(logistic_parts(alpha, e)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, LogOdds>;
    static constexpr unsigned kFastRows[] = {0b01, 0b11};
    KULLBACK_INLINE static double evaluate(double n, const LogOdds& alpha, const Terms& terms, double* d) {
      const bool one = n == 1.0;
      if (d != nullptr) {
        d[0] = 0;
        d[1] = one ? alpha.parts.complement : -alpha.parts.probability;
      }
      const double side = fast::at_most(one ? alpha.value : -alpha.value, 0.0);
      const double value = kept(terms.keep(2), side - alpha.parts.log1p);
      return ((n == 0.0) | one) ? value : kNegativeInfinity;
    }

    template <unsigned arrays>
      requires(arrays == 0b11)
    KULLBACK_INLINE static void run_fast(const kernel::Row& row) {
      const double* const n = row.arrays[0];
      const double* const alpha = row.arrays[1];
      double* const value = row.value;
      double* const slope = row.partials[1];
      const std::size_t size = row.size;
      const Terms terms = row.terms;
      double e[kernel::kBlock];
      std::fill_n(row.partials[0], size, 0.0);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) e[i] = logistic_exp(alpha[i]);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) {
        double d[2];
        const double v = evaluate(n[i], LogOdds(alpha[i], e[i]), terms, d);
        const bool is_inside = kernel::is_inside<Domain::integer>(n[i]) & (alpha[i] == alpha[i]);
        value[i] = is_inside ? v : kNotANumber;
        slope[i] = d[1];
      }
    }
  };

  static const char* relation(const double* x) {
    return x[0] == 0 || x[0] == 1 ? nullptr : "variate must be 0 or 1";
  }

  static double random(Random& random, const double* p) {
    return random.uniform() < fast::inv_logit(p[0]) ? 1 : 0;
  }
};

}  // namespace

constinit const Distribution distributions::bernoulli_logit =
    describe_distribution<BernoulliLogit>("bernoulli_logit", true);

}  // namespace kullback::math
