// How far apart two samples of one quantity are, and how far two samples of one distribution would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stats/chains.hpp"

namespace kullback::stats {

// Draws of one quantity, with what is known of their errors.
struct Sample {
  std::span<const double> values;
  // Independent draws that they are worth: infinite for a constant, which has no noise; NaN where chains are
  // too short to tell.
  double effective = 0;
  double mean = 0;
  double mean_error = 0;
  double sd = 0;
  double sd_error = 0;
  double rhat = std::numeric_limits<double>::quiet_NaN();  // of chains
};
// The smallest of the effective sample sizes of the mean, the bulk and the tails counts.
Sample sample_of(const Chains& chains);
// Draws that do not depend on each other. `effective`: their number, or less where they stand for draws with
// weights.
Sample sample_of(std::span<const double> independent, double effective);

// Lengths are in units of sqrt((sd_a^2 + sd_b^2) / 2).
struct MarginalDistance {
  double wasserstein = 0;  // of order 1: the area between the two distribution functions
  // Two samples of one distribution, of these effective sizes, are closer than this 19 times in 20. It also
  // bounds the error of `wasserstein`: +- noise is a 95 % interval, too wide rather than too narrow.
  double noise = 0;
  double p_value = 1;      // of one distribution; right to 0.01 down to 0.05, an upper bound below
  double largest_gap = 0;  // between the distribution functions, as Kolmogorov and Smirnov take it
  double gap_noise = 0;    // the same for it
  double shift = 0;        // mean of b less mean of a
  double shift_error = 0;
  double sd_ratio = 1;  // sd of b over sd of a
  double sd_ratio_error = 0;
};

// Holds the random numbers of the noise, so that many quantities can share them.
class MarginalComparison final {
 public:
  explicit MarginalComparison(std::uint64_t seed = 1);

  // Two different constants are infinitely far apart. Throws Error bad_input for an empty sample or a value
  // that is not finite.
  MarginalDistance operator()(const Sample& a, const Sample& b) const;

 private:
  std::vector<double> normals_;
};

}  // namespace kullback::stats
