// Optimisation: known modes, hard starts, and densities that have no mode.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/coordinate_name.hpp"
#include "infer/optimize/lbfgs.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using testing::expect_resumes;
using testing::Outcome;
using testing::TestDensity;
using testing::Vector;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Outcome optimize(TestDensity& density, Vector start, const Options& options = {}) {
  return testing::run("optimize", density, options, {.theta = std::move(start)});
}

void expect_mode(const Outcome& run, const Vector& mode, double tolerance) {
  ASSERT_EQ(run.draws.count(), 1U);
  ASSERT_EQ(run.draws.theta.size(), mode.size());
  for (std::size_t i = 0; i < mode.size(); ++i) EXPECT_NEAR(run.draws.theta[i], mode[i], tolerance) << i;
  EXPECT_TRUE(run.findings.empty()) << run.codes();
}

TEST(Optimize, quadratic_in_few_iterations) {
  TestDensity density(2, testing::normal({3, -1}, {1, 2}));
  Lbfgs lbfgs(density, {}, {0, 0});
  while (lbfgs.step()) {
  }
  EXPECT_LE(lbfgs.iterations(), 12U);
  EXPECT_TRUE(is_convergence(lbfgs.stop())) << why(lbfgs.stop());
  EXPECT_NEAR(lbfgs.theta()[0], 3, 1e-4);  // --tol-rel-grad is met within 5e-5 standard deviations
  EXPECT_NEAR(lbfgs.theta()[1], -1, 1e-4);
  expect_mode(optimize(density, {0, 0}), {3, -1}, 1e-9);
}

TEST(Optimize, rosenbrock) {
  TestDensity small(2, testing::rosenbrock);
  expect_mode(optimize(small, {-1.2, 1}), {1, 1}, 1e-7);
  TestDensity large(20, testing::rosenbrock);
  Vector start(20, 1.0);
  for (std::size_t i = 0; i < 20; i += 2) start[i] = -1.2;
  const Outcome run = optimize(large, start);
  ASSERT_EQ(run.draws.count(), 1U);
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  // From this start there is a second local mode with the first coordinate near -1.
  EXPECT_NEAR(std::abs(run.draws.theta[0]), 1, 0.01);
  for (std::size_t i = 1; i < 20; ++i) EXPECT_NEAR(run.draws.theta[i], 1, 0.02) << i;
  expect_mode(optimize(large, Vector(20, 0.5)), Vector(20, 1.0), 1e-6);
}

// Logistic regression with a normal prior: the gradient at the mode is 0.
TEST(Optimize, logistic_regression) {
  constexpr std::size_t kRows = 200;
  constexpr std::size_t kDim = 5;
  Random random(1);
  Vector x(kRows * kDim);
  Vector y(kRows);
  for (double& number : x) number = random.normal();
  for (std::size_t n = 0; n < kRows; ++n)
    y[n] = random.uniform() < 1 / (1 + std::exp(-x[n * kDim] + 2 * x[n * kDim + 1])) ? 1 : 0;
  const auto function = [&](const Vector& beta, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < kDim; ++i) {
      value -= beta[i] * beta[i] / 200;
      gradient[i] = -beta[i] / 100;
    }
    for (std::size_t n = 0; n < kRows; ++n) {
      double eta = 0;
      for (std::size_t i = 0; i < kDim; ++i) eta += x[n * kDim + i] * beta[i];
      const double p = 1 / (1 + std::exp(-eta));
      value += y[n] > 0 ? -std::log1p(std::exp(-eta)) : -std::log1p(std::exp(eta));
      for (std::size_t i = 0; i < kDim; ++i) gradient[i] += (y[n] - p) * x[n * kDim + i];
    }
    return value;
  };
  TestDensity density(kDim, function);
  const Outcome run = optimize(density, Vector(kDim, 0.0));
  ASSERT_EQ(run.draws.count(), 1U);
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  Vector gradient(kDim);
  EXPECT_EQ(function(run.draws.theta, gradient), run.draws.log_density[0]);
  for (const double g : gradient) EXPECT_NEAR(g, 0, 1e-8);
}

// Coordinates with standard deviations from 1e-6 to 1e6: each within 1e-4 of its own.
TEST(Optimize, badly_scaled) {
  const Vector sd{1e-6, 1e-3, 1, 1e3, 1e6};
  const Vector mean{1, -1, 2, 10, 1e5};
  TestDensity density(5, testing::normal(mean, sd));
  const Outcome run = optimize(density, Vector(5, 0.0));
  ASSERT_EQ(run.draws.count(), 1U);
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR((run.draws.theta[i] - mean[i]) / sd[i], 0, 1e-4) << i;
}

TEST(Optimize, starting_far_away) {
  TestDensity normal(3, testing::normal({1, 2, 3}, {1, 0.1, 3}));
  expect_mode(optimize(normal, {1e8, -1e8, 1e6}), {1, 2, 3}, 1e-6);
  // exp(theta) overflows beyond 709: a Poisson rate on the log scale.
  TestDensity poisson(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 7 - std::exp(x[0]);
    return 7 * x[0] - std::exp(x[0]);
  });
  expect_mode(optimize(poisson, {600}), {std::log(7.0)}, 1e-7);
  expect_mode(optimize(poisson, {-600}), {std::log(7.0)}, 1e-7);
}

// Not a number beyond 1.01; the mode is at 1.
TEST(Optimize, not_finite_beside_the_mode) {
  TestDensity density(2, [](const Vector& x, Vector& gradient) {
    gradient = {-100 * (x[0] - 1), -x[1]};
    return x[0] > 1.01 ? kNan : -50 * (x[0] - 1) * (x[0] - 1) - 0.5 * x[1] * x[1];
  });
  for (const Vector& start : {Vector{-5, 3}, Vector{1.005, 1}, Vector{-1e4, 0}}) {
    const Outcome run = optimize(density, start);
    ASSERT_EQ(run.draws.count(), 1U);
    EXPECT_NEAR(run.draws.theta[0], 1, 1e-6);
    EXPECT_NEAR(run.draws.theta[1], 0, 1e-6);
  }
}

// The density rises up to an edge.
TEST(Optimize, mode_at_an_edge_is_a_finding) {
  TestDensity density(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 1;
    return x[0] < 2 ? x[0] : kNan;
  });
  const Outcome run = optimize(density, {0});
  EXPECT_NEAR(run.draws.theta[0], 2, 1e-6);
  EXPECT_TRUE(run.found("not-a-mode")) << run.codes();
}

TEST(Optimize, flat_direction_is_a_finding_that_names_it) {
  const auto sum_only = [](const Vector& x, Vector& gradient) {
    const double z = x[0] + x[1] - 3;
    gradient = {-z, -z, -x[2]};
    return -0.5 * z * z - 0.5 * x[2] * x[2];
  };
  TestDensity density(3, sum_only, {{"mu", 0, 1}, {"beta", 1, 2}});
  const Outcome run = optimize(density, {0, 0, 1});
  ASSERT_TRUE(run.found("not-positive-definite")) << run.codes();
  const std::string& evidence = run.finding("not-positive-definite")->evidence;
  EXPECT_NE(evidence.find("mu"), std::string::npos) << evidence;
  EXPECT_NE(evidence.find("beta[1]"), std::string::npos) << evidence;
  EXPECT_EQ(evidence.find("beta[2]"), std::string::npos) << evidence;
}

// Separated data: the likelihood of a logistic regression rises to 0 as the coefficient goes to infinity.
TEST(Optimize, plateau_is_a_finding) {
  TestDensity density(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 1 / (1 + std::exp(x[0]));
    return -std::log1p(std::exp(-x[0]));
  });
  const Outcome run = optimize(density, {0});
  EXPECT_TRUE(run.found("flat-direction") || run.found("not-positive-definite")) << run.codes();
}

TEST(Optimize, saddle_is_a_finding) {
  TestDensity density(2, [](const Vector& x, Vector& gradient) {
    gradient = {-x[0], x[1]};
    return -0.5 * x[0] * x[0] + 0.5 * x[1] * x[1];
  });
  const Outcome run = optimize(density, {1, 0});
  ASSERT_TRUE(run.found("not-positive-definite")) << run.codes();
  EXPECT_NE(run.finding("not-positive-definite")->evidence.find("curvature -1 along theta[2]"),
            std::string::npos)
      << run.codes();
}

TEST(Optimize, unbounded_densities_are_findings) {
  TestDensity linear(2, [](const Vector& x, Vector& gradient) {
    gradient = {1, -x[1]};
    return x[0] - 0.5 * x[1] * x[1];
  });
  EXPECT_TRUE(optimize(linear, {0, 1}).found("unbounded"));
  TestDensity logarithm(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 1 / x[0];
    return x[0] > 0 ? std::log(x[0]) : kNan;
  });
  EXPECT_TRUE(optimize(logarithm, {1}).found("unbounded"));
  TestDensity square(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = x[0];
    return 0.5 * x[0] * x[0];
  });
  EXPECT_TRUE(optimize(square, {0.1}).found("unbounded"));
  TestDensity exponential(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = std::exp(x[0]);
    return std::exp(x[0]);
  });
  EXPECT_TRUE(optimize(exponential, {0}).found("unbounded"));
}

// Eight schools, centred, without the Jacobian of log(tau): the density is infinite at tau = 0, theta = mu.
TEST(Optimize, hierarchical_model_without_jacobian_has_no_mode) {
  const Vector y{28, 8, -3, 7, -1, 1, 18, 12};
  const Vector sigma{15, 10, 16, 11, 9, 11, 10, 18};
  TestDensity density(10, [&](const Vector& x, Vector& gradient) {
    const double mu = x[0];
    const double tau = std::exp(x[1]);
    gradient.assign(10, 0.0);
    double value = -mu * mu / 50 - std::log1p(tau * tau / 25);
    gradient[0] = -mu / 25;
    gradient[1] = -2 * tau * tau / (25 + tau * tau);
    for (std::size_t j = 0; j < 8; ++j) {
      const double z = (x[j + 2] - mu) / tau;
      const double e = (y[j] - x[j + 2]) / sigma[j];
      value -= x[1] + 0.5 * z * z + 0.5 * e * e;
      gradient[0] += z / tau;
      gradient[1] += z * z - 1;
      gradient[j + 2] += e / sigma[j] - z / tau;
    }
    return value;
  });
  const Outcome run = optimize(density, Vector(10, 0.5));
  EXPECT_TRUE(run.found("unbounded") || run.found("not-a-mode") || run.found("not-converged")) << run.codes();
}

TEST(Optimize, iterations_that_run_out_are_a_finding) {
  TestDensity density(2, testing::rosenbrock);
  const Outcome run = optimize(density, {-1.2, 1}, {.max_iterations = 5});
  EXPECT_TRUE(run.found("not-converged")) << run.codes();
}

TEST(Optimize, start_at_the_mode) {
  TestDensity density(2, testing::normal({0, 0}, {1, 1}));
  expect_mode(optimize(density, {0, 0}), {0, 0}, 0.0);
}

TEST(Optimize, no_parameters) {
  TestDensity density(0, [](const Vector&, Vector&) { return -1.5; });
  const Outcome run = optimize(density, {});
  ASSERT_EQ(run.draws.count(), 1U);
  EXPECT_EQ(run.draws.log_density[0], -1.5);
}

TEST(Optimize, resumes_with_the_same_bits) {
  TestDensity density(20, testing::rosenbrock);
  expect_resumes("optimize", density, {}, {.theta = Vector(20, -0.5)}, 7);
  TestDensity linear(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 1;
    return x[0];
  });
  expect_resumes("optimize", linear, {}, {.theta = {0}});
}

TEST(Optimize, options_without_sense_are_refused) {
  TestDensity density(1, testing::normal({0}, {1}));
  for (const Options& options : {Options{.history = 0}, Options{.max_iterations = 0}, Options{.tol_obj = -1},
                                 Options{.tol_param = kNan}}) {
    EXPECT_THROW(optimize(density, {0}, options), Error);
  }
}

TEST(CoordinateName, blocks_and_indices) {
  TestDensity density(4, testing::normal(Vector(4, 0.0), Vector(4, 1.0)), {{"mu", 0, 1}, {"theta", 1, 3}});
  EXPECT_EQ(coordinate_name(density, 0), "mu (unconstrained)");
  EXPECT_EQ(coordinate_name(density, 3), "theta[3] (unconstrained)");
  EXPECT_EQ(direction_name(density, Vector{0.01, -2, 0, 0.5}), "theta[1], theta[3] (unconstrained)");
  TestDensity nameless(2, testing::normal({0, 0}, {1, 1}));
  EXPECT_EQ(coordinate_name(nameless, 1), "theta[2] (unconstrained)");
}

}  // namespace
}  // namespace kullback::infer
