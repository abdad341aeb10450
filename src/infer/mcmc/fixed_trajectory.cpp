// L = int_time / step_size leapfrog steps, from 1 to 1023 (as many as NUTS takes with its greatest depth:
// where acceptance does not rise with a smaller step size, adaptation would make L grow without end); the end
// is accepted with min(1, exp(H0 - H)). A trajectory whose energy is infinite on the way is refused there:
// its end could not be reached back.
#include "infer/mcmc/fixed_trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kullback::infer {

namespace {

constexpr double kMostSteps = 1023;

}  // namespace

FixedTrajectory::FixedTrajectory(density::LogDensity& density, const Options& options, Start start,
                                 TrajectoryRule rule)
    : HamiltonianChain(density, options, std::move(start), rule.goal), rule_(rule), ends_(2, density.dim()) {}

std::size_t FixedTrajectory::steps() const {
  return static_cast<std::size_t>(std::clamp(rule_.int_time / nominal_step_size(), 1.0, kMostSteps));
}

HamiltonianChain::Outcome FixedTrajectory::transition(Random& random, double step_size, PhasePoint& current) {
  hamiltonian().draw_momentum(random, current);
  const double before = current.energy();
  const PhasePoint* from = &current;
  std::size_t end = 0;
  const std::size_t count = steps();
  for (std::size_t i = 0; i < count; ++i) {
    end = i % 2;
    hamiltonian().leapfrog(*from, step_size, ends_[end]);
    from = &ends_[end];
    if (std::isinf(from->energy())) break;
  }
  const double after = from->energy();
  const double acceptance = std::min(1.0, std::exp(before - after));
  const bool is_accepted = random.uniform() < acceptance;
  energy_ = is_accepted ? after : before;
  if (is_accepted) hamiltonian().copy_position(*from, current);
  return {acceptance, after - before > kDivergence};
}

void FixedTrajectory::append_stats(const Outcome& outcome, double step_size, Draws& draws) const {
  draws.stats.push_back(outcome.acceptance);
  draws.stats.push_back(step_size);
  if (!rule_.has_hmc_stats) return;
  draws.stats.push_back(rule_.int_time);
  draws.stats.push_back(energy_);
}

}  // namespace kullback::infer
