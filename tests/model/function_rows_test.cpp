// Functions called in programs, against reference values (make_function_references.py) and finite
// differences.
#include "base/error.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

struct FunctionRow {
  const char* name;
  std::size_t dim;
  const char* body;
  double value;
};

const FunctionRow kRows[] = {
#include "function_rows.inc"
};

const std::string kFunctions = std::string("functions {\n") + kWeightedSum +
                               "  real h(complex_vector z) { return g(get_real(z)) - 2 * g(get_imag(z)); }\n"
                               "  real w(complex z) { return 1.3 * get_real(z) - 0.7 * get_imag(z); }\n"
                               "  complex twice(complex z) { return z + z; }\n"
                               "}\n";

TEST(FunctionRows, ValuesAndDerivatives) {
  for (const FunctionRow& row : kRows) {
    const std::string program = kFunctions + "parameters { vector[" + std::to_string(row.dim) +
                                "] theta; } model { real s; {" + row.body + "} target += s; }";
    const auto loaded = load(program);
    if (!loaded) continue;
    const std::vector<double> theta = some_point(row.dim);
    try {
      const Point at = evaluate(*loaded->model, theta);
      EXPECT_NEAR(at.log_density, row.value, 2e-13 * (1 + std::abs(row.value)))
          << row.name << " " << loaded->model->message();
      expect_gradient(*loaded->model, theta, row.name);
    } catch (const std::exception& e) {
      ADD_FAILURE() << row.name << ": " << e.what();
    }
  }
}

// Numbers that a branch of the square root and of |z| meets.
TEST(Complex, SquareRootsOnTheCutsAndAtZero) {
  const auto model = load(
      "transformed data { complex a = sqrt(to_complex(-4, 0)); complex b = sqrt(to_complex(0, 0)); complex c "
      "= "
      "to_complex(0, 0) ^ 2.5; } parameters { real y; } model { target += y + get_imag(a) + 10 * get_real(a) "
      "+ "
      "get_real(b) + get_real(c); }");
  EXPECT_DOUBLE_EQ(evaluate(*model->model, {0}).log_density, 2);
}

TEST(Complex, AParameterMayBeComplex) {
  const auto loaded = load(
      "parameters { complex z; complex_vector[2] x; array[2] complex a; } model { target += -norm(z) - "
      "get_real(dot_self(x)) + get_imag(a[2]) - get_real(a[1]); }");
  ASSERT_EQ(loaded->model->dim(), 10U);
  const Point at = evaluate(*loaded->model, {1, 2, 0.5, 0.25, -1, 0, 3, 0, 0, 7});
  EXPECT_DOUBLE_EQ(at.log_density, -5 - (0.25 + 0.0625 + 1) - 3 + 7);
  expect_gradient(*loaded->model, some_point(10), "complex parameters");
}

// The value is Python's, of the same statements.
TEST(Complex, StatementsAndPromotions) {
  const auto loaded = load(
      "functions {\n"
      "  complex f(real x) { return x; }\n"
      "  complex_vector pad(vector x) { return x; }\n"
      "  real total(array[] complex z) { real s = 0; for (w in z) s += get_imag(w); return s; }\n"
      "  tuple(complex, real) both(real x) { return (x, 2.0 * x); }\n"
      "}\n"
      "parameters { vector[3] t; }\n"
      "model {\n"
      "  complex_vector[3] x = to_complex(t, reverse(t));\n"
      "  real s = 0;\n"
      "  for (i in 1:3) s += abs(x[i]);\n"
      "  complex_matrix[3, 2] A = rep_matrix(1i, 3, 2);\n"
      "  A[, 1] = x;\n"
      "  A[2] = [2 + 1i, t[1]];\n"
      "  A *= 2i;\n"
      "  A += 1;\n"
      "  for (i in 1:3) for (j in 1:2) s += get_real(A[i, j]);\n"
      "  complex y = s > 0 ? x[1] : 2;\n"
      "  array[2] complex a = {y, 1};\n"
      "  a[2] = f(t[2]);\n"
      "  tuple(complex, real) b = both(t[3]);\n"
      "  (a[1], s) = (b.1 * 1i, s + b.2);\n"
      "  s += total(a) + get_real(sum(pad(t))) + get_imag(x[{1, 3}][2]);\n"
      "  complex_row_vector[3] r = x';\n"
      "  r[2:3] = [1i, t[1]];\n"
      "  s += get_imag(r * x) + (r[1] == x[1]);\n"
      "  target += s;\n"
      "}\n");
  const std::vector<double> theta{0.3, -0.4, 0.7};
  EXPECT_NEAR(evaluate(*loaded->model, theta).log_density, 4.198840046122019, 1e-14);
  expect_gradient(*loaded->model, theta, "statements");
}

TEST(Complex, SchurOfParametersIsRefused) {
  const auto loaded = load(
      "parameters { matrix[2, 2] A; } model { target += get_real(complex_schur_decompose_t(A)[1, 1]); }");
  const Point at = evaluate(*loaded->model, {1, 2, 3, 4});
  EXPECT_NE(at.status, density::Status::ok);
  EXPECT_NE(loaded->model->message().find("must be data"), std::string::npos) << loaded->model->message();
}

TEST(Tuples, InDataNestedAndInArrays) {
  const auto loaded = load(
      "data { tuple(int, vector[2]) t; array[2, 2] tuple(real, tuple(array[2] int, matrix[2, 1])) u; } "
      "parameters "
      "{ real y; } model { target += y * t.2[t.1] + 10 * u[2, 1].1 + 100 * u[1, 2].2.1[2] + u[2, 2].2.2[2, "
      "1]; }",
      R"({"t": {"1": 2, "2": [1.5, 2.5]}, "u": [
        [{"1": 1, "2": {"1": [1, 2], "2": [[0.1], [0.2]]}}, {"1": 2, "2": {"1": [3, 4], "2": [[0.3], [0.4]]}}],
        [{"1": 3, "2": {"1": [5, 6], "2": [[0.5], [0.6]]}}, {"1": 4, "2": {"1": [7, 8], "2": [[0.7], [0.8]]}}]]})");
  const Point at = evaluate(*loaded->model, {3});
  EXPECT_DOUBLE_EQ(at.log_density, 3 * 2.5 + 30 + 400 + 0.8);
  EXPECT_DOUBLE_EQ(at.gradient[0], 2.5);
}

TEST(Complex, DataMayBeComplex) {
  const auto loaded = load(
      "data { complex z; array[2] complex_vector[2] v; complex_matrix[2, 2] m; } parameters { real y; } "
      "model { "
      "target += y * (get_real(z) + get_imag(v[2, 1])) + get_real(m[2, 1]) + get_imag(m[1, 2]); }",
      R"({"z": [1, 2], "v": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
          "m": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]})");
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {2}).log_density, 2 * 7 + 5 + 4);
}

// A truncated density is zero outside, not only divided by its mass.
TEST(Truncation, IsZeroOutside) {
  for (const char* bounds : {"T[0, ]", "T[ , 2]", "T[0, 2]"}) {
    const auto loaded =
        load(std::string("parameters { real y; } model { y ~ normal(1, 1) ") + bounds + "; }");
    EXPECT_TRUE(std::isfinite(evaluate(*loaded->model, {1}).log_density)) << bounds;
    const double outside = bounds[2] == '0' ? -0.5 : 2.5;
    const Point at = evaluate(*loaded->model, {outside});
    EXPECT_FALSE(std::isfinite(at.log_density)) << bounds;
    EXPECT_TRUE(std::isfinite(evaluate(*loaded->model, {1}).log_density)) << bounds;
  }
}

TEST(Truncation, EachElementHasItsMass) {
  const std::string head = "data { vector[2] y; vector[2] a; } parameters { vector[2] mu; } model { ";
  const std::string data = R"({"y": [1, 2], "a": [0.5, -0.5]})";
  const std::vector<double> theta{0.3, -0.6};
  for (const std::string bounds : {"T[-1, ]", "T[ , 4]", "T[-1, 4]"}) {
    const auto vectorised = load(head + "y ~ normal(mu, 2) " + bounds + "; }", data);
    const auto loop = load(head + "for (n in 1:2) y[n] ~ normal(mu[n], 2) " + bounds + "; }", data);
    EXPECT_NEAR(evaluate(*vectorised->model, theta).log_density, evaluate(*loop->model, theta).log_density,
                1e-14);
    expect_gradient(*vectorised->model, theta, bounds);
  }
}

TEST(Truncation, OfAUsersDistribution) {
  const std::string functions =
      "functions { real mine_lpdf(real y, real m) { return normal_lpdf(y | m, 1); } real mine_lcdf(real y, "
      "real m) "
      "{ return normal_lcdf(y | m, 1); } real mine_lccdf(real y, real m) { return normal_lccdf(y | m, 1); } "
      "real "
      "many_lpmf(int y, real m) { return poisson_lpmf(y | m); } real many_lcdf(int y, real m) { return "
      "poisson_lcdf(y | m); } real many_lccdf(int y, real m) { return poisson_lccdf(y | m); } } ";
  for (const std::string bounds : {"T[1, ]", "T[ , 4]", "T[1, 4]"}) {
    const std::string rest = "parameters { real<lower=0> m; } model { ";
    const auto mine = load(functions + rest + "2.5 ~ mine(m) " + bounds + "; 3 ~ many(m) " + bounds + "; }");
    const auto known = load(rest + "target += normal_lpdf(2.5 | m, 1) + poisson_lpmf(3 | m); }");
    const auto pair = load(rest + "2.5 ~ normal(m, 1) " + bounds + "; 3 ~ poisson(m) " + bounds + "; }");
    const auto plain = load(rest + "2.5 ~ normal(m, 1); 3 ~ poisson(m); }");
    const auto at = [](const std::unique_ptr<Loaded>& l) { return evaluate(*l->model, {0.4}).log_density; };
    EXPECT_NEAR(at(mine) - at(known), at(pair) - at(plain), 1e-13) << bounds;
    expect_gradient(*mine->model, {0.4}, bounds);
  }
}

// wiener_lpdf with variability of drift has 6 or 8 arguments: it must not be taken for the one with 5.
TEST(Densities, AnOverloadWithMoreArgumentsIsNotAnother) {
  const auto loaded =
      load("parameters { real<lower=0> a; } model { target += wiener_lpdf(2.0 | a, 0.1, 0.5, 0.3, 0.2); }");
  EXPECT_THROW(evaluate(*loaded->model, {0.5}), Error);
}

TEST(Parameters, WithoutFreeNumbersHaveTheirOnlyValue) {
  const auto loaded = load(
      "parameters { real y; simplex[1] a; sum_to_zero_vector[1] b; corr_matrix[1] c; cholesky_factor_corr[1] "
      "d; "
      "array[2] simplex[1] e; vector<lower=y>[0] f; } model { target += y + a[1] + 10 * b[1] + 100 * c[1, 1] "
      "+ "
      "1000 * d[1, 1] + 10000 * e[2, 1] + size(f); }");
  ASSERT_EQ(loaded->model->dim(), 1U);
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {0.5}).log_density, 11101.5);
}

TEST(Parameters, BoundsThatLeaveNoRoomAreARejection) {
  const auto loaded = load("parameters { real a; real<lower=a, upper=0> b; } model { b ~ normal(0, 1); }");
  EXPECT_NE(evaluate(*loaded->model, {0.5, 0}).status, density::Status::ok);
  EXPECT_NE(loaded->model->message().find("lower bound"), std::string::npos) << loaded->model->message();
  EXPECT_EQ(evaluate(*loaded->model, {-0.5, 0}).status, density::Status::ok);
}

}  // namespace
}  // namespace kullback::model
