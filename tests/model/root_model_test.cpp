// Algebraic solvers: closed forms, gradients of the implicit function, refusals.
#include <fmt/format.h>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;
using namespace program_test;

// x1 = a b, x2 = a / b where x1 x2 = a^2 and x1 = b^2 x2.
constexpr const char* kHead =
    "functions {"
    " vector system(vector x, real a, array[] real b, data vector one) {"
    "   return [x[1] * x[2] - square(a), x[1] - square(b[1]) * x[2] * one[1]]'; }"
    " vector old_system(vector x, vector theta, array[] real x_r, array[] int x_i) {"
    "   return [x[1] * x[2] - square(theta[1]), x[1] - square(theta[2]) * x[2] * x_i[1]]'; }"
    " vector rootless(vector x, real a) { return [square(x[1]) + 1 + 0 * a]'; } }"
    " parameters { real<lower=0> a; real<lower=0> b; } model { ";

constexpr const char* kCalls[] = {
    "solve_powell(system, [1.5, 1]', a, {b}, [1.0]')",
    "solve_powell_tol(system, [1.5, a]', 1e-12, 1e-12, 500, a, {b}, [1.0]')",
    "solve_newton(system, [1.5, 1]', a, {b}, [1.0]')",
    "solve_newton_tol(system, [1.5, b]', 1e-12, 1e-12, 500, a, {b}, [1.0]')",
    "algebra_solver(old_system, [1.5, 1]', [a, b]', {0.0}, {1})",
    "algebra_solver_newton(old_system, [1.5, 1]', [a, b]', {0.0}, {1}, 1e-6, 1e-10, 300)",
};

TEST(Root, SolutionsAndGradientsHaveTheirClosedForms) {
  const double a = 1.7;
  const double b = 1.2;
  const std::vector<double> theta{std::log(a), std::log(b)};
  for (const char* call : kCalls) {
    const auto loaded = load(std::string(kHead) + "vector[2] x = " + call + "; target += 2 * x[1] + x[2]; }");
    const Point at = evaluate(*loaded->model, theta);
    ASSERT_EQ(at.status, Status::ok) << call << loaded->model->message();
    EXPECT_NEAR(at.log_density, 2 * a * b + a / b + theta[0] + theta[1], 1e-6) << call;
    EXPECT_NEAR(at.gradient[0], 2 * a * b + a / b + 1, 1e-5) << call;
    EXPECT_NEAR(at.gradient[1], 2 * a * b - a / b + 1, 1e-5) << call;
    expect_lanes(*loaded->model, {theta, {0.5, 0.3}, {0.2, -0.1}});
  }
}

TEST(Root, TightTolerancesGiveTightGradients) {
  for (const char* method : {"solve_powell_tol", "solve_newton_tol"}) {
    const auto loaded = load(std::string(kHead) + "vector[2] x = " + method +
                             "(system, [1.5, 1]', 1e-14, 1e-13, 500, a, {b}, [1.0]');"
                             " target += -square(x[1]) + x[2]; }");
    expect_gradient(*loaded->model, {0.5, 0.2}, 1e-8, method);
  }
}

TEST(Root, NoRootIsARejection) {
  const RefusedCall calls[] = {
      {"solve_powell(rootless, [1]', a)", "solve_powell: the norm of the algebraic function is"},
      {"solve_powell_tol(system, [1.5, 1]', 1e-10, 1e-6, 2, a, {b}, [1.0]')",
       "solve_powell_tol: maximum number of iterations (2) was exceeded in the solve."},
      {"solve_newton_tol(system, [150, 0.1]', 1e-10, 1e-10, 1, a, {b}, [1.0]')",
       "solve_newton_tol: maximum number of iterations (1) was exceeded in the solve."},
      {"solve_newton(rootless, [1]', a)", "solve_newton: "},
      {"solve_powell(rootless, [1, 2]', a)",
       "solve_powell: the algebraic system's output (1) and the vector of unknowns, x, (2) must match in "
       "size"},
      {"solve_newton(rootless, [a / 0]', a)", "solve_newton: initial guess[1] is inf, but must be finite!"},
      {"solve_powell_tol(rootless, [1]', -1.0, 1e-6, 20, a)",
       "solve_powell_tol: relative_tolerance is -1, but must be nonnegative!"},
  };
  expect_refused(std::string(kHead) + "target += sum(", calls, "); }", {0.1, 0.2});
}

}  // namespace
}  // namespace kullback::model
