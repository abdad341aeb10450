// Clusters of points as the start of a mixture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kullback {
class Random;
}

namespace kullback::conjugate::mixture {

// Labels 0 .. clusters - 1 of the points (row after row), the largest cluster first: greedy k-means++
// (Arthur, Vassilvitskii 2007) and Lloyd's iterations on at most 20,000 of the points, then the nearest
// centre for all.
std::vector<std::uint32_t> cluster(std::span<const double> points, std::size_t dimensions,
                                   std::size_t clusters, Random& random);

}  // namespace kullback::conjugate::mixture
