// theta = m + exp(w) z, lambda = (m, w).
#include <cmath>
#include <numbers>

#include "infer/vi/factors/factor.hpp"

namespace kullback::infer {

namespace {

const double kHalfLogTwoPi = 0.5 * std::log(2 * std::numbers::pi);

class NormalFactor final : public Factor {
 public:
  NormalFactor() : Factor({1, 2, 1}) {}

  void begin(const double* mean, const double* sd, double* lambda) const override {
    lambda[0] = mean[0];
    lambda[1] = std::log(sd[0]);
  }
  void units(const double* lambda, double* result) const override {
    result[0] = std::exp(lambda[1]);
    result[1] = 1;
  }
  void draw(const double* lambda, std::size_t lanes, const double* noise, double* theta) override {
    const double scale = std::exp(lambda[1]);
    for (std::size_t k = 0; k < lanes; ++k) theta[k] = lambda[0] + scale * noise[k];
  }
  void add_log_q(const double* lambda, std::size_t lanes, const double* theta, double* log_q,
                 double* slopes) const override {
    const double inverse = std::exp(-lambda[1]);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double z = (theta[k] - lambda[0]) * inverse;
      log_q[k] -= 0.5 * z * z + lambda[1] + kHalfLogTwoPi;
      if (slopes != nullptr) slopes[k] = -z * inverse;
    }
  }
  void scores(const double* lambda, std::size_t lanes, const double* theta, double* result) const override {
    const double inverse = std::exp(-lambda[1]);
    for (std::size_t k = 0; k < lanes; ++k) {
      const double z = (theta[k] - lambda[0]) * inverse;
      result[k] = z * inverse;
      result[lanes + k] = z * z - 1;
    }
  }
  void pull_back(const double* lambda, const FactorDraws& draws, double* lambda_adjoint) const override {
    for (std::size_t k = 0; k < draws.lanes; ++k) {
      lambda_adjoint[0] += draws.adjoint[k];
      lambda_adjoint[1] += draws.adjoint[k] * (draws.theta[k] - lambda[0]);
    }
  }
  double entropy(const double* lambda, double scale, double* lambda_adjoint) const override {
    if (lambda_adjoint != nullptr) lambda_adjoint[1] += scale;
    return lambda[1] + kHalfLogTwoPi + 0.5;
  }
  void moments(const double* lambda, double* mean, double* sd) const override {
    mean[0] = lambda[0];
    sd[0] = std::exp(lambda[1]);
  }
};

}  // namespace

std::unique_ptr<Factor> make_normal_factor() { return std::make_unique<NormalFactor>(); }

}  // namespace kullback::infer
