// What dynamics with momenta share; the formulas are in sghmc.cpp.
#pragma once

#include <vector>

#include "infer/sgmcmc/dynamics.hpp"

namespace kullback::infer {

class MomentumDynamics : public Dynamics {
 public:
  explicit MomentumDynamics(const Options& options) : options_(options) {}

  void begin(const Surroundings& around, Random& random) override;
  void restart(Random& random) override;

  double step_for(double share, const Surroundings& around) const override;
  double step_for_noise(double excess, const Surroundings& around) const override;
  Inflation inflation(double step_size, const Surroundings& around) const override;
  double scaled(double step_size, double factor) const final;
  double time_of(double step_size) const final { return step_size; }
  double relaxation(double sd) const final { return sd; }
  void archive(Archive& archive) override;

 protected:
  std::vector<double>& momenta() { return momenta_; }
  const std::vector<double>& noise() const { return noise_; }
  double friction() const { return friction_; }
  const Options& options() const { return options_; }

 private:
  Options options_;
  double friction_ = 0;
  std::vector<double> momenta_;
  std::vector<double> noise_;
};

}  // namespace kullback::infer
