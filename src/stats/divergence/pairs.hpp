// Inside stats/divergence: what pairs of points and directions are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/divergence/samples.hpp"

namespace kullback::stats {

double squared_distance(const double* a, const double* b, std::size_t dim);
// Of length 1; each index is another one.
std::vector<double> random_direction(std::size_t dim, std::uint64_t seed, std::uint32_t index);

}  // namespace kullback::stats
