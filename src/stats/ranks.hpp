// Inside stats: draws in ascending order, and what follows from the order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/halves.hpp"

namespace kullback::stats {

struct Ranked {
  double value = 0;
  std::size_t position = 0;  // of Cut, kDropped for a draw in no half
};

// Finite values only.
std::vector<Ranked> sorted(const Chains& chains);
double quantile(std::span<const Ranked> ascending, double probability);
// Absolute deviations from the median, ascending again.
std::vector<Ranked> folded(std::span<const Ranked> ascending);
// Each draw in a half is replaced by the normal quantile of (r - 3/8) / (S + 1/4), r its rank among the S
// draws in halves; equal draws share the mean of their ranks.
Halves rank_normalised(std::span<const Ranked> ascending, const Cut& cut);

// The larger of R-hat of rank-normalised values and of folded values.
double rhat_of_ranks(const Centred& scores, std::span<const Ranked> ascending, const Cut& cut);

// Of the mean of the indicator value <= bound.
double ess_below(const Chains& chains, double bound);
// NaN where one is.
double smaller(double a, double b);

}  // namespace kullback::stats
