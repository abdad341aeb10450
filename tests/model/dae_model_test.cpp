// Differential-algebraic equations: closed forms, an ODE written as a DAE, gradients, refusals.
#include <fmt/format.h>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;
using namespace program_test;

// y1' = -k y1 and y1 + y2 = c: y1 = y0 exp(-k t), y2 = c - y1.
constexpr const char* kDecay =
    "functions { vector residual(real t, vector y, vector rate, real k, data array[] real c) {"
    " return [rate[1] + k * y[1], y[1] + y[2] - c[1]]'; } }"
    " parameters { real<lower=0> k; real<lower=0> y0; } model { ";

TEST(Dae, AnAlgebraicConstraintHasItsClosedForm) {
  for (const std::string call : {"dae(residual, [y0, 3 - y0]', [-k * y0, k * y0]', 0, {0.5, 2.0}, k, {3.0})",
                                 "dae_tol(residual, [y0, 3 - y0]', [-k * y0, k * y0]', 0, {0.5, 2.0}, 1e-11, "
                                 "1e-11, 100000, k, {3.0})"}) {
    const auto loaded =
        load(kDecay + ("array[2] vector[2] y = " + call) + "; target += y[1, 1] + 2 * y[2, 2]; }");
    const double k = 0.7;
    const double y0 = 1.3;
    const Point at = evaluate(*loaded->model, {std::log(k), std::log(y0)});
    ASSERT_EQ(at.status, Status::ok) << loaded->model->message();
    const double first = y0 * std::exp(-0.5 * k);
    const double second = y0 * std::exp(-2 * k);
    EXPECT_NEAR(at.log_density - std::log(k) - std::log(y0), first + 2 * (3 - second), 1e-8);
    EXPECT_NEAR(at.gradient[0], k * (-0.5 * first + 4 * second) + 1, 1e-6);
    EXPECT_NEAR(at.gradient[1], first - 2 * second + 1, 1e-6);
    expect_lanes(*loaded->model, {{0, 0}, {-0.5, 0.2}});
  }
}

// Robertson's kinetics, stiff: the third equation is a conservation law in the DAE.
TEST(Dae, RobertsonAsADaeIsRobertsonAsAnOde) {
  const std::string head =
      "functions { vector residual(real t, vector y, vector rate, vector p) {"
      " return [rate[1] + p[1] * y[1] - p[2] * 1e4 * y[2] * y[3],"
      "  rate[2] - p[1] * y[1] + p[2] * 1e4 * y[2] * y[3] + p[3] * 3e7 * square(y[2]), sum(y) - 1]'; }"
      " vector rhs(real t, vector y, vector p) {"
      "  real a = p[1] * y[1]; real b = p[2] * 1e4 * y[2] * y[3]; real c = p[3] * 3e7 * square(y[2]);"
      "  return [b - a, a - b - c, c]'; } }"
      " parameters { vector[3] p; } model { array[2] vector[3] y = ";
  const auto dae =
      load(head +
           "dae_tol(residual, [1, 0, 0]', [-p[1], p[1], 0]', 0, {0.4, 40.0}, 1e-10, 1e-13, 100000, p);"
           " target += y[1, 1] + y[2, 3] + 1e4 * y[2, 2]; }");
  const auto ode = load(head +
                        "ode_bdf_tol(rhs, [1, 0, 0]', 0, {0.4, 40.0}, 1e-10, 1e-13, 100000, p);"
                        " target += y[1, 1] + y[2, 3] + 1e4 * y[2, 2]; }");
  const std::vector<double> theta{0.04, 1, 1};
  const Point a = evaluate(*dae->model, theta);
  const Point b = evaluate(*ode->model, theta);
  ASSERT_EQ(a.status, Status::ok) << dae->model->message();
  EXPECT_NEAR(a.log_density, b.log_density, 1e-7);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-5 * (1 + std::abs(b.gradient[i]))) << i;
}

TEST(Dae, WhatCannotBeSolvedIsRejected) {
  const RefusedCall calls[] = {
      {"dae(residual, [y0, 3 - y0]', [0, 0, 0]', 0, {1.0}, k, {3.0})",
       "dae: initial state derivative (3) and initial state (2) must match in size"},
      {"dae(residual, [y0, 3 - y0]', [-k * y0, k * y0]', 0, {1.0, 0.5}, k, {3.0})",
       "dae: times is not a valid sorted vector"},
      {"dae_tol(residual, [y0, 3 - y0]', [-k * y0, k * y0]', 0, {1.0}, 1e-9, 1e-9, 2, k, {3.0})",
       "dae_tol: Failed to integrate to next output time (1) in less than max_num_steps steps"},
      {"dae(residual, [y0, 3 - y0]', [-k * y0, k * y0]', 0, {1.0}, k / 0, {3.0})",
       "dae: DAE parameters and data[1] is inf, but must be finite!"},
  };
  expect_refused(std::string(kDecay) + "target += ", calls, "[1, 1]; }", {0.1, 0.2});
}

}  // namespace
}  // namespace kullback::model
