// Whether a trajectory of two halves goes on, or has turned: v . rho > 0 at both ends of it, with rho the sum
// of its momenta.
#pragma once

#include <cstddef>

#include "infer/mcmc/hamiltonian.hpp"

namespace kullback::infer {

// Sums of momenta of both halves.
struct HalfSums {
  const double* init = nullptr;
  const double* final = nullptr;
  std::size_t dim = 0;
};

// Of halves of one state each. All write the sum of the whole to `rho`, which may be the sum of a half.
bool goes_on_between(const PhasePoint& first, const PhasePoint& last, const HalfSums& sums, double* rho);
// And the same of each half with the neighbouring state of the other.
bool goes_on_across(const PhasePoint& first, const PhasePoint& init_last, const PhasePoint& final_first,
                    const PhasePoint& last, const HalfSums& sums, double* rho);

}  // namespace kullback::infer
