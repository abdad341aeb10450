// Hamiltonian Monte Carlo with trajectories of a length fixed beforehand, accepted or refused at their end.
#pragma once

#include <cstddef>

#include "infer/mcmc/hamiltonian_chain.hpp"

namespace kullback::infer {

struct TrajectoryRule {
  AcceptanceGoal goal = {};
  double int_time = 0;        // 0: one step
  bool has_hmc_stats = true;  // int_time__ and energy__ after accept_stat__ and stepsize__
};

class FixedTrajectory final : public HamiltonianChain {
 public:
  FixedTrajectory(density::LogDensity& density, const Options& options, Start start, TrajectoryRule rule);

 private:
  Outcome transition(Random& random, double step_size, PhasePoint& current) override;
  void append_stats(const Outcome& outcome, double step_size, Draws& draws) const override;
  std::size_t steps() const;

  TrajectoryRule rule_;
  PhasePoints ends_;
  double energy_ = 0;
};

}  // namespace kullback::infer
