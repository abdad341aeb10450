// log p = -mu^2/50 - log(1 + tau^2/25) + log tau - sum raw^2/2 - sum ((y - mu - tau raw)/sigma)^2/2.
#include <cmath>

#include "floors/floors.hpp"

namespace kullback::bench::FLOOR_MATH {

namespace {

class EightSchools final : public Floor {
 public:
  explicit EightSchools(const model::Data& data)
      : y_(numbers(data, "y")), precision_(numbers(data, "sigma")), schools_(y_.size()) {
    for (double& sigma : precision_) sigma = 1 / (sigma * sigma);
  }

  double evaluate(const double* theta, double* gradient) override {
    const double mu = theta[0];
    const double tau = std::exp(theta[1]);
    double log_density = theta[1] - 0.02 * mu * mu - std::log1p(0.04 * tau * tau);
    double d_mu = 0;
    double d_tau = 0;
    double squares = 0;
    for (std::size_t j = 0; j < schools_; ++j) {
      const double raw = theta[2 + j];
      const double residual = y_[j] - mu - tau * raw;
      const double pull = residual * precision_[j];
      squares += raw * raw + residual * pull;
      d_mu += pull;
      d_tau += pull * raw;
      gradient[2 + j] = tau * pull - raw;
    }
    gradient[0] = d_mu - 0.04 * mu;
    gradient[1] = 1 + tau * d_tau - 2 * tau * tau / (25 + tau * tau);
    return log_density - 0.5 * squares;
  }

 private:
  std::vector<double> y_;
  std::vector<double> precision_;
  std::size_t schools_;
};

}  // namespace

std::vector<NamedFloor> eight_schools(const model::Data& data) {
  std::vector<NamedFloor> floors;
  floors.push_back({"loop", std::make_unique<EightSchools>(data)});
  return floors;
}

}  // namespace kullback::bench::FLOOR_MATH
