#include "infer/sgmcmc/momenta.hpp"

#include <cmath>

#include "infer/sgmcmc/chain.hpp"

namespace kullback::infer {

void MomentumDynamics::begin(const Surroundings& around, Random& random) {
  friction_ = friction_of(options_, around);
  noise_ = around.gradient_noise;
  momenta_.resize(around.sd.size());
  restart(random);
}

void MomentumDynamics::restart(Random& random) {
  for (double& p : momenta_) p = random.normal();
}

// e^2 c = 2 s (2 - C e).
double MomentumDynamics::step_for(double share, const Surroundings& around) const {
  const double half = share * friction_of(options_, around);
  return (std::sqrt(half * half + 4 * share * around.curvature) - half) / around.curvature;
}

double MomentumDynamics::step_for_noise(double excess, const Surroundings& around) const {
  return 2 * friction_of(options_, around) * excess / largest(around.gradient_noise);
}

Dynamics::Inflation MomentumDynamics::inflation(double step_size, const Surroundings& around) const {
  const double friction = friction_of(options_, around);
  const double damping = 2 - friction * step_size;
  Inflation result{1, step_size * largest(around.gradient_noise) / (2 * friction)};
  if (damping > 0) result.share = step_size * step_size * around.curvature / (2 * damping);
  return result;
}

double MomentumDynamics::scaled(double step_size, double factor) const {
  return step_size * std::sqrt(factor);
}

void MomentumDynamics::archive(Archive& archive) {
  archive.value(friction_);
  archive.value(momenta_);
  archive.value(noise_);
}

}  // namespace kullback::infer
