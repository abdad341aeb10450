// ODEs in Stan programs: closed forms, gradients with respect to everything that may vary, right-hand sides
// with branches, the old functions, and rejections.
#include <fmt/format.h>

#include <numbers>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;
using namespace program_test;

// y1' = -a y1 - b y2, y2' = b y1 - a y2.
constexpr const char* kSpiral =
    "functions { vector spiral(real t, vector y, real a, vector b, data array[] real sign, int two) {"
    " return [-a * y[1] + sign[1] * b[1] * y[two], b[1] * y[1] - a * y[two]]'; } }";

// How each solver is called with tight tolerances.
constexpr const char* kTightCalls[] = {
    "ode_rk45_tol(spiral, y0, t0, ts, 1e-12, 1e-12, 1000000, a, b, {-1.0}, 2)",
    "ode_ckrk_tol(spiral, y0, t0, ts, 1e-12, 1e-12, 1000000, a, b, {-1.0}, 2)",
    "ode_adams_tol(spiral, y0, t0, ts, 1e-12, 1e-12, 1000000, a, b, {-1.0}, 2)",
    "ode_bdf_tol(spiral, y0, t0, ts, 1e-12, 1e-12, 1000000, a, b, {-1.0}, 2)",
    "ode_adjoint_tol_ctl(spiral, y0, t0, ts, 1e-12, rep_vector(1e-12, 2), 1e-12, rep_vector(1e-12, 2), "
    "1e-12, "
    "1e-12, 1000000, 100, 1, 2, 2, a, b, {-1.0}, 2)",
};

double spiral(double y1, double y2, double a, double b, double t, int which) {
  const double c = std::cos(b * t);
  const double s = std::sin(b * t);
  return std::exp(-a * t) * (which == 1 ? c * y1 - s * y2 : s * y1 + c * y2);
}

TEST(OdeModel, EverythingMayVary) {
  const std::vector<double> theta{1.2, -0.4, 0.1, 0.3, 1.7, 0.9, 0.6};
  for (const char* call : kTightCalls) {
    const auto loaded =
        load(fmt::format("{} parameters {{ vector[2] y0; real t0; real a; vector[1] b; real u; real v; }}"
                         " model {{ array[2] real ts = {{t0 + u, t0 + 2 * v}}; array[2] vector[2] y = {};"
                         " target += y[1, 1] - 2 * y[1, 2] + y[2, 1] * y[2, 2]; }}",
                         kSpiral, call));
    const double t1 = theta[5];
    const double t2 = 2 * theta[6];
    const auto y = [&](double t, int which) {
      return spiral(theta[0], theta[1], theta[3], theta[4], t, which);
    };
    const Point at = evaluate(*loaded->model, theta);
    EXPECT_NEAR(at.log_density, y(t1, 1) - 2 * y(t1, 2) + y(t2, 1) * y(t2, 2), 1e-9) << call;
    // The system is autonomous and the times move with t0.
    EXPECT_NEAR(at.gradient[2], 0, 1e-8) << call;
    expect_gradient(*loaded->model, theta, 1e-7, call);
  }
}

TEST(OdeModel, TheInitialTimeAloneMayVary) {
  for (const char* call : kTightCalls) {
    const auto loaded =
        load(fmt::format("{} parameters {{ real t0; }}"
                         " model {{ vector[2] y0 = [1, 2]'; real a = 0.3; vector[1] b = [0.7]';"
                         " array[1] real ts = {{2.0}};"
                         " array[1] vector[2] y = {}; target += y[1, 1]; }}",
                         kSpiral, call));
    const double value = spiral(1, 2, 0.3, 0.7, 1.5, 1);
    const double slope = -(-0.3 * value - 0.7 * spiral(1, 2, 0.3, 0.7, 1.5, 2));
    const Point at = evaluate(*loaded->model, {0.5});
    EXPECT_NEAR(at.log_density, value, 1e-9) << call;
    EXPECT_NEAR(at.gradient[0], slope, 1e-8) << call;
  }
}

TEST(OdeModel, LanesAgreeWithSingleDraws) {
  for (const char* call : kTightCalls) {
    const auto loaded =
        load(fmt::format("{} parameters {{ vector[2] y0; real a; vector[1] b; }}"
                         " model {{ real t0 = 0; array[2] real ts = {{0.5, 2}};"
                         " array[2] vector[2] y = {}; y[2] ~ normal(y[1], 1); }}",
                         kSpiral, call));
    expect_lanes(*loaded->model, {{1, 2, 0.3, 0.4}, {-1, 0.5, 0.1, 2}, {0.2, 0.2, 0.5, 0.7}});
  }
}

TEST(OdeModel, OldFunctionsAreTheNewOnes) {
  const std::string parameters = " parameters { array[2] real y0; array[2] real theta; } model { ";
  const std::string old_rhs =
      "functions { array[] real f(real t, array[] real y, array[] real theta, array[] real x_r, array[] int "
      "x_i) {"
      " return {theta[1] * y[2] * x_r[1], -theta[2] * y[1] * x_i[1]}; } }";
  const std::string new_rhs =
      "functions { vector f(real t, vector y, array[] real theta, array[] real x_r, array[] int x_i) {"
      " return [theta[1] * y[2] * x_r[1], -theta[2] * y[1] * x_i[1]]'; } }";
  for (const std::string method : {"rk45", "adams", "bdf"}) {
    for (const bool tolerances : {false, true}) {
      const auto old_model =
          load(old_rhs + parameters + "array[2, 2] real y = integrate_ode_" + method +
               "(f, y0, 0, {1.0, 2.5}, theta, {1.5}, {2}" + (tolerances ? ", 1e-7, 1e-7, 1000.0" : "") +
               "); target += sum(to_array_1d(y)); }");
      const auto new_model =
          load(new_rhs + parameters + "array[2] vector[2] y = ode_" + method + (tolerances ? "_tol" : "") +
               "(f, to_vector(y0), 0, {1.0, 2.5}" + (tolerances ? ", 1e-7, 1e-7, 1000" : "") +
               ", theta, {1.5}, {2}); target += sum(y[1]) + sum(y[2]); }");
      const std::vector<double> theta{1, 0.5, 0.7, 0.9};
      const Point a = evaluate(*old_model->model, theta);
      const Point b = evaluate(*new_model->model, theta);
      EXPECT_EQ(a.status, Status::ok) << old_model->model->message();
      EXPECT_NEAR(a.log_density, b.log_density, 1e-13) << method;
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-12) << method;
    }
  }
}

// A dose at `tau` raises the rate: y' = (t > tau) * r - k y, with one branch on time and a parameter.
TEST(OdeModel, BranchesOfTheRightHandSideAreFollowed) {
  for (const std::string method : {"rk45", "ckrk", "adams", "bdf"}) {
    const auto loaded = load(
        "functions { vector f(real t, vector y, real tau, real k) {"
        " if (t > tau) return [1.5 - k * y[1]]'; else return -k * y; } }"
        " parameters { real tau; real k; } model { array[3] vector[1] y = ode_" +
        method +
        "_tol(f, [1]', 0, {0.5, 1.0, 3.0}, 1e-9, 1e-9, 100000, tau, k); target += y[1, 1] + y[2, 1] + y[3, "
        "1]; }");
    const auto truth = [](double tau, double k) {
      double sum = 0;
      for (const double t : {0.5, 1.0, 3.0})
        sum += std::exp(-k * t) + (t > tau ? 1.5 / k * (1 - std::exp(-k * (t - tau))) : 0.0);
      return sum;
    };
    for (const double tau : {0.7, 0.3, 5.0, 0.7}) {
      const Point at = evaluate(*loaded->model, {tau, 0.8});
      EXPECT_NEAR(at.log_density, truth(tau, 0.8), 1e-5) << method << " " << tau;
      const double h = 1e-5;
      const double slope = (truth(tau, 0.8 + h) - truth(tau, 0.8 - h)) / (2 * h);
      EXPECT_NEAR(at.gradient[1], slope, 1e-4) << method << " " << tau;
    }
  }
}

// Multistep methods ask for the value and then for derivatives at the same point, where the tape of one state
// is replayed backward only; Runge-Kutta methods never do. Densities, sums and array functions keep what they
// need for that between the two.
TEST(OdeModel, DerivativesMayFollowTheValueAtTheSamePoint) {
  const auto point_by = [](const std::string& call) {
    const auto loaded = load(
        "functions { vector f(real t, vector y, real k, vector w) {"
        " vector[2] u = inverse([[2, k], [0.5, 3]]) * [y[1], 1]';"
        " real a = log_sum_exp([y[1], k, t]) + normal_lpdf(y[1] | t, 1 + square(k));"
        " return [-k * y[1] + 0.3 * a + dot_product(u, w)]'; } }"
        " parameters { real y0; real k; vector[2] w; } model { array[2] vector[1] y = " +
        call + "; target += y[1, 1] + square(y[2, 1]); }");
    return evaluate(*loaded->model, {0.7, 0.9, 0.4, -0.3});
  };
  const std::string begin = "(f, [y0]', 0, {1.0, 2.0}, 1e-11, ";
  const Point expected = point_by("ode_rk45_tol" + begin + "1e-11, 1000000, k, w)");
  const std::string calls[] = {"ode_bdf_tol" + begin + "1e-11, 1000000, k, w)",
                               "ode_adams_tol" + begin + "1e-11, 1000000, k, w)",
                               "ode_adjoint_tol_ctl" + begin +
                                   "[1e-11]', 1e-11, [1e-11]', 1e-11, 1e-11, 1000000, 100, 1, 2, 2, k, w)"};
  for (const std::string& call : calls) {
    const Point at = point_by(call);
    EXPECT_NEAR(at.log_density, expected.log_density, 1e-8) << call;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(at.gradient[i], expected.gradient[i], 1e-7) << call << " " << i;
  }
}

TEST(OdeModel, TuplesAndContainersPassThrough) {
  const auto loaded = load(
      "functions { vector f(real t, vector y, matrix A, tuple(real, array[] vector) more) {"
      " return more.1 * A * y + more.2[1]; } }"
      " parameters { matrix[2, 2] A; real r; vector[2] c; }"
      " model { array[1] vector[2] y = ode_rk45_tol(f, [1, 0.5]', 0, {1.0}, 1e-10, 1e-10, 10000, A, (r, "
      "{c}));"
      " target += dot_self(y[1]); }");
  expect_gradient(*loaded->model, {0.1, -0.4, 0.3, 0.2, 0.7, 0.3, -0.2}, 1e-7, "tuple");
}

TEST(OdeModel, DataAloneAreSolvedInTransformedData) {
  const auto loaded = load(
      "functions { vector f(real t, vector y, real k) { return -k * y; } }"
      " transformed data { array[1] vector[1] y = ode_bdf(f, [2]', 0, {1.0}, 0.5); }"
      " parameters { real x; } model { target += x * y[1, 1]; }");
  const Point at = evaluate(*loaded->model, {1.0});
  EXPECT_NEAR(at.log_density, 2 * std::exp(-0.5), 1e-8);
}

TEST(OdeModel, WhatCannotBeSolvedIsRejectedWithItsPlace) {
  const RefusedCall calls[] = {
      {"ode_rk45(f, [x]', 0, {1.0, 0.5}, x)", "ode_rk45: times is not a valid sorted vector"},
      {"ode_bdf(f, [x]', 2, {1.0}, x)", "ode_bdf: initial time is 2, but must be less than 1!"},
      {"ode_adams(f, [x / 0]', 0, {1.0}, x)", "ode_adams: initial state[1] is inf, but must be finite!"},
      {"ode_bdf_tol(f, [x]', 0, {1.0}, 1e-8, 1e-8, 2, x)",
       "ode_bdf_tol: Failed to integrate to next output time (1) in less than max_num_steps steps"},
      {"ode_rk45(f, [x, x]', 0, {1.0}, x)", "ode_rk45: dy_dt (1) and states (2) must match in size"},
      {"ode_rk45(g, [x]', 0, {1.0}, x)", "in 'g': no"},
      {"ode_rk45(f, [x]', 0, {1.0}, x / 0)",
       "ode_rk45: ode parameters and data[1] is inf, but must be finite!"},
  };
  expect_refused(
      "functions { vector f(real t, vector y, real k) { return [-k * y[1]]'; }"
      " vector g(real t, vector y, real k) { if (t > 0.5) reject(\"no\"); return -k * y; } }"
      " parameters { real x; } model { target += ",
      calls, "[1, 1]; }", {1.0});
}

}  // namespace
}  // namespace kullback::model
