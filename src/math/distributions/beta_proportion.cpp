// Beta distribution with mean mu and precision kappa: beta(alpha, beta), alpha = mu kappa, beta = (1 - mu)
// kappa.
//
//   log p = (alpha - 1) log y + (beta - 1) log(1 - y) - log B(alpha, beta)
//   d/dmu = kappa [log y - log(1 - y) - digamma(alpha) + digamma(beta)]
//   d/dkappa = mu [log y + digamma(kappa) - digamma(alpha)] + (1 - mu) [log(1 - y) + digamma(kappa) -
//   digamma(beta)] cdf = I_y(alpha, beta): see tails.cpp
#include <cmath>

#include "math/distribution_kernel.hpp"
#include "math/distributions/random_beta.hpp"
#include "math/distributions/tails.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::math {
namespace {

struct BetaProportion {
  static constexpr ArgumentDef kArguments[] = {{"variate", Domain::probability},
                                               {"location", Domain::open_probability},
                                               {"precision", Domain::positive_finite}};

  struct Density {
    using Prepared = std::tuple<Plain, Plain, Plain>;

    struct Joint {
      double alpha = 0;
      double beta = 0;
      double constant = 0;
      double by_alpha = 0;
      double by_beta = 0;
      Joint() = default;
      Joint(double mu, double kappa, const Terms& terms) : alpha(mu * kappa), beta(kappa - mu * kappa) {
        if (terms.keep(4)) {
          constant = -log_beta(alpha, beta);
        } else if (terms.keep(6)) {
          constant = -log_gamma(alpha) - log_gamma(beta);
        }
        if (terms.varies(1) || terms.varies(2)) {
          by_alpha = digamma_difference(alpha, beta);
          by_beta = digamma_difference(beta, alpha);
        }
      }
    };

    static double evaluate(Plain y, Plain mu, Plain kappa, const Joint& joint, const Terms&, double* d) {
      const double log_y = std::log(y);
      const double log1m_y = std::log1p(-y);
      const double a = joint.alpha - 1.0;
      const double b = joint.beta - 1.0;
      if (d != nullptr) {
        const double by_alpha = log_y + joint.by_alpha;
        const double by_beta = log1m_y + joint.by_beta;
        d[0] = a / y - b / (1.0 - y);
        d[1] = kappa * (by_alpha - by_beta);
        d[2] = mu * by_alpha + (1.0 - mu) * by_beta;
      }
      return (a == 0.0 ? 0.0 : a * log_y) + (b == 0.0 ? 0.0 : b * log1m_y) + joint.constant;
    }
  };

  template <bool is_upper>
  struct Cumulative {
    using Prepared = std::tuple<Plain, Plain, Plain>;
    static double evaluate(Plain y, Plain mu, Plain kappa, const Terms& terms, double* d) {
      const double alpha = mu * kappa;
      const double beta = kappa - alpha;
      const bool with_shapes = d != nullptr && (terms.varies(1) || terms.varies(2));
      const BetaTail tail = is_upper ? log_beta_i(beta, alpha, 1.0 - y, y, with_shapes)
                                     : log_beta_i(alpha, beta, y, 1.0 - y, with_shapes);
      if (d != nullptr) {
        const double by_alpha = is_upper ? tail.d_b : tail.d_a;
        const double by_beta = is_upper ? tail.d_a : tail.d_b;
        d[0] = is_upper ? -tail.d_x : tail.d_x;
        d[1] = kappa * (by_alpha - by_beta);
        d[2] = mu * by_alpha + (1.0 - mu) * by_beta;
      }
      return tail.log;
    }
  };
  using LogCdf = Cumulative<false>;
  using LogCcdf = Cumulative<true>;

  static double random(Random& random, const double* p) {
    return random_beta(random, p[0] * p[1], (1.0 - p[0]) * p[1]);
  }
};

}  // namespace

constinit const Distribution distributions::beta_proportion =
    describe_distribution<BetaProportion>("beta_proportion");

}  // namespace kullback::math
