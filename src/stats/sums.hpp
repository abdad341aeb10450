// Inside stats: sums over contiguous numbers.
#pragma once

#include <cstddef>
#include <span>

#include "stats/chains.hpp"

namespace kullback::stats {

bool are_finite(std::span<const double> values);
double sum(std::span<const double> values);
double sum_of_deviations(std::span<const double> values, double center);
double dot(const double* a, const double* b, std::size_t count);
// With count - 1; NaN for fewer than two values.
double variance(std::span<const double> values);
// log(sum(exp(values))): -inf where all are.
double log_sum_exp(std::span<const double> values);
// Throws an internal error where the values are not chains * draws.
void check_size(const Chains& chains);

}  // namespace kullback::stats
