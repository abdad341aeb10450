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
  std::vector<density::Support> supports(10);
  supports[1] = {.kind = density::Support::Kind::positive, .lower = 0};
  density.set_supports(supports);
  const Outcome run = optimize(density, Vector(10, 0.5));
  ASSERT_TRUE(run.found("unbounded")) << run.codes();
  EXPECT_NE(run.finding("unbounded")->evidence.find("theta[2] (unconstrained) is -"), std::string::npos)
      << run.codes();
}

// A line through years around 2000: intercept and slope are correlated to 1 - 1e-5 and their scales differ by
// 1000. L-BFGS stops in the valley; Newton's direction leads on.
TEST(Optimize, long_valley) {
  Vector year;
  Vector y;
  for (int n = 0; n < 60; ++n) {
    year.push_back(1952 + n);
    y.push_back(9 + 0.02 * (n - 30) + 0.1 * std::sin(n));
  }
  const auto function = [&](const Vector& x, Vector& gradient) {
    const double sigma = std::exp(x[2]);
    double value = x[2];
    gradient = {0, 0, 1};
    for (std::size_t n = 0; n < year.size(); ++n) {
      const double z = (y[n] - x[0] - x[1] * year[n]) / sigma;
      value -= 0.5 * z * z + x[2];
      gradient[0] += z / sigma;
      gradient[1] += z * year[n] / sigma;
      gradient[2] += z * z - 1;
    }
    return value;
  };
  double mean_year = 0;
  double mean_y = 0;
  double products = 0;
  double squares = 0;
  for (std::size_t n = 0; n < year.size(); ++n) {
    mean_year += year[n] / 60;
    mean_y += y[n] / 60;
  }
  for (std::size_t n = 0; n < year.size(); ++n) {
    products += (year[n] - mean_year) * (y[n] - mean_y);
    squares += (year[n] - mean_year) * (year[n] - mean_year);
  }
  const double slope = products / squares;
  TestDensity density(3, function);
  for (const Vector& start : {Vector{1, 1, 1}, Vector{-2, 0.5, -1}}) {
    const Outcome run = optimize(density, start);
    EXPECT_TRUE(run.findings.empty()) << run.codes();
    EXPECT_NEAR(run.draws.theta[1], slope, 1e-6);
    EXPECT_NEAR(run.draws.theta[0], mean_y - slope * mean_year, 1e-3);
    expect_resumes("optimize", density, {}, {.theta = start}, 3);
  }
}

// Concave, its mode (1, 1) near an edge that the way there must follow.
TEST(Optimize, along_an_edge) {
  TestDensity density(2, [](const Vector& x, Vector& gradient) {
    const double room = 0.5 + x[1] - x[0] * x[0] / 2;  // positive inside
    gradient = {-20 * (x[0] - 1) - 0.1 * x[0] / room, -(x[1] - 1) + 0.1 / room};
    return room > 0 ? -10 * (x[0] - 1) * (x[0] - 1) - 0.5 * (x[1] - 1) * (x[1] - 1) + 0.1 * std::log(room)
                    : kNan;
  });
  const Outcome run = optimize(density, {-3, 4.1});
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  Vector gradient(2);
  const double x0 = run.draws.theta[0];
  const double x1 = run.draws.theta[1];
  const double room = 0.5 + x1 - x0 * x0 / 2;
  EXPECT_NEAR(-20 * (x0 - 1) - 0.1 * x0 / room, 0, 1e-7);
  EXPECT_NEAR(-(x1 - 1) + 0.1 / room, 0, 1e-7);
}

TEST(Optimize, iterations_that_run_out_are_a_finding) {
  TestDensity density(2, testing::rosenbrock);
  const Outcome run = optimize(density, {-1.2, 1}, {{"max_iterations", 5}});
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
  EXPECT_THROW(Options({{"history", 0}}), Error);
  EXPECT_THROW(Options({{"max_iterations", 0}}), Error);
  EXPECT_THROW(Options({{"tol_obj", -1}}), Error);
  EXPECT_THROW(Options({{"tol_param", kNan}}), Error);
}

// Both Wolfe conditions, for steps that start too long, too short, and where the function is not finite
// beyond 3.
TEST(LineSearch, wolfe) {
  const auto quartic = [](double x) {
    return LinePoint{x, std::pow(x - 2, 4) - x, 4 * std::pow(x - 2, 3) - 1, x < 3};
  };
  const LinePoint start = quartic(0);
  for (const double first : {1e-8, 1e-3, 1.0, 2.9, 3.5, 1e6, 1e12}) {
    const SearchResult result = search_line(quartic, start, first, 1e15);
    EXPECT_EQ(result.end, SearchEnd::wolfe) << first;
    const LinePoint end = quartic(result.step);
    EXPECT_LE(end.value, start.value + 1e-4 * result.step * start.slope) << first;
    EXPECT_LE(std::abs(end.slope), 0.9 * std::abs(start.slope)) << first;
  }
}

TEST(LineSearch, other_ends) {
  const auto linear = [](double x) { return LinePoint{x, -x, -1, true}; };
  EXPECT_EQ(search_line(linear, linear(0), 1, 1e15).end, SearchEnd::unbounded);
  const auto edge = [](double x) { return LinePoint{x, -x, -1, x < 1}; };
  const SearchResult at_edge = search_line(edge, edge(0), 1, 1e15);
  EXPECT_EQ(at_edge.end, SearchEnd::decrease);
  EXPECT_GT(at_edge.step, 0.5);
  const auto wrong_slope = [](double x) { return LinePoint{x, x, -1, true}; };
  EXPECT_EQ(search_line(wrong_slope, wrong_slope(0), 1, 1e15).end, SearchEnd::failed);
  const auto nowhere = [](double x) { return LinePoint{x, 0, -1, x == 0}; };
  EXPECT_EQ(search_line(nowhere, nowhere(0), 1, 1e15).end, SearchEnd::failed);
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
