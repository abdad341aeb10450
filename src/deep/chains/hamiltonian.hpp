// One transition of Hamiltonian Monte Carlo (Duane et al. 1987) for many chains at once, each with its own
// step size and number of leapfrogs. With one leapfrog it is the Metropolis-adjusted Langevin algorithm.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/chains/potential.hpp"

namespace kullback::deep {

// All random numbers are the caller's.
struct Trajectory {
  torch::Tensor momentum;      // [chains, dim], normal with variance 1 / inverse_mass
  torch::Tensor inverse_mass;  // [chains, dim] or [1, dim]
  torch::Tensor step;          // [chains, 1] or one number
  torch::Tensor leapfrogs;     // [chains, 1]; undefined: `most` for all. A chain that has arrived waits.
  std::int64_t most = 1;       // the largest of them
  torch::Tensor uniform;       // [chains, 1], in double precision
};

struct Transition {
  torch::Tensor end;                                    // [chains, dim], where the trajectories end
  torch::Tensor acceptance, is_accepted, is_divergent;  // [chains, 1]; acceptance in the type of x
  Potential before, after;                              // of the start, of the end
};

// Nothing is read back from the device.
Transition hamiltonian_transition(const PotentialAt& potential, const torch::Tensor& from,
                                  const Trajectory& trajectory);
// The same where the potential of the start is known.
Transition hamiltonian_transition(const PotentialAt& potential, const torch::Tensor& from,
                                  const Potential& before, const Trajectory& trajectory);

}  // namespace kullback::deep
