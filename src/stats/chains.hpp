// Draws of one quantity in several chains of equal length, and how well they stand for the posterior.
//
// Definitions are those of the R package `posterior` (1.7). NaN where a draw is not finite, where the
// quantity is constant (but for rounding: 4 ulp), or where chains are too short: 4 draws for R-hat, 6 for
// effective sample sizes. So is ess_tail where all draws are at or below a 5 % or 95 % quantile, as for
// binary quantities. A chain of odd length loses its middle draw when it is split. What differs from
// `posterior`, which
// - says NaN for R-hat of a quantity with two values, each of half of the draws: here it is R-hat without
// folding;
// - calls a quantity constant when its range is below 2.2e-16, whatever its scale;
// - says S / 2 for the effective sample size of a chain that alternates about its mean: here, as in ArviZ, it
// is the
//   largest value there is, S log10(S).
// For all numbers of a summary at once see stats/summary.hpp.
#pragma once

#include <cstddef>
#include <span>

namespace kullback::stats {

// Chain after chain: draw i of chain c is values[c * draws + i].
struct Chains {
  std::span<const double> values;
  std::size_t chains = 0;
  std::size_t draws = 0;
};

double mean(std::span<const double> values);
double sd(std::span<const double> values);  // with n - 1
// Of type 7 (R's default, NumPy's "linear").
double quantile(std::span<const double> values, double probability);

// Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021).
double rhat(const Chains& chains);  // the larger of rank-normalised split R-hat of values and folded values
double rhat_basic(const Chains& chains);  // split, of the values themselves
double ess_bulk(const Chains& chains);
double ess_tail(const Chains& chains);  // the smaller of the 5 % and the 95 % quantile's
double ess_mean(const Chains& chains);
double ess_sd(const Chains& chains);  // of the squared deviations from the mean
double ess_quantile(const Chains& chains, double probability);
double mcse_mean(const Chains& chains);
double mcse_sd(const Chains& chains);
double mcse_quantile(const Chains& chains, double probability);

// Margossian et al. (2024), for many short chains: chains are in superchains of `superchain_size` neighbours,
// which started at the same point. From 1 draw a chain on; NaN for one superchain.
double nested_rhat(const Chains& chains, std::size_t superchain_size);

// The energy Bayesian fraction of missing information of one chain (Betancourt 2016).
double e_bfmi(std::span<const double> energies);

}  // namespace kullback::stats
