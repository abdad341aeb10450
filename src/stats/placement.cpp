// Let f_i be a function of the i-th value (z, -z, z^2 or -z^2), M_i(lambda) the mean of exp(lambda f) over
// the S + 1 points that could as well be the value, T = sum f_i. Given the points,
//   P(sum f >= T) <= exp(sum log M_i(lambda) - lambda T)   for each lambda > 0   (Chernoff),
// and the least of these over some lambda is a p-value. For normal draws it is some times too large, as
// exp(-n b^2 / 2) is beside a normal's tail; for draws with heavy tails it stays right, where normal or
// chi-squared approximations do not.
//
// As z^2 is at most S, one value that is far beyond S draws has a p-value of no less than 1 / (S + 1), at
// however many sds. What it says beyond that rests on the tail of the draws: a generalised Pareto
// distribution with a shape two standard errors above the estimate (or an exponential tail), so that heavy
// tails are believed and light ones are not.
#include "stats/placement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "stats/psis.hpp"

namespace kullback::stats {

namespace {

// Of 2^-11 times these and 2, 4, ... times that.
constexpr double kMostOfLine = 4, kMostUp = 0.5, kMostDown = 32;
constexpr double kTailErrors = 2;
constexpr std::size_t kFewest = 25;  // draws for a tail

double tilt(double most, std::size_t k) {
  return std::ldexp(most, static_cast<int>(k) - static_cast<int>(kTilts) + 1);
}

// log of the weighted mean of exp(lambda f). Each lambda is twice the one before: one exponential serves all.
std::array<double, kTilts> log_means(const std::vector<double>& f, const std::vector<double>& weights,
                                     double most) {
  const double largest = *std::max_element(f.begin(), f.end());
  std::array<double, kTilts> result = {};
  for (std::size_t i = 0; i < f.size(); ++i) {
    double power = std::exp(tilt(most, 0) * (f[i] - largest));
    for (double& sum : result) {
      sum += weights[i] * power;
      power *= power;
    }
  }
  for (std::size_t k = 0; k < kTilts; ++k) result[k] = std::log(result[k]) + tilt(most, k) * largest;
  return result;
}

// Of a value above all draws.
double probability_beyond(std::vector<double> draws, double value) {
  const std::size_t count = draws.size();
  if (count < kFewest) return 1;
  const auto count_of_tail = static_cast<std::size_t>(
      std::min(static_cast<double>(count) / 5, 3 * std::sqrt(static_cast<double>(count))));
  std::sort(draws.begin(), draws.end());
  const double cutoff = draws[count - count_of_tail - 1];
  std::vector<double> exceedances(draws.end() - static_cast<std::ptrdiff_t>(count_of_tail), draws.end());
  for (double& exceedance : exceedances) exceedance -= cutoff;
  const ParetoFit fit = fit_pareto(exceedances);
  if (!std::isfinite(fit.k) || !(fit.sigma > 0)) return 1;
  const double length = static_cast<double>(count_of_tail);
  const double k = fit.k + kTailErrors * (1 + fit.k) / std::sqrt(length);
  const double distance = (value - cutoff) / fit.sigma;
  const double log_tail = k > 1e-6 ? -std::log1p(k * distance) / k : -distance;
  return length / static_cast<double>(count) * std::exp(log_tail);
}

double beyond_all(std::span<const double> draws, double value) {
  const auto [least, most] = std::minmax_element(draws.begin(), draws.end());
  std::vector<double> above(draws.begin(), draws.end());
  if (value > *most) return probability_beyond(std::move(above), value);
  if (value >= *least) return 1;
  for (double& draw : above) draw = -draw;
  return probability_beyond(std::move(above), -value);
}

using Function = std::function<double(double)>;

double bound(std::span<const Placement> placements, std::array<double, kTilts> Placement::*log_means,
             double most, const Function& f) {
  double total = 0;
  std::array<double, kTilts> exponent = {};
  for (const Placement& placement : placements) {
    total += f(placement.z);
    for (std::size_t k = 0; k < kTilts; ++k) exponent[k] += (placement.*log_means)[k];
  }
  double least = 0;
  for (std::size_t k = 0; k < kTilts; ++k) least = std::min(least, exponent[k] - tilt(most, k) * total);
  return std::exp(least);
}

}  // namespace

Placement place(std::span<const double> draws, std::span<const double> weights, double value) {
  Placement result;
  const auto count = static_cast<double>(draws.size());
  std::vector<double> z(draws.begin(), draws.end()), weight;
  z.push_back(value);
  for (std::size_t i = 0; i < draws.size(); ++i)
    weight.push_back((weights.empty() ? 1 : count * weights[i]) / (count + 1));
  weight.push_back(1 / (count + 1));
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < z.size(); ++i) mean += weight[i] * z[i];
  for (std::size_t i = 0; i < z.size(); ++i) square += weight[i] * (z[i] - mean) * (z[i] - mean);
  if (!(square > 0)) return result;
  for (double& point : z) point = (point - mean) / std::sqrt(square);
  result.z = z.back();
  result.above = log_means(z, weight, kMostOfLine);
  for (double& point : z) point = -point;
  result.below = log_means(z, weight, kMostOfLine);
  for (double& point : z) point = point * point;
  result.wide = log_means(z, weight, kMostUp);
  for (double& point : z) point = -point;
  result.narrow = log_means(z, weight, kMostDown);
  if (weights.empty()) result.beyond = beyond_all(draws, value);
  return result;
}

double location_p_value(std::span<const Placement> placements) {
  const double above = bound(placements, &Placement::above, kMostOfLine, [](double z) { return z; });
  const double below = bound(placements, &Placement::below, kMostOfLine, [](double z) { return -z; });
  return std::min(1.0, 2 * std::min(above, below));
}

double spread_p_value(std::span<const Placement> placements) {
  const double wide = bound(placements, &Placement::wide, kMostUp, [](double z) { return z * z; });
  const double narrow = bound(placements, &Placement::narrow, kMostDown, [](double z) { return -z * z; });
  double farthest = 1;
  for (const Placement& placement : placements) farthest = std::min(farthest, 2 * placement.beyond);
  farthest *= static_cast<double>(placements.size());
  return std::min(1.0, 3 * std::min({wide, narrow, farthest}));
}

}  // namespace kullback::stats
