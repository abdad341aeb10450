// With F, G the distribution functions and F^, G^ those of the samples, D = (F^ - F) - (G^ - G) is what
// chance adds. By the triangle inequality
//   |W(F^, G^) - W(F, G)| <= integral of |D|,    |sup |F^ - G^| - sup |F - G|| <= sup |D|,
// with equality where F = G: quantiles of the right-hand sides give an interval and a test at once. For n and
// m independent draws D tends to B(F) / sqrt(n) - B'(G) / sqrt(m) with Brownian bridges B, B' (Donsker; del
// Barrio, Gine and Matran 1999). For chains, n and m are effective sample sizes. The bridges are drawn at
// some of the pooled draws, in the tails at each, with F^ and G^ in the place of F and G.
//
// sup |D| has Kolmogorov's distribution, over sqrt(n m / (n + m)), where F = G; elsewhere two bridges have
// their extremes at different places, and it is smaller.
//
// Far in the tail of N = integral of |D|: quantile(P(N <= t)) of the standard normal distribution is concave
// in t (Ehrhard 1983), and its slope falls to 1 / s, s^2 the largest variance of an integral of D with signs,
// here var_a / n + var_b / m, as D(x) and D(y) are positively correlated. So beyond the 95 % quantile t,
//   P(N > w) <= 1 - Phi(1.645 + (w - t) / s).
#include "stats/divergence/marginal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "stats/divergence/samples.hpp"
#include "stats/halves.hpp"
#include "stats/normal_scores.hpp"
#include "stats/summary.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kReplicates = 400;
constexpr double kNoiseLevel = 0.95;
constexpr double kKolmogorov = 1.35810;   // his distribution's quantile at that level
constexpr std::size_t kMostPlaces = 160;  // enough for 10^12 draws
constexpr std::size_t kMiddleCells = 40;
constexpr double kTailRatio = 1.5;

using Replicates = std::array<double, kReplicates>;

Sample constant_sample(std::span<const double> values) {
  return {.values = values, .effective = kInfinity, .mean = values[0]};
}

double smallest_known(std::initializer_list<double> numbers) {
  double smallest = kNaN;
  for (const double number : numbers) smallest = std::fmin(smallest, number);
  return smallest;
}

std::vector<double> ascending(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

// Which of `count` ordered draws, from 0: each of the outermost, then ever fewer, but one in 40 at least. The
// first and the last are among them.
std::vector<std::size_t> places(std::size_t count) {
  std::vector<std::size_t> lower;
  const std::size_t step = std::max<std::size_t>(count / kMiddleCells, 1);
  for (std::size_t i = 1; i < step && i <= count / 2;
       i = std::max(i + 1, static_cast<std::size_t>(kTailRatio * static_cast<double>(i))))
    lower.push_back(i - 1);
  std::vector<std::size_t> all = lower;
  for (std::size_t i = step; i + step <= count; i += step) all.push_back(i - 1);
  if (lower.empty()) all.push_back(count - 1);
  for (auto from_end = lower.rbegin(); from_end != lower.rend(); ++from_end)
    all.push_back(count - 1 - *from_end);
  return all;
}

double share_up_to(std::span<const double> ordered, double value) {
  const auto end = std::upper_bound(ordered.begin(), ordered.end(), value);
  return static_cast<double>(end - ordered.begin()) / static_cast<double>(ordered.size());
}

// Both distribution functions at some of the pooled draws.
struct Functions {
  std::vector<double> at, a, b;
};

Functions functions_of(std::span<const double> a, std::span<const double> b) {
  std::vector<double> pooled(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), pooled.begin());
  Functions result;
  for (const std::size_t place : places(pooled.size())) {
    result.at.push_back(pooled[place]);
    result.a.push_back(share_up_to(a, pooled[place]));
    result.b.push_back(share_up_to(b, pooled[place]));
  }
  return result;
}

double largest_gap(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    const double f = static_cast<double>(i) / static_cast<double>(a.size());
    const double g = static_cast<double>(j) / static_cast<double>(b.size());
    largest = std::max(largest, std::abs(f - g));
  }
  return largest;
}

// A Brownian bridge over sqrt(effective), replicate by replicate, from one value of a distribution function
// to the next.
class Bridges final {
 public:
  Bridges(const std::vector<double>& shares, double effective, const double* normals)
      : shares_(shares), scale_(1 / std::sqrt(effective)), normals_(normals) {
    for (std::size_t q = 0; q <= shares_.size(); ++q) walk(q, end_);
  }

  // To place q, from the one before.
  void advance(std::size_t q) { walk(q, now_); }
  double at(std::size_t q, std::size_t r) const { return now_[r] - shares_[q] * end_[r]; }

 private:
  void walk(std::size_t q, Replicates& to) const {
    const double before = q == 0 ? 0 : shares_[q - 1], after = q == shares_.size() ? 1 : shares_[q];
    const double step = scale_ * std::sqrt(std::max(after - before, 0.0));
    const double* normals = normals_ + q * kReplicates;
    for (std::size_t r = 0; r < kReplicates; ++r) to[r] += step * normals[r];
  }

  const std::vector<double>& shares_;
  double scale_;
  const double* normals_;
  Replicates now_{}, end_{};
};

// The area that chance adds, replicate by replicate.
Replicates areas_of(const Functions& functions, const Sample& a, const Sample& b,
                    const std::vector<double>& normals) {
  Bridges of_a(functions.a, a.effective, normals.data());
  Bridges of_b(functions.b, b.effective, normals.data() + normals.size() / 2);
  Replicates areas{};
  for (std::size_t q = 0; q + 1 < functions.at.size(); ++q) {
    const double width = functions.at[q + 1] - functions.at[q];
    of_a.advance(q);
    of_b.advance(q);
    for (std::size_t r = 0; r < kReplicates; ++r) areas[r] += width * std::abs(of_a.at(q, r) - of_b.at(q, r));
  }
  return areas;
}

double quantile_of(Replicates values) {
  const auto place = static_cast<std::ptrdiff_t>(kNoiseLevel * (kReplicates + 1)) - 1;
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

double p_value_of(double area, const Replicates& replicates, double noise, double sd) {
  if (area >= noise) {
    const double z = normal_quantile(kNoiseLevel) + (area - noise) / sd;
    return std::erfc(z / std::numbers::sqrt2) / 2;
  }
  const auto beyond =
      std::count_if(replicates.begin(), replicates.end(), [area](double of) { return of >= area; });
  return static_cast<double>(1 + beyond) / (kReplicates + 1);
}

MarginalDistance of_constants(const Sample& a, const Sample& b) {
  if (is_constant(std::array{a.mean, b.mean})) return {.sd_ratio = kNaN, .sd_ratio_error = kNaN};
  return {.wasserstein = kInfinity,
          .p_value = 0,
          .largest_gap = 1,
          .shift = b.mean > a.mean ? kInfinity : -kInfinity,
          .sd_ratio = kNaN,
          .sd_ratio_error = kNaN};
}

}  // namespace

Sample sample_of(const Chains& chains) {
  if (chains.values.size() > 1 && is_constant(chains.values)) return constant_sample(chains.values);
  const ChainSummary summary = summarize(chains);
  const double of_mean = std::pow(summary.sd / summary.mcse_mean, 2);
  return {.values = chains.values,
          .effective = smallest_known({of_mean, summary.ess_bulk, summary.ess_tail}),
          .mean = summary.mean,
          .mean_error = summary.mcse_mean,
          .sd = summary.sd,
          .sd_error = mcse_sd(chains),
          .rhat = summary.rhat};
}

// The error of the sd by the delta method: sqrt((mu_4 - mu_2^2) / n) / (2 sd).
Sample sample_of(std::span<const double> independent, double effective) {
  if (independent.size() > 1 && is_constant(independent)) return constant_sample(independent);
  const double center = mean(independent);
  std::vector<double> squares;
  for (const double value : independent) squares.push_back((value - center) * (value - center));
  const double second = mean(squares);
  const double fourth =
      dot(squares.data(), squares.data(), squares.size()) / static_cast<double>(squares.size());
  const double deviation = sd(independent);
  return {.values = independent,
          .effective = effective,
          .mean = center,
          .mean_error = deviation / std::sqrt(effective),
          .sd = deviation,
          .sd_error = std::sqrt((fourth - second * second) / effective / second / 4)};
}

MarginalComparison::MarginalComparison(std::uint64_t seed) : normals_(2 * (kMostPlaces + 1) * kReplicates) {
  Random random(seed);
  for (double& of : normals_) of = random.normal();
}

MarginalDistance MarginalComparison::operator()(const Sample& a, const Sample& b) const {
  const std::vector<double> of_a = ascending(a.values), of_b = ascending(b.values);
  const double area = wasserstein(of_a, of_b);
  if (a.sd == 0 && b.sd == 0) return of_constants(a, b);
  const double unit = std::sqrt((a.sd * a.sd + b.sd * b.sd) / 2);
  const Replicates areas = areas_of(functions_of(of_a, of_b), a, b, normals_);
  const double area_noise = quantile_of(areas);
  const double shift_error = std::hypot(a.mean_error, b.mean_error);
  const double slope = std::hypot(a.sd / std::sqrt(a.effective), b.sd / std::sqrt(b.effective));
  MarginalDistance result{.wasserstein = area / unit,
                          .noise = area_noise / unit,
                          .p_value = p_value_of(area, areas, area_noise, slope),
                          .largest_gap = largest_gap(of_a, of_b),
                          .gap_noise = kKolmogorov * std::sqrt(1 / a.effective + 1 / b.effective),
                          .shift = (b.mean - a.mean) / unit,
                          .shift_error = shift_error / unit,
                          .sd_ratio = b.sd / a.sd};
  result.sd_ratio_error = result.sd_ratio * std::hypot(a.sd_error / a.sd, b.sd_error / b.sd);
  return result;
}

}  // namespace kullback::stats
