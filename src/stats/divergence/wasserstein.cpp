// On the line the best coupling is that of the quantiles: W^k is the integral of |F^-1(u) - G^-1(u)|^k over u
// in (0, 1), a finite sum over the pieces on which both quantile functions are constant. With n and m points
// of equal weight, masses are counted in units of 1 / (n m): whole numbers, without rounding.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/chains.hpp"
#include "stats/divergence/pairs.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kSumTolerance = 1e-8;

struct Atom {
  double value = 0;
  double mass = 0;
};
using SortedAtoms = std::vector<Atom>;

void check_order_of_distance(double order) {
  if (order >= 1) return;
  throw Error(ErrorKind::usage,
              fmt::format("the order of a Wasserstein distance is {}; it must be 1 or more.", order));
}

void check_values(std::span<const double> values, const char* which) {
  if (values.empty()) throw Error(ErrorKind::bad_input, fmt::format("the {} sample is empty.", which));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(ErrorKind::bad_input, fmt::format("value {} of the {} sample is {}.", i, which, values[i]));
}

void sort_by_value(SortedAtoms& atoms) {
  std::sort(atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) { return a.value < b.value; });
}

SortedAtoms sorted_atoms(std::span<const double> values, double mass) {
  SortedAtoms result;
  for (const double value : values) result.push_back({value, mass});
  sort_by_value(result);
  return result;
}

SortedAtoms sorted_atoms(const Atoms& of, const char* which) {
  check_values(of.values, which);
  if (of.weights.size() != of.values.size())
    throw Error(ErrorKind::usage, fmt::format("the {} distribution has {} values and {} weights.", which,
                                              of.values.size(), of.weights.size()));
  const double total = sum(of.weights);
  if (!(std::abs(total - 1) <= kSumTolerance) ||
      std::any_of(of.weights.begin(), of.weights.end(), [](double w) { return w < 0; }))
    throw Error(
        ErrorKind::bad_input,
        fmt::format("the weights of the {} distribution sum to {}; they must be 0 or more and sum to 1.",
                    which, total));
  SortedAtoms result;
  for (std::size_t i = 0; i < of.values.size(); ++i) result.push_back({of.values[i], of.weights[i] / total});
  sort_by_value(result);
  return result;
}

// Calls visit(|x - y|, mass) for each piece of the coupling of quantiles.
template <class Visit>
void couple(const SortedAtoms& x, const SortedAtoms& y, const Visit& visit) {
  std::size_t i = 0, j = 0;
  double left_x = x[0].mass, left_y = y[0].mass;
  while (true) {
    const double mass = std::min(left_x, left_y);
    if (mass > 0) visit(std::abs(x[i].value - y[j].value), mass);
    left_x -= mass;
    left_y -= mass;
    if (left_x <= 0 && ++i < x.size()) left_x = x[i].mass;
    if (left_y <= 0 && ++j < y.size()) left_y = y[j].mass;
    if (i == x.size() || j == y.size()) return;
  }
}

double distance(const SortedAtoms& x, const SortedAtoms& y, double order) {
  double largest = 0, total = 0, mass_in_all = 0;
  couple(x, y, [&](double apart, double) { largest = std::max(largest, apart); });
  if (largest == 0 || std::isinf(order)) return largest;
  couple(x, y, [&](double apart, double mass) {
    total += mass * (order == 1 ? apart / largest : std::pow(apart / largest, order));
    mass_in_all += mass;
  });
  return largest * std::pow(total / mass_in_all, 1 / order);
}

std::vector<double> projected(const Points& of, std::span<const double> direction) {
  std::vector<double> result;
  for (std::size_t i = 0; i < of.values.size(); i += of.dim)
    result.push_back(dot(of.values.data() + i, direction.data(), of.dim));
  return result;
}

void check_points(const Points& x, const Points& y, const SlicedOptions& options) {
  check_values(x.values, "first");
  check_values(y.values, "second");
  if (x.dim == 0 || x.dim != y.dim || x.values.size() % x.dim != 0 || y.values.size() % y.dim != 0)
    throw Error(ErrorKind::usage,
                fmt::format("the samples have {} values of {} coordinates and {} of {}.", x.values.size(),
                            x.dim, y.values.size(), y.dim),
                "Both need the same number of coordinates, and whole points.");
  check_order_of_distance(options.order);
  if (std::isinf(options.order) || options.projections < 2)
    throw Error(ErrorKind::usage,
                "the sliced Wasserstein distance needs a finite order and 2 projections or more.");
}

}  // namespace

std::vector<double> random_direction(std::size_t dim, std::uint64_t seed, std::uint32_t index) {
  Random random(seed, 0, 0, index);
  std::vector<double> result(dim);
  for (double& of : result) of = random.normal();
  const double length = std::sqrt(dot(result.data(), result.data(), dim));
  for (double& of : result) of /= length;
  return result;
}

double wasserstein(std::span<const double> x, std::span<const double> y, double order) {
  check_order_of_distance(order);
  check_values(x, "first");
  check_values(y, "second");
  return distance(sorted_atoms(x, static_cast<double>(y.size())),
                  sorted_atoms(y, static_cast<double>(x.size())), order);
}

double wasserstein(const Atoms& x, const Atoms& y, double order) {
  check_order_of_distance(order);
  return distance(sorted_atoms(x, "first"), sorted_atoms(y, "second"), order);
}

Sliced sliced_wasserstein(const Points& x, const Points& y, const SlicedOptions& options) {
  check_points(x, y, options);
  if (x.dim == 1) return {wasserstein(x.values, y.values, options.order), 0};
  std::vector<double> powers;
  for (std::size_t k = 0; k < options.projections; ++k) {
    const auto direction = random_direction(x.dim, options.seed, static_cast<std::uint32_t>(k));
    const double of = wasserstein(projected(x, direction), projected(y, direction), options.order);
    powers.push_back(std::pow(of, options.order));
  }
  const double average = mean(powers);
  if (average == 0) return {0, 0};
  const double error = std::sqrt(variance(powers) / static_cast<double>(powers.size()));
  const double value = std::pow(average, 1 / options.order);
  return {value, value / average / options.order * error};
}

}  // namespace kullback::stats
