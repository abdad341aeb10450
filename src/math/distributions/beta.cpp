// Beta distribution, 0 <= y <= 1.
//
//   log p = (alpha - 1) log y + (beta - 1) log(1 - y) - log B(alpha, beta)
//   d/dy = (alpha - 1)/y - (beta - 1)/(1 - y),  d/dalpha = log y + digamma(alpha + beta) - digamma(alpha)
//   cdf = I_y(alpha, beta): see tails.cpp
//
// At y = 0 with alpha = 1 the first term is 0, its limit; so is the second at y = 1 with beta = 1.
#include "math/distribution_kernel.hpp"
#include "math/distributions/random_beta.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct Beta {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::probability},
                                               {"first shape", Domain::positive_finite},
                                               {"second shape", Domain::positive_finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static constexpr unsigned kFastRows[] = {0b001};

    struct Joint {
      double constant = 0;
      double by_alpha = 0;
      double by_beta = 0;
      Joint() = default;
      Joint(double alpha, double beta, const Terms& terms) {
        if (terms.keep(2) && terms.keep(4)) {
          constant = -log_beta(alpha, beta);
        } else if (terms.keep(2)) {
          constant = log_rising(alpha, beta);
        } else if (terms.keep(4)) {
          constant = log_rising(beta, alpha);
        }
        if (terms.varies(1)) by_alpha = digamma_difference(alpha, beta);
        if (terms.varies(2)) by_beta = digamma_difference(beta, alpha);
      }
    };

    KULLBACK_INLINE static double evaluate(Plain y, Plain alpha, Plain beta, const Joint& joint,
                                           const Terms& terms, double* d) {
      const double log_y = fast::log(y);
      const double log1m_y = fast::log1p(-y);
      const double a = alpha - 1.0;
      const double b = beta - 1.0;
      if (d != nullptr) {
        d[0] = a / y - b / (1.0 - y);
        d[1] = log_y + joint.by_alpha;
        d[2] = log1m_y + joint.by_beta;
      }
      return kept(terms.keep(3) && a != 0.0, a * log_y) + kept(terms.keep(5) && b != 0.0, b * log1m_y) +
             joint.constant;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain alpha, Plain beta, const Terms& terms, double* d) {
      const bool with_shapes = d != nullptr && (terms.varies(1) || terms.varies(2));
      const BetaTail tail = is_upper ? log_beta_i(beta, alpha, 1.0 - y, y, with_shapes)
                                     : log_beta_i(alpha, beta, y, 1.0 - y, with_shapes);
      if (d != nullptr) {
        d[0] = is_upper ? -tail.d_x : tail.d_x;
        d[1] = is_upper ? tail.d_b : tail.d_a;
        d[2] = is_upper ? tail.d_a : tail.d_b;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) { return random_beta(random, p[0], p[1]); }
};

}  // namespace

constinit const Distribution distributions::beta = describe_distribution<Beta>("beta");

}  // namespace kullback::math
