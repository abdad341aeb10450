// The lints: rows of programs with what must be said of them, and, as important, programs of which nothing
// must be said. Every suggestion of vectorised code is put in place of its loop and checked.
#include "lang/lint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "lang/check.hpp"
#include "lang/lint/records.hpp"
#include "lang/parse.hpp"
#include "lang/visit.hpp"

namespace kullback::lang {
namespace {

struct Linted {
  SourceMap sources;
  Parsed parsed;
  std::unique_ptr<const Program> program;
  Diagnostics diagnostics;
};

Linted lint_text(const std::string& text) {
  Linted out;
  const FileId file = out.sources.add("test.stan", text);
  out.parsed = parse(out.sources, file);
  if (has_errors(out.parsed.diagnostics)) {
    ADD_FAILURE() << "does not parse: " << out.parsed.diagnostics[0].message << "\n" << text;
    return out;
  }
  Checked checked = check(out.parsed.tree);
  if (!checked.program) {
    ADD_FAILURE() << "does not check: " << checked.diagnostics[0].message << "\n" << text;
    return out;
  }
  out.program = std::move(checked.program);
  out.diagnostics = lint(*out.program, out.sources);
  return out;
}

// "code@line" of every diagnostic, hints with a '?', separated by blanks.
std::string codes(const Linted& linted) {
  std::string out;
  for (const Diagnostic& d : linted.diagnostics) {
    if (!out.empty()) out += ' ';
    const Position p = linted.sources.position(d.span.file, d.span.begin);
    out += d.code + (d.severity == Severity::hint ? "?" : "") + "@" + std::to_string(p.line);
  }
  return out;
}

struct Row {
  const char* program;
  const char* expected;  // empty: nothing is said
};

void run(const Row* first, const Row* last) {
  for (const Row* row = first; row != last; ++row) {
    const Linted linted = lint_text(row->program);
    std::string said;
    for (const Diagnostic& d : linted.diagnostics) said += d.message + " " + d.hint + "\n";
    EXPECT_EQ(codes(linted), row->expected) << row->program << "\n" << said;
  }
}

template <std::size_t n>
void run(const Row (&rows)[n]) {
  run(rows, rows + n);
}

TEST(Lint, SaysNothingOfGoodPrograms) {
  const Row rows[] = {
      {R"(data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] theta_raw; }
transformed parameters { vector[J] theta = mu + tau * theta_raw; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta_raw ~ std_normal();
  y ~ normal(theta, sigma);
}
generated quantities { array[J] real y_rep = normal_rng(theta, sigma); })",
       ""},
      // A regression with its predictors in a matrix, priors as increments.
      {R"(data { int<lower=0> N; int<lower=0> K; matrix[N, K] x; array[N] int<lower=0, upper=1> y; }
parameters { real alpha; vector[K] beta; }
model {
  target += normal_lpdf(alpha | 0, 2);
  target += normal_lpdf(beta | 0, 1);
  y ~ bernoulli_logit(alpha + x * beta);
})",
       ""},
      // A mixture, marginalised.
      {R"(data { int<lower=1> K; int<lower=0> N; vector[N] y; }
parameters { simplex[K] theta; ordered[K] mu; vector<lower=0>[K] sigma; }
model {
  vector[K] log_theta = log(theta);
  sigma ~ lognormal(0, 2);
  mu ~ normal(0, 10);
  for (n in 1:N) {
    vector[K] lps = log_theta;
    for (k in 1:K) lps[k] += normal_lpdf(y[n] | mu[k], sigma[k]);
    target += log_sum_exp(lps);
  }
})",
       ""},
      // Correlated effects by Cholesky factors.
      {R"(data { int<lower=0> J; int<lower=0> K; array[J] vector[K] y; }
parameters { vector[K] mu; vector<lower=0>[K] tau; cholesky_factor_corr[K] L; }
model {
  mu ~ normal(0, 1);
  tau ~ exponential(1);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));
})",
       ""},
      // A hidden state filled step by step, with an index that looks back.
      {R"(data { int<lower=1> T; vector[T] y; }
parameters { real<lower=-1, upper=1> phi; real<lower=0> sigma; }
model {
  vector[T] mu;
  mu[1] = 0;
  for (t in 2:T) mu[t] = phi * y[t - 1];
  sigma ~ exponential(1);
  y ~ normal(mu, sigma);
})",
       ""},
      // A change of variables with its Jacobian.
      {R"(parameters { real<lower=0> sigma; }
model {
  log(sigma) ~ normal(0, 1);
  target += -log(sigma);
})",
       ""},
      {R"(parameters { real log_sigma; }
transformed parameters {
  real sigma = exp(log_sigma);
  jacobian += log_sigma;
}
model { sigma ~ gamma(2, 1); })",
       ""},
      // Sizes of zero for functions that want arrays; a parameter of no data.
      {R"(functions { vector f(vector y, vector theta, array[] real x_r, array[] int x_i) { return y - theta; } }
transformed data { array[0] real x_r; array[0] int x_i; }
parameters { vector[2] theta; }
transformed parameters { vector[2] z = f(rep_vector(0, 2), theta, x_r, x_i); }
model { theta ~ normal(0, 1); })",
       ""},
      {"parameters { real<lower=0, upper=1> theta; } model { }", ""},
      {"functions { real twice(real x) { return 2 * x; } }", ""},
      {"generated quantities { real x = normal_rng(0, 1); }", ""},
  };
  run(rows);
}

TEST(Lint, UnusedVariables) {
  const Row rows[] = {
      {"data { int N; real x; } parameters { real mu; } model { mu ~ normal(N, 1); }", "unused-variable?@1"},
      {"data {\n int N;\n}\ntransformed data {\n int M = N;\n}", "unused-variable@5"},
      {"model {\n real x;\n}", "unused-variable@2"},
      {"model {\n real x = 1;\n x += 2;\n x = x + 1;\n}", "unused-variable@2"},
      {"parameters {\n real mu;\n real a;\n}\nmodel { mu ~ normal(0, 1); }", "unused-variable@3"},
      // Read, but not by the density.
      {"parameters {\n real mu;\n real a;\n}\nmodel { mu ~ normal(0, 1); }\ngenerated quantities { real b = "
       "a; }",
       "unused-variable@3"},
      {"parameters {\n real mu;\n real<lower=0, upper=1> a;\n}\nmodel { mu ~ normal(0, 1); }\n"
       "generated quantities { real b = a; }",
       ""},
      {"functions {\n real f(real x) { return x; }\n}\nmodel { }\ngenerated quantities { real y = 1; }",
       "unused-function?@2"},
      {"functions {\n real f(real x) { return x; }\n real g(real x) { return f(x); }\n}\n"
       "generated quantities { real y = 1; }",
       "unused-function?@2 unused-function?@3"},
      {"functions { real f(real x) { return x; } real g(real x) { return f(x); } }\n"
       "generated quantities { real y = g(1); }",
       ""},
      {"transformed data { real x = 0; for (i in 1:3) { x += 1; } print(x); }", "unused-loop-variable?@1"},
  };
  run(rows);
}

TEST(Lint, UninitializedVariables) {
  const Row rows[] = {
      {"transformed data {\n real x;\n real y = x;\n print(y);\n}", "uninitialized-variable@3"},
      {"transformed data {\n real x;\n x += 1;\n print(x);\n}", "uninitialized-variable@3"},
      {"generated quantities {\n vector[3] x;\n}", "uninitialized-variable@2"},
      {"generated quantities { vector[0] x; }", ""},
      {"transformed data { int N; if (1) N = 2; else N = 3; print(N); }", ""},
      {"transformed data { vector[3] x; print(rows(x)); x[1] = 1; print(x); }", ""},
      {"transformed data { vector[3] x; for (i in 1:3) { if (i > 1) print(x[i - 1]); x[i] = i; } print(x); }",
       ""},
      {"transformed data { real last; for (i in 1:3) { if (i > 1) print(last); last = i; } }", ""},
      {"transformed data {\n real last;\n for (i in 1:3) {\n  print(last, i);\n  last = i;\n }\n}",
       "uninitialized-variable@4"},
      {"functions { real f(real x) { real y;\n return y + x; } }\ngenerated quantities { real z = f(1); }",
       "uninitialized-variable@2"},
  };
  run(rows);
}

TEST(Lint, Priors) {
  const Row rows[] = {
      {"data { int<lower=0> N; vector[N] y; }\nparameters {\n real mu;\n real<lower=0> sigma;\n}\n"
       "model { y ~ normal(mu, sigma); }",
       "no-prior@3 no-prior@4"},
      {"data { int<lower=0> N; vector[N] y; }\nparameters {\n real mu;\n real<lower=0> sigma;\n}\n"
       "model { y ~ normal(mu, sigma); mu ~ normal(0, 1); target += -log(sigma); }",
       ""},
      // A bound and a correlation need none, a covariance does.
      {"data { int<lower=0> N; array[N] vector[2] y; }\nparameters {\n vector[2] mu;\n cov_matrix[2] S;\n}\n"
       "model { mu ~ normal(0, 1); y ~ multi_normal(mu, S); }",
       "no-prior@4"},
      {"data { int<lower=0> N; array[N] vector[2] y; }\nparameters {\n vector[2] mu;\n corr_matrix[2] S;\n}\n"
       "model { mu ~ normal(0, 1); y ~ multi_normal(mu, S); }",
       ""},
      // The prior of a hierarchy is no prior of its scale.
      {"data { int<lower=0> N; vector[N] y; }\nparameters {\n vector[N] theta;\n real<lower=0> tau;\n}\n"
       "model { theta ~ normal(0, tau); y ~ normal(theta, 1); }",
       "no-prior@4"},
      // Through a computed variable, an increment of a sum, and a mixture.
      {"parameters { real a; real b; } transformed parameters { real c = a + b; } model { c ~ normal(0, 1); "
       "}",
       ""},
      {"data { real y; }\nparameters {\n real a;\n real b;\n}\n"
       "model { target += normal_lpdf(y | a, 1) + normal_lpdf(a | b, 1); }",
       "no-prior@4"},
      {"data { real y; }\nparameters {\n real a;\n real b;\n}\n"
       "model { target += log_mix(0.3, normal_lpdf(y | a, 1), normal_lpdf(y | b, 1)); a ~ std_normal(); }",
       "no-prior@4"},
      // A function that adds to the target itself may hold any prior.
      {"functions { void prior_lp(real x) { x ~ normal(0, 1); } }\nparameters { real a; }\nmodel { "
       "prior_lp(a); }",
       ""},
      {"parameters { real mu; }\nmodel {\n mu ~ normal(0, 1);\n mu ~ normal(0, 2);\n}", "multiple-priors@4"},
      {"data { int k; } parameters { real mu; }\nmodel {\n if (k == 1) mu ~ normal(0, 1);\n else mu ~ "
       "normal(0, 2);\n}",
       ""},
      {"parameters { vector[2] mu; } model { mu[1] ~ normal(0, 1); mu[2] ~ normal(0, 2); }", ""},
      {"data { int N; vector[N] x; } parameters { real mu; }\nmodel {\n mu ~ normal(0, 1);\n"
       " for (n in 1:N) x[n] ~ normal(mu + n, 1);\n}",
       ""},
      {"data { int N; }\nparameters { real mu; }\nmodel {\n for (n in 1:N) {\n  mu ~ normal(0, 1);\n "
       "print(n); }\n}",
       "multiple-priors@5"},
      // A mixture is one prior.
      {"parameters { real mu; }\nmodel { target += log_mix(0.5, normal_lpdf(mu | 0, 1), normal_lpdf(mu | 0, "
       "9)); }",
       ""},
  };
  run(rows);
}

TEST(Lint, ChoiceOfPriors) {
  const Row rows[] = {
      {"parameters { real<lower=0> v; }\nmodel { v ~ inv_gamma(0.001, 0.001); }", "vague-gamma@2"},
      {"parameters { real<lower=0> v; }\nmodel { v ~ inv_gamma(2, 0.5); }", ""},
      {"parameters { corr_matrix[3] R; }\nmodel { R ~ lkj_corr(2); }", "prefer-cholesky?@2"},
      {"parameters { cov_matrix[3] S; }\nmodel { S ~ inv_wishart(4, identity_matrix(3)); }",
       "wishart-prior?@2"},
      {"parameters { real mu; }\nmodel { mu ~ normal(0, 1e6); }", "extreme-constant?@2"},
      {"parameters { real mu; }\nmodel { mu ~ normal(1e-5, 10); }", "extreme-constant?@2"},
      {"parameters { real<lower=0, upper=1> p; }\nmodel { 1 ~ binomial(100000, p); }", ""},
  };
  run(rows);
}

TEST(Lint, Bounds) {
  const Row rows[] = {
      {"data { real y; } parameters {\n real<lower=0, upper=100> s;\n}\nmodel { y ~ normal(0, s); }",
       "hard-bounds@2"},
      {"data { real y; } parameters {\n real<lower=0, upper=100> s;\n}\nmodel { y ~ normal(0, s); s ~ "
       "normal(0, 1); }",
       "hard-bounds?@2"},
      {"data { real y; } parameters { real<lower=-pi(), upper=pi()> a; } model { y ~ von_mises(a, 1); }", ""},
      {"data { real y; real<lower=0> u; } parameters { real<lower=0, upper=u> s; } model { y ~ normal(0, s); "
       "}",
       ""},
      {"data { real y; }\nparameters { real<lower=0> s; }\nmodel { s ~ uniform(0, 10);\n y ~ normal(0, s); }",
       "uniform-bounds@3"},
      {"data { real y; }\nparameters { real m; }\nmodel { m ~ uniform(0, 1);\n y ~ normal(m, 1); }",
       "uniform-bounds@3"},
      {"data { real y; } parameters { real<lower=0, upper=1> p; } model { p ~ uniform(0, 1); y ~ normal(p, "
       "1); }",
       ""},
      {"data { real a; real y; } parameters { real<lower=a, upper=a + 1> p; }\n"
       "model { p ~ uniform(a, a + 1); y ~ normal(p, 1); }",
       ""},
      {"data {\n real<lower=1, upper=0> x;\n}\ngenerated quantities { real y = x; }", "empty-bounds@2"},
  };
  run(rows);
}

TEST(Lint, Supports) {
  const Row rows[] = {
      {"parameters { real mu; real s; }\nmodel { mu ~ normal(0, 1); s ~ normal(0, 1);\n 1 ~ normal(mu, s); }",
       "out-of-support@3"},
      {"parameters { real mu; }\nmodel { mu ~ normal(0, -1); }", "out-of-support@2"},
      {"parameters { real mu; }\nmodel { mu ~ normal(0, 0); }", "out-of-support@2"},
      {"parameters { real x; }\nmodel { x ~ lognormal(0, 1); }", "out-of-support@2"},
      {"parameters { real<lower=0> x; }\nmodel { x ~ beta(1, 1); }", "out-of-support@2"},
      {"parameters { vector[3] p; }\nmodel { p ~ normal(0, 1);\n 1 ~ categorical(p); }", "out-of-support@3"},
      {"parameters { vector[3] p; }\nmodel { p ~ normal(0, 1);\n 1 ~ categorical(softmax(p)); }", ""},
      {"parameters { array[2] simplex[3] p; }\nmodel { 1 ~ categorical(p[1]); }", ""},
      {"parameters { matrix[2, 2] S; }\nmodel { to_vector(S) ~ normal(0, 1);\n"
       " rep_vector(0, 2) ~ multi_normal(rep_vector(0, 2), S); }",
       "out-of-support@3"},
      {"parameters { vector[3] c; }\nmodel { c ~ normal(0, 1);\n 1 ~ ordered_logistic(0.5, c); }",
       "out-of-support@3"},
      // A mean that is a sum is no rate; a product of positives is.
      {"data { real x; } parameters { real a; real b; }\nmodel { a ~ std_normal(); b ~ std_normal();\n"
       " 3 ~ poisson(a + b * x); }",
       "out-of-support@3"},
      {"data { real x; } parameters { real a; real b; }\ntransformed parameters { real m = a + b * x; }\n"
       "model { a ~ std_normal(); b ~ std_normal();\n 3 ~ poisson(m); }",
       "out-of-support@4"},
      {"data { real x; } parameters { real a; real b; }\nmodel { a ~ std_normal(); b ~ std_normal();\n"
       " 3 ~ poisson(exp(a + b * x)); 3 ~ poisson(square(a) + 1); 3 ~ poisson(a^2); 3 ~ poisson(abs(b)); }",
       ""},
      {"parameters { real<lower=0> a; real<lower=0> b; }\nmodel { a ~ std_normal(); b ~ std_normal();\n"
       " 3 ~ poisson(a * b + 2 * a / b + sqrt(a)); 1 ~ normal(0, 1 / b); 1 ~ bernoulli(inv_logit(a)); }",
       ""},
      {"parameters { real<lower=0> a; }\nmodel { a ~ std_normal(); 1 ~ bernoulli(a); }", "out-of-support@2"},
      // The same parameter twice is beyond intervals.
      {"parameters { real a; }\nmodel { a ~ std_normal(); 3 ~ poisson(exp(a) - a); }", ""},
      {"parameters { ordered[2] c; }\nmodel { c ~ std_normal(); 3 ~ poisson(c[2] - c[1]); }", ""},
      // Several assignments: unknown.
      {"data { int k; } parameters { real a; }\nmodel { real m; if (k) m = 1; else m = a; a ~ std_normal(); "
       "3 ~ poisson(m); }",
       ""},
      {"parameters { real x; }\nmodel { x ~ normal(0, 1) T[0, ]; }", "out-of-support@2"},
      {"parameters { real<lower=0> x; }\nmodel { x ~ normal(0, 1) T[0, ]; }", ""},
      {"generated quantities { real x = normal_rng(0, -1); }", "out-of-support@1"},
      // Data: one hint where it is declared.
      {"data {\n real s;\n array[3] int y;\n}\nparameters { real mu; }\nmodel { mu ~ normal(0, s); y ~ "
       "poisson(exp(mu)); }",
       "unchecked-data?@2 unchecked-data?@3"},
      {"data { real<lower=0> s; array[3] int<lower=0> y; }\nparameters { real mu; }\n"
       "model { mu ~ normal(0, s); y ~ poisson(exp(mu)); }",
       ""},
  };
  run(rows);
}

TEST(Lint, Jacobians) {
  const Row rows[] = {
      {"parameters { real<lower=0> s; }\nmodel { log(s) ~ normal(0, 1); }", "jacobian-missing@2"},
      {"parameters { real<lower=0> s; }\nmodel { target += normal_lpdf(log(s) | 0, 1); }",
       "jacobian-missing@2"},
      {"parameters { real<lower=0> s; }\ntransformed parameters { real v = s^2; }\nmodel { v ~ gamma(2, 1); "
       "}",
       "jacobian-missing@3"},
      {"parameters { real a; real b; } model { a ~ std_normal(); b ~ std_normal(); a * b ~ normal(0, 1); }",
       "jacobian-missing@1"},
      {"data { matrix[3, 3] A; } parameters { vector[3] x; }\n"
       "model { A * x / 2 - 1 ~ normal(0, 1); sum(x) ~ normal(0, 0.1); x[1] - x[2] ~ std_normal(); }",
       ""},
  };
  run(rows);
}

TEST(Lint, BranchesOnParameters) {
  const Row rows[] = {
      {"data { real t; } parameters { real c; }\nmodel { c ~ std_normal();\n if (t > c) target += c; }",
       "parameter-branch@3"},
      {"data { real t; } parameters { real c; }\nmodel { c ~ std_normal();\n target += t > c ? c : 2 * c; }",
       "parameter-branch@3"},
      {"data { real t; } parameters { real c; }\nmodel { c ~ std_normal(); if (t > 0) target += c; }", ""},
      {"parameters { real c; }\nmodel { c ~ std_normal(); if (c > 100) reject(\"c\", c); }", ""},
      {"parameters { real c; }\nmodel { c ~ std_normal(); }\ngenerated quantities { int p = 0; if (c > 0) p "
       "= 1; }",
       ""},
      {"functions { real f(real x, real y) {\n if (x > 0) return y; return x; } }\nparameters { real c; }\n"
       "model { c ~ std_normal(); target += f(c, 1); }",
       "parameter-branch@2"},
      {"functions { real f(real x, real y) {\n if (x > 0) return y; return x; } }\nparameters { real c; }\n"
       "model { c ~ std_normal(); target += f(1, c); }",
       ""},
  };
  run(rows);
}

struct VectorRow {
  const char* assigns;  // the variable the loop assigns to, which is then a local one
  const char* loop;     // in the model block
  const char* text;     // the vectorised form; empty: none is suggested
};

// The declarations every row has.
constexpr const char* kData = R"(data {
  int<lower=0> N; int<lower=0> K; int<lower=0> J;
  vector[N] x; vector[N] y; array[N] real z; array[N] int<lower=0> c; array[N] int<lower=1> g;
  matrix[N, K] X; array[N] vector[K] Y; array[J, N] int<lower=0> d; row_vector[N] w;
}
parameters { real a; vector[K] b; vector[J] u; real<lower=0> s; }
transformed parameters { vector[N] m; array[N] real q; vector[N + 1] longer; )";

TEST(Lint, VectorizableLoops) {
  const VectorRow rows[] = {
      {"", "for (n in 1:N) y[n] ~ normal(a, s);", "y ~ normal(a, s);"},
      {"", "for (n in 1:N) { y[n] ~ normal(a + u[g[n]] * x[n], s); }", "y ~ normal(a + u[g] .* x, s);"},
      {"", "for (n in 1:N) c[n] ~ poisson_log(a - x[n] / 2);", "c ~ poisson_log(a - x / 2);"},
      {"", "for (n in 1:N) y[n] ~ normal(X[n] * b, s);", "y ~ normal(X * b, s);"},
      {"", "for (n in 1:N) y[n] ~ normal(dot_product(X[n], b), s);", "y ~ normal(X * b, s);"},
      {"", "for (n in 2:N) y[n] ~ normal(x[n], s);", "y[2:N] ~ normal(x[2:N], s);"},
      {"", "for (n in 1:N) longer[n] ~ normal(0, s);", "longer[1:N] ~ normal(0, s);"},
      {"", "for (n in 1:N) Y[n] ~ multi_normal(b, identity_matrix(K));",
       "Y ~ multi_normal(b, identity_matrix(K));"},
      {"", "for (n in 1:N) target += normal_lpdf(y[n] | exp(x[n]), s);",
       "target += normal_lpdf(y | exp(x), s);"},
      {"", "for (n in 1:N) d[1, n] ~ poisson_log(X[n, 2]);", "d[1] ~ poisson_log(X[:, 2]);"},
      {"m", "for (n in 1:N) m[n] = a + x[n]^2 * y[n];", "m = a + x.^2 .* y;"},
      {"m", "for (n in 1:N) { m[n] = -x[n]; y[n] ~ normal(m[n], s); }", "m = -x; y ~ normal(m, s);"},
      // Not these.
      {"", "for (n in 2:N) y[n] ~ normal(y[n - 1], s);", ""},
      {"", "for (n in 1:N) y[n] ~ normal(a, s) T[0, ];", ""},
      {"", "for (n in 1:N) y[n] ~ normal(n, s);", ""},
      {"", "for (n in 1:N) y[n] ~ normal(a + z[n], s);", ""},     // no arithmetic on arrays
      {"", "for (n in 1:N) y[n] ~ normal(b, s);", ""},            // a vector per observation
      {"", "for (n in 1:N) y[n] ~ normal(x[n] * w[n], s);", ""},  // a vector times a row vector
      {"", "for (n in 1:N) { real t = x[n]; y[n] ~ normal(t, s); }", ""},
      {"", "for (n in 1:N) if (x[n] > 0) y[n] ~ normal(a, s);", ""},
      {"q", "for (n in 1:N) q[n] = a + x[n];", ""},  // a vector into an array
      {"m", "m[1] = 0; for (n in 2:N) m[n] = m[n - 1] + x[n];", ""},
      {"m", "for (n in 1:N) { m[n] = x[n]; y[n] ~ normal(m[g[n]], s); }", ""},  // reads ahead
  };
  for (const VectorRow& row : rows) {
    const std::string assigns = row.assigns;
    const std::string locals = assigns == "m" ? "vector[N] m;" : assigns == "q" ? "array[N] real q;" : "";
    std::string data = kData;
    if (!locals.empty()) data.erase(data.find(locals), locals.size());
    const auto program = [&](const std::string& body) { return data + "}\nmodel { " + locals + body + " }"; };
    const Linted linted = lint_text(program(row.loop));
    std::string text;
    for (const Diagnostic& d : linted.diagnostics) {
      if (d.code == "vectorizable-loop") text = d.hint;
    }
    EXPECT_EQ(text, row.text) << row.loop;
    if (!text.empty()) {
      EXPECT_TRUE(lint_text(program(text)).program) << text;
    }
  }
}

TEST(Lint, RandomDrawsVectorise) {
  const Row rows[] = {
      {"data { int N; vector[N] m; }\ngenerated quantities { array[N] real y;\n"
       "for (n in 1:N) y[n] = normal_rng(m[n], 1); }",
       "vectorizable-loop?@3"},
      // The same draw would be everywhere.
      {"data { int N; vector[N] m; } generated quantities { vector[N] y;\n"
       "for (n in 1:N) y[n] = m[n] * normal_rng(0, 1); }",
       ""},
  };
  run(rows);
}

TEST(Lint, RecordsAreDistinctSentences) {
  std::set<std::string_view> codes;
  for (const LintRecord& record : lint_records()) {
    EXPECT_TRUE(codes.insert(record.code).second) << record.code;
    EXPECT_TRUE(record.doc.ends_with('.')) << record.code;
    EXPECT_NE(record.severity, Severity::error) << record.code;
  }
}

// The table of docs/lints.md is the records, in their order.
TEST(Lint, DocsListEveryLint) {
  std::ifstream file(KULLBACK_SOURCE_DIR "/docs/lints.md");
  std::stringstream page;
  page << file.rdbuf();
  std::string table;
  for (const LintRecord& record : lint_records()) {
    table += "| `" + std::string(record.code) + "` | " +
             (record.severity == Severity::hint ? "hint" : "warning") + " | " + std::string(record.doc) +
             " |\n";
  }
  EXPECT_NE(page.str().find(table), std::string::npos) << "docs/lints.md needs these rows:\n" << table;
}

TEST(Lint, LongSumsAreNotDeep) {
  std::string sum = "a";
  for (int i = 0; i < 50000; ++i) sum += " + a";
  const Linted linted =
      lint_text("parameters { real a; real<lower=0> s; }\ntransformed parameters { real t = " + sum +
                "; }\nmodel { a ~ normal(" + sum + ", s); s ~ exponential(1); target += " + sum + "; if (" +
                sum + " > 0) target += 1; }");
  EXPECT_EQ(codes(linted), "parameter-branch@3");
}

// Linear in the length of the program, and well under a millisecond for a thousand lines.
TEST(Lint, NamesEachUnsupportedFunctionOnce) {
  const Linted linted = lint_text(
      "transformed data { real z = wiener_lcdf_unnorm(1.0, 1.5, 0.1, 0.5, 0.2);\n"
      "  real a = wiener_lccdf_unnorm(1.0, 1.5, 0.1, 0.5, 0.2); real b = wiener_lccdf_unnorm(1.0, 1.5, 0.1, "
      "0.5, a); }\n"
      "parameters { real x; } model { x ~ normal(b, norm2([1, 2]')); print(z); }\n");
  EXPECT_EQ(codes(linted), "unsupported-function@1 unsupported-function@2");
}

}  // namespace
}  // namespace kullback::lang
