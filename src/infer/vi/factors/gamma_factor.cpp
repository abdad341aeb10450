// x ~ gamma with shape a and mean exp(mu), theta = log x = mu + v - log a with v = log gamma(a, 1); lambda =
// (mu, log a).
//   log q = a v - e^v - lgamma(a),  slope a - e^v,  entropy lgamma(a) - a psi(a) + a
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "infer/vi/factors/factor.hpp"
#include "infer/vi/factors/log_gamma.hpp"

namespace kullback::infer {

namespace {

using boost::math::digamma;
using boost::math::trigamma;

class GammaFactor final : public Factor {
 public:
  GammaFactor() : Factor({1, 2, 1}) {}

  // The variance of theta is psi'(a), about 1/a + 1/(2 a^2).
  void begin(const double* mean, const double* sd, double* lambda) const override {
    const double variance = sd[0] * sd[0];
    const double shape = (1 + std::sqrt(1 + 2 * variance)) / (2 * variance);
    lambda[1] = std::log(shape);
    lambda[0] = mean[0] - digamma(shape) + lambda[1];
  }
  void units(const double* lambda, double* result) const override {
    result[0] = std::exp(-0.5 * lambda[1]);
    result[1] = 1;
  }
  void draw(const double* lambda, std::size_t lanes, const double* noise, double* theta) override {
    const double shape = std::exp(lambda[1]);
    for (std::size_t k = 0; k < lanes; ++k)
      theta[k] = lambda[0] - lambda[1] + log_gamma_draw(shape, noise[k]);
  }
  void add_log_q(const double* lambda, std::size_t lanes, const double* theta, double* log_q,
                 double* slopes) const override {
    const double shape = std::exp(lambda[1]);
    const double constant = std::lgamma(shape);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double v = v_of(lambda, theta[k]);
      log_q[k] += shape * v - std::exp(v) - constant;
      if (slopes != nullptr) slopes[k] = shape - std::exp(v);
    }
  }
  void scores(const double* lambda, std::size_t lanes, const double* theta, double* result) const override {
    const double shape = std::exp(lambda[1]);
    const double mean = digamma(shape);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double v = v_of(lambda, theta[k]);
      const double slope = shape - std::exp(v);
      result[k] = -slope;
      result[lanes + k] = shape * (v - mean) + slope;
    }
  }
  void pull_back(const double* lambda, const FactorDraws& draws, double* lambda_adjoint) const override {
    const double shape = std::exp(lambda[1]);
    for (std::size_t k = 0; k < draws.lanes; ++k) {
      const double slope = shape * log_gamma_slope(shape, v_of(lambda, draws.theta[k])) - 1;
      lambda_adjoint[0] += draws.adjoint[k];
      lambda_adjoint[1] += draws.adjoint[k] * slope;
    }
  }
  void pull_back_rejection(const double* lambda, const FactorDraws& draws, const double* weights,
                           double* lambda_adjoint) const override {
    const double shape = std::exp(lambda[1]);
    if (shape < 1) return pull_back(lambda, draws, lambda_adjoint);
    for (std::size_t k = 0; k < draws.lanes; ++k) {
      const RejectionSlope slope = log_gamma_rejection(shape, v_of(lambda, draws.theta[k]));
      lambda_adjoint[0] += draws.adjoint[k];
      lambda_adjoint[1] +=
          draws.adjoint[k] * (shape * slope.draw - 1) + weights[k] * shape * slope.correction;
    }
  }
  double entropy(const double* lambda, double scale, double* lambda_adjoint) const override {
    const double shape = std::exp(lambda[1]);
    if (lambda_adjoint != nullptr) lambda_adjoint[1] += scale * shape * (1 - shape * trigamma(shape));
    return std::lgamma(shape) - shape * digamma(shape) + shape;
  }
  void moments(const double* lambda, double* mean, double* sd) const override {
    const double shape = std::exp(lambda[1]);
    mean[0] = lambda[0] - lambda[1] + digamma(shape);
    sd[0] = std::sqrt(trigamma(shape));
  }

 private:
  static double v_of(const double* lambda, double theta) { return theta - lambda[0] + lambda[1]; }
};

}  // namespace

std::unique_ptr<Factor> make_gamma_factor() { return std::make_unique<GammaFactor>(); }

}  // namespace kullback::infer
