// A function with a jump at the point: its derivative is 0 there, differences are not. The check must find
// it.
#include "model/gradient_check.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

TEST(GradientCheck, NamesTheCoordinateAndTheStatement) {
  const auto loaded = load(
      "parameters { vector[3] v; real<lower=0> s; }\n"
      "model {\n"
      "  v ~ normal(0, s);\n"
      "  target += 3 * floor(v[2] + 1.5);\n"
      "  s ~ exponential(1);\n"
      "}\n");
  const GradientCheck check = check_gradient(*loaded->model, {0.1, 0.5, 0.2, 0.3});
  EXPECT_GT(check.worst_error, 100);
  EXPECT_EQ(check.coordinate, 1U);
  EXPECT_EQ(check.name, "v[2]");
  EXPECT_EQ(check.statement, "model.stan:4:3");
  EXPECT_EQ(check.statement_gradient, 0);
  EXPECT_GT(check.statement_difference, 100);
}

TEST(GradientCheck, FindsNothingWhereTheGradientIsRight) {
  const auto loaded = load(
      "parameters { vector[3] v; real<lower=0> s; simplex[3] p; }\n"
      "model { v ~ student_t(4, 1e3, s); p ~ dirichlet([1, 2, 3]'); s ~ lognormal(2, 1); }\n");
  const GradientCheck check = check_gradient(*loaded->model, {1000, 0.5, 200, 3, 0.2, 0.4});
  EXPECT_LT(check.worst_error, 1e-8);
  EXPECT_EQ(check.statement, "");
}

TEST(GradientCheck, LargeValuesHaveLargeRoundingErrorsAndSteps) {
  const auto loaded = load(
      "data { int N; } transformed data { vector[N] y = linspaced_vector(N, -3, 5); }"
      "parameters { real mu; real<lower=0> s; } model { y ~ normal(mu, s); }",
      R"({"N": 100000})");
  EXPECT_LT(check_gradient(*loaded->model, {0.3, -0.7}).worst_error, 1e-8);
}

TEST(GradientCheck, RefusesAPointWithoutADensity) {
  const auto loaded = load("parameters { real s; } model { 1 ~ normal(0, s); }");
  EXPECT_THROW(check_gradient(*loaded->model, {-1}), Error);
}

}  // namespace
}  // namespace kullback::model
