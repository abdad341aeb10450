// Eight partial sums: they stay in vector registers, and the rounding error grows with count / 8.
#include "stats/sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace kullback::stats {
namespace {

constexpr std::size_t kLanes = 8;

template <typename Term>
double sum_of(std::size_t count, const Term& term) {
  double partial[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) partial[lane] += term(i + lane);
  for (std::size_t lane = 0; i < count; ++i, ++lane) partial[lane] += term(i);
  return ((partial[0] + partial[4]) + (partial[1] + partial[5])) +
         ((partial[2] + partial[6]) + (partial[3] + partial[7]));
}

}  // namespace

bool are_finite(std::span<const double> values) {
  // 0 times anything finite is 0, and NaN otherwise.
  return sum_of(values.size(), [&](std::size_t i) { return values[i] * 0.0; }) == 0.0;
}

double sum(std::span<const double> values) {
  return sum_of(values.size(), [&](std::size_t i) { return values[i]; });
}

double sum_of_deviations(std::span<const double> values, double center) {
  return sum_of(values.size(), [&](std::size_t i) { return values[i] - center; });
}

double dot(const double* a, const double* b, std::size_t count) {
  return sum_of(count, [a, b](std::size_t i) { return a[i] * b[i]; });
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double center = mean(values);
  const double squares = sum_of(values.size(), [&](std::size_t i) {
    const double deviation = values[i] - center;
    return deviation * deviation;
  });
  return squares / static_cast<double>(values.size() - 1);
}

double log_sum_exp(std::span<const double> values) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = values.empty() ? -infinity : *std::max_element(values.begin(), values.end());
  if (!std::isfinite(largest)) return largest;
  return largest +
         std::log(sum_of(values.size(), [&](std::size_t i) { return std::exp(values[i] - largest); }));
}

void check_size(const Chains& chains) {
  if (chains.values.size() == chains.chains * chains.draws) return;
  throw Error(ErrorKind::internal, "stats: " + std::to_string(chains.values.size()) + " values are not " +
                                       std::to_string(chains.chains) + " chains of " +
                                       std::to_string(chains.draws) + " draws.");
}

}  // namespace kullback::stats
