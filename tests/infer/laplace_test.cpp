// The Laplace approximation: exact for Gaussians, flagged where the density is none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "infer/optimize/mode.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using testing::Outcome;
using testing::TestDensity;
using testing::Vector;

Outcome laplace(TestDensity& density, Vector start, const Options& options = {}) {
  return testing::run("laplace", density, options, {.theta = std::move(start), .seed = 1});
}

// Precision [[2, -1, 0], [-1, 2, 0.5], [0, 0.5, 1]]; its inverse is kCovariance; in units that differ by 1e6.
constexpr double kPrecision[3][3] = {{2, -1, 0}, {-1, 2, 0.5}, {0, 0.5, 1}};
constexpr double kDeterminant = 2 * (2 - 0.25) - 1;
constexpr double kCovariance[3][3] = {{1.75 / kDeterminant, 1 / kDeterminant, -0.5 / kDeterminant},
                                      {1 / kDeterminant, 2 / kDeterminant, -1 / kDeterminant},
                                      {-0.5 / kDeterminant, -1 / kDeterminant, 3 / kDeterminant}};
constexpr double kMean[3] = {1, -2, 3};
constexpr double kUnit[3] = {1, 1e-3, 1e3};

double correlated(const Vector& theta, Vector& gradient) {
  double z[3];
  for (std::size_t i = 0; i < 3; ++i) z[i] = theta[i] / kUnit[i] - kMean[i];
  double value = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double product = 0;
    for (std::size_t j = 0; j < 3; ++j) product += kPrecision[i][j] * z[j];
    value -= 0.5 * z[i] * product;
    gradient[i] = -product / kUnit[i];
  }
  return value;
}

// Models divide a batch among threads where data are many: few draws together would leave nothing to divide.
TEST(Laplace, draws_are_evaluated_many_at_once) {
  TestDensity density(3, correlated);
  Options options;
  options.set("draws", 128);
  laplace(density, {0, 0, 0}, options);
  EXPECT_EQ(density.most_lanes, 64U);
}

TEST(Laplace, exact_for_a_gaussian) {
  TestDensity density(3, correlated);
  ModeSearch search(density, {}, {0, 0, 0}, 10);
  while (search.step()) {
  }
  ASSERT_NE(search.curvature(), nullptr);
  ASSERT_TRUE(search.curvature()->precision.has_value());
  EXPECT_TRUE(search.findings().empty());
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(search.theta()[j] / kUnit[j], kMean[j], 1e-6);
    Vector unit(3, 0.0);
    unit[j] = 1 / kUnit[j];
    const Vector column = search.curvature()->precision->covariance_times(unit);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(column[i] / kUnit[i], kCovariance[i][j], 1e-6) << i << j;
  }
}

// Means and products of draws within 4.5 standard errors of their expectations.
TEST(Laplace, draws_of_a_gaussian) {
  constexpr std::size_t kDraws = 20000;
  TestDensity density(3, correlated);
  const Outcome run = laplace(density, {0, 0, 0}, {{"draws", kDraws}});
  ASSERT_EQ(run.draws.count(), kDraws);
  ASSERT_EQ(run.draws.theta.size(), 3 * kDraws);
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  EXPECT_GE(density.most_lanes, 8U);
  const auto n = static_cast<double>(kDraws);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      double product = 0;
      for (std::size_t d = 0; d < kDraws; ++d) {
        const double z_i = run.draws.theta[3 * d + i] / kUnit[i] - kMean[i];
        const double z_j = run.draws.theta[3 * d + j] / kUnit[j] - kMean[j];
        sum += z_i;
        product += z_i * z_j;
      }
      const double variance = kCovariance[i][i] * kCovariance[j][j] + kCovariance[i][j] * kCovariance[i][j];
      EXPECT_NEAR(sum / n, 0, 4.5 * std::sqrt(kCovariance[i][i] / n));
      EXPECT_NEAR(product / n, kCovariance[i][j], 4.5 * std::sqrt(variance / n)) << i << j;
    }
  }
}

// log q is normalised: log p - log q is the log of the integral of p at every draw.
TEST(Laplace, log_q_is_normalised) {
  TestDensity density(3, correlated);
  const Outcome run = laplace(density, {0, 0, 0}, {{"draws", 100}});
  const double log_integral = 1.5 * std::log(2 * std::numbers::pi) - 0.5 * std::log(kDeterminant) +
                              std::log(kUnit[0] * kUnit[1] * kUnit[2]);
  Vector gradient(3);
  for (std::size_t d = 0; d < 100; ++d) {
    const Vector theta(run.draws.theta.begin() + static_cast<std::ptrdiff_t>(3 * d),
                       run.draws.theta.begin() + static_cast<std::ptrdiff_t>(3 * d + 3));
    EXPECT_DOUBLE_EQ(run.draws.log_density[d], correlated(theta, gradient));
    EXPECT_NEAR(run.draws.log_density[d] - run.draws.log_q[d], log_integral, 1e-6);
  }
}

TEST(Laplace, sixty_coordinates_in_several_blocks_of_columns) {
  Vector mean(60);
  Vector sd(60);
  for (std::size_t i = 0; i < 60; ++i) {
    mean[i] = std::sin(static_cast<double>(i));
    sd[i] = 0.1 + static_cast<double>(i);
  }
  TestDensity density(60, testing::normal(mean, sd));
  const Outcome run = laplace(density, Vector(60, 0.0), {{"draws", 5000}});
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  for (std::size_t i = 0; i < 60; ++i) {
    double sum = 0;
    double squares = 0;
    for (std::size_t d = 0; d < 5000; ++d) {
      const double z = (run.draws.theta[60 * d + i] - mean[i]) / sd[i];
      sum += z;
      squares += z * z;
    }
    EXPECT_NEAR(sum / 5000, 0, 4.5 / std::sqrt(5000.0));
    EXPECT_NEAR(squares / 5000, 1, 4.5 * std::sqrt(2 / 5000.0));
  }
}

// Logs of gamma variables of small shape have heavy left tails, which no Gaussian covers.
TEST(Laplace, skewed_density_has_a_large_khat) {
  const auto log_gamma = [](double shape) {
    return [shape](const Vector& x, Vector& gradient) {
      double value = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        value += shape * x[i] - std::exp(x[i]);
        gradient[i] = shape - std::exp(x[i]);
      }
      return value;
    };
  };
  TestDensity skewed(10, log_gamma(0.2));
  const Outcome run = laplace(skewed, Vector(10, 0.0), {{"draws", 4000}});
  EXPECT_EQ(run.draws.count(), 4000U);
  EXPECT_TRUE(run.found("khat")) << run.codes();
  TestDensity mild(10, log_gamma(1000));
  EXPECT_TRUE(laplace(mild, Vector(10, 0.0), {{"draws", 4000}}).findings.empty());
}

TEST(Laplace, without_a_mode_there_are_no_draws) {
  TestDensity flat(2, [](const Vector& x, Vector& gradient) {
    gradient = {-x[0], 0};
    return -0.5 * x[0] * x[0];
  });
  const Outcome flat_run = laplace(flat, {1, 1});
  EXPECT_EQ(flat_run.draws.count(), 0U);
  ASSERT_TRUE(flat_run.found("not-positive-definite"));
  EXPECT_NE(flat_run.finding("not-positive-definite")->evidence.find("theta[2]"), std::string::npos);
  EXPECT_TRUE(flat_run.found("no-draws"));

  TestDensity linear(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 1;
    return x[0];
  });
  const Outcome linear_run = laplace(linear, {0});
  EXPECT_EQ(linear_run.draws.count(), 0U);
  EXPECT_TRUE(linear_run.found("unbounded"));
}

// A Hessian that is no Hessian: the gradient has a rotation in it.
TEST(Laplace, wrong_gradient_is_noise) {
  TestDensity density(2, [](const Vector& x, Vector& gradient) {
    gradient = {-x[0] + 0.1 * x[1], -x[1] - 0.1 * x[0]};
    return -0.5 * (x[0] * x[0] + x[1] * x[1]);
  });
  EXPECT_TRUE(laplace(density, {1, 1}).found("noisy-hessian"));
}

TEST(Laplace, draws_outside_the_support_are_counted) {
  TestDensity density(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = -x[0];
    return x[0] < 2 ? -0.5 * x[0] * x[0] : std::numeric_limits<double>::quiet_NaN();
  });
  const Outcome run = laplace(density, {-1});
  EXPECT_TRUE(run.found("outside-support")) << run.codes();
  for (std::size_t d = 0; d < run.draws.count(); ++d)
    EXPECT_EQ(std::isfinite(run.draws.log_density[d]), run.draws.theta[d] < 2);
}

TEST(Laplace, resumes_with_the_same_bits) {
  TestDensity density(20, testing::rosenbrock);
  testing::expect_resumes("laplace", density, {{"draws", 200}}, {.theta = Vector(20, 0.5), .seed = 3}, 9);
  TestDensity correlated_density(3, correlated);
  testing::expect_resumes("laplace", correlated_density, {{"draws", 200}}, {.theta = {0, 0, 0}, .seed = 3});
}

TEST(Laplace, seeds_differ) {
  TestDensity density(3, correlated);
  const Options options{{"draws", 10}};
  const Outcome one = testing::run("laplace", density, options, {.theta = {0, 0, 0}, .seed = 1});
  const Outcome two = testing::run("laplace", density, options, {.theta = {0, 0, 0}, .seed = 2});
  EXPECT_NE(one.draws.theta, two.draws.theta);
}

TEST(Laplace, options_without_sense_are_refused) {
  TestDensity density(3, correlated);
  EXPECT_THROW(laplace(density, {0, 0, 0}, {{"draws", 0}}), Error);
  TestDensity huge(100000, testing::normal(Vector(100000, 0.0), Vector(100000, 1.0)));
  EXPECT_THROW(laplace(huge, Vector(100000, 0.0)), Error);
}

}  // namespace
}  // namespace kullback::infer
