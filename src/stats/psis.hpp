// Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao, Gabry 2024).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/chains.hpp"

namespace kullback::stats {

struct Psis {
  std::vector<double> log_weights;  // smoothed and normalised: their exponentials sum to 1
  double khat = 0;                  // shape of the tail; infinite where it cannot be fitted
  double ess = 0;                   // 1 / sum of squared weights, times the relative efficiency
  double log_total = 0;             // log of the sum of the smoothed weights before they were normalised
};
// As in the R package `loo`. The tail cannot be fitted where it has fewer than 6 draws, or where a quarter of
// it is one value; the weights then stay as they are. A log weight of -inf is a weight of 0. Where one is NaN
// or +inf, or all are -inf: weights and ess are NaN, khat infinite.

// `relative_efficiency`: of the draws behind the weights (ESS over their number; 1: independent).
Psis smooth_weights(std::span<const double> log_weights, double relative_efficiency = 1.0);

// Below it the estimate is reliable for this many draws: min(1 - 1 / log10(count), 0.7).
double khat_threshold(std::size_t count);

// The heavier tail's shape of a quantity's own draws: at or above 0.5 its variance may be infinite. As
// `posterior::pareto_khat` of both tails, each of floor(3 sqrt(S / r)) draws, or S / 5 where S r <= 225, r
// the relative efficiency in the tails (ess_tail / S). NaN where neither tail can be fitted: draws that are
// not finite or constant, fewer than 12, or as many equal ones as a quarter of a tail.
double tail_khat(const Chains& chains);
double tail_khat(std::span<const double> values);  // as one chain

// Shape and scale of a generalised Pareto distribution (Zhang and Stephens 2009), of ascending exceedances.
// The prior moves k to (n k + 5) / (n + 10). NaN where a quarter of them equal the smallest.
struct ParetoFit {
  double k = 0;
  double sigma = 0;
};
ParetoFit fit_pareto(std::span<const double> exceedances, bool weakly_informative_prior = true);

}  // namespace kullback::stats
