#include "lang/observed.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/source.hpp"
#include "lang/front_end.hpp"

namespace kullback::lang {
namespace {

// Of a program whose data are N, M, y, z, x, idx, sigma and whose parameters are mu and s.
std::string observed(const std::string& model, const std::string& functions = "") {
  SourceMap sources;
  const std::string text =
      "functions { " + functions +
      " } data { int N; int M; vector[N] y; vector[M] z; matrix[N, M] x; array[N] int idx; "
      "array[N] int k; vector[N] sigma; tuple(vector[N], real) pair; } "
      "transformed data { vector[N] w = 2 * y; } "
      "parameters { real mu; real<lower=0> s; vector[M] b; } model { " +
      model + " }";
  const Understood understood = understand(sources, sources.add("m.stan", text), {.lint = false});
  if (!understood.program) return "error: " + understood.diagnostics.front().message;
  std::string names;
  for (const std::string_view name : observed_data(*understood.program))
    names += (names.empty() ? "" : " ") + std::string(name);
  return names;
}

TEST(Observed, IsWhatStandsLeftOfTilde) {
  EXPECT_EQ(observed("mu ~ normal(0, 1); y ~ normal(mu, sigma);"), "y");
  EXPECT_EQ(observed("for (n in 1:N) y[n] ~ normal(mu, s); if (mu > 0) z ~ normal(0, 1);"), "y z");
  EXPECT_EQ(observed("z[idx[1]] ~ normal(x[1, 1], s);"), "z");
  EXPECT_EQ(observed("segment(y, idx[1], M) ~ normal(mu, s);"), "y");
  EXPECT_EQ(observed("k ~ poisson(s); pair.1 ~ normal(mu, s);"), "k pair");
  EXPECT_EQ(observed("y - x * b ~ normal(0, s);"), "x y");
  EXPECT_EQ(observed("k[1] ~ binomial(N, inv_logit(mu));"), "k");
}

TEST(Observed, IsWhatADensityIsOf) {
  EXPECT_EQ(observed("target += normal_lpdf(y | mu, sigma);"), "y");
  EXPECT_EQ(observed("target += normal_lupdf(y | mu, s) + normal_lccdf(z | mu, s);"), "y z");
  EXPECT_EQ(observed("target += log_mix(0.5, normal_lpdf(y[1] | mu, s), normal_lpdf(y[1] | 0, s));"), "y");
  EXPECT_EQ(observed("target += bernoulli_logit_glm_lpmf(k | x, mu, b);"), "k");
  EXPECT_EQ(observed("z ~ own(mu);", "real own_lpdf(vector v, real m) { return normal_lpdf(v | m, 1); }"),
            "z");
}

TEST(Observed, OtherDataAreNot) {
  EXPECT_EQ(observed("mu ~ normal(sigma[1], 1); s ~ exponential(N);"), "");
  EXPECT_EQ(observed("w ~ normal(mu, s);"), "");  // no data, but made of them
  EXPECT_EQ(observed("target += -0.5 * dot_self(y - mu);"), "");
}

}  // namespace
}  // namespace kullback::lang
