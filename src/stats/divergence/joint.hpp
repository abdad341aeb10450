// How far apart two samples are in all coordinates together, and how far two samples of one distribution
// would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stats/divergence/samples.hpp"

namespace kullback::stats {

// `noise`: what the same points, dealt out at random to two samples of the same sizes, are below 19 times in
// 20. The p-value is exact for independent points (Phipson and Smyth 2010).
struct TestedDistance {
  double value = 0;
  double noise = 0;
  double p_value = 1;
};

struct JointOptions {
  std::size_t permutations = 999;
  std::size_t projections = 100;
  std::uint64_t seed = 1;
};

struct JointDistances {
  TestedDistance mmd_squared;         // unbiased; as mmd(x, y) has it
  TestedDistance sliced_wasserstein;  // of order 1; as sliced_wasserstein(x, y) has it
  // KL(x, y) of the Gaussians with the means and covariances of the samples, within the space that the pooled
  // points span; infinite where those of x or y span less. None for more than kMostGaussian coordinates, or
  // fewer than twice as many points in a sample.
  std::optional<TestedDistance> gaussian_kl;
};
inline constexpr std::size_t kMostGaussian = 50;

// For at least 2 independent points each, in 2 coordinates or more. Time and memory grow with the square of
// the number of points. Throws Error as mmd and sliced_wasserstein do.
JointDistances joint_distances(const Points& x, const Points& y, const JointOptions& options = {});

}  // namespace kullback::stats
