// Divergences by quadrature, from draws and from samples, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/chains.hpp"
#include "stats/divergence.hpp"

namespace kullback::stats::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

ErrorKind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.kind();
  }
  return ErrorKind::internal;
}

// ---- quadrature
// -----------------------------------------------------------------------------------------------------

double log_normal(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -z * z / 2 - std::log(sd) - std::log(2 * std::numbers::pi) / 2;
}

Density density(const Normal& of) {
  return {.log_density = [of](double x) { return log_normal(x, of.mean, of.sd); },
          .center = of.mean,
          .scale = of.sd};
}
Density density(const Gamma& of) {
  const double constant = of.shape * std::log(of.rate) - std::lgamma(of.shape);
  return {.log_density = [=](double x) { return constant + (of.shape - 1) * std::log(x) - of.rate * x; },
          .lower = 0,
          .center = of.shape / of.rate,
          .scale = std::sqrt(of.shape) / of.rate};
}
Density density(const Beta& of) {
  const double constant = std::lgamma(of.a + of.b) - std::lgamma(of.a) - std::lgamma(of.b);
  return {.log_density =
              [=](double x) { return constant + (of.a - 1) * std::log(x) + (of.b - 1) * std::log1p(-x); },
          .lower = 0,
          .upper = 1,
          .center = of.a / (of.a + of.b),
          .scale = 0.2};
}

void expect_close(const Integral& found, double expected) {
  if (std::isinf(expected))
    EXPECT_EQ(found.value, expected);
  else
    EXPECT_NEAR(found.value, expected, 1e-9 * expected + 1e-13);
  EXPECT_LE(found.error, 1e-8 * (1 + found.value));
}

template <class P>
void expect_quadrature_agrees(const P& p, const P& q) {
  const Density dp = density(p), dq = density(q);
  expect_close(kl_divergence(dp, dq), kl_divergence(p, q));
  for (const double order : {-0.1, 0.01, 0.5, 0.999, 1.3})
    EXPECT_NEAR(renyi_divergence(dp, dq, order).value, renyi_divergence(p, q, order), 1e-9) << order;
  for (const double alpha : {0.0, 0.4, 1.2})
    expect_close(alpha_divergence(dp, dq, alpha), alpha_divergence(p, q, alpha));
  for (const double beta : {0.0, 0.5, 1.0})
    expect_close(beta_divergence(dp, dq, beta), beta_divergence(p, q, beta));
  expect_close(chi_divergence(dp, dq, 1.25), chi_divergence(p, q, 1.25));
  expect_close(hellinger_distance(dp, dq), hellinger_distance(p, q));
  expect_close(cauchy_schwarz_divergence(dp, dq), cauchy_schwarz_divergence(p, q));
  expect_close(total_variation(dp, dq), total_variation(p, q));
  expect_close(jensen_shannon_divergence(dp, dq), jensen_shannon_divergence(p, q));
}

TEST(DivergenceQuadrature, is_the_closed_form) {
  expect_quadrature_agrees(Normal{0, 1}, Normal{1, 1.25});
  expect_quadrature_agrees(Normal{100, 0.01}, Normal{100.02, 0.012});
  expect_quadrature_agrees(Gamma{2, 3}, Gamma{2.5, 2.75});
  expect_quadrature_agrees(Beta{2, 5}, Beta{2.25, 4.5});
}

TEST(DivergenceQuadrature, far_apart_and_heavy_tails) {
  const Normal p{0, 1}, q{30, 0.5};
  expect_close(kl_divergence(density(p), density(q)), kl_divergence(p, q));
  EXPECT_NEAR(renyi_divergence(density(p), density(q), 0.5).value / renyi_divergence(p, q, 0.5), 1, 1e-9);
  // KL between Cauchy distributions: log of ((s + t)^2 + (a - b)^2) / (4 s t) (Chyzak and Nielsen 2019).
  const auto cauchy = [](double at, double scale) {
    return Density{.log_density =
                       [=](double x) {
                         const double z = (x - at) / scale;
                         return -std::log(std::numbers::pi * scale) - std::log1p(z * z);
                       },
                   .center = at,
                   .scale = scale};
  };
  expect_close(kl_divergence(cauchy(0, 1), cauchy(3, 2)), std::log((9.0 + 9.0) / 8));
  expect_close(total_variation(cauchy(0, 1), cauchy(2, 1)), 2 / std::numbers::pi * std::atan(1.0));
}

TEST(DivergenceQuadrature, infinite_divergences_are_infinity) {
  EXPECT_EQ(chi_divergence(density(Normal{0, 2}), density(Normal{0, 1})).value, kInf);
  const Density uniform{
      .log_density = [](double) { return 0.0; }, .lower = 0, .upper = 1, .center = 0.5, .scale = 0.3};
  const Density half{.log_density = [](double) { return std::log(2.0); },
                     .lower = 0,
                     .upper = 0.5,
                     .center = 0.25,
                     .scale = 0.1};
  EXPECT_EQ(kl_divergence(uniform, half).value, kInf);
  expect_close(kl_divergence(half, uniform), std::log(2.0));
  expect_close(total_variation(half, uniform), 0.5);
  expect_close(renyi_divergence(half, uniform, 2), std::log(2.0));
}

TEST(DivergenceQuadrature, failures_are_told) {
  const Density p = density(Normal{0, 1});
  Density twice = p;
  twice.log_density = [](double x) { return std::log(2.0) + log_normal(x, 0, 1); };
  EXPECT_EQ(kind_of([&] { kl_divergence(p, twice); }), ErrorKind::bad_input);
  Density lost = density(Normal{1e7, 1e-3});  // a peak that is not where it is said to be
  lost.center = 0, lost.scale = 1;
  EXPECT_EQ(kind_of([&] { kl_divergence(lost, p); }), ErrorKind::bad_input);
  Density nan = p;
  nan.log_density = [](double x) { return x > 1 ? NAN : log_normal(x, 0, 1); };
  EXPECT_EQ(kind_of([&] { kl_divergence(nan, p); }), ErrorKind::bad_input);
  Density wild = p;
  wild.log_density = [](double x) { return log_normal(x, 0, 1) + std::log1p(std::sin(1e5 * x) / 2); };
  EXPECT_EQ(kind_of([&] { kl_divergence(wild, p, {.tolerance = 1e-10, .max_evaluations = 5000}); }),
            ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { kl_divergence(p, Density{}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { renyi_divergence(p, p, 0); }), ErrorKind::usage);
}

// ---- draws
// ----------------------------------------------------------------------------------------------------------

struct Ratios {
  std::vector<double> log_p, log_q;
  DrawsOfP view() const { return {log_p, log_q}; }
};

Ratios draws_of(const Normal& p, const Normal& q, std::size_t count, std::uint64_t seed) {
  Ratios result;
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = p.mean + p.sd * random.normal();
    result.log_p.push_back(log_normal(x, p.mean, p.sd));
    result.log_q.push_back(log_normal(x, q.mean, q.sd));
  }
  return result;
}

void expect_within_errors(const Estimate& found, double expected) {
  EXPECT_GT(found.standard_error, 0);
  EXPECT_LT(std::abs(found.value - expected), 4.5 * found.standard_error)
      << found.value << " for " << expected;
}

TEST(DivergenceDraws, agree_with_the_closed_form) {
  const Normal p{0, 1}, q{0.5, 1.25};
  const Ratios drawn = draws_of(p, q, 40000, 3), reversed = draws_of(q, p, 40000, 4);
  const DrawsOfP draws = drawn.view();
  expect_within_errors(kl_divergence(draws), kl_divergence(p, q));
  for (const double alpha : {0.0, 0.3, 0.5, 0.8, 1.0, 1.5})
    expect_within_errors(alpha_divergence(draws, alpha), alpha_divergence(p, q, alpha));
  for (const double order : {0.25, 0.5, 0.999, 1.0, 1.001, 1.5})
    expect_within_errors(renyi_divergence(draws, order), renyi_divergence(p, q, order));
  expect_within_errors(chi_divergence(draws), chi_divergence(p, q));
  expect_within_errors(hellinger_distance(draws), hellinger_distance(p, q));
  expect_within_errors(total_variation(draws), total_variation(p, q));
  expect_within_errors(jensen_shannon_divergence(draws, reversed.view()), jensen_shannon_divergence(p, q));
  // From draws of q: alpha and 1 - alpha exchanged.
  expect_within_errors(alpha_divergence(reversed.view(), 0), kl_divergence(p, q));
}

// The standard error is the spread of repeated estimates: 200 of them know it to 5 %.
TEST(DivergenceDraws, standard_errors_are_right) {
  const Normal p{0, 1}, q{0.5, 0.9};  // weights with fourth moments
  const std::vector<std::pair<std::function<Estimate(const DrawsOfP&)>, double>> estimators = {
      {[](const DrawsOfP& of) { return kl_divergence(of); }, kl_divergence(p, q)},
      {[](const DrawsOfP& of) { return renyi_divergence(of, 0.5); }, renyi_divergence(p, q, 0.5)},
      {[](const DrawsOfP& of) { return alpha_divergence(of, 0.25); }, alpha_divergence(p, q, 0.25)},
      {[](const DrawsOfP& of) { return hellinger_distance(of); }, hellinger_distance(p, q)},
      {[](const DrawsOfP& of) { return total_variation(of); }, total_variation(p, q)}};
  for (const auto& [estimator, expected] : estimators) {
    std::vector<double> values, errors;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Estimate at = estimator(draws_of(p, q, 500, 100 + seed).view());
      values.push_back(at.value);
      errors.push_back(at.standard_error);
    }
    EXPECT_NEAR(sd(values) / mean(errors), 1, 0.2);
    EXPECT_LT(std::abs(mean(values) - expected), 5 * sd(values) / std::sqrt(200.0));
  }
}

TEST(DivergenceDraws, heavy_tails_are_seen) {
  const Ratios drawn = draws_of({0, 1.6}, {0, 1}, 4000, 5);  // chi^2 is infinite
  EXPECT_GT(chi_divergence(drawn.view()).khat, 0.7);
  const Ratios light = draws_of({0, 1}, {0, 1.6}, 4000, 5);
  EXPECT_LT(chi_divergence(light.view()).khat, 0.5);
}

TEST(DivergenceDraws, edges) {
  const std::vector<double> log_p{-1, -2, -3}, log_q{-1, -kInf, -2}, nan{-1, NAN, 0}, two{0, 0};
  EXPECT_EQ(kl_divergence(DrawsOfP{log_p, log_q}).value, kInf);
  EXPECT_NEAR(total_variation(DrawsOfP{log_p, log_q}).value, 1.0 / 3, 1e-15);
  EXPECT_TRUE(std::isfinite(hellinger_distance(DrawsOfP{log_p, log_q}).value));
  EXPECT_EQ(kl_divergence(DrawsOfP{log_p, log_p}).value, 0);
  EXPECT_TRUE(kl_divergence(DrawsOfP{log_p, log_p}).unbiased);
  EXPECT_FALSE(renyi_divergence(DrawsOfP{log_p, log_p}, 2).unbiased);
  EXPECT_EQ(kind_of([&] { kl_divergence(DrawsOfP{log_p, nan}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { kl_divergence(DrawsOfP{log_q, log_p}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { kl_divergence(DrawsOfP{log_p, two}); }), ErrorKind::usage);
}

// ---- samples
// --------------------------------------------------------------------------------------------------------

std::vector<double> normals(std::size_t count, double mean, double sd, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> result(count);
  for (double& x : result) x = mean + sd * random.normal();
  return result;
}

TEST(Wasserstein, of_samples_by_hand) {
  const std::vector<double> x{3, 0, 1}, y{5, 6, 8}, three{0, 1, 3}, two{5, 6};
  EXPECT_DOUBLE_EQ(wasserstein(x, y), 5);
  EXPECT_DOUBLE_EQ(wasserstein(x, y, kInf), 5);
  // SciPy's example: wasserstein_distance([0, 1, 3], [5, 6, 8]) is 5; of unequal sizes: thirds against
  // halves.
  EXPECT_DOUBLE_EQ(wasserstein(three, two), (5.0 * 2 + 4 * 1 + 5 * 1 + 3 * 2) / 6);
  EXPECT_DOUBLE_EQ(wasserstein(two, three), wasserstein(three, two));
  EXPECT_DOUBLE_EQ(wasserstein(three, two, 2), std::sqrt((25.0 * 2 + 16 + 25 + 9 * 2) / 6));
  EXPECT_EQ(wasserstein(x, three), 0);
  const std::vector<double> at{0, 1}, weights{0.25, 0.75}, even{0.5, 0.5};
  EXPECT_DOUBLE_EQ(wasserstein(Atoms{at, weights}, Atoms{at, even}), 0.25);
  EXPECT_DOUBLE_EQ(wasserstein(Atoms{at, weights}, Atoms{at, even}, 2), 0.5);
  EXPECT_DOUBLE_EQ(wasserstein(Atoms{at, weights}, Atoms{at, even}, kInf), 1);
}

// W1 is also the integral of |F - G|: another way to the same number.
TEST(Wasserstein, is_the_area_between_distribution_functions) {
  const auto x = normals(37, 0, 1, 1), y = normals(101, 0.5, 2, 2);
  std::vector<double> all(x);
  all.insert(all.end(), y.begin(), y.end());
  std::sort(all.begin(), all.end());
  const auto below = [](const std::vector<double>& of, double at) {
    return static_cast<double>(std::count_if(of.begin(), of.end(), [at](double v) { return v <= at; })) /
           static_cast<double>(of.size());
  };
  double area = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    area += std::abs(below(x, all[i - 1]) - below(y, all[i - 1])) * (all[i] - all[i - 1]);
  EXPECT_NEAR(wasserstein(x, y), area, 1e-13);
}

TEST(Wasserstein, samples_approach_the_closed_form) {
  const auto x = normals(100000, 0, 1, 3), y = normals(100000, 1, 2, 4);
  EXPECT_NEAR(wasserstein(x, y, 1), wasserstein(Normal{0, 1}, Normal{1, 2}, 1), 0.03);
  EXPECT_NEAR(wasserstein(x, y, 2), wasserstein(Normal{0, 1}, Normal{1, 2}, 2), 0.03);
  EXPECT_NEAR(wasserstein(Exponential{1}, Exponential{0.25}, 1), 3, 1e-14);
  EXPECT_NEAR(wasserstein(Exponential{1}, Exponential{0.25}, 2), 3 * std::sqrt(2.0), 1e-14);
}

TEST(Wasserstein, sliced) {
  // Of a sample and its shift by s: each direction gives |theta s|; the mean square is |s|^2 / dim.
  const std::size_t dim = 4;
  const std::vector<double> x = normals(300 * dim, 0, 1, 5);
  std::vector<double> y = x;
  for (std::size_t i = 0; i < y.size(); i += dim) y[i] += 3;
  const Sliced far = sliced_wasserstein({x, dim}, {y, dim}, {.order = 2, .projections = 2000});
  EXPECT_GT(far.standard_error, 0);
  EXPECT_LT(std::abs(far.value - 3 / std::sqrt(4.0)), 4.5 * far.standard_error);
  EXPECT_EQ(sliced_wasserstein({x, dim}, {x, dim}).value, 0);
  EXPECT_EQ(sliced_wasserstein({x, 1}, {y, 1}, {.order = 1}).value, wasserstein(x, y, 1));
  EXPECT_EQ(sliced_wasserstein({x, dim}, {y, dim}).value, sliced_wasserstein({y, dim}, {x, dim}).value);
  EXPECT_EQ(kind_of([&] { sliced_wasserstein({x, dim}, {y, 3}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { wasserstein(x, std::vector<double>{}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { wasserstein(x, std::vector<double>{NAN}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { wasserstein(x, y, 0.5); }), ErrorKind::usage);
}

TEST(MaximumMeanDiscrepancy, by_hand) {
  const std::vector<double> x{0, 1}, y{2, 4};
  const auto k = [](double a, double b) { return std::exp(-(a - b) * (a - b) / 2); };
  const double xy = k(0, 2) + k(0, 4) + k(1, 2) + k(1, 4);
  const Mmd found = mmd({x, 1}, {y, 1}, {.length_scale = 1});
  EXPECT_NEAR(found.squared_unbiased, k(0, 1) + k(2, 4) - xy / 2, 1e-15);
  EXPECT_NEAR(found.squared_biased, (2 + 2 * k(0, 1)) / 4 + (2 + 2 * k(2, 4)) / 4 - xy / 2, 1e-15);
  EXPECT_TRUE(std::isnan(found.standard_error));
  const Mmd imq = mmd({x, 1}, {y, 1}, {.shape = KernelShape::imq, .length_scale = 2});
  const auto m = [](double apart) { return 1 / std::sqrt(1 + apart * apart / 4); };
  EXPECT_NEAR(imq.squared_unbiased, m(1) + m(2) - (m(2) + m(4) + m(1) + m(3)) / 2, 1e-15);
  EXPECT_DOUBLE_EQ(median_distance({x, 1}, {y, 1}), 2);  // of 1, 1, 2, 2, 3, 4
  EXPECT_NEAR(mmd({x, 1}, {x, 1}).squared_biased, 0, 1e-15);
}

struct Repeated {
  std::vector<double> values, errors;
};
Repeated repeated_mmd(double shift, double length_scale) {
  Repeated result;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto x = normals(2 * 60, 0, 1, 1000 + seed), y = normals(2 * 90, shift, 1, 5000 + seed);
    const Mmd at = mmd({x, 2}, {y, 2}, {.length_scale = length_scale});
    result.values.push_back(at.squared_unbiased);
    result.errors.push_back(at.standard_error);
  }
  return result;
}

TEST(MaximumMeanDiscrepancy, unbiased_with_its_error) {
  const Gaussian p{{0, 0}, {1, 0, 0, 1}}, q{{0.8, 0.8}, {1, 0, 0, 1}};
  const Repeated far = repeated_mmd(0.8, 1.5), same = repeated_mmd(0, 1.5);
  EXPECT_LT(std::abs(mean(far.values) - mmd_squared(p, q, 1.5)), 4.5 * sd(far.values) / std::sqrt(200.0));
  EXPECT_LT(std::abs(mean(same.values)), 4.5 * sd(same.values) / std::sqrt(200.0));
  EXPECT_EQ(mmd_squared(p, p, 1.5), 0);
  EXPECT_NEAR(mean(far.errors) / sd(far.values), 1.05, 0.2);
  EXPECT_NEAR(mean(same.errors) / sd(same.values), std::sqrt(2.0), 0.3);
}

TEST(MaximumMeanDiscrepancy, failures_are_told) {
  const std::vector<double> x{0, 0, 0, 1}, y{0, 0, 0, 0};
  EXPECT_EQ(kind_of([&] { mmd({y, 1}, {y, 1}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { mmd({x, 1}, {y, 2}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { mmd({x, 4}, {y, 4}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { mmd({x, 1}, {y, 1}, {.length_scale = -1}); }), ErrorKind::usage);
}

}  // namespace
}  // namespace kullback::stats::test
