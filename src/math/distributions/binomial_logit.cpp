// Binomial distribution by log odds: n successes in N trials, p = inv_logit(alpha), e = exp(-|alpha|).
//   log p = log(N over n) + n min(alpha, 0) + (N - n) min(-alpha, 0) - N log(1 + e)
//   d/dalpha = n (1 - p) - (N - n) p
#include <algorithm>

#include "math/distribution_kernel.hpp"
#include "math/fast_gamma.hpp"
#include "math/logistic_pair.hpp"

namespace kullback::math {
namespace {

struct BinomialLogit {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::nonnegative_integer},
                                               {"trials", Domain::nonnegative_integer},
                                               {"log odds", Domain::finite}};

  struct LogOdds {
    double value = 0;
    LogisticParts parts{};
    LogOdds() = default;
    KULLBACK_INLINE LogOdds(double alpha, const Terms&) : LogOdds(alpha, logistic_exp(alpha)) {}
    KULLBACK_INLINE LogOdds(double alpha, double e) : value(alpha), parts(logistic_parts(alpha, e)) {}
  };

  struct Density {
    using Prepared = std::tuple<Plain, Plain, LogOdds>;
    static constexpr unsigned kFastRows[] = {0b011, 0b111};
    static constexpr Terms kTermsCases[] = {{false, 0b100}, {true, 0b100}};
    KULLBACK_INLINE static double evaluate(Plain n, Plain trials, const LogOdds& alpha, const Terms& terms,
                                           double* d) {
      const double failures = trials - n;
      if (d != nullptr) {
        d[0] = d[1] = 0;
        d[2] = n * alpha.parts.complement - failures * alpha.parts.probability;
      }
      const double side = alpha.value < 0.0 ? n : failures;
      double value = kept(terms.keep(4), -side * fast::abs(alpha.value) - trials * alpha.parts.log1p);
      if (terms.normalized) value += fast::log_choose(trials, n);
      return failures >= 0.0 ? value : kNegativeInfinity;
    }

    // Two passes, see logistic_pair.hpp.
    template <unsigned arrays>
      requires(arrays == 0b111)
    KULLBACK_INLINE static void run_fast(const kernel::Row& row) {
      if (row.terms.normalized) {
        run_passes(row, {true, 0b100});
      } else {
        run_passes(row, {false, row.terms.varying});
      }
    }
    KULLBACK_INLINE static void run_passes(const kernel::Row& row, const Terms terms) {
      const double* const n = row.arrays[0];
      const double* const trials = row.arrays[1];
      const double* const alpha = row.arrays[2];
      double* const value = row.value;
      double* const slope = row.partials[2];
      const std::size_t size = row.size;
      double e[kernel::kBlock];
      std::fill_n(row.partials[0], size, 0.0);
      std::fill_n(row.partials[1], size, 0.0);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) e[i] = logistic_exp(alpha[i]);
      KULLBACK_INDEPENDENT_LOOP
      for (std::size_t i = 0; i < size; ++i) {
        double d[3];
        const double v =
            evaluate(Plain(n[i], terms), Plain(trials[i], terms), LogOdds(alpha[i], e[i]), terms, d);
        const bool is_n = kernel::is_inside<Domain::nonnegative_integer>(n[i]);
        const bool is_trials = kernel::is_inside<Domain::nonnegative_integer>(trials[i]);
        const bool is_alpha = kernel::is_inside<Domain::finite>(alpha[i]);
        value[i] = (is_n & is_trials & is_alpha) ? v : kNotANumber;
        slope[i] = d[2];
      }
    }
  };

  static const char* relation(const double* x) {
    return x[0] <= x[1] ? nullptr : "variate must not be greater than trials";
  }
};

}  // namespace

constinit const Distribution distributions::binomial_logit =
    describe_distribution<BinomialLogit>("binomial_logit", true);

}  // namespace kullback::math
