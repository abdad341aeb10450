// integrate_1d and its kin: closed forms over finite and infinite limits, gradients with respect to limits
// and parameters, branches of the integrand, refusals.
#include <fmt/format.h>

#include <numbers>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;
using namespace program_test;

constexpr const char* kOldHead =
    "functions {"
    " real bell(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {"
    "   return exp(-x_r[1] * square(x - theta[1]) / (2 * square(theta[2]))); }"
    " real power(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {"
    "   return pow(x, theta[1] - 1) * exp(-theta[2] * x); } }"
    " parameters { array[2] real<lower=0> theta; real a; real b; } model { ";

TEST(Integral, NormalAndGammaHaveTheirClosedForms) {
  const double mean = 0.7;
  const double sd = 1.3;
  const std::vector<double> theta{std::log(mean), std::log(sd), -0.6, 1.9};
  const double jacobian = theta[0] + theta[1];
  const double whole = sd * std::sqrt(2 * std::numbers::pi);
  const auto below = [&](double x) {
    return whole * 0.5 * std::erfc((mean - x) / (sd * std::numbers::sqrt2));
  };
  struct Row {
    const char* call;
    double value;
  };
  const Row rows[] = {
      {"integrate_1d(bell, negative_infinity(), positive_infinity(), theta, {1.0}, {0})", whole},
      {"integrate_1d(bell, a, b, theta, {1.0}, {0}, 1e-10)", below(1.9) - below(-0.6)},
      {"integrate_1d(bell, negative_infinity(), a, theta, {1.0}, {0})", below(-0.6)},
      {"integrate_1d(bell, negative_infinity(), b, theta, {1.0}, {0})", below(1.9)},
      {"integrate_1d(bell, a, positive_infinity(), theta, {1.0}, {0})", whole - below(-0.6)},
      {"integrate_1d(bell, b, positive_infinity(), theta, {1.0}, {0})", whole - below(1.9)},
      {"integrate_1d(power, 0, positive_infinity(), theta, {1.0}, {0})",
       std::tgamma(mean) / std::pow(sd, mean)},
      {"integrate_1d(bell, b, b, theta, {1.0}, {0})", 0},
  };
  for (const Row& row : rows) {
    const auto loaded = load(std::string(kOldHead) + "target += " + row.call + "; }");
    const Point at = evaluate(*loaded->model, theta);
    ASSERT_EQ(at.status, Status::ok) << row.call << loaded->model->message();
    EXPECT_NEAR(at.log_density - jacobian, row.value, 1e-8) << row.call;
    if (row.value != 0) expect_gradient(*loaded->model, theta, 1e-7, row.call);
  }
}

TEST(Integral, NewFormsForwardTheirArguments) {
  const char* head =
      "functions { real f(real x, real xc, vector w, real s, tuple(int, real) t) {"
      " return w[1] * exp(-s * x) + w[2] * pow(x, t.1) * t.2; } }"
      " parameters { vector[2] w; real s; real<lower=0> b; } model { target += ";
  const std::vector<double> theta{1.5, -0.5, 0.8, 0.4};
  const double b = std::exp(0.4);
  const double value = 1.5 * (1 - std::exp(-0.8 * b)) / 0.8 - 0.5 * b * b * b / 3 * 2.5 + 0.4;
  for (const std::string rule : {"double_exponential", "gauss_kronrod"}) {
    const auto plain = load(head + ("integrate_1d_" + rule) + "(f, 0, b, w, s, (2, 2.5)); }");
    const auto tight =
        load(head + ("integrate_1d_" + rule) + "_tol(f, 0, b, 1e-12, 1e-13, 12, w, s, (2, 2.5)); }");
    for (const auto* loaded : {&plain, &tight}) {
      const Point at = evaluate(*(*loaded)->model, theta);
      ASSERT_EQ(at.status, Status::ok) << (*loaded)->model->message();
      EXPECT_NEAR(at.log_density, value, 1e-10) << rule;
      expect_gradient(*(*loaded)->model, theta, 1e-8, rule);
    }
    expect_lanes(*plain->model, {theta, {1, 1, 0.2, 0}, {0, 1, 2, -1}});
  }
}

// xc keeps the digits that 1 - x loses: the integral of (1 - x)^(a - 1) x^(b - 1), with a and b below 1.
TEST(Integral, TheDistanceToTheLimitKeepsDigits) {
  const auto loaded = load(
      "functions { real beta_kernel(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {"
      " real to_one = x < 0.5 || is_nan(xc) ? 1 - x : xc;"
      " real to_zero = x < 0.5 && !is_nan(xc) ? -xc : x;"
      " return pow(to_one, theta[1] - 1) * pow(to_zero, theta[2] - 1); } }"
      " parameters { real<lower=0> a; real<lower=0> b; } model {"
      " target += integrate_1d(beta_kernel, 0, 1, {a, b}, {1.0}, {0}, 1e-9); }");
  const Point at = evaluate(*loaded->model, {std::log(0.3), std::log(0.4)});
  ASSERT_EQ(at.status, Status::ok) << loaded->model->message();
  const double truth = std::tgamma(0.3) * std::tgamma(0.4) / std::tgamma(0.7);
  EXPECT_NEAR(at.log_density - std::log(0.3) - std::log(0.4), truth, 1e-7);
  expect_gradient(*loaded->model, {std::log(0.3), std::log(0.4)}, 1e-6, "beta");
}

TEST(Integral, BranchesOfTheIntegrandAreFollowed) {
  const auto loaded = load(
      "functions { real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {"
      " if (x > 0) return exp(-theta[1] * x); else return exp(theta[2] * x); } }"
      " parameters { array[2] real theta; } model { target += integrate_1d(f, negative_infinity(), 3.0, "
      "theta,"
      " {1.0}, {0}); }");
  const Point at = evaluate(*loaded->model, {0.5, 2.0});
  EXPECT_NEAR(at.log_density, (1 - std::exp(-1.5)) / 0.5 + 1 / 2.0, 1e-8);
  EXPECT_NEAR(at.gradient[1], -0.25, 1e-7);
}

// A solver inside a solver: the rate of the ODE is an integral whose limit is a root.
TEST(Integral, SolversNest) {
  const auto loaded = load(
      "functions { vector root_of(vector x, real k) { return [x[1] * x[1] - k]'; }"
      " real area(real x, real xc, real p) { return exp(-p * x); }"
      " vector rhs(real t, vector y, real k) {"
      "  real b = solve_newton_tol(root_of, [1]', 1e-12, 1e-13, 100, k)[1];"
      "  return -integrate_1d_gauss_kronrod(area, 0, b, k) * y; } }"
      " parameters { real<lower=0> k; } model {"
      " target += ode_bdf_tol(rhs, [2]', 0, {1.5}, 1e-10, 1e-10, 10000, k)[1, 1]; }");
  const double k = 1.3;
  const double area = (1 - std::exp(-k * std::sqrt(k))) / k;
  const Point at = evaluate(*loaded->model, {std::log(k)});
  ASSERT_EQ(at.status, Status::ok) << loaded->model->message();
  EXPECT_NEAR(at.log_density - std::log(k), 2 * std::exp(-1.5 * area), 1e-8);
  expect_gradient(*loaded->model, {std::log(k)}, 1e-6, "nested");
  expect_lanes(*loaded->model, {{0.1}, {0.5}, {-0.3}});
}

TEST(Integral, WhatCannotBeIntegratedIsRejected) {
  const RefusedCall calls[] = {
      {"integrate_1d(f, 1, x, {x}, {1.0}, {0})",
       "integrate_1d: lower limit is 1, but must be less than or equal to 0.5"},
      {"integrate_1d(f, positive_infinity(), positive_infinity(), {x}, {1.0}, {0})",
       "integrate_1d: Integration endpoints are both inf"},
      {"integrate_1d(g, 0, 10, {x}, {1.0}, {0}, 1e-12)", "error estimate of integral"},
  };
  expect_refused(
      "functions { real f(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {"
      " return theta[1] * x; }"
      " real g(real x, real xc, array[] real theta, array[] real x_r, array[] int x_i) {"
      " return sin(theta[1] * 1e7 * x) > 0; } } parameters { real x; } model { target += ",
      calls, "; }", {0.5});
}

}  // namespace
}  // namespace kullback::model
