// x ~ beta(a, b), theta = logit x = v_a - v_b, the difference of logarithms of gamma variables; lambda = (log
// a, log b).
//   log q = a log x + b log(1 - x) - log B(a, b),  slope a (1 - x) - b x
//   entropy log B(a, b) - a (psi(a) - psi(a + b)) - b (psi(b) - psi(a + b))
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <vector>

#include "infer/vi/factors/factor.hpp"
#include "infer/vi/factors/log_gamma.hpp"
#include "infer/vi/factors/log_share.hpp"

namespace kullback::infer {

namespace {

using boost::math::digamma;
using boost::math::trigamma;

class BetaFactor final : public Factor {
 public:
  BetaFactor() : Factor({1, 2, 2}) {}

  // The variance of theta is about 1 / ((a + b) x (1 - x)).
  void begin(const double* mean, const double* sd, double* lambda) const override {
    const double x = std::exp(log_share(mean[0]));
    const double count = 1 / (sd[0] * sd[0] * x * (1 - x));
    lambda[0] = std::log(count * x + 0.5);
    lambda[1] = std::log(count * (1 - x) + 0.5);
  }
  void units(const double*, double* result) const override { result[0] = result[1] = 1; }
  void draw(const double* lambda, std::size_t lanes, const double* noise, double* theta) override {
    kept_.resize(2 * lanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      kept_[k] = log_gamma_draw(std::exp(lambda[0]), noise[k]);
      kept_[lanes + k] = log_gamma_draw(std::exp(lambda[1]), noise[lanes + k]);
      theta[k] = kept_[k] - kept_[lanes + k];
    }
  }
  void add_log_q(const double* lambda, std::size_t lanes, const double* theta, double* log_q,
                 double* slopes) const override {
    const double a = std::exp(lambda[0]);
    const double b = std::exp(lambda[1]);
    const double constant = std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
    for (std::size_t k = 0; k < lanes; ++k) {
      log_q[k] += a * log_share(theta[k]) + b * log_share(-theta[k]) - constant;
      if (slopes != nullptr)
        slopes[k] = a * std::exp(log_share(-theta[k])) - b * std::exp(log_share(theta[k]));
    }
  }
  void scores(const double* lambda, std::size_t lanes, const double* theta, double* result) const override {
    const double a = std::exp(lambda[0]);
    const double b = std::exp(lambda[1]);
    const double sum = digamma(a + b);
    const double of_a = digamma(a);
    const double of_b = digamma(b);
    for (std::size_t k = 0; k < lanes; ++k) {
      result[k] = a * (log_share(theta[k]) - of_a + sum);
      result[lanes + k] = b * (log_share(-theta[k]) - of_b + sum);
    }
  }
  void pull_back(const double* lambda, const FactorDraws& draws, double* lambda_adjoint) const override {
    const double a = std::exp(lambda[0]);
    const double b = std::exp(lambda[1]);
    for (std::size_t k = 0; k < draws.lanes; ++k) {
      lambda_adjoint[0] += draws.adjoint[k] * a * log_gamma_slope(a, kept_[k]);
      lambda_adjoint[1] -= draws.adjoint[k] * b * log_gamma_slope(b, kept_[draws.lanes + k]);
    }
  }
  void pull_back_rejection(const double* lambda, const FactorDraws& draws, const double* weights,
                           double* lambda_adjoint) const override {
    for (std::size_t side = 0; side < 2; ++side) {
      const double shape = std::exp(lambda[side]);
      const double sign = side == 0 ? 1 : -1;
      for (std::size_t k = 0; k < draws.lanes; ++k) {
        const double v = kept_[side * draws.lanes + k];
        const RejectionSlope slope =
            shape < 1 ? RejectionSlope{log_gamma_slope(shape, v), 0} : log_gamma_rejection(shape, v);
        lambda_adjoint[side] +=
            shape * (sign * draws.adjoint[k] * slope.draw + weights[k] * slope.correction);
      }
    }
  }
  double entropy(const double* lambda, double scale, double* lambda_adjoint) const override {
    const double a = std::exp(lambda[0]);
    const double b = std::exp(lambda[1]);
    const double sum = a + b;
    if (lambda_adjoint != nullptr) {
      lambda_adjoint[0] += scale * a * (sum * trigamma(sum) - a * trigamma(a));
      lambda_adjoint[1] += scale * b * (sum * trigamma(sum) - b * trigamma(b));
    }
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(sum) - a * digamma(a) - b * digamma(b) +
           sum * digamma(sum);
  }
  void moments(const double* lambda, double* mean, double* sd) const override {
    const double a = std::exp(lambda[0]);
    const double b = std::exp(lambda[1]);
    mean[0] = digamma(a) - digamma(b);
    sd[0] = std::sqrt(trigamma(a) + trigamma(b));
  }

 private:
  std::vector<double> kept_;  // v_a, then v_b, of the draws last made
};

}  // namespace

std::unique_ptr<Factor> make_beta_factor() { return std::make_unique<BetaFactor>(); }

}  // namespace kullback::infer
