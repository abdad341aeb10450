// v <- decay v + (1 - decay) g^2,  G = 1 / (floor + sqrt(v))  (Li, Chen, Carlson, Carin 2016).
// A G that depends on the position adds its divergence to the drift:
//   dG/dx = -(dv/dx) / (2 sqrt(v) (floor + sqrt(v))^2).
// The paper differentiates the present gradient alone, dv/dx = 2 (1 - decay) g h with h the second
// derivative; but while v forgets, x hardly moves, and the past gradients in v depend on it as much. The
// derivative of the whole mean follows by the same recursion,
//   dv/dx <- decay dv/dx + (1 - decay) 2 g h,
// which is right for small steps with any decay, and near 0 where v averages over the posterior.
#include "infer/sgmcmc/rmsprop.hpp"

#include <cmath>
#include <limits>

namespace kullback::infer {

void RmsProp::begin(std::span<const double> mean_squares) {
  mean_squares_.assign(mean_squares.begin(), mean_squares.end());
  slopes_.assign(mean_squares.size(), 0.0);
}

double RmsProp::at(std::size_t i) const { return 1 / (floor_ + std::sqrt(mean_squares_[i])); }

double RmsProp::derivative(std::size_t i) const {
  const double root = std::sqrt(mean_squares_[i]);
  if (root < std::numeric_limits<double>::min()) return 0;
  return -slopes_[i] / (2 * root * (floor_ + root) * (floor_ + root));
}

void RmsProp::learn(std::size_t i, double gradient, double curvature) {
  mean_squares_[i] = decay_ * mean_squares_[i] + (1 - decay_) * gradient * gradient;
  slopes_[i] = decay_ * slopes_[i] + (1 - decay_) * 2 * gradient * curvature;
}

void RmsProp::archive(Archive& archive) {
  archive.value(mean_squares_);
  archive.value(slopes_);
}

}  // namespace kullback::infer
