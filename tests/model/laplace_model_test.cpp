// The embedded Laplace approximation: exact for normal likelihoods, close to quadrature for others, gradients
// against finite differences, built-in likelihoods against written ones, all solvers alike.
#include <fmt/format.h>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;
using namespace program_test;

constexpr const char* kFunctions =
    "functions {"
    " matrix kernel(array[] real x, real a, real r) {"
    "   return add_diag(gp_exp_quad_cov(x, a, r), 1e-8); }"
    " real normal_ll(vector theta, vector y, real s) { return normal_lpdf(y | theta, s); }"
    " real poisson_ll(vector theta, array[] int y, vector m) { return poisson_log_lpmf(y | theta + m); }"
    " real logit_ll(vector theta, array[] int y) { return bernoulli_logit_lpmf(y | theta); }"
    " real negbin_ll(vector theta, array[] int y, real phi) { return neg_binomial_2_log_lpmf(y | theta, "
    "phi); }"
    // Pairs of latents: location and log scale of one observation.
    " real pair_ll(vector theta, vector y, real c) { real sum = 0;"
    "   for (i in 1:num_elements(y)) sum += student_t_lpdf(y[i] | 30, theta[2 * i - 1], exp(c * theta[2 * "
    "i]));"
    "   return sum; }"
    " real grouped_ll(vector theta, array[] int y, vector m) {"
    "   return poisson_log_lpmf(y | (theta + m)[{1, 1, 2, 3, 4}]); } }";

TEST(Laplace, IsExactForANormalLikelihood) {
  const std::string head = std::string(kFunctions) +
                           " parameters { real<lower=0> a; real<lower=0> r; real<lower=0> s; } model {"
                           " array[4] real x = {0.1, 0.5, 1.4, 2.0}; vector[4] y = [0.3, -0.2, 1.1, 0.8]'; ";
  const auto laplace = load(head + "target += laplace_marginal(normal_ll, (y, s), 1, kernel, (x, a, r)); }");
  const auto exact = load(
      head + "target += multi_normal_lpdf(y | zeros_vector(4), add_diag(kernel(x, a, r), square(s))); }");
  for (const std::vector<double>& theta :
       {std::vector<double>{0.2, -0.3, -0.7}, std::vector<double>{-1, 0.5, 0.4},
        std::vector<double>{1, 0, -2.5}}) {
    const Point at = evaluate(*laplace->model, theta);
    const Point truth = evaluate(*exact->model, theta);
    ASSERT_EQ(at.status, Status::ok) << laplace->model->message();
    EXPECT_NEAR(at.log_density, truth.log_density, 1e-9 * (1 + std::abs(truth.log_density)));
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(at.gradient[i], truth.gradient[i], 1e-7 * (1 + std::abs(truth.gradient[i]))) << i;
  }
}

// One latent: the same integral by quadrature. The approximation errs by O(1 / count).
TEST(Laplace, IsCloseToQuadratureWithOneAndTwoLatents) {
  const auto one = load(
      "functions { matrix spread(real a) { return [[square(a)]]; }"
      " real ll(vector theta, int y) { return poisson_log_lpmf(y | theta[1]); }"
      " real joint(real theta, real xc, array[] real a, array[] real x_r, array[] int y) {"
      "   return exp(poisson_log_lpmf(y[1] | theta) + normal_lpdf(theta | 0, a[1]) + 4); } }"
      " parameters { real<lower=0> a; } model {"
      " target += laplace_marginal(ll, (60,), 1, spread, (a,))"
      " - log(integrate_1d(joint, 2.0, 6.0, {a}, {1.0}, {60})) + 4; }");
  for (const double a : {0.5, 1.0, 2.0}) {
    const Point at = evaluate(*one->model, {std::log(a)});
    ASSERT_EQ(at.status, Status::ok) << one->model->message();
    EXPECT_NEAR(at.log_density - std::log(a), 0, 2e-3) << a;
    EXPECT_NEAR(at.gradient[0] - 1, 0, 2e-3) << a;
  }
  // Two independent latents: the sum of two problems with one.
  const auto two = load(
      "functions { matrix spread(vector a) { return diag_matrix(square(a)); }"
      " matrix one_variance(real a) { return [[square(a)]]; }"
      " real ll(vector theta, array[] int y) { return poisson_log_lpmf(y | theta); } }"
      " parameters { vector<lower=0>[2] a; } model {"
      " target += laplace_marginal(ll, ({3, 8},), 1, spread, (a,))"
      " - laplace_marginal(ll, ({3},), 1, one_variance, (a[1],)) - laplace_marginal(ll, ({8},), 1, "
      "one_variance, "
      "(a[2],)); }");
  const Point at = evaluate(*two->model, {0.3, -0.2});
  EXPECT_NEAR(at.log_density, 0.1, 1e-9);
  for (const double slope : at.gradient) EXPECT_NEAR(slope, 1, 1e-8);
}

constexpr const char* kHead =
    " parameters { real<lower=0> a; real<lower=0> r; real<lower=0> c; vector[4] m; } model {"
    " array[4] real x = {0.1, 0.5, 1.4, 2.0}; array[4] int y = {1, 0, 4, 7};"
    " array[4] int b = {1, 0, 0, 1}; vector[2] z = [0.3, 1.2]'; ";

struct Row {
  const char* call;
  const char* same;  // another way to say it
};

constexpr Row kRows[] = {
    {"laplace_marginal(poisson_ll, (y, m), 1, kernel, (x, a, r))",
     "laplace_marginal_poisson_log_lpmf(y | {1, 2, 3, 4}, m, 1, kernel, (x, a, r))"},
    {"laplace_marginal(logit_ll, (b,), 1, kernel, (x, a, r))",
     "laplace_marginal_bernoulli_logit_lpmf(b | {1, 2, 3, 4}, zeros_vector(4), 1, kernel, (x, a, r))"},
    {"laplace_marginal(negbin_ll, (y, c), 1, kernel, (x, a, r))",
     "laplace_marginal_neg_binomial_2_log_lpmf(y | {1, 2, 3, 4}, [c]', zeros_vector(4), 1, kernel, (x, a, "
     "r))"},
    {"laplace_marginal_tol(poisson_ll, (y, m), 1, kernel, (x, a, r), (m, 1e-9, 100, 2, 50, 0))",
     "laplace_marginal_tol(poisson_ll, (y, m), 4, kernel, (x, a, r), (zeros_vector(4), 1e-9, 100, 3, 50, "
     "0))"},
    {"laplace_marginal_tol(logit_ll, (b,), 2, kernel, (x, a, r), generate_laplace_options(4))",
     "laplace_marginal_tol_bernoulli_logit_lpmf(b | {1, 2, 3, 4}, zeros_vector(4), 1, kernel, (x, a, r),"
     " generate_laplace_options([0.1, 0.2, 0, 1]'))"},
    {"laplace_marginal_tol(pair_ll, (z, c), 2, kernel, (x, a, r), (zeros_vector(4), 1e-10, 200, 1, 100, 1))",
     "laplace_marginal_tol(pair_ll, (z, c), 4, kernel, (x, a, r), (zeros_vector(4), 1e-10, 200, 3, 100, 0))"},
};

TEST(Laplace, GradientsAreThoseOfTheApproximation) {
  const std::vector<double> theta{0.1, -0.2, -0.4, 0.2, 0.4, -0.1, 0.3};
  for (const Row& row : kRows) {
    const auto loaded = load(std::string(kFunctions) + kHead + "target += " + row.call + "; }");
    expect_gradient(*loaded->model, theta, 1e-7, row.call);
    const auto other = load(std::string(kFunctions) + kHead + "target += " + row.same + "; }");
    const Point a = evaluate(*loaded->model, theta);
    const Point b = evaluate(*other->model, theta);
    ASSERT_EQ(b.status, Status::ok) << other->model->message();
    EXPECT_NEAR(a.log_density, b.log_density, 1e-9) << row.same;
    for (std::size_t i = 0; i < theta.size(); ++i)
      EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-7) << row.same << i;
  }
}

TEST(Laplace, CountsSpreadOverGroupsAddUp) {
  const auto grouped =
      load(std::string(kFunctions) + kHead +
           "{1, 2, 0, 4, 7} ~ laplace_marginal_poisson_log({1, 1, 2, 3, 4}, m, 1, kernel, (x, a, r)); }");
  const auto written =
      load(std::string(kFunctions) + kHead +
           "target += laplace_marginal(grouped_ll, ({1, 2, 0, 4, 7}, m), 1, kernel, (x, a, r)); }");
  const std::vector<double> theta{0.1, -0.2, -0.4, 0.2, 0.4, -0.1, 0.3};
  EXPECT_NEAR(evaluate(*grouped->model, theta).log_density, evaluate(*written->model, theta).log_density,
              1e-9);
  expect_lanes(*grouped->model, {theta, {0, 0, 0, 0, 0, 0, 0}});
}

TEST(Laplace, DrawsOfTheLatentsHaveItsMoments) {
  const auto loaded = load(
      "functions { matrix spread(real a) { return [[square(a), 0.3], [0.3, 1]]; }"
      " real ll(vector theta, array[] int y) { return poisson_log_lpmf(y | theta); } }"
      " transformed data { int n = 4000; array[2] int y = {3, 8}; vector[2] sum1 = [0, 0]'; matrix[2, 2] "
      "sum2;"
      " tuple(vector[2], matrix[2, 2]) solved = laplace_latent_solve(ll, (y,), 1, spread, (1.5,));"
      " sum2 = rep_matrix(0, 2, 2);"
      " for (i in 1:n) { vector[2] d = laplace_latent_rng(ll, (y,), 1, spread, (1.5,)) - solved.1;"
      "   sum1 += d; sum2 += d * d'; }"
      " sum1 /= n; sum2 /= n; }"
      " parameters { real z; } model { target += z * dot_self(sum1) + square(z) * sum(square(to_vector(sum2 "
      "- "
      "solved.2))) + z ^ 3 * solved.1[2]; }");
  const auto polynomial = [&](double z) { return evaluate(*loaded->model, {z}).log_density; };
  const double odd = (polynomial(1) - polynomial(-1)) / 2;
  const double even = (polynomial(1) + polynomial(-1)) / 2;
  const double cubic = (polynomial(2) - polynomial(-2)) / 2;
  const double mode = (cubic - 2 * odd) / 6;
  EXPECT_LT(std::abs(odd - mode), 3e-3);  // |mean|^2, of order 1 / n
  EXPECT_LT(even, 5e-3);                  // of order 1 / n
  EXPECT_GT(mode, 1.0);
  EXPECT_LT(mode, std::log(8.0));
}

TEST(Laplace, WhatFailsIsRejected) {
  const RefusedCall calls[] = {
      {"laplace_marginal(poisson_ll, (y, m), 3, kernel, (x, a, r))",
       "laplace_marginal: hessian_block_size 3 does not divide the size of theta, 4"},
      {"laplace_marginal(poisson_ll, (y, m), 0, kernel, (x, a, r))",
       "laplace_marginal: hessian_block_size is 0, but must be positive!"},
      {"laplace_marginal_tol(poisson_ll, (y, m), 1, kernel, (x, a, r), (m, 1e-9, 1, 1, 0, 1))",
       "laplace_marginal_tol: max number of iterations: 1 exceeded."},
      {"laplace_marginal_tol(poisson_ll, (y, m), 1, kernel, (x, a, r), (m, 1e-9, 100, 7, 0, 1))",
       "laplace_marginal_tol: solver is 7, but must be 1, 2 or 3"},
      {"laplace_marginal_tol(poisson_ll, (y, m), 1, kernel, (x, a, r), ([0]', 1e-9, 100, 1, 0, 1))",
       "laplace_marginal_tol: the first guess of theta has size 1, the covariance 4"},
      {"laplace_marginal_poisson_log_lpmf(y | {1, 2, 3, 5}, m, 1, kernel, (x, a, r))",
       "y_index is 5, outside 1 to 4"},
  };
  expect_refused(std::string(kFunctions) + kHead + "target += ", calls, "; }",
                 {0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8});
}

}  // namespace
}  // namespace kullback::model
