// x_jacobian(y) against a parameter declared with the constraint (which is compared with Stan elsewhere), and
// x_unconstrain against x_constrain: their composition is the identity, and so is its derivative.
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

struct Row {
  const char* family;
  const char* free;         // declaration of the free numbers
  const char* constrained;  // declaration of the parameter
  const char* arguments;    // after the free numbers
  const char* bounds = "";  // arguments of unconstrain
};

constexpr Row kRows[] = {
    {"lower_bound", "real y", "real<lower=0.5> x", ", 0.5", ", 0.5"},
    {"lower_bound", "vector[3] y", "vector<lower=[-1, 0.25, 2]'>[3] x", ", [-1, 0.25, 2]'",
     ", [-1, 0.25, 2]'"},
    {"lower_bound", "vector[2] y", "vector<lower=negative_infinity()>[2] x", ", negative_infinity()",
     ", negative_infinity()"},
    {"upper_bound", "row_vector[3] y", "row_vector<upper=1>[3] x", ", 1", ", 1"},
    {"lower_upper_bound", "matrix[2, 2] y", "matrix<lower=-1, upper=3>[2, 2] x", ", -1, 3", ", -1, 3"},
    {"lower_upper_bound", "array[2] vector[2] y", "array[2] vector<lower=-1, upper=3>[2] x", ", -1, 3",
     ", -1, 3"},
    {"offset_multiplier", "vector[3] y", "vector<offset=1, multiplier=2.5>[3] x", ", 1, 2.5", ", 1, 2.5"},
    {"ordered", "vector[4] y", "ordered[4] x", ""},
    {"ordered", "array[2] vector[3] y", "array[2] ordered[3] x", ""},
    {"positive_ordered", "vector[4] y", "positive_ordered[4] x", ""},
    {"simplex", "vector[3] y", "simplex[4] x", ""},
    {"simplex", "array[2] vector[2] y", "array[2] simplex[3] x", ""},
    {"simplex", "vector[0] y", "simplex[1] x", ""},
    {"sum_to_zero", "vector[3] y", "sum_to_zero_vector[4] x", ""},
    {"sum_to_zero", "vector[0] y", "sum_to_zero_vector[1] x", ""},
    {"sum_to_zero", "matrix[2, 3] y", "sum_to_zero_matrix[3, 4] x", ""},
    {"unit_vector", "vector[3] y", "unit_vector[3] x", ""},
    {"cholesky_factor_corr", "vector[6] y", "cholesky_factor_corr[4] x", ", 4"},
    {"cholesky_factor_corr", "array[2] vector[3] y", "array[2] cholesky_factor_corr[3] x", ", 3"},
    {"cholesky_factor_cov", "vector[6] y", "cholesky_factor_cov[3] x", ", 3, 3"},
    {"cholesky_factor_cov", "vector[9] y", "cholesky_factor_cov[4, 3] x", ", 4, 3"},
    {"corr_matrix", "vector[6] y", "corr_matrix[4] x", ", 4"},
    {"cov_matrix", "vector[6] y", "cov_matrix[3] x", ", 3"},
    {"cov_matrix", "array[2] vector[3] y", "array[2] cov_matrix[2] x", ", 2"},
    {"stochastic_column", "matrix[2, 3] y", "column_stochastic_matrix[3, 3] x", ""},
    {"stochastic_row", "matrix[3, 2] y", "row_stochastic_matrix[3, 3] x", ""},
};

// A number that depends on each element of `name` in its own way.
std::string weighed(const std::string& declaration, const std::string& name) {
  if (declaration.starts_with("real")) return "1.3 * " + name;
  const std::string flat = declaration.starts_with("array") ? "f(" + name + ")" : "to_vector(" + name + ")";
  return "g(" + flat + ")";
}

const std::string kFunctions =
    std::string("functions {\n") + kWeightedSum +
    "  vector f(array[] vector x) { return append_row(x[1], x[2]); }\n"
    "  vector f(array[] matrix x) { return append_row(to_vector(x[1]), to_vector(x[2])); }\n"
    "}\n";

std::string type_only(const char* declaration) {
  const std::string text = declaration;
  return text.substr(0, text.rfind(' '));
}

TEST(ConstraintFunctions, JacobianIsTheDeclaredParameter) {
  for (const Row& row : kRows) {
    const std::string declared = kFunctions + "parameters { " + row.constrained +
                                 "; } model { target += " + weighed(row.constrained, "x") + "; }";
    const std::string called =
        kFunctions + "parameters { " + row.free + "; } transformed parameters { real s = " +
        weighed(row.constrained, std::string(row.family) + "_jacobian(y" + row.arguments + ")") +
        "; } model { target += s; }";
    const auto a = load(declared);
    const auto b = load(called);
    ASSERT_TRUE(a && b);
    ASSERT_EQ(a->model->dim(), b->model->dim()) << called;
    const std::vector<double> theta = some_point(a->model->dim());
    const Point of_parameter = evaluate(*a->model, theta);
    const Point of_function = evaluate(*b->model, theta);
    ASSERT_EQ(of_function.status, density::Status::ok) << called << b->model->message();
    EXPECT_NEAR(of_function.log_density, of_parameter.log_density, 1e-14) << called;
    for (std::size_t i = 0; i < theta.size(); ++i)
      EXPECT_NEAR(of_function.gradient[i], of_parameter.gradient[i], 1e-13) << called << " " << i;
  }
}

TEST(ConstraintFunctions, UnconstrainUndoesConstrain) {
  for (const Row& row : kRows) {
    if (std::string_view(row.family) == "unit_vector") continue;  // its free numbers are not determined
    const std::string family = row.family;
    const std::string there_and_back =
        family + "_unconstrain(" + family + "_constrain(y" + row.arguments + ")" + row.bounds + ")";
    const std::string program = kFunctions + "parameters { " + row.free + "; } model { " +
                                type_only(row.free) + " z = " + there_and_back +
                                "; target += " + weighed(row.free, "z") + "; }";
    const std::string plain =
        kFunctions + "parameters { " + row.free + "; } model { target += " + weighed(row.free, "y") + "; }";
    const auto a = load(program);
    const auto b = load(plain);
    ASSERT_TRUE(a && b);
    const std::vector<double> theta = some_point(a->model->dim());
    const Point back = evaluate(*a->model, theta);
    const Point expected = evaluate(*b->model, theta);
    ASSERT_EQ(back.status, density::Status::ok) << program << a->model->message();
    EXPECT_NEAR(back.log_density, expected.log_density, 1e-13) << program;
    for (std::size_t i = 0; i < theta.size(); ++i)
      EXPECT_NEAR(back.gradient[i], expected.gradient[i], 1e-12) << program << " " << i;
  }
}

TEST(ConstraintFunctions, ConstrainAddsNothingToTheTarget) {
  const auto model = load("parameters { real y; } model { target += lower_bound_constrain(y, 1); }");
  const Point at = evaluate(*model->model, {0.7});
  EXPECT_DOUBLE_EQ(at.log_density, 1 + std::exp(0.7));
  EXPECT_DOUBLE_EQ(at.gradient[0], std::exp(0.7));
}

TEST(ConstraintFunctions, BoundsMayBeParameters) {
  const auto model = load(
      "parameters { vector[2] y; real a; } model { target += sum(square(lower_upper_bound_unconstrain(\n"
      "  lower_upper_bound_constrain(y, a, a + 2), a - 0.5, 3 - a))); }");
  expect_gradient(*model->model, {0.3, -0.4, 0.2}, "lower_upper_bound");
}

TEST(ConstraintFunctions, DataBetweenBoundsThatAreParameters) {
  const auto loaded = load(
      "parameters { real a; real<lower=0> b; } transformed parameters {\n"
      "  vector[2] x = lower_bound_jacobian([0.3, -1]', a);\n"
      "  vector[2] y = upper_bound_jacobian([0.3, -1]', a);\n"
      "  vector[2] z = lower_upper_bound_jacobian([0.3, -1]', a, a + b);\n"
      "  vector[2] o = offset_multiplier_jacobian([0.3, -1]', a, b);\n"
      "} model { target += sum(square(x)) - sum(y .* z) + sum(exp(o)); }");
  const double a = 0.4;
  const double b = std::exp(-0.2);
  double expected = -0.2;  // the Jacobian of b
  for (const double y : {0.3, -1.0}) {
    const double s = 1 / (1 + std::exp(-y));
    const double lower = a + std::exp(y);
    expected += y + y + std::log(b * s * (1 - s)) + std::log(b) + lower * lower -
                (a - std::exp(y)) * (a + b * s) + std::exp(a + b * y);
  }
  EXPECT_NEAR(evaluate(*loaded->model, {a, -0.2}).log_density, expected, 1e-13);
  expect_gradient(*loaded->model, {a, -0.2}, "bounds");
}

TEST(ConstraintFunctions, ConstantsFold) {
  const auto model = load(
      "transformed data { vector[3] x = simplex_constrain([0.1, -0.2]'); } parameters { real y; } model {\n"
      "  target += y * sum(x) + simplex_unconstrain(x)[2]; }");
  const Point at = evaluate(*model->model, {0.5});
  EXPECT_NEAR(at.log_density, 0.5 - 0.2, 1e-15);
}

TEST(ConstraintFunctions, AViolationIsNamed) {
  const auto model =
      load("parameters { real y; } model { target += y + sum(simplex_unconstrain([0.5, 0.6]')); }");
  const Point at = evaluate(*model->model, {0.5});
  EXPECT_NE(at.status, density::Status::ok);
  EXPECT_NE(model->model->message().find("sum"), std::string::npos) << model->model->message();
}

}  // namespace
}  // namespace kullback::model
