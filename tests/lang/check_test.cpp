// The checker: names, blocks, declarations, statements and the flow of control.
#include "lang/check.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(CheckNames, ScopesAndBlocks) {
  const Row rows[] = {
      {"model { real x; x = 1; }", ""},
      {"model { real x = y; }", "undefined-variable@1"},
      // Once for each name and block.
      {"model {\n real x = y + y;\n x = y; }\ngenerated quantities {\n real w = y; }",
       "undefined-variable@2 undefined-variable@5"},
      {"data { real x; }\nmodel { real x; }", "duplicate-name@2"},
      {"model { real x; { real x; } }", "duplicate-name@1"},
      {"model { { real x; } { real x; } }", ""},
      {"model { for (i in 1:3) { } for (i in 1:3) { } }", ""},
      {"model { int i; for (i in 1:3) { } }", "duplicate-name@1"},
      {"model { { real x; }\n x = 1; }", "undefined-variable@2"},
      {"model { if (1) int x = 2;\n x = 1; }", "undefined-variable@2"},
      {"model { real x; }\ngenerated quantities { real y = x; }", "undefined-variable@2"},
      {"generated quantities { real x; }", ""},
      {"transformed parameters { real x = 1; } model { real y = x; }", ""},
      // A variable may hide a function.
      {"model { real gamma = 1; real y = gamma; }", ""},
      {"functions { real f(real x) { return x; } } model { real f = 1; }", ""},
      {"functions { real f(real x) { return x; } }\nmodel { real f = 1; real y = f(2); }",
       "not-a-function@2"},
      {"model { real gamma = 1; real y = tgamma(2); }", ""},
      {"model { real exp = 1; real y = exp(2); }", ""},
      {"model { real x__; }", "reserved-name@1"},
      {"model { real x_lupdf; x_lupdf = 1; }", "reserved-name@1"},
      {"functions { void f(real x, real x) { } }", "duplicate-name@1"},
      {"functions { void f(real x) { real x; } }", "duplicate-name@1"},
      {"functions { void f(real x) { for (x in 1:2) { } } }", "duplicate-name@1"},
  };
  expect_rows(rows, as_is);
}

TEST(CheckNames, TheModelsNameIsTaken) {
  EXPECT_EQ(check_text("model { real m_model; }", {.model_name = "m_model"}).codes(), "name-is-model@1");
  EXPECT_EQ(check_text("functions { void m_model() { } }", {.model_name = "m_model"}).codes(),
            "name-is-model@1");
  EXPECT_EQ(check_text("model { real m; }", {.model_name = "m_model"}).codes(), "");
}

TEST(CheckNames, SuggestsWhatIsNear) {
  const auto hint = [](const char* text) {
    const CheckedText result = check_text(text);
    EXPECT_EQ(result.checked.diagnostics.size(), 1U) << text;
    return result.checked.diagnostics.empty() ? "" : result.checked.diagnostics.front().hint;
  };
  EXPECT_EQ(hint("data { real sigma; } model { real x = sgima; }"), "Did you mean 'sigma'?");
  EXPECT_EQ(hint("data { real Sigma; } model { real x = sigma; }"), "Did you mean 'Sigma'?");
  EXPECT_EQ(hint("model { real x = lgama(2); }"), "Did you mean 'lgamma'?");
  EXPECT_EQ(hint("functions { real my_mean(real x) { return x; } } model { real x = my_maen(2); }"),
            "Did you mean 'my_mean'?");
  EXPECT_EQ(hint("model { 1.5 ~ nromal(0, 1); }"), "Did you mean 'normal'?");
  const std::string own = "functions { real gumbel_copula_lpdf(real u, real v) { return u * v; } } ";
  EXPECT_EQ(hint((own + "model { target += gumbel_copula(0.5 | 2); }").c_str()),
            "gumbel_copula is a distribution: write y ~ gumbel_copula(...), or gumbel_copula_lpdf(y | ...).");
  EXPECT_EQ(hint((own + "model { target += gumbel_copula_lcdf(0.5 | 2); }").c_str()),
            "The program defines 'gumbel_copula_lpdf' only: define 'gumbel_copula_lcdf' in the functions "
            "block too.");
  EXPECT_EQ(hint((own + "generated quantities { real x = gumbel_copula_rng(2); }").c_str()),
            "The program defines 'gumbel_copula_lpdf' only: define 'gumbel_copula_rng' in the functions "
            "block too.");
  EXPECT_EQ(hint("functions { real f(real u, real v) { return u * v; } } model { 0.5 ~ f(2); }"),
            "'f' is a function; one named 'f_lpdf' would be a distribution.");
  EXPECT_EQ(hint("generated quantities { real x = normal_quantile(0.5, 0, 1); }"), "");
  EXPECT_EQ(hint("model { real x = normal(0, 1); }"),
            "normal is a distribution: write y ~ normal(...), or normal_lpdf(y | ...).");
  EXPECT_EQ(hint("model { real x = poisson_lpdf(2 | 1); }"), "'poisson' is discrete: write poisson_lpmf.");
  EXPECT_EQ(hint("data { vector[3] v; } model { int x = length(v); }"),
            "Use size(x), or num_elements(x) to count all entries.");
  EXPECT_EQ(hint("model { int x = TRUE; }"), "Write 1.");
}

TEST(CheckNames, NotesPointAtTheOtherDeclaration) {
  const CheckedText result = check_text("data { real x; }\nmodel { real x; }");
  const Diagnostic* diagnostic = result.find("duplicate-name");
  ASSERT_NE(diagnostic, nullptr);
  ASSERT_TRUE(diagnostic->note.has_value());
  EXPECT_EQ(result.sources.position(0, diagnostic->note->span.begin).line, 1U);
}

TEST(CheckDeclarations, SizesAndBounds) {
  const Row rows[] = {
      {"data { int n; vector[n] v; array[n, 2] matrix[n, n] m; }", ""},
      {"data { real n; vector[n] v; }", "size-type@1"},
      {"data { array[1.5] int n; }", "size-type@1"},
      {"parameters { real p; }\ntransformed parameters {\n vector[to_int(p)] v; }", "size-not-data@3"},
      {"transformed data { int n = 2; } parameters { vector[n] v; }", ""},
      {"generated quantities { int n = 2;\n vector[n] v; }", "size-not-data@2"},
      {"generated quantities { { int n = 2; vector[n] v; } }", ""},
      {"model { int n = 2; vector[n] v; }", ""},
      {"transformed data { vector[poisson_rng(3)] v; }", "rng-in-size@1"},
      {"transformed data { { vector[poisson_rng(3)] v; } }", ""},
      {"data { real<lower=0, upper=1> x; int<lower=1> n; }", ""},
      {"data { int<lower=0.5> n; }", "bound-type@1"},
      {"data { vector[3] l; vector<lower=l>[3] x; real<lower=l> y; }", "bound-type@1"},
      {"data { array[3] real l; array[3] real<lower=l> x; }", ""},
      {"parameters { real a; real<lower=a> b; }", ""},
      {"parameters { real<offset=1, multiplier=2> a; }", ""},
      {"data { complex<lower=0> z; }", "complex-constraint@1"},
      {"parameters { int n; }", "int-parameter@1"},
      {"parameters { tuple(real, int) n; }", "int-parameter@1"},
      {"transformed parameters { array[2] int n; }", "int-parameter@1"},
      {"transformed parameters { { int n; } }", ""},
      {"parameters { corr_matrix[3] a; cov_matrix[3] b; cholesky_factor_cov[3, 2] c; simplex[4] d; "
       "sum_to_zero_matrix[2, 3] e; row_stochastic_matrix[2, 3] f; }",
       ""},
      {"parameters { tuple(real<lower=0>, simplex[3]) t; }", ""},
  };
  expect_rows(rows, as_is);
}

TEST(CheckDeclarations, FirstValues) {
  const Row rows[] = {
      {"real x = 1;", ""},
      {"int x = 1.5;", "assignment-type@2"},
      {"complex x = 1;", ""},
      {"array[2] real x = {1, 2};", ""},
      {"vector[2] x = {1, 2};", "assignment-type@2"},
      {"vector[2] x = [1, 2];", "assignment-type@2"},
      {"vector[2] x = [1, 2]';", ""},
      {"real a = 1, b = a;", ""},
      {"real a = a;", "self-assignment@2"},
      {"real a = nothing;\n a = 2;", "undefined-variable@2"},
      {"real a = exp;", "function-as-value@2"},
      {"tuple(real, complex) x = (1, 2);", ""},
      {"tuple(int, int) x = (1, 2.5);", "assignment-type@2"},
  };
  expect_rows(rows, in_transformed_data);
}

TEST(CheckStatements, Assignments) {
  const Row rows[] = {
      {"real x; x = n;", ""},
      {"int x; x = r;", "assignment-type@2"},
      {"r = 1;", "not-assignable@2"},
      {"p = 1;", "not-assignable@2"},
      {"for (i in 1:3) i = 2;", "not-assignable@2"},
      {"exp = 1;", "not-assignable@2"},
      {"vector[3] x; x[1] = 2; x[{1, 2}] = v[1:2]; x[2:] = v[:2];", ""},
      {"matrix[3, 3] x; x[1] = rv; x[1, 2] = 3; x[1, ] = rv; x[, 1] = v;", ""},
      {"array[3] vector[3] x; x[1:2][1] = v;", "nested-multi-index@2"},
      {"array[3] vector[3] x; x[1][2] = 4;", ""},
      {"array[3] int x; x[x[1]] = 2;", "target-read@2"},
      {"int a; real b; (a, b) = t;", ""},
      {"int a; (a, a) = (1, 2);", "overlapping-targets@2"},
      {"tuple(int, real) u; (u, u.1) = (t, 2);", "overlapping-targets@2"},
      {"tuple(int, real) u; (u.1, u.2) = t;", ""},
      {"int a; int b; (a, b) = t;", "assignment-type@2"},
      {"int a; int b; (a, b) = 3;", "assignment-type@2"},
      {"real x = 1; x += 1; x *= p; x /= 2; x -= n;", ""},
      {"int x = 1; x += 1.5;", "assignment-type@2"},
      {"real x = 1; x .*= 2;", "assignment-type@2"},
      {"vector[3] x; x .*= v; x += 1; x /= 2; x *= 2;", ""},
      {"vector[3] x; x *= m;", "assignment-type@2"},
      {"row_vector[3] x; x *= m;", ""},
      {"real x; x = x;", "self-assignment@2"},
      {"array[3] real x; x[n] = (x[n]);", "self-assignment@2"},
      {"array[3] real x; x[n] = x[n + 1];", ""},
      {"unknown = 1;\nunknown = 2;", "undefined-variable@2"},
  };
  expect_rows(rows, in_model);
}

TEST(CheckStatements, Loops) {
  const Row rows[] = {
      {"for (i in 1:n) print(i);", ""},
      {"for (i in 1:r) print(i);", "loop-bound-type@2"},
      {"for (i in r:n) print(i);", "loop-bound-type@2"},
      {"for (x in v) print(x + 1.5);", ""},
      {"for (x in va) print(x * 2);", ""},
      {"for (x in m) print(x);", ""},
      {"for (x in r) print(x);", "loop-container-type@2"},
      {"for (x in nothing) print(x, y);", "undefined-variable@2 undefined-variable@2"},
      {"while (n) { break; }", ""},
      {"while (r) { }", "condition-type@2"},
      {"if (r) { }", "condition-type@2"},
      {"if (n) { } else if (v) { } else { }", "condition-type@2"},
      {"break;", "outside-loop@2"},
      {"continue;", "outside-loop@2"},
      {"for (i in 1:2) { if (n) continue; else break; }", ""},
      {"return;", "return-outside-function@2"},
      {"return 1;", "return-outside-function@2"},
      {"for (i in 1:2) {\n break;\n print(i); }", "unreachable@4"},
      {"print(exp);", "function-as-value@2"},
      {"print(\"a\", 1, v); reject(\"b\");", ""},
      {"target += v; target += ra; target += 1;", ""},
      {"target += exp;", "function-as-value@2"},
      {"profile(\"p\") { real x = 1; x = 2; }", ""},
  };
  expect_rows(rows, in_model);
}

TEST(CheckStatements, WhatMayStandWhere) {
  const Row rows[] = {
      {"transformed data { target += 1; }", "target-outside-model@1"},
      {"transformed data { 1.0 ~ normal(0, 1); }", "target-outside-model@1"},
      {"functions { void f() { target += 1; } }", "target-outside-model@1"},
      {"functions { void f_lp() { target += 1; 1.0 ~ normal(0, 1); } } model { f_lp(); }", ""},
      {"functions { void f_lp() { } } transformed parameters { f_lp(); }", "lp-in-transformed-parameters@1"},
      {"functions { void f_lp() { } }\ngenerated quantities { f_lp(); }", "target-outside-model@2"},
      {"transformed parameters { real x = target(); }", ""},
      {"generated quantities { real x = target(); }", "target-outside-model@1"},
      {"transformed parameters { jacobian += 1; }", ""},
      {"model { jacobian += 1; }", "jacobian-outside-transformed-parameters@1"},
      {"functions { real f_jacobian(real x) { jacobian += x; return x; } } parameters { real p; } "
       "transformed "
       "parameters { real y = f_jacobian(p); }",
       ""},
      {"parameters { real p; } transformed parameters { real y = lower_bound_jacobian(p, 0); }", ""},
      {"transformed parameters { real y = lower_bound_jacobian(1.5, 0); }", "jacobian-of-data@1"},
      {"model { real x = normal_rng(0, 1); }", "rng-not-allowed@1"},
      {"parameters { real p; } transformed parameters { real x = normal_rng(0, 1); }", "rng-not-allowed@1"},
      {"transformed data { real x = normal_rng(0, 1); }", ""},
      {"functions { real f() { return normal_rng(0, 1); } }", "rng-not-allowed@1"},
      {"functions { real f_rng() { return normal_rng(0, 1); } }", ""},
      {"model { target += normal_lupdf(1 | 0, 1); }", ""},
      {"generated quantities { real x = normal_lupdf(1 | 0, 1); }", "unnormalized-outside-model@1"},
      {"functions { real f_lpdf(real x) { return normal_lupdf(x | 0, 1); } }", ""},
      {"functions { real f_lp(real x) { return normal_lupdf(x | 0, 1); } }", "unnormalized-outside-model@1"},
  };
  expect_rows(rows, as_is);
}

TEST(CheckFlow, EveryPathReturns) {
  const Row rows[] = {
      {"return 1;", ""},
      {"", "missing-return@2"},
      {"if (n) return 1;", "missing-return@2"},
      {"if (n) return 1; else return 2;", ""},
      {"if (n) return 1; else if (n > 2) return 2; else reject(\"no\");", ""},
      {"if (n) return 1; else if (n > 2) return 2;", "missing-return@2"},
      {"while (1) { if (n) return 1; }", ""},
      {"while (1) { if (n) break; }", "missing-return@2"},
      {"while (n) { if (n > 1) return 1; }", "missing-return@2"},
      {"for (i in 1:n) return 1;", ""},
      {"fatal_error(\"no\");", ""},
      {"{ { return 1; } }", ""},
      {"profile(\"a\") { return 1; }", ""},
      {"return 1.5;", ""},
      {"return [1, 2];", "return-type@2"},
      {"return;", "return-type@2"},
      {"return nothing;", "undefined-variable@2"},
      {"return 1;\nprint(n);", "unreachable@3"},
      {"return 1;;", ""},
  };
  expect_rows(rows, [](const std::string& body) { return "functions {\nreal f(int n) { " + body + " } }"; });
}

TEST(CheckAll, ErrorsAreAllReportedAndDoNotCascade) {
  const CheckedText result = check_text(
      "data { int n;\n real y; }\nmodel {\n real a = b + c;\n vector[n] d = a * nothing;\n d[1.5] = 2;\n "
      "y ~ normal(a, d, d);\n int e = d;\n print(e + 1);\n}");
  EXPECT_EQ(
      result.codes(),
      "undefined-variable@4 undefined-variable@4 undefined-variable@5 index-type@6 no-matching-overload@7 "
      "assignment-type@8");
}

TEST(CheckAll, LongChainsAreNoDeeperThanShortOnes) {
  std::string sum = "model { real x = 1";
  for (int i = 0; i < 200000; ++i) sum += " + 1.5";
  EXPECT_EQ(check_text(sum + "; }").codes(), "");
  std::string branches = "data { int n; } transformed data { int k = 0; if (n == 0) k = 1;";
  for (int i = 0; i < 4999; ++i) branches += " else if (n == 2) k = 1;";
  EXPECT_EQ(check_text(branches + " }").codes(), "");
}

}  // namespace
}  // namespace kullback::lang
