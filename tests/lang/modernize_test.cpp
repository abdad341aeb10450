// Old programs and their modern form, with the code of each warning; whatever comes out is modern.
#include "lang/modernize.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/source.hpp"
#include "lang/old_functions.hpp"
#include "lang/parse.hpp"
#include "lang/print.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {
namespace {

struct Modernized {
  std::string text;
  std::string codes;  // of the warnings, separated by blanks
  Diagnostics warnings;
};

Modernized modernized(const std::string& text) {
  SourceMap sources;
  Parsed parsed = parse(sources, sources.add("old.stan", text));
  EXPECT_FALSE(has_errors(parsed.diagnostics)) << text;
  Modernized result;
  result.warnings = modernize(parsed.tree);
  for (const Diagnostic& warning : result.warnings) {
    EXPECT_EQ(warning.severity, Severity::warning);
    EXPECT_FALSE(warning.hint.empty());
    result.codes += (result.codes.empty() ? "" : " ") + warning.code;
  }
  result.text = format(parsed.tree, sources);
  return result;
}

struct Row {
  const char* name;
  const char* from;
  const char* to;
  const char* codes;
};

void expect_row(const std::string& before, const Row& row, const std::string& after) {
  const Modernized result = modernized(before + row.from + after);
  const Modernized expected = modernized(before + row.to + after);
  EXPECT_EQ(result.text, expected.text);
  EXPECT_EQ(result.codes, row.codes);
  EXPECT_EQ(modernized(result.text).text, result.text);
  EXPECT_EQ(modernized(result.text).codes.find("old-"), std::string::npos) << result.text;
}

std::string row_name(const testing::TestParamInfo<Row>& row) { return row.param.name; }

// Expressions, in a program where c, n and m are int, x is real, v is a vector.
class ModernizeExpression : public testing::TestWithParam<Row> {};

TEST_P(ModernizeExpression, MeansTheSame) {
  expect_row("data { int c; int n; int m; real x; vector[3] v; } model { real z = ", GetParam(), "; }");
}

INSTANTIATE_TEST_SUITE_P(
    Functions, ModernizeExpression,
    testing::ValuesIn<Row>({
        {"Fabs", "fabs(x)", "abs(x)", "old-function"},
        {"Nested", "fabs(fabs(x) + fabs(v)[1])", "abs(abs(x) + abs(v)[1])",
         "old-function old-function old-function"},
        {"IfElse", "if_else(c, x, 2)", "c ? x : 2", "old-function"},
        {"IfElseInProduct", "2 * if_else(c > 1, x, 2) + 1", "2 * (c > 1 ? x : 2) + 1", "old-function"},
        {"IfElseInside", "if_else(if_else(c, 1, 0) > 0, 1, if_else(c, 3, 4))",
         "(c ? 1 : 0) > 0 ? 1 : c ? 3 : 4", "old-function old-function old-function"},
        {"GetLp", "get_lp()", "target()", "old-function"},
        {"MultiplyLog", "multiply_log(x, 2)", "lmultiply(x, 2)", "old-function"},
        {"Choose", "binomial_coefficient_log(n, m)", "lchoose(n, m)", "old-function"},
        {"Epsilon", "epsilon()", "machine_precision()", "old-function"},
        {"OtherArity", "fabs(x, x)", "fabs(x, x)", ""},
        {"Current", "abs(x) + lgamma(x) + Phi_approx(x)", "abs(x) + lgamma(x) + Phi_approx(x)", ""},
    }),
    row_name);

// In old Stan these were real, so that a division was none of integers.
INSTANTIATE_TEST_SUITE_P(
    Divisions, ModernizeExpression,
    testing::ValuesIn<Row>({
        {"FabsOfInt", "fabs(n) / 2", "abs(1.0 * n) / 2", "old-function"},
        {"FabsOfSum", "(fabs(n + m) + 1) / 2", "(abs(1.0 * (n + m)) + 1) / 2", "old-function"},
        {"FabsOfLiteral", "1 / fabs(3)", "1 / abs(3.0)", "old-function"},
        {"FabsOfReal", "fabs(x) / 2", "abs(x) / 2", "old-function"},
        {"NoDivision", "fabs(n) * 2", "abs(n) * 2", "old-function"},
        {"IfElseOfInts", "if_else(c, 1, n) / 2", "(c ? 1.0 : n) / 2", "old-function"},
        {"IfElseOfVariables", "1 / if_else(c, m, n)", "1 / (c ? 1.0 * m : n)", "old-function"},
    }),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    Densities, ModernizeExpression,
    testing::ValuesIn<Row>({
        {"Continuous", "normal_log(x, 0, 1)", "normal_lpdf(x | 0, 1)", "old-density"},
        {"Discrete", "poisson_log(n, x)", "poisson_lpmf(n | x)", "old-density"},
        {"LogInTheName", "poisson_log_log(n, x)", "poisson_log_lpmf(n | x)", "old-density"},
        {"TwoSuffixes", "neg_binomial_2_log(n, x, 2)", "neg_binomial_2_lpmf(n | x, 2)", "old-density"},
        {"Logit", "categorical_logit_log(n, v)", "categorical_logit_lpmf(n | v)", "old-density"},
        {"Cdf", "normal_cdf(x, 0, 1)", "normal_cdf(x | 0, 1)", "old-density"},
        {"CdfLog", "normal_cdf_log(x, 0, 1)", "normal_lcdf(x | 0, 1)", "old-density"},
        {"CcdfLog", "normal_ccdf_log(x, 0, 1)", "normal_lccdf(x | 0, 1)", "old-density"},
        {"NoSuchFamily", "foo_log(x, 0, 1)", "foo_log(x, 0, 1)", ""},
        {"NoSuchCdf", "binomial_logit_ccdf_log(n, 0, 1)", "binomial_logit_ccdf_log(n, 0, 1)", ""},
        {"NeverValid", "normal_lpdf(x, 0, 1)", "normal_lpdf(x, 0, 1)", ""},
        {"Modern", "normal_lpdf(x | 0, 1)", "normal_lpdf(x | 0, 1)", ""},
    }),
    row_name);

// Statements of a model block with the same data.
class ModernizeStatement : public testing::TestWithParam<Row> {};

TEST_P(ModernizeStatement, MeansTheSame) {
  expect_row("data { int c; int n; real x; array[3] real xs; } model { ", GetParam(), " }");
}

INSTANTIATE_TEST_SUITE_P(
    Conditions, ModernizeStatement,
    testing::ValuesIn<Row>({
        {"RealInIf", "if (x) print(1);", "if (x != 0) print(1);", "real-condition"},
        {"RealElement", "while (xs[1]) break;", "while (xs[1] != 0) break;", "real-condition"},
        {"RealSum", "if (x + n) print(1);", "if (x + n != 0) print(1);", "real-condition"},
        {"RealOperands", "if (x && !x || n) print(1);", "if (x != 0 && x == 0 || n) print(1);",
         "real-condition real-condition"},
        {"Int", "if (n && !c || x > 0) print(1);", "if (n && !c || x > 0) print(1);", ""},
        {"Container", "if (xs) print(1);", "if (xs) print(1);", ""},
    }),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    Names, ModernizeStatement,
    testing::ValuesIn<Row>({
        {"Offset", "real offset; offset = x; print(offset);", "real offset_; offset_ = x; print(offset_);",
         "reserved-name"},
        {"Taken", "real offset_; real offset; print(offset, offset_);",
         "real offset_; real offset_2; print(offset_2, offset_);", "reserved-name"},
        {"Loop", "for (lower in 1:2) print(lower);", "for (lower_ in 1:2) print(lower_);", "reserved-name"},
        {"Array", "real array[3]; array[1] = 2;", "array[3] real array_; array_[1] = 2;", "reserved-name"},
        {"DeprecatedDistribution", "x ~ lkj_cov(1, 2, 3);", "x ~ lkj_cov(1, 2, 3);", "deprecated-function"},
    }),
    row_name);

// Whole programs.
class ModernizeProgram : public testing::TestWithParam<Row> {};

TEST_P(ModernizeProgram, MeansTheSame) { expect_row("", GetParam(), ""); }

INSTANTIATE_TEST_SUITE_P(
    UserDensities, ModernizeProgram,
    testing::ValuesIn<Row>({
        {"UsedAsDistribution",
         "functions { real foo_log(real y, real a) { return normal_log(y, a, 1); } }"
         "model { 1.0 ~ foo(2); target += foo_log(1.0, 2); }",
         "functions { real foo_lpdf(real y, real a) { return normal_lpdf(y | a, 1); } }"
         "model { 1.0 ~ foo(2); target += foo_lpdf(1.0 | 2); }",
         "old-density old-density"},
        {"Discrete",
         "functions { real foo_log(int[] y, real a) { return a; } } data { int y[2]; } model { y ~ foo(2); }",
         "functions { real foo_lpmf(array[] int y, real a) { return a; } } data { array[2] int y; } model { "
         "y ~ foo(2); }",
         "old-density"},
        {"NotUsedAsDistribution",
         "functions { real safe_log(real x) { return log(x); } } model { target += safe_log(1.0); }",
         "functions { real safe_log(real x) { return log(x); } } model { target += safe_log(1.0); }", ""},
        {"NotADensity", "functions { vector my_log(vector x) { return log(x); } } model { 1.0 ~ my(); }",
         "functions { vector my_log(vector x) { return log(x); } } model { 1.0 ~ my(); }", ""},
        {"DistributionFunctions",
         "functions { real foo_log(real y) { return y; } real foo_cdf_log(real y) { return y; }"
         "            real foo_ccdf_log(real y) { return y; } }"
         "model { 1.0 ~ foo() T[0, ]; target += foo_ccdf_log(1.0); }",
         "functions { real foo_lpdf(real y) { return y; } real foo_lcdf(real y) { return y; }"
         "            real foo_lccdf(real y) { return y; } }"
         "model { 1.0 ~ foo() T[0, ]; target += foo_lccdf(1.0 | ); }",
         "old-density old-density old-density"},
        {"UserCdf",
         "functions { real foo_cdf(real y, real a) { return a; } } model { target += foo_cdf(1, 2); }",
         "functions { real foo_cdf(real y, real a) { return a; } } model { target += foo_cdf(1 | 2); }",
         "old-density"},
        {"TildeWithEnding",
         "functions { real foo_lpdf(real y, real a) { return a; } } model { 1.0 ~ foo_lpdf(2); }",
         "functions { real foo_lpdf(real y, real a) { return a; } } model { 1.0 ~ foo(2); }", "old-density"},
        {"OwnFunctionOfAnOldName",
         "functions { real fabs(real x) { return x; } } model { target += fabs(1.0); }",
         "functions { real fabs(real x) { return x; } } model { target += fabs(1.0); }", ""},
    }),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    Programs, ModernizeProgram,
    testing::ValuesIn<Row>({
        {"NowBuiltIn",
         "functions { real norm2(vector x) { return sqrt(dot_self(x)); } } model { target += norm2([1, 2]'); "
         "}",
         "functions { real user_norm2(vector x) { return sqrt(dot_self(x)); } } model { target += "
         "user_norm2([1, 2]'); }",
         "now-built-in"},
        {"OverloadOfABuiltIn",
         "functions { real norm2(vector x, int k) { return x[k]; } } model { target += norm2([1, 2]', 1); }",
         "functions { real norm2(vector x, int k) { return x[k]; } } model { target += norm2([1, 2]', 1); }",
         ""},
        {"DistributionNowBuiltIn",
         "functions { real skew_double_exponential_lpdf(real y, real m, real s, real t) { return y; } }"
         "model { 1.0 ~ skew_double_exponential(0, 1, 2); target += skew_double_exponential_lupdf(1.0 | 0, "
         "1, 2); }",
         "functions { real user_skew_double_exponential_lpdf(real y, real m, real s, real t) { return y; } }"
         "model { 1.0 ~ user_skew_double_exponential(0, 1, 2);"
         "        target += user_skew_double_exponential_lupdf(1.0 | 0, 1, 2); }",
         "now-built-in"},
        {"GaussianProcess",
         "data { int N; real x[N]; } transformed data { matrix[N, N] K = cov_exp_quad(x, 1.0, 2.0); } model "
         "{ }",
         "data { int N; array[N] real x; } transformed data { matrix[N, N] K = gp_exp_quad_cov(x, 1.0, 2.0); "
         "} model { }",
         "old-function"},
        {"OldSolver",
         "functions { real[] f(real t, real[] y, real[] p, real[] r, int[] i) { return y; }"
         "            real[,] solve(real[] y, real[] ts, real[] p, real[] r, int[] i) {"
         "              return integrate_ode(f, y, 0, ts, p, r, i); } } model { }",
         "functions { array[] real f(real t, array[] real y, array[] real p, array[] real r, array[] int i) "
         "{ return y; }"
         "            array[,] real solve(array[] real y, array[] real ts, array[] real p, data array[] real "
         "r, array[] int i) {"
         "              return integrate_ode_rk45(f, y, 0, ts, p, r, i); } } model { }",
         "old-data-argument old-function"},
        {"ReservedData", "data { int lower; real<lower=lower> upper; } model { print(upper); }",
         "data { int lower_; real<lower=lower_> upper_; } model { print(upper_); }",
         "reserved-name reserved-name"},
        {"ReservedArgument", "functions { real f(real multiplier) { return multiplier; } } model { }",
         "functions { real f(real multiplier_) { return multiplier_; } } model { }", "reserved-name"},
    }),
    row_name);

TEST(Modernize, WarningsPointAndShow) {
  const Modernized result = modernized("model {\n  real z = 2 * if_else(1, fabs(2.0), 3);\n}\n");
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_EQ(result.warnings[0].span, (Span{0, 23, 47}));
  EXPECT_EQ(result.warnings[0].message, "'if_else' was removed in Stan 2.33.");
  EXPECT_EQ(result.warnings[0].hint, "Write 1 ? abs(2.0) : 3");
  EXPECT_EQ(result.warnings[1].hint, "Write abs(2.0)");
}

TEST(Modernize, CommentsStay) {
  const Modernized result = modernized(
      "model {\n  real z <- normal_log(1, // mean\n 2, 3); # density\n  z <- if_else(z > 1, // big\n    1, "
      "2);\n}\n");
  EXPECT_EQ(result.text,
            "model {\n  real z = normal_lpdf(1 | // mean\n                       2, 3); // density\n"
            "  z = z > 1 // big\n      ? 1 : 2;\n}\n");
}

TEST(Modernize, LongSums) {
  std::string sum = "fabs(x)";
  for (int i = 0; i < 50000; ++i) sum += " + fabs(x)";
  EXPECT_EQ(modernized("parameters { real x; } model { target += " + sum + "; }").warnings.size(), 50001u);
}

TEST(OldFunctions, RecordsAreConsistent) {
  std::set<std::string_view> names;
  for (const OldFunction& old : old_functions()) {
    EXPECT_TRUE(names.insert(old.name).second) << old.name;
    EXPECT_EQ(find_old_function(old.name), &old);
    if (old.form == OldForm::choose || old.form == OldForm::density_so_far) continue;
    EXPECT_TRUE(math::is_builtin(old.modern)) << old.modern;
    EXPECT_TRUE(old.form == OldForm::keep || old.name == "integrate_ode" || !math::is_builtin(old.name))
        << old.name;
  }
}

TEST(OldFunctions, EveryFamilyHasItsOldName) {
  for (const math::Family& family : math::families()) {
    if (!family.has_density) continue;
    const std::string name(family.name);
    EXPECT_EQ(modern_density(name + "_log"), name + (family.discrete ? "_lpmf" : "_lpdf"));
    EXPECT_EQ(modern_density(name + "_ccdf_log"), family.has_lccdf ? name + "_lccdf" : "");
  }
}

TEST(OldFunctions, PageShowsTheTable) {
  std::ifstream file(KULLBACK_SOURCE_DIR "/docs/modernize.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(old_functions_table()), std::string::npos) << "docs/modernize.md should contain\n"
                                                                       << old_functions_table();
}

}  // namespace
}  // namespace kullback::lang
