// The checker: types of expressions, calls and distributions, and the Program they become.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/program.hpp"
#include "math/type.hpp"
#include "tests/lang/check_rows.hpp"

namespace kullback::lang {
namespace {

using testing::as_is;
using testing::check_text;
using testing::CheckedText;
using testing::expect_rows;
using testing::in_model;
using testing::in_transformed_data;
using testing::Row;

TEST(CheckExpressions, Literals) {
  const Row rows[] = {
      {"int x = 2147483647;", ""},
      {"int x = 2147483648;", "int-overflow@2"},
      {"int x = 99999999999999999999999999;", "int-overflow@2"},
      {"real x = 1e308;", ""},
      {"real x = 1e309;", "real-overflow@2"},
      {"real x = 1e999999999999999999999;", "real-overflow@2"},
      {"real x = 1e-400;", ""},
      {"real x = 0e999;", ""},
      {"real x = 0.00001e-99999999999999999999;", ""},
      {"complex x = 3i + 2;", ""},
      {"complex x = 1e400i;", "real-overflow@2"},
      {"array[2] real x = {1, 2.5};", ""},
      {"array[2] complex x = {1, 3i};", ""},
      {"array[2, 1] int x = {{1}, {2}};", ""},
      {"array[2] real x = {1, v};", "element-types@2"},
      {"matrix[2, 2] x = [[1, 2], [3, 4]];", ""},
      {"matrix[2, 3] x = [rv, rv];", ""},
      {"matrix[2, 3] x = [v', 3];", "element-types@2"},
      {"row_vector[2] x = [1, ra];", "element-types@2"},
      {"complex_row_vector[2] x = [1, 3i];", ""},
      {"row_vector[0] x = [];", ""},
      {"tuple(int, real) x = (1, 2.5);", ""},
      {"real x = (1, 2.5).2;", ""},
      {"real x = (1, 2.5).3;", "tuple-slot@2"},
      {"real x = r.1;", "not-a-tuple@2"},
      {"array[2] int x = {exp, log};", "function-as-value@2 function-as-value@2"},
  };
  expect_rows(rows, in_transformed_data);
}

TEST(CheckExpressions, Operators) {
  const Row rows[] = {
      {"real x = 1 + 2.5 * n - r / 3 ^ 2;", ""},
      {"vector[3] x = m * v + 2 * v - v / 2;", ""},
      {"real x = rv * v;", ""},
      {"vector[3] x = v * v;", "operator-types@2"},
      {"vector[3] x = v .* v ./ v .^ 2;", ""},
      {"matrix[3, 3] x = v * rv;", ""},
      {"vector[3] x = m \\ v;", ""},
      {"row_vector[3] x = rv / m;", ""},
      {"row_vector[3] x = v';", ""},
      {"real x = r';", "operator-types@2"},
      {"int x = n / 2;", "int-division@2"},
      {"int x = n %/% 2;", ""},
      {"int x = r %/% 2;", "operator-types@2"},
      {"int x = n % 2;", ""},
      {"int x = r % 2;", "operator-types@2"},
      {"int x = n < r || !n && r == 2;", ""},
      {"int x = 1 < n < 3;", "chained-comparison@2"},
      {"int x = (1 < n) < 3;", ""},
      {"int x = v < v;", "operator-types@2"},
      {"vector[3] x = ra + ra;", "operator-types@2"},
      {"matrix[3, 3] x = m ^ 2;", "matrix-power@2"},
      {"matrix[3, 3] x = m .^ 2;", ""},
      {"complex x = z * r + n;", ""},
      {"real x = z;", "assignment-type@2"},
      {"real x = -r; int y = -n; vector[3] w = -v; int c = !n;", ""},
      {"real x = t + 1;", "operator-types@2"},
      {"real x = exp + 1;", "function-as-value@2"},
      {"real x = n ? 1 : 2.5;", ""},
      {"real x = r ? 1 : 2;", "condition-type@2"},
      {"real x = n ? 1 : v;", "branch-types@2"},
      {"array[3] real x = n ? ra : is;", ""},
      {"tuple(real, real) x = n ? (1, 2.5) : (2.5, 1);", ""},
  };
  expect_rows(rows, in_transformed_data);
}

TEST(CheckExpressions, Indices) {
  const Row rows[] = {
      {"real x = v[1]; vector[2] w = v[1:2]; vector[3] u = v[is]; vector[3] a = v[]; vector[2] b = v[2:];",
       ""},
      {"row_vector[3] x = m[1]; real y = m[1, 2]; vector[3] w = m[, 1]; matrix[2, 2] u = m[1:2, 2:];", ""},
      {"row_vector[2] x = m[1, 2:3];", ""},
      {"vector[3] x = va[1]; real y = va[1, 2]; array[2] real z_ = va[:, 2];", ""},
      {"array[2] real x = raa[1]; array[2, 1] real y = raa[:, 1:1];", ""},
      {"array[2] int x = ta[:].1;", "not-a-tuple@2"},
      {"int x = ta[1].1; real y = ta[1].2[3];", ""},
      {"real x = v[r];", "index-type@2"},
      {"real x = v[1.5:2];", "index-type@2"},
      {"real x = v[1, 2];", "too-many-indices@2"},
      {"real x = r[1];", "too-many-indices@2"},
      {"real x = t[1];", "too-many-indices@2"},
      {"real x = m[1, 2, 3];", "too-many-indices@2"},
      {"real x = v[raa];", "index-type@2"},
  };
  expect_rows(rows, in_transformed_data);
}

TEST(CheckCalls, Functions) {
  const Row rows[] = {
      {"real x = exp(1) + sum(v) + dot_product(v, v);", ""},
      {"real x = exp(v);", "assignment-type@2"},
      {"real x = sum();", "no-matching-overload@2"},
      {"real x = sum(v, v);", "no-matching-overload@2"},
      {"real x = unknown(1);", "undefined-function@2"},
      {"real x = unknown(unknown2);", "undefined-function@2 undefined-variable@2"},
      {"real x = r(1);", "not-a-function@2"},
      {"exp(1);", "unused-result@2"},
      {"real x = exp(log);", "function-as-value@2"},
      {"target += normal_lpdf(r, 0, 1);", "bar-needed@2"},
      {"target += normal_lpdf(r | 0, 1);", ""},
      {"target += std_normal_lpdf(r);", ""},
      {"target += exp(r | 1);", "no-matching-overload@2"},
      {"target += fma(r | 1, 1);", "bar-not-allowed@2"},
      {"target += normal_lpmf(r | 0, 1);", "undefined-function@2"},
      {"target += poisson_lupmf(n | 2.5);", ""},
      {"int x = to_int(p);", "no-matching-overload@2"},
      {"int x = to_int(r);", ""},
  };
  expect_rows(rows, in_model);
}

TEST(CheckCalls, UserFunctions) {
  const Row rows[] = {
      {"functions { real f(real x) { return g(x); } real g(real x) { return x; } }", ""},
      {"functions { real f(real x) { return f(x - 1); } }", ""},
      {"functions { real f(real x); real f(real x) { return x; } }", ""},
      {"functions {\n real f(real x); }", "undefined-function@2"},
      {"functions { real f(real x);\n real f(real x); }", "duplicate-function@2"},
      {"functions { real f(real x) { return x; }\n real f(real x) { return x; } }", "duplicate-function@2"},
      {"functions { real f(real x) { return x; }\n int f(real x) { return 1; } }", "duplicate-function@2"},
      {"functions { real f(real x) { return x; } real f(vector x) { return 1; } }", ""},
      {"functions { real f(real x) { return x; } real f(int x) { return x; } } model { real y = f(1) + "
       "f(1.5); }",
       ""},
      {"functions { real f(real x, int y) { return x; } real f(int x, real y) { return x; } }\nmodel { real "
       "y = f(1, "
       "1); }",
       "ambiguous-call@2"},
      {"functions { real exp(real x) { return x; } }", "builtin-redefined@1"},
      {"functions { real exp(tuple(real, real) x) { return x.1; } } model { real y = exp((1, 2)) + exp(2); }",
       ""},
      {"functions { real reduce_sum(real x) { return x; } }", "builtin-redefined@1"},
      {"functions { real f(data real x) { return x; } } data { real d; }\nparameters { real p; }\nmodel { "
       "real y = "
       "f(d) + f(1);\n y = f(p); y = f(y); }",
       "no-matching-overload@4 no-matching-overload@4"},
      {"functions { real f(data real x) { return x; } } parameters { real p; } generated quantities { real y "
       "= f(p); }",
       ""},
      {"functions { void f(real x) { return; } } model { f(1); }", ""},
      {"functions { void f(real x) { return; } }\nmodel { real y = f(1); }", "call-returns-nothing@2"},
      {"functions { void f(real x) { x = 2; } }", "not-assignable@1"},
      {"functions { real f_lpdf(real x, real m) { return x; } } model { 1.5 ~ f(2); target += f_lupdf(1 | "
       "2); }",
       ""},
      {"functions { real f_lpmf(int x) { return x; } } model { 1 ~ f(); }", ""},
      {"functions { real f_lpdf(int x) { return x; } }", "density-variate@1"},
      {"functions { real f_lpmf(real x) { return x; } }", "density-variate@1"},
      {"functions { int f_lpmf(int x) { return x; } }", "density-result@1"},
      {"functions { void f_lpdf(real x) { } }", "density-result@1"},
      {"functions { real f_lupdf(real x) { return x; } }", "reserved-name@1"},
      {"functions { real f(array[,] int x, data tuple(int, vector) y) { return y.2[1]; } }", ""},
  };
  expect_rows(rows, as_is);
}

TEST(CheckTilde, Distributions) {
  const Row rows[] = {
      {"r ~ normal(0, 1); v ~ normal(pv, 1); n ~ poisson(2.5); v ~ multi_normal(pv, pm);", ""},
      {"r ~ poisson(2.5);", "no-matching-overload@2"},
      {"r ~ unheard_of(1);", "unknown-distribution@2"},
      {"r ~ normal_lpdf(0, 1);", "tilde-suffix@2"},
      {"r ~ normal_cdf(0, 1);", "tilde-suffix@2"},
      {"r ~ exp();", "unknown-distribution@2"},
      {"r ~ normal(0, 1) T[0, 1]; r ~ normal(0, 1) T[, n]; r ~ normal(0, 1) T[r, ];", ""},
      {"r ~ normal(0, 1) T[v, ];", "truncation-bound-type@2"},
      {"v ~ multi_normal(pv, pm) T[0, ];", "no-truncation@2"},
      {"r ~ normal(nothing, 1);", "undefined-variable@2"},
      {"(r + 1) ~ std_normal();", ""},
  };
  expect_rows(rows, in_model);
}

TEST(CheckHigherOrder, SolversAndReduceSum) {
  const std::string functions =
      "functions { vector f(real t, vector y, real a) { return y; } vector g(vector y, real a) { return y; "
      "}\n"
      "real part(array[] real s, int a, int b, real m) { return sum(s) * m; }\n"
      "real part_lpdf(array[] real s, int a, int b, real m) { return sum(s) * m; }\n"
      "vector old(vector y, vector th, data array[] real xr, data array[] int xi) { return y; } }\n";
  const auto codes = [&](const std::string& body) {
    return check_text(functions + testing::kNames + testing::kParameters + " model {\n" + body + "\n}")
        .codes();
  };
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45(f, v, 0, ra, p);"), "");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45_tol(f, v, 0, ra, 1e-6, 1e-6, 100, 1);"), "");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45(f, v, 0, ra);"), "no-matching-overload@6");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45(f, v,\n v, ra, p);"), "no-matching-overload@7");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45_tol(f, v, 0, ra,\n p, 1e-6, 100, 1);"),
            "no-matching-overload@7");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45(\ng, v, 0, ra, p);"), "callback-signature@7");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45(v, v, 0, ra, p);"), "callback-signature@6");
  EXPECT_EQ(codes("array[3] vector[3] y = ode_rk45();"), "callback-signature@6");
  EXPECT_EQ(codes("vector[3] y = solve_newton(g, v, p);"), "");
  EXPECT_EQ(codes("target += reduce_sum(part, ra, 1, p);"), "");
  EXPECT_EQ(codes("target += reduce_sum(part_lpdf, ra, 1, p); target += reduce_sum(part_lupdf, ra, 1, p);"),
            "");
  EXPECT_EQ(codes("target += reduce_sum(part, v, 1, p);"), "slice-type@6");
  EXPECT_EQ(codes("target += reduce_sum(part, ra, 1.5, p);"), "no-matching-overload@6");
  EXPECT_EQ(codes("target += reduce_sum(part, ra, 1);"), "no-matching-overload@6");
  EXPECT_EQ(codes("vector[3] y = algebra_solver(old, v, pv, ra, is);"), "");
  EXPECT_EQ(codes("vector[3] y = algebra_solver(old, v, pv, {p}, is);"), "no-matching-overload@6");
  EXPECT_EQ(codes("vector[3] y = map_rect(old, v, va, raa, {{1}});"), "");
}

TEST(CheckHigherOrder, Laplace) {
  const std::string functions =
      "functions { real ll(vector th, real a) { return sum(th) * a; } matrix K(real a) { return [[a]]; }\n"
      "real bad(vector th, real a) { return integrate_1d(h, 0, 1, {a}, {1.0}, {1}); }\n"
      "real h(real x, real c, array[] real th, data array[] real r, data array[] int i) { return x; } }\n";
  const auto codes = [&](const std::string& body) {
    return check_text(functions + testing::kNames + testing::kParameters + " model {\n" + body + "\n}")
        .codes();
  };
  EXPECT_EQ(codes("target += laplace_marginal(ll, (p,), 1, K, (p,));"), "");
  EXPECT_EQ(codes("target += laplace_marginal(ll, (p, 1), 1, K, (p,));"), "forwarded-arguments@5");
  EXPECT_EQ(codes("target += laplace_marginal(ll, (v,), 1, K, (p,));"), "forwarded-arguments@5");
  EXPECT_EQ(codes("target += laplace_marginal(ll, p, 1, K, (p,));"), "not-a-tuple@5");
  EXPECT_EQ(codes("target += laplace_marginal(K, (p,), 1, K, (p,));"), "callback-signature@5");
  EXPECT_EQ(codes("target += laplace_marginal(ll, (p,), 1.5, K, (p,));"), "no-matching-overload@5");
  EXPECT_EQ(codes("target += laplace_marginal(ll, (p,), 1, K, (p,), 1);"), "no-matching-overload@5");
  EXPECT_EQ(codes("target += laplace_marginal(\nbad, (p,), 1, K, (p,));"), "no-second-derivatives@6");
  EXPECT_EQ(codes("is ~ laplace_marginal_poisson_log(is, v, 1, K, (p,));"), "");
  EXPECT_EQ(codes("is ~ laplace_marginal_poisson_log(v, v, 1, K, (p,));"), "no-matching-overload@5");
}

TEST(CheckMessages, SayWhatWasFoundAndNeeded) {
  const auto message = [](const std::string& body) {
    const CheckedText result = check_text(in_model(body));
    return result.checked.diagnostics.empty() ? "" : result.checked.diagnostics.front().message;
  };
  EXPECT_EQ(message("real x = v[r];"), "An index must be int, array[] int or a range, but 'r' is a real.");
  EXPECT_EQ(message("real x = v * v;"), "Operator * cannot be applied to a vector and a vector.");
  EXPECT_EQ(message("int x = r;"), "'x' is declared int, but its first value is a real.");
  EXPECT_EQ(message("p = 1;"),
            "'p' is declared in the parameters block and cannot be changed in another one.");
}

// ---- the Program ----

const Declare& declared_last(const Program& program, BlockKind block) {
  return *program.block(block).back()->as<Declare>();
}

TEST(CheckedProgram, PromotionsAreExplicit) {
  const CheckedText result = check_text(
      "transformed data { real a = 1; array[2] real b = {1, 2.5}; complex c = 1.5; int n = 2; real d = n + "
      "1.5; }");
  ASSERT_NE(result.checked.program, nullptr);
  const auto& block = result.checked.program->block(BlockKind::transformed_data);
  ASSERT_EQ(block.size(), 5U);
  const Expr* a = block[0]->as<Declare>()->value;
  ASSERT_NE(a->as<Promote>(), nullptr);
  EXPECT_TRUE(a->type->is(math::Kind::real));
  EXPECT_EQ(a->as<Promote>()->from->as<IntConstant>()->value, 1);
  const Expr* b = block[1]->as<Declare>()->value;
  ASSERT_NE(b->as<ArrayLiteral>(), nullptr);
  EXPECT_NE(b->as<ArrayLiteral>()->elements[0]->as<Promote>(), nullptr);
  EXPECT_NE(b->as<ArrayLiteral>()->elements[1]->as<RealConstant>(), nullptr);
  const Expr* d = block[4]->as<Declare>()->value;
  ASSERT_NE(d->as<Binary>(), nullptr);
  EXPECT_NE(d->as<Binary>()->left->as<Promote>(), nullptr);
}

TEST(CheckedProgram, NamesAreResolved) {
  const CheckedText result = check_text(
      "functions { real f_lpdf(real y, real m) { return y; } real g(int n) { return n; } real g(real x) { "
      "return x; } }\n"
      "parameters { real p; } model { p ~ f(1); p ~ normal(0, 1); target += f_lupdf(p | 2); real a = g(1), b "
      "= g(p); "
      ";;; }");
  ASSERT_NE(result.checked.program, nullptr) << result.codes();
  const Program& program = *result.checked.program;
  const auto& model = program.block(BlockKind::model);
  ASSERT_EQ(model.size(), 5U);
  ASSERT_EQ(program.functions.size(), 3U);
  const auto& user = *model[0]->as<Tilde>();
  EXPECT_EQ(user.function, "f_lpdf");
  EXPECT_EQ(user.user, program.functions[0]);
  EXPECT_NE(user.arguments[0]->as<Promote>(), nullptr);
  EXPECT_EQ(model[1]->as<Tilde>()->function, "normal_lpdf");
  EXPECT_EQ(model[1]->as<Tilde>()->user, nullptr);
  const auto& call = *model[2]->as<TargetPlus>()->value->as<Call>();
  EXPECT_EQ(call.name, "f_lpdf");
  EXPECT_TRUE(call.drop_constants);
  EXPECT_EQ(model[3]->as<Declare>()->value->as<Call>()->user, program.functions[1]);
  EXPECT_EQ(model[4]->as<Declare>()->value->as<Call>()->user, program.functions[2]);
}

TEST(CheckedProgram, VariablesAreNumberedAndKnowTheirData) {
  const CheckedText result = check_text(
      "data { int n; real x; } parameters { real p; } transformed parameters { real q = p + x; } model { "
      "real m = x; }");
  ASSERT_NE(result.checked.program, nullptr);
  const Program& program = *result.checked.program;
  EXPECT_EQ(program.variable_count, 5U);
  const auto& x = *program.block(BlockKind::data)[1]->as<Declare>()->variable;
  EXPECT_TRUE(x.data_only);
  EXPECT_EQ(x.role, Variable::Role::global);
  const Declare& q = declared_last(program, BlockKind::transformed_parameters);
  EXPECT_FALSE(q.variable->data_only);
  EXPECT_FALSE(q.value->data_only);
  const Declare& m = declared_last(program, BlockKind::model);
  EXPECT_EQ(m.variable->role, Variable::Role::local);
  EXPECT_TRUE(m.value->data_only);
}

TEST(CheckedProgram, DeclaredTypesHoldTheirConstraint) {
  const CheckedText result = check_text(
      "data { int n; } parameters { vector<lower=0, upper=n>[n] a; cov_matrix[n] b; array[2] simplex[n] c; "
      "tuple(real<offset=1>, int) d; }");
  EXPECT_EQ(result.codes(), "int-parameter@1");
  const CheckedText good = check_text(
      "data { int n; } parameters { vector<lower=0, upper=n>[n] a; cov_matrix[n] b; array[2] simplex[n] c; "
      "tuple(real<offset=1>, real) d; }");
  ASSERT_NE(good.checked.program, nullptr);
  const auto& block = good.checked.program->block(BlockKind::parameters);
  const auto declared = [&](std::size_t i) -> const SizedType& {
    return *block[i]->as<Declare>()->variable->declared;
  };
  EXPECT_EQ(declared(0).constraint, Constraint::bounds);
  EXPECT_EQ(declared(1).constraint, Constraint::cov_matrix);
  EXPECT_EQ(declared(1).sizes.size(), 2U);
  EXPECT_EQ(declared(2).constraint, Constraint::simplex);
  EXPECT_EQ(declared(2).array_sizes.size(), 1U);
  ASSERT_EQ(declared(3).elements.size(), 2U);
  EXPECT_EQ(declared(3).elements[0]->constraint, Constraint::offset_multiplier);
}

}  // namespace
}  // namespace kullback::lang
