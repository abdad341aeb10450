// An upper bound on the Wasserstein distances between an approximation q and the posterior p, by coupled
// chains (Biswas and Mackey 2024, Bounding Wasserstein distance with couplings).
//
// Pairs of chains use the same random numbers: X leaves p invariant, Y leaves q invariant, and both start at
// one draw of q. Y is distributed as q at all times, X as p once it has converged; any pair of variables with
// these distributions bounds the distance, E |X - Y|^n >= W_n^n. Where q = p the chains never part and the
// bound is 0. How far X is from convergence is bounded, too, by a third chain, X started earlier by a lag
// (Biswas, Jacob, Vanetti 2019): those distances are added.
//
// Chains of p alone, started at draws of q, will not do: the lagged bound at time 0 compares two states of a
// chain that are `lag` steps apart, which costs about one standard deviation even where q = p.
//
// What it does not prove: the expectations are estimated, and the chains come together only where they were.
// A mode that no draw of q leads to is not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::certify {

struct CouplingOptions {
  std::size_t pairs = 64;
  std::size_t iterations = 60;  // of each pair; distances are averaged over the second half
  std::size_t lag = 10;
  double level = 0.99;  // of each upper end
  std::uint64_t seed = 0;
};

// Of one coordinate's marginals, in standard deviations of p (estimated from X).
struct CoupledDistance {
  double w1 = 0;  // the estimated bound, the part for convergence included
  double w2 = 0;
  double w1_upper = 0;  // upper end of its interval, one-sided
  double w2_upper = 0;
};

struct CouplingBound {
  std::vector<CoupledDistance> coordinates;  // |mean error| <= w1, |sd error| <= w2
  double joint_w2 = 0;         // of the whole vector, Euclidean in coordinates over their standard deviations
  double joint_w2_upper = 0;   // upper end of its interval
  double convergence = 0;      // the largest part of a coordinate's w1 that is for X's convergence
  bool has_converged = false;  // the lagged chains came together; if not there is no bound: infinities
  double acceptance_p = 0;     // mean
  double acceptance_q = 0;
  double step_size = 0;
  std::size_t leapfrog_steps = 0;
  std::size_t gradients = 0;  // of p
};

// `draws`: independent draws of q, draw after draw, at least 2 * pairs of them (else there are fewer pairs).
// `q`: its log density up to a constant, with gradient. Throws an internal error for fewer than 8 draws, and
// where the dimensions differ.
CouplingBound bound_by_coupling(density::LogDensity& p, density::LogDensity& q, std::span<const double> draws,
                                const CouplingOptions& options = {});

// `names`: of the coordinates; empty: they have none.
std::string to_json(const CouplingBound& bound, std::span<const std::string> names = {});

}  // namespace kullback::certify
