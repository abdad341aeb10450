// How far values lie from the draws of distributions that they should come from, and not only on which side
// of how many draws.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace kullback::stats {

inline constexpr std::size_t kTilts = 12;

// A value among draws. Were it one more draw, each of the S + 1 could as well be the value: over which of
// them is, z has mean 0 and z^2 mean 1, exactly and whatever the distribution.
struct Placement {
  double z = 0;  // (value - mean) / sd, both of draws and value together; 0 where all are the same
  // Over which of them is the value, the logarithms of the means of exp(lambda z), exp(-lambda z),
  // exp(lambda z^2), exp(-lambda z^2), for kTilts values of lambda each.
  std::array<double, kTilts> above = {}, below = {}, wide = {}, narrow = {};
  double beyond =
      1;  // probability of a value so far beyond all draws, by the tail of these; 1 where it is not
};

// Weights sum to 1; empty: all equal.
Placement place(std::span<const double> draws, std::span<const double> weights, double value);

// P-values, never too small by more than rounding: the values are off to one side; farther from (or nearer
// to) the means than the draws are.
double location_p_value(std::span<const Placement> placements);
double spread_p_value(std::span<const Placement> placements);

}  // namespace kullback::stats
