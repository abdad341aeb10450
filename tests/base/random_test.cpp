// Philox's published known answers; then moments and the Kolmogorov-Smirnov distance of each distribution
// with fixed seeds. Bounds are in standard errors: with fixed seeds a test passes always or never, and five
// standard errors would reject a right generator in one of two million choices of the seed.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

namespace kullback {
namespace {

constexpr int kDraws = 200000;

// sqrt(n) times the largest difference of the empirical and the true distribution function.
double ks_statistic(std::vector<double> draws, const std::function<double(double)>& cdf) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]);
    largest = std::max({largest, static_cast<double>(i + 1) / n - p, p - static_cast<double>(i) / n});
  }
  return largest * std::sqrt(n);
}
constexpr double kKsLimit = 2.23;  // exceeded by chance with probability 2 exp(-2 * 2.23^2) = 1e-4

std::vector<double> draw(int n, const std::function<double()>& next) {
  std::vector<double> draws(static_cast<std::size_t>(n));
  std::generate(draws.begin(), draws.end(), next);
  return draws;
}

double mean_of(const std::vector<double>& draws, const std::function<double(double)>& f) {
  double sum = 0.0;
  for (const double x : draws) sum += f(x);
  return sum / static_cast<double>(draws.size());
}

// The mean of f over the draws is within five standard errors of its expectation.
void expect_mean(const std::vector<double>& draws, const std::function<double(double)>& f,
                 double expectation) {
  const double mean = mean_of(draws, f);
  const double square = mean_of(draws, [&](double x) { return (f(x) - mean) * (f(x) - mean); });
  EXPECT_LT(std::fabs(mean - expectation), 5.0 * std::sqrt(square / static_cast<double>(draws.size())))
      << mean << " instead of " << expectation;
}

// Random123's kat_vectors, "philox4x32 10".
TEST(Random, philox_known_answers) {
  struct Row {
    std::uint32_t counter[4];
    std::uint32_t key[2];
    std::array<std::uint32_t, 4> answer;
  };
  const Row rows[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Row& row : rows) {
    std::uint32_t result[4];
    philox_4x32_10(row.counter, row.key, result);
    EXPECT_TRUE(std::equal(row.answer.begin(), row.answer.end(), result));
  }
}

TEST(Random, counter_and_key_are_block_chain_purpose_and_seed) {
  const std::uint64_t seed = 0x299f31d0a4093822ULL;
  Random random(seed, 0x13198a2e, 0x03707344);
  for (std::uint32_t block = 0; block < 5; ++block) {
    std::uint32_t words[4];
    philox_4x32_10({block, 0, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, words);
    EXPECT_EQ(random(), std::uint64_t{words[1]} << 32 | words[0]);
    EXPECT_EQ(random(), std::uint64_t{words[3]} << 32 | words[2]);
  }
}

TEST(Random, streams_differ) {
  std::set<std::uint64_t> seen;
  int streams = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (const std::uint32_t chain : {0U, 1U, 2U}) {
      for (const std::uint32_t purpose : {0U, 1U, 7U}) {
        Random random(seed, chain, purpose);
        for (int i = 0; i < 100; ++i) seen.insert(random());
        ++streams;
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(100 * streams));
}

TEST(Random, same_stream_same_draws) {
  Random a(42, 3, 1), b(42, 3, 1);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(a.normal(), b.normal());
    ASSERT_EQ(a.gamma(0.3), b.gamma(0.3));
    ASSERT_EQ(a.below(17), b.below(17));
  }
}

TEST(Random, uniform) {
  Random random(1);
  const auto draws = draw(kDraws, [&] { return random.uniform(); });
  EXPECT_GT(*std::min_element(draws.begin(), draws.end()), 0.0);
  EXPECT_LT(*std::max_element(draws.begin(), draws.end()), 1.0);
  EXPECT_LT(ks_statistic(draws, [](double x) { return x; }), kKsLimit);
  expect_mean(
      draws, [](double x) { return x; }, 0.5);
  expect_mean(
      draws, [](double x) { return x * x; }, 1.0 / 3.0);
}

TEST(Random, normal) {
  Random random(2);
  const auto draws = draw(5 * kDraws, [&] { return random.normal(); });
  EXPECT_LT(ks_statistic(draws, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), kKsLimit);
  const double moments[] = {0.0, 1.0, 0.0, 3.0, 0.0, 15.0};
  for (int k = 1; k <= 6; ++k)
    expect_mean(
        draws, [k](double x) { return std::pow(x, k); }, moments[k - 1]);
  // The tail of the ziggurat and its edge.
  for (const double edge : {3.0, 3.6541528853610088, 4.0}) {
    expect_mean(
        draws, [edge](double x) { return x > edge ? 1.0 : 0.0; }, 0.5 * std::erfc(edge / std::sqrt(2.0)));
    expect_mean(
        draws, [edge](double x) { return x < -edge ? 1.0 : 0.0; }, 0.5 * std::erfc(edge / std::sqrt(2.0)));
  }
}

TEST(Random, normal_draws_are_uncorrelated) {
  Random random(3);
  double previous = random.normal();
  const auto products = draw(kDraws, [&] {
    const double x = random.normal();
    const double product = x * previous;
    previous = x;
    return product;
  });
  expect_mean(
      products, [](double x) { return x; }, 0.0);
}

TEST(Random, exponential) {
  Random random(4);
  const auto draws = draw(kDraws, [&] { return random.exponential(); });
  EXPECT_LT(ks_statistic(draws, [](double x) { return -std::expm1(-x); }), kKsLimit);
  expect_mean(
      draws, [](double x) { return x; }, 1.0);
  expect_mean(
      draws, [](double x) { return x * x; }, 2.0);
}

TEST(Random, gamma) {
  const auto half = [](double x) { return std::erf(std::sqrt(x)); };
  const auto one = [](double x) { return -std::expm1(-x); };
  const auto five_halves = [](double x) {
    const double root = std::sqrt(x);
    return std::erf(root) - std::exp(-x) * (root + 2.0 / 3.0 * x * root) * 2.0 / std::sqrt(std::acos(-1.0));
  };
  struct Row {
    double shape;
    std::function<double(double)> cdf;  // where it has a simple form
  };
  const Row rows[] = {{0.05, {}}, {0.5, half}, {1.0, one}, {2.5, five_halves}, {30.0, {}}, {1e4, {}}};
  for (const auto& [shape, cdf] : rows) {
    const double a = shape;
    Random random(5, 0, static_cast<std::uint32_t>(a * 100));
    const auto draws = draw(kDraws, [&] { return random.gamma(a); });
    expect_mean(
        draws, [](double x) { return x; }, a);
    expect_mean(
        draws, [a](double x) { return (x - a) * (x - a); }, a);
    if (cdf) {
      EXPECT_LT(ks_statistic(draws, cdf), kKsLimit);
    }
  }
}

TEST(Random, below) {
  Random random(6);
  for (const std::uint64_t bound : {1ULL, 2ULL, 7ULL, 10ULL}) {
    std::vector<double> counts(bound);
    for (int i = 0; i < kDraws; ++i) counts.at(random.below(bound)) += 1.0;
    const double p = 1.0 / static_cast<double>(bound);
    const double standard_error = std::sqrt(kDraws * p * (1.0 - p));
    for (const double count : counts) EXPECT_LE(std::fabs(count - kDraws * p), 5.0 * standard_error);
  }
  // A bound near 2/3 of the range: without rejection the lower half would be drawn twice as often.
  const std::uint64_t bound = 0xAAAAAAAAAAAAAAABULL;
  const auto halves = draw(kDraws, [&] { return random.below(bound) < bound / 2 ? 1.0 : 0.0; });
  expect_mean(
      halves, [](double x) { return x; }, 0.5);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(bound), bound);
}

}  // namespace
}  // namespace kullback
