// Draws of a Student t distribution with the mean and covariance of given points: importance sampling from it
// has lighter-tailed weights than from an approximation whose tails are those of a normal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "infer/draws.hpp"

namespace kullback::certify {

// `theta`: `dim` numbers for each point. Draws have log q, not log p. Where scaling_of gives no dense
// covariance theirs is diagonal.
infer::Draws student_draws(std::span<const double> theta, std::size_t dim, std::size_t count,
                           std::uint64_t seed);

}  // namespace kullback::certify
