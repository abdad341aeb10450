#include "lang/print_program.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lang/check.hpp"
#include "lang/parse.hpp"
#include "lang/print_program/expr_text.hpp"

namespace kullback::lang {
namespace {

std::unique_ptr<const Program> program_of(const std::string& text) {
  SourceMap sources;
  const Parsed parsed = parse(sources, sources.add("test.stan", text));
  Checked checked = check(parsed.tree);
  EXPECT_TRUE(checked.program) << text;
  return std::move(checked.program);
}

TEST(PrintProgram, ShowsTypesPromotionsOverloadsAndIds) {
  const auto program = program_of(R"(functions {
  real half(real x) { return x / 2; }
}
data {
  int<lower=0> N;
  vector[N] y;
}
transformed data {
  real m = N;
}
parameters {
  real mu;
  array[2] simplex[3] p;
}
model {
  mu ~ normal(0, 1) T[-1, ];
  for (n in 1:N) {
    if (n > 1) target += normal_lupdf(y[n] | half(mu) + 2 * m, 1);
  }
})");
  EXPECT_EQ(dump(*program), R"(function real half$0(real x#0)
  return (x#0 / real(2)):real
data
  N#1 : data int <lower = 0>
  y#2 : data vector[N#1]
transformed data
  m#3 : data real = real(N#1)
parameters
  mu#4 : real
  p#5 : array[2] vector[3] <simplex>
model
  mu#4 ~ normal_lpdf<real, real, real>(real(0), real(1)) T[(-1):data int, ]
  for n#6 in 1 : N#1
    if (n#6 > 1):data int
      target += normal_lpdf<real, real, real>(y#2[n#6]:data real, (half$0<real>(mu#4):real + (real(2) * m#3):data real):real, real(1)) unnormalized:real
)");
}

TEST(PrintProgram, SummaryNamesWhatIsDataAndWhatIsEstimated) {
  const auto program = program_of(R"(data { int<lower=0> J; vector[J] y; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model { mu ~ normal(0, 5); theta ~ normal(mu, tau); target += cauchy_lpdf(tau | 0, 5); target += -0.5 * mu; y ~ normal(theta, 1); })");
  EXPECT_EQ(summary(*program),
            "data                    J int<lower=0>; y vector[J]\n"
            "parameters              mu real; tau real<lower=0>; theta vector[J]\n"
            "model                   4 density terms: normal (3), cauchy; 1 other increment of target\n");
}

TEST(PrintProgram, TextReadsBackToTheSameExpression) {
  for (const char* text :
       {"1 - (2 - 3) - 4", "-(a + b) * c", "(a + b)' * c'", "a^b^c", "(a^b)^c", "-a^2", "(-a)^2",
        "a ? b : c ? 1 : 2", "x[1, :, 2:3]", "normal_lupdf(a | b, c)", "{1, 2}[1]", "(a, b).1", "(a + 1)[2]",
        "!(a || b) && c", "a .* (b ./ c)", "a * (b * c)", "a %/% (b % c)"}) {
    // Whatever the types: only the shape of the text is compared, through the declarations that fit.
    SCOPED_TRACE(text);
    const std::string head =
        "data { int a; int b; int c; array[3, 3, 3] real x; } generated quantities { print(";
    SourceMap sources;
    const Parsed parsed = parse(sources, sources.add("test.stan", head + text + "); }"));
    ASSERT_FALSE(has_errors(parsed.diagnostics));
    const Checked checked = check(parsed.tree);
    if (!checked.program) continue;  // the row is about another type
    const auto* print = checked.program->block(BlockKind::generated_quantities)[0]->as<Print>();
    const std::string once = stan_text(*print->items[0]);
    const auto again = program_of(head + once + "); }");
    ASSERT_TRUE(again);
    const auto* printed = again->block(BlockKind::generated_quantities)[0]->as<Print>();
    EXPECT_EQ(stan_text(*printed->items[0]), once);
    EXPECT_EQ(dump(*again), dump(*checked.program)) << once;
  }
}

TEST(PrintProgram, AFunctionThatDropsConstantsIsNamedSo) {
  const auto program = program_of(
      "functions { real f_lpdf(array[] real y, int start, int end, real m) { return normal_lupdf(y | m, 1); "
      "} }\n"
      "parameters { real m; } model { target += reduce_sum(f_lupdf, {1.0, 2.0}, 1, m); target += "
      "reduce_sum(f_lpdf, "
      "{1.0, 2.0}, 1, m); }");
  ASSERT_TRUE(program);
  const auto& model = program->block(BlockKind::model);
  EXPECT_EQ(stan_text(*model[0]->as<TargetPlus>()->value), "reduce_sum(f_lupdf, {1, 2}, 1, m)");
  EXPECT_EQ(stan_text(*model[1]->as<TargetPlus>()->value), "reduce_sum(f_lpdf, {1, 2}, 1, m)");
}

TEST(PrintProgram, LongSumsAreNotDeep) {
  std::string sum = "a";
  for (int i = 0; i < 50000; ++i) sum += " + a";
  const auto program = program_of("parameters { real a; } model { target += " + sum + "; }");
  ASSERT_TRUE(program);
  EXPECT_GT(dump(*program).size(), 50000u);
  EXPECT_FALSE(summary(*program).empty());
}

}  // namespace
}  // namespace kullback::lang
