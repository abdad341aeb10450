// Prior predictive draws: moments against those of the program's density, orders of statements, constraints,
// what is refused, and data that go round.
#include "model/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using Row = std::map<std::string, double>;

Row named(const Simulator& simulator, const std::vector<double>& numbers) {
  Row row;
  for (std::size_t i = 0; i < numbers.size(); ++i) row[simulator.column_names()[i]] = numbers[i];
  const Data data = simulator.data();
  for (const Data::Item& item : data.items()) {
    if (item.value.kind == DataKind::tuple) continue;
    for (std::size_t i = 0; i < item.value.numbers.size(); ++i)
      row["data " + item.name + index_text(i, item.value.dims)] = item.value.numbers[i];
  }
  return row;
}

constexpr int kDraws = 4000;

struct Expected {
  const char* name;
  std::function<double(Row&)> f;
  double mean;
};

// Means of functions of a draw within four standard errors, estimated from the draws.
void expect_means(const std::string& program, const std::string& data, const std::vector<Expected>& expected,
                  int draws = kDraws) {
  const auto loaded = load(program, data);
  ASSERT_NE(loaded, nullptr);
  Simulator simulator(loaded->model->prepared());
  Random random(20261115);
  std::vector<double> numbers(simulator.column_names().size());
  std::vector<double> sums(expected.size());
  std::vector<double> squares(expected.size());
  for (int i = 0; i < draws; ++i) {
    ASSERT_TRUE(simulator.draw(random, numbers.data())) << simulator.message();
    Row row = named(simulator, numbers);
    for (std::size_t e = 0; e < expected.size(); ++e) {
      const double x = expected[e].f(row);
      sums[e] += x;
      squares[e] += x * x;
    }
  }
  for (std::size_t e = 0; e < expected.size(); ++e) {
    const double mean = sums[e] / draws;
    const double sd = std::sqrt(std::max(0.0, squares[e] / draws - mean * mean));
    EXPECT_NEAR(mean, expected[e].mean, 4 * sd / std::sqrt(draws) + 1e-12) << expected[e].name;
  }
}

// The value of a column, its square, a product of two columns, an indicator.
std::function<double(Row&)> value(std::string name) {
  return [=](Row& row) { return row.at(name); };
}
std::function<double(Row&)> square(std::string name) {
  return [=](Row& row) { return row.at(name) * row.at(name); };
}
std::function<double(Row&)> product(std::string a, std::string b) {
  return [=](Row& row) { return row.at(a) * row.at(b); };
}
std::function<double(Row&)> below(std::string name, double x) {
  return [=](Row& row) { return row.at(name) < x ? 1.0 : 0.0; };
}

TEST(Simulate, EightSchools) {
  expect_means(
      "data { int J; vector[J] y; vector<lower=0>[J] sigma; }"
      "parameters { real mu; real<lower=0> tau; vector[J] eta; }"
      "transformed parameters { vector[J] theta = mu + tau * eta; }"
      "model { y ~ normal(theta, sigma); eta ~ std_normal(); mu ~ normal(1, 5); tau ~ cauchy(0, 5); }"
      "generated quantities { real residual = y[2] - theta[2]; }",
      R"({"J": 3, "y": [28, 8, -3], "sigma": [15, 10, 16]})",
      {{"mu", value("mu"), 1},
       {"mu^2", square("mu"), 26},
       {"half of tau", below("tau", 5), 0.5},
       {"three quarters of tau", below("tau", 5 * std::tan(3 * M_PI / 8)), 0.75},
       {"tau is positive", below("tau", 0), 0},
       {"eta", square("eta.2"), 1},
       {"theta is recomputed", [](Row& r) { return r["theta.3"] - r["mu"] - r["tau"] * r["eta.3"]; }, 0},
       {"y", [](Row& r) { return r["data y[1]"] - r["theta.1"]; }, 0},
       {"y^2", [](Row& r) { return std::pow(r["data y[3]"] - r["theta.3"], 2); }, 256},
       {"quantities see simulated data",
        [](Row& r) { return r["residual"] - (r["data y[2]"] - r["theta.2"]); }, 0},
       {"other data stay", value("data sigma[2]"), 10}});
}

TEST(Simulate, RegressionWrittenInAnyWay) {
  const std::string data = R"({"N": 3, "X": [[1, 0], [1, 1], [1, 2]], "y": [0, 0, 0]})";
  const std::string head =
      "data { int N; matrix[N, 2] X; vector[N] y; } parameters { vector[2] b; real<lower=0> s; }";
  const std::vector<std::string> models = {
      "model { y ~ normal(X * b, s); b ~ normal(2, 3); s ~ exponential(2); }",
      "model { vector[N] mu; mu = X * b; for (n in 1:N) y[n] ~ normal(mu[n], s); s ~ exponential(2);"
      " for (k in 1:2) b[k] ~ normal(2, 3); }",
      "model { target += normal_lpdf(y | X * b, s); target += normal_lpdf(b | 2, 3) + exponential_lpdf(s | "
      "2) - "
      "1.5; }",
      "model { y ~ normal_id_glm(X, 0, b, s); b[1] ~ normal(2, 3); tail(b, 1) ~ normal(2, 3); s ~ "
      "exponential(2); "
      "}",
      "model { target += normal_lupdf(y[1:2] | X[1:2] * b, s); y[3] ~ normal(b[1] + 2 * b[2], s);"
      " { profile(\"prior\") { b ~ normal(2, 3); } s ~ exponential(2); } }",
  };
  for (const std::string& model : models) {
    SCOPED_TRACE(model);
    expect_means(head + model, data,
                 {{"b", value("b.2"), 2},
                  {"b^2", square("b.1"), 13},
                  {"s", value("s"), 0.5},
                  {"y", value("data y[3]"), 6},
                  {"y^2", square("data y[3]"), 36 + 9 + 4 * 9 + 2 * 0.25},
                  {"y and b", product("data y[2]", "b.2"), 2 * 4 + 9}},
                 2000);
  }
}

TEST(Simulate, HierarchiesAndStatementsOutOfOrder) {
  const double tau_square = (0.027 - 0.001) / 3 / 0.2;
  expect_means(
      "data { int J; int N; array[N] int<lower=1, upper=J> group; array[N] int<lower=0> y; vector[J] w; }"
      "parameters { vector[J] a; vector[J] b; real mu; real<lower=0> tau; }"
      "model {"
      "  for (n in 1:N) { y[n] ~ poisson_log(a[group[n]]); }"
      "  for (j in 1:J) { real centre = mu; a[j] ~ normal(centre, tau); }"
      "  for (j in 1:J) { w[j] ~ normal(b[j], 0.5); b[j] ~ normal(mu, 1); }"  // inside out
      "  mu ~ normal(0, 0.5); tau ~ uniform(0.1, 0.3); }",
      R"({"J": 2, "N": 3, "group": [1, 2, 2], "y": [1, 2, 3], "w": [0, 0]})",
      {{"a", value("a.2"), 0},
       {"a^2", square("a.2"), 0.25 + tau_square},
       {"a", product("a.1", "a.2"), 0.25},
       {"y given a", [](Row& r) { return r["data y[3]"] - std::exp(r["a.2"]); }, 0},
       {"w", square("data w[2]"), 0.25 + 1 + 0.25},
       {"w and b", product("data w[2]", "b.2"), 1.25},
       {"w and mu", product("data w[1]", "mu"), 0.25}});
}

TEST(Simulate, LocalVariablesKeepTheirOrder) {
  expect_means(
      "parameters { real m; real t; real p; real q; vector[2] v; vector[2] w; vector[2] z; }"
      "model { real x = m; p ~ normal(x, 1); x = t; q ~ normal(x, 1); real count = 0;"
      "  for (k in 1:2) { count += 1; v[k] ~ normal(count, 0.1); w[k] ~ normal(z[k], 1); }"  // run twice
      "  m ~ normal(5, 1); t ~ normal(-5, 1); z ~ normal(1, 1); }",
      "{}",
      {{"p", value("p"), 5},
       {"p^2", square("p"), 27},
       {"q", value("q"), -5},
       {"q and t", product("q", "t"), 26},
       {"v", value("v.1"), 1},
       {"v", value("v.2"), 2}});
}

TEST(Simulate, DrawsSimplicesAndCategories) {
  const double a0 = 1 + 2 + 4;
  expect_means(
      "data { int N; array[N] int y; } parameters { simplex[3] p; array[2] simplex[2] q; }"
      "model { y ~ categorical(p); p ~ dirichlet([1, 2, 4]'); for (i in 1:2) q[i] ~ dirichlet([3, i]'); }",
      R"({"N": 2, "y": [1, 1]})",
      {{"p", value("p.3"), 4 / a0},
       {"p^2", square("p.3"), 4 * 5 / (a0 * (a0 + 1))},
       {"sum", [](Row& r) { return r["p.1"] + r["p.2"] + r["p.3"]; }, 1},
       {"q", value("q.2.2"), 2.0 / 5},
       {"y = 3", [](Row& r) { return r["data y[2]"] == 3 ? 1.0 : 0.0; }, 4 / a0},
       {"both", [](Row& r) { return r["data y[1]"] == 3 && r["data y[2]"] == 3 ? 1.0 : 0.0; },
        4 * 5 / (a0 * (a0 + 1))}});
}

// Marginal correlations of LKJ(eta) in K dimensions: (r + 1) / 2 ~ beta(a, a), a = eta - 1 + K / 2.
TEST(Simulate, DrawsCholeskyFactorsAndMatrices) {
  expect_means(
      "parameters { cholesky_factor_corr[3] L; vector[3] z; corr_matrix[3] free; cov_matrix[2] S; array[2] "
      "vector[2] "
      "m; }"
      "model { L ~ lkj_corr_cholesky(2); z ~ multi_normal_cholesky(zeros_vector(3), L); S ~ wishart(5, "
      "identity_matrix(2)); m ~ multi_normal([1, 2]', S); }"
      "generated quantities { real r = multiply_lower_tri_self_transpose(L)[3, 2]; }",
      "{}",
      {{"r", value("r"), 0},
       {"r^2", square("r"), 1.0 / 6},
       {"z", product("z.2", "z.3"), 0},
       {"z^2", square("z.3"), 1},
       {"z given L", [](Row& r) { return r["z.2"] * r["z.3"] * r["r"]; }, 1.0 / 6},
       {"flat correlation", square("free.1.2"), 1.0 / 4},
       {"S", value("S.1.1"), 5},
       {"m", value("m.2.2"), 2},
       {"m^2", square("m.1.1"), 1 + 5}});
}

TEST(Simulate, OrderedVectorsOfExchangeableElementsAreSorted) {
  const double first = -1.5 / std::sqrt(M_PI);  // the least of three standard normal numbers
  expect_means(
      "parameters { ordered[3] c; positive_ordered[2] d; real<lower=0> s; array[2] ordered[3] e; }"
      "model { c ~ normal(0, s); d ~ normal(0, 1); s ~ gamma(2, 2); e[1] ~ normal(0, 1); for (k in 1:3) "
      "e[2][k] ~ "
      "normal(0, 1); }",
      "{}",
      {{"s", value("s"), 1},  // not tilted by the mass 1/6
       {"c / s", [&](Row& r) { return r["c.1"] / r["s"]; }, first},
       {"middle", [](Row& r) { return r["c.2"] / r["s"]; }, 0},
       {"d: greatest of two half normals", value("d.2"), 2 / std::sqrt(M_PI)},
       {"e", value("e.1.1"), first},
       {"element by element", value("e.2.1"), first},
       {"order", [](Row& r) { return r["e.2.1"] < r["e.2.2"] && r["e.2.2"] < r["e.2.3"] ? 1.0 : 0.0; }, 1}});
}

// With x ~ normal(0, 1), y ~ normal(1, 1) given x < y: u = y - x ~ normal(1, sqrt 2) given u > 0, of which x
// is linear: E[x | u] = -(u - 1) / 2.
TEST(Simulate, OrderedVectorsOfOtherElementsAreDrawnAgain) {
  const double z = 1 / std::sqrt(2.0);
  const double hazard = std::exp(-z * z / 2) / std::sqrt(2 * M_PI) / (0.5 * std::erfc(-z / std::sqrt(2.0)));
  expect_means("parameters { ordered[2] c; } model { c ~ normal([0, 1]', 1); }", "{}",
               {{"c[1]", value("c.1"), -std::sqrt(2.0) * hazard / 2},
                {"c[2]", value("c.2"), 1 + std::sqrt(2.0) * hazard / 2}});
}

TEST(Simulate, TruncationsAndBounds) {
  const double hazard = std::exp(-0.5) / std::sqrt(2 * M_PI) / (0.5 * std::erfc(1 / std::sqrt(2.0)));
  expect_means(
      "parameters { real m; real<lower=1> x; vector<lower=1>[2] v; real t; real<lower=0, upper=m * m> u; }"
      "model { m ~ normal(0, 2); x ~ normal(0, 1); v ~ normal(0, 1); t ~ normal(m, 1) T[m + 1, ]; u ~ "
      "normal(0, 1) "
      "T[0, m * m]; }",
      "{}",
      {{"m: truncations do not tilt it", square("m"), 4},
       {"x", value("x"), hazard},
       {"v", value("v.2"), hazard},
       {"t", [](Row& r) { return r["t"] - r["m"]; }, hazard},
       {"u", [](Row& r) { return r["u"] >= 0 && r["u"] <= r["m"] * r["m"] ? 1.0 : 0.0; }, 1}});
}

// Far out in the tails draws are inverted: E[x | x > 8] of a normal number, counts above their mean, both
// sides.
TEST(Simulate, BoundsFarInTheTails) {
  const double far = std::exp(-32.0) / std::sqrt(2 * M_PI) / (0.5 * std::erfc(8 / std::sqrt(2.0)));
  double mass = 0;
  double mean = 0;
  for (int k = 12; k < 60; ++k) {
    const double p = std::exp(-1 - std::lgamma(k + 1));
    mass += p;
    mean += k * p;
  }
  expect_means(
      "data { int k; } parameters { real<lower=8> x; real<upper=-8> y; real m; real t; real<lower=30, "
      "upper=30.1> e; }"
      "model { x ~ normal(0, 1); y ~ normal(0, 1); m ~ normal(0, 1); t ~ normal(m, 1) T[m + 8, ]; k ~ "
      "poisson(1) "
      "T[12, ]; e ~ exponential(1); }",
      R"({"k": 13})",
      {{"x", value("x"), far},
       {"y", value("y"), -far},
       {"m", value("m"), 0},
       {"t", [](Row& r) { return r["t"] - r["m"]; }, far},
       {"k", value("data k"), mean / mass},
       // exponential on [0, b]: mean 1 - b / (exp(b) - 1)
       {"e", value("e"), 30 + 1 - 0.1 / std::expm1(0.1)}},
      2000);
}

// A bound that is no truncation leaves the joint density as it is: m ~ normal(0, 1), x ~ normal(m, 1) given x
// > 0, so that E[x] = sqrt(2) sqrt(2 / pi) and E[m | x] = x / 2.
TEST(Simulate, BoundsTiltTheParametersTheyDependOn) {
  expect_means("parameters { real m; real<lower=0> x; } model { m ~ normal(0, 1); x ~ normal(m, 1); }", "{}",
               {{"x", value("x"), 2 / std::sqrt(M_PI)}, {"m", value("m"), 1 / std::sqrt(M_PI)}});
  // Half of a symmetric density about its centre is half for every scale: no tilt, and 60 elements are no
  // trouble.
  expect_means(
      "parameters { real<lower=0> tau; vector<lower=0>[60] lambda; }"
      "model { lambda ~ cauchy(0, tau); tau ~ gamma(3, 1); }",
      "{}",
      {{"tau", value("tau"), 3},
       {"lambda", [](Row& r) { return r["lambda.7"] < r["tau"] ? 1.0 : 0.0; }, 0.5}},
      1000);
}

TEST(Simulate, ParametersWithoutAStatementAreFlatOnBoundedSets) {
  expect_means(
      "data { real top; } parameters { real<lower=-1, upper=top> a; vector<lower=0, upper=[1, 2]'>[2] v; "
      "simplex[3] "
      "p; unit_vector[2] w; }"
      "model { v[1] ~ beta(2, 1); }",
      R"({"top": 3})",
      {{"a", value("a"), 1},
       {"a^2", square("a"), 1 + 16.0 / 12},
       {"v[1]", value("v.1"), 2.0 / 3},
       {"v[2]", value("v.2"), 1},
       {"p", square("p.1"), 2.0 / 12},
       {"w", square("w.1"), 0.5},
       {"length", [](Row& r) { return r["w.1"] * r["w.1"] + r["w.2"] * r["w.2"]; }, 1}});
}

TEST(Simulate, TimeSeriesGoForward) {
  expect_means(
      "data { int T; vector[T] y; } parameters { real<lower=-1, upper=1> a; vector[T] h; }"
      "model { for (t in 2:T) y[t] ~ normal(a * y[t - 1], 1);"
      "  for (t in 2:T) h[t] ~ normal(0.5 * h[t - 1], 1); h[1] ~ normal(4, 1); }",
      R"({"T": 3, "y": [2, 0, 0]})",
      {{"given", value("data y[1]"), 2},
       {"y[2]", square("data y[2]"), 1 + 4.0 / 3},
       {"y[3] and a", product("data y[3]", "data y[2]"), 0},
       {"h[3]", value("h.3"), 1},
       {"h[3]^2", square("h.3"), 1 + 1 + 0.25 * (1 + 0.25)}});
}

TEST(Simulate, AProgramsOwnRandomNumbers) {
  expect_means(
      "functions { real twice_lpdf(vector x, real m) { return normal_lpdf(x | 2 * m, 1); }"
      "  vector twice_rng(real m) { return [normal_rng(2 * m, 1), normal_rng(2 * m, 1)]'; } }"
      "parameters { real m; vector[2] x; } model { x ~ twice(m); m ~ normal(3, 1); }",
      "{}", {{"x", value("x.2"), 6}, {"x^2", square("x.2"), 36 + 4 + 1}});
}

TEST(Simulate, CountsKeepTheirTotals) {
  expect_means(
      "data { array[3] int y; array[2] int n; array[2] int k; array[2] int l; } parameters { real<lower=0, "
      "upper=1> p; }"
      "model { y ~ multinomial([p / 2, p / 2, 1 - p]'); k ~ binomial(n, p); l ~ binomial_logit(n, [logit(p), "
      "0]'); }",
      R"({"y": [3, 3, 4], "n": [10, 20], "k": [1, 1], "l": [0, 0]})",

      {{"total", [](Row& r) { return r["data y[1]"] + r["data y[2]"] + r["data y[3]"]; }, 10},
       {"y", value("data y[1]"), 2.5},
       {"k", value("data k[2]"), 10},
       {"k given p", product("data k[1]", "p"), 10.0 / 3},
       {"l given p", product("data l[1]", "p"), 10.0 / 3},
       {"l", square("data l[2]"), 105}});
}

TEST(Simulate, RejectedDrawsBeginAgain) {
  expect_means(
      "parameters { real x; } transformed parameters { real<lower=0> y = x; }"
      "model { x ~ normal(0, 1); if (x > 3) reject(\"large\"); }"
      "generated quantities { real z = normal_rng(x, 1); }",
      "{}",
      {{"x is positive", below("x", 0), 0},
       {"x below 3", below("x", 3), 1},
       {"z", [](Row& r) { return r["z"] - r["x"]; }, 0}});
}

// What a data block demands of its file is no part of the density: simulated data show where a model leaves
// it.
TEST(Simulate, BoundsOfDataDoNotCondition) {
  expect_means(
      "data { vector<lower=0>[2] y; ordered[2] z; } parameters { real m; }"
      "model { m ~ normal(0, 1); y ~ normal(m, 1); z ~ normal(0, 1); }",
      R"({"y": [1, 1], "z": [0, 1]})",
      {{"m", value("m"), 0}, {"y", value("data y[1]"), 0}, {"z", value("data z[1]"), 0}});
}

TEST(Simulate, DataGoRound) {
  const char* program =
      "data { int N; array[N] int y; matrix[2, 3] M; array[2] tuple(int, vector[2]) t; complex c; real inf; "
      "array[0] "
      "real none; vector[N] x; } parameters { real mu; }"
      "model { y ~ poisson(exp(mu)); to_vector(M) ~ normal(mu, 1); x ~ normal(0, 1); mu ~ normal(0, 1); }"
      "generated quantities { real same = M[2, 1] + y[1] + x[N]; }";
  const char* data = R"({"N": 2, "y": [1, 2], "M": [[1, 2, 3], [4, 5, 6]], "c": [1, -2], "inf": "Inf",)"
                     R"( "t": [{"1": 1, "2": [2, 3]}, {"1": 4, "2": [5, 6.5]}], "none": [], "x": [0, 0]})";
  const auto loaded = load(program, data);
  Simulator simulator(loaded->model->prepared());
  EXPECT_EQ(simulator.simulated_data(), (std::vector<std::string>{"y", "M", "x"}));
  Random random(3);
  std::vector<double> row(simulator.column_names().size());
  ASSERT_TRUE(simulator.draw(random, row.data()));
  const std::string text = to_json(simulator.data());
  const Data again = parse_json_data(text, "again.json");
  const auto reloaded = load(program, parse_json_data(text, "again.json"));
  ASSERT_NE(reloaded, nullptr);
  EXPECT_NE(text.find(R"("t": [{"1": 1, "2": [2, 3]}, {"1": 4, "2": [5, 6.5]}])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("c": [1, -2])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("inf": "Inf")"), std::string::npos) << text;
  EXPECT_EQ(again.find("M")->dims, (std::vector<std::size_t>{2, 3}));
  EXPECT_DOUBLE_EQ(row.back(),
                   again.find("M")->numbers[3] + again.find("y")->numbers[0] + again.find("x")->numbers[1]);
}

struct Refused {
  const char* program;
  const char* message;  // what follows "model.stan:..: this program cannot be simulated: "
};

TEST(Simulate, SaysWhyAProgramCannotBeSimulated) {
  const Refused rows[] = {
      {"parameters { real mu; }",
       "model.stan:1:19: this program cannot be simulated: 'mu' has no distribution, and a flat density on "
       "an "
       "unbounded set is none."},
      {"parameters { real<lower=0> s; }", "'s' has no distribution"},
      {"parameters { real a; real<lower=0, upper=a> b; } model { a ~ lognormal(0, 1); }",
       "'b' has no distribution, and a flat density between bounds that depend on parameters is none."},
      {"parameters { vector[3] v; } model { v[2] ~ normal(0, 1); }",
       "2 elements of 'v' have no distribution"},
      {"parameters { real x; } model {\n target += -x * x; }",
       "model.stan:2:2: this program cannot be simulated: '-x * x' is added to the target, and is not the "
       "density of "
       "a variable."},
      {"parameters { real x; } model { x ~ normal(0, 1); x ~ normal(1, 1); }",
       "'x' has a distribution already, at model.stan:1:32."},
      {"parameters { real x; } transformed parameters { real y = exp(x); } model { y ~ normal(0, 1); }",
       "the variate 'y' is a transformed parameter."},
      {"parameters { real x; } model { exp(x) ~ normal(0, 1); }",
       "the variate 'exp(x)' is an expression, not a parameter or data."},
      {"parameters { vector[2] x; } model { x ~ multi_normal_prec([0, 0]', identity_matrix(2)); }",
       "there is no 'multi_normal_prec_rng'."},
      {"functions { real f_lpdf(real x) { return -x; } } parameters { real x; } model { x ~ f(); }",
       "there is no 'f_rng'."},
      {"parameters { simplex[2] p; } model { p ~ beta(1, 1); }",
       "draws of 'beta' do not satisfy the constraint of 'p'."},
      {"parameters { real x; real y; } model { x ~ normal(y, 1); y ~ normal(x, 1); }",
       "it needs 'y', which is not drawn before it."},
      {"parameters { vector[3] x; } model { x[1] ~ normal(0, 1); x[2:3] ~ normal(x[1:2], 1); }",
       "it needs 'x', which is not drawn before it."},
      {"parameters { vector[3] x; } model { x ~ normal(x, 1); }", "depends on 'x' itself."},
      {"data { vector[2] y; } transformed data { real m = mean(y); } parameters { real x; } model { x ~ "
       "normal(m, 1);"
       " y ~ normal(x, 1); }",
       "transformed data are made of 'y', which is to be simulated."},
      {"parameters { real x; } model { x ~ normal([0, 1]', 1); }", "for a variate of 1 draws"},
      {"functions { void f_lp(real x) { target += x; } } parameters { real<lower=0, upper=1> x; } model { "
       "f_lp(x); }",
       "'f_lp' changes the target."},
      {"parameters { real<lower=0, upper=1> x; } transformed parameters { real y = logit(x); jacobian += y; "
       "}",
       "a Jacobian states the density of a transformed variable."},
      {"parameters { tuple(real, real) x; } model { x.1 ~ normal(0, 1); }",
       "the variate 'x.1' is an expression"},
      {"parameters { tuple(real<lower=0, upper=1>, real) x; }", "'x' is a tuple or complex"},
  };
  for (const Refused& row : rows) {
    const auto loaded = load(row.program, R"({"y": [1, 2]})");
    ASSERT_NE(loaded, nullptr);
    try {
      const Simulator simulator(loaded->model->prepared());
      ADD_FAILURE() << row.program << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_NE(error.message().find(row.message), std::string::npos) << row.program << "\n"
                                                                      << error.message();
    }
  }
  const auto impossible =
      load("parameters { real m; real<lower=20> x; } model { m ~ normal(0, 1); x ~ normal(m, 1); }");
  EXPECT_THROW(Simulator(impossible->model->prepared()), Error);
}

}  // namespace
}  // namespace kullback::model
