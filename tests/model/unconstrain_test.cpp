// Initial values: round trips through the program for every constrained type, closed forms of the free
// numbers, partial files, bounds that depend on parameters, and what is said of values that do not fit.
#include "model/unconstrain.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/outputs.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using Numbers = std::vector<double>;

Unconstrained unconstrain_text(const Loaded& loaded, const std::string& inits,
                               const Numbers& fallback = Numbers(100, 0.1)) {
  const Prepared& prepared = *loaded.model->prepared();
  return unconstrain(prepared, parse_data(inits, "init.json"), std::span(fallback).first(prepared.dim));
}

Numbers constrained(const Loaded& loaded, const Numbers& theta) {
  Outputs outputs(loaded.model->prepared());
  Numbers row(outputs.column_names().size());
  Random random(1);
  EXPECT_TRUE(outputs.write(theta.data(), random, row.data())) << outputs.message();
  return row;
}

void expect_near(const Numbers& found, const Numbers& expected, double tolerance, const std::string& name) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << name << " at " << i;
}

struct RoundTrip {
  const char* type;
  const char* value;  // JSON
  Numbers columns;    // by columns, as CmdStan writes them
};

TEST(Unconstrain, RoundTripsEveryConstrainedType) {
  const std::vector<RoundTrip> rows = {
      {"real x", "0.7", {0.7}},
      {"real x", "3", {3}},  // an int is a real
      {"real<lower=0> x", "0.7", {0.7}},
      {"real<upper=2> x", "-3.5", {-3.5}},
      {"real<lower=-1, upper=2> x", "1.9", {1.9}},
      {"real<lower=negative_infinity(), upper=2> x", "1.9", {1.9}},
      {"real<offset=5, multiplier=2> x", "8", {8}},
      {"real<multiplier=2> x", "8", {8}},
      {"real<offset=5> x", "8", {8}},
      {"vector<lower=[0, 1]'>[2] x", "[0.5, 1.5]", {0.5, 1.5}},
      {"row_vector<upper=1>[2] x", "[0.5, 0.25]", {0.5, 0.25}},
      {"matrix<lower=0>[2, 3] x", "[[1, 2, 3], [4, 5, 6]]", {1, 4, 2, 5, 3, 6}},
      {"array[2, 2] real<lower=0> x", "[[1, 2], [3, 4]]", {1, 3, 2, 4}},
      {"array[2] matrix[2, 2] x", "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", {1, 5, 3, 7, 2, 6, 4, 8}},
      {"array[2] vector<lower={[0, 10]', [1, 10]'}>[2] x", "[[1, 11], [2, 12]]", {1, 2, 11, 12}},
      {"ordered[3] x", "[-1, 0.5, 4]", {-1, 0.5, 4}},
      {"positive_ordered[3] x", "[0.1, 0.5, 4]", {0.1, 0.5, 4}},
      {"simplex[3] x", "[0.2, 0.5, 0.3]", {0.2, 0.5, 0.3}},
      {"array[2] simplex[2] x", "[[0.2, 0.8], [0.5, 0.5]]", {0.2, 0.5, 0.8, 0.5}},
      {"simplex[1] x", "[1]", {1}},
      {"unit_vector[2] x", "[0.6, -0.8]", {0.6, -0.8}},
      {"sum_to_zero_vector[3] x", "[1, -3, 2]", {1, -3, 2}},
      {"sum_to_zero_matrix[2, 2] x", "[[1, -1], [-1, 1]]", {1, -1, -1, 1}},
      {"cholesky_factor_corr[2] x", "[[1, 0], [0.6, 0.8]]", {1, 0.6, 0, 0.8}},
      {"cholesky_factor_cov[2] x", "[[2, 0], [-1, 3]]", {2, -1, 0, 3}},
      {"cholesky_factor_cov[3, 2] x", "[[2, 0], [-1, 3], [4, 5]]", {2, -1, 4, 0, 3, 5}},
      {"corr_matrix[2] x", "[[1, 0.3], [0.3, 1]]", {1, 0.3, 0.3, 1}},
      {"cov_matrix[2] x", "[[2, 0.3], [0.3, 1]]", {2, 0.3, 0.3, 1}},
      {"column_stochastic_matrix[2, 2] x", "[[0.2, 0.6], [0.8, 0.4]]", {0.2, 0.8, 0.6, 0.4}},
      {"row_stochastic_matrix[2, 2] x", "[[0.2, 0.8], [0.6, 0.4]]", {0.2, 0.6, 0.8, 0.4}},
      {"complex x", "[1.5, -2]", {1.5, -2}},
      {"complex_vector[2] x", "[[1, 2], [3, 4]]", {1, 2, 3, 4}},
      {"tuple(real<lower=0>, simplex[2]) x", R"({"1": 2, "2": [0.3, 0.7]})", {2, 0.3, 0.7}},
      {"array[2] tuple(real<lower=0>, tuple(vector[2], real)) x",
       R"([{"1": 1, "2": {"1": [2, 3], "2": 4}}, {"1": 5, "2": {"1": [6, 7], "2": 8}}])",
       {1, 2, 3, 4, 5, 6, 7, 8}},
      {"vector<lower=0>[0] x", "[]", {}},
  };
  for (const RoundTrip& row : rows) {
    const auto loaded = load("parameters { " + std::string(row.type) + "; }");
    ASSERT_NE(loaded, nullptr) << row.type;
    const Unconstrained point = unconstrain_text(*loaded, "{\"x\": " + std::string(row.value) + "}");
    ASSERT_EQ(point.theta.size(), loaded->model->dim()) << row.type;
    expect_near(constrained(*loaded, point.theta), row.columns, 1e-14, row.type);
  }
}

// Stan's definitions, by hand.
TEST(Unconstrain, FreeNumbersAreStans) {
  const auto loaded = load(
      "parameters { real<lower=1> a; real<upper=2> b; real<lower=0, upper=4> c; real<offset=5, multiplier=2> "
      "d; ordered[2] e; positive_ordered[2] f; cholesky_factor_cov[2] L; cholesky_factor_corr[2] R; }");
  const Unconstrained point = unconstrain_text(
      *loaded, R"({"a": 3, "b": -1, "c": 1, "d": 8, "e": [1, 4], "f": [2, 5], "L": [[2, 0], [-1, 3]],)"
               R"( "R": [[1, 0], [0.6, 0.8]]})");
  expect_near(point.theta,
              {std::log(2), std::log(3), std::log(0.25 / 0.75), 1.5, 1, std::log(3), std::log(2), std::log(3),
               std::log(2), -1, std::log(3), std::atanh(0.6)},
              1e-14, "free");
}

TEST(Unconstrain, AMissingParameterTakesItsFallback) {
  const auto loaded = load("parameters { real a; vector<lower=0>[2] s; tuple(real, real) t; }");
  const Unconstrained point = unconstrain_text(*loaded, R"({"s": [1, 2]})", {0.5, 7, 7, -0.5, 0.25});
  EXPECT_EQ(point.theta, (Numbers{0.5, 0, std::log(2.0), -0.5, 0.25}));
  EXPECT_EQ(unconstrain_text(*loaded, "{}", {1, 2, 3, 4, 5}).theta, (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(unconstrain_text(*loaded, "a <- 4\ns <- c(1, 1)\n", {0, 0, 0, 4, 5}).theta,
            (Numbers{4, 0, 0, 4, 5}));  // a dump of R
}

TEST(Unconstrain, BoundsDependOnDataAndOnEarlierParameters) {
  const auto loaded = load(
      "data { int N; vector[N] y; } transformed data { real top = max(y); }"
      "parameters { real m; real<lower=top + exp(m)> a; vector<lower=m, upper=a>[N] v; }",
      R"({"N": 2, "y": [1, 3]})");
  const Unconstrained given = unconstrain_text(*loaded, R"({"m": 0, "a": 6, "v": [3, 1.5]})");
  expect_near(given.theta, {0, std::log(2), 0, std::log(1.5 / 4.5)}, 1e-14, "given");
  // m is missing: the bound is that of its fallback.
  const Unconstrained partial = unconstrain_text(*loaded, R"({"a": 6})", {std::log(2.0), 9, 9, 9});
  expect_near(partial.theta, {std::log(2.0), 0, 9, 9}, 1e-14, "partial");
}

TEST(Unconstrain, NamesThatAreNoParameterAreWarnedOf) {
  const auto loaded =
      load("data { int N; } parameters { real mu; } transformed parameters { real t = mu; }", R"({"N": 1})");
  const Unconstrained point = unconstrain_text(*loaded, R"({"mu": 1, "t": 2, "N": 3, "_note": 4})");
  ASSERT_EQ(point.warnings.size(), 1U);
  EXPECT_EQ(point.warnings[0].message,
            "init.json: 't' and 'N' are not declared in the parameters block; they are not used.");
  EXPECT_EQ(point.warnings[0].severity, Severity::warning);
  EXPECT_EQ(point.theta, Numbers{1});
}

struct BadInit {
  const char* declaration;
  const char* inits;
  const char* message;
};

TEST(Unconstrain, SaysWhatDoesNotFit) {
  const std::vector<BadInit> rows = {
      {"real<lower=0> sigma;", R"({"sigma": -1})",
       "init.json: 'sigma' is -1, but must be at least 0; model.stan:2:1 declares real<lower=0>."},
      {"real<lower=0> sigma;", R"({"sigma": 0})",
       "init.json: 'sigma' is 0, but must lie inside its bounds; model.stan:2:1 declares real<lower=0>."},
      {"real mu;", R"({"mu": "NaN"})",
       "init.json: 'mu' is nan, but must be finite; model.stan:2:1 declares real."},
      {"array[2] matrix<upper=1>[2, 2] m;", R"({"m": [[[0, 0], [0, 0]], [[0, 0], [2, 0]]]})",
       "init.json: 'm[2, 2, 1]' is 2, but must be at most 1; model.stan:2:1 declares array[2] "
       "matrix<upper=1>[2, 2]."},
      {"matrix<lower=0>[2, 3] m;", R"({"m": [[1, 1, 1], [1, 1, 0]]})",
       "init.json: 'm[2, 3]' is 0, but must lie inside its bounds; model.stan:2:1 declares "
       "matrix<lower=0>[2, "
       "3]."},
      {"complex_vector[2] z;", R"({"z": [[1, 2], [3, "Inf"]]})",
       "init.json: 'z[2]' is inf, but must be finite; model.stan:2:1 declares complex_vector[2]."},
      {"vector[N] v;", R"({"v": [1]})",
       "init.json: 'v' has 1 element; model.stan:2:1 declares vector[N] with N = 2."},
      {"simplex[2] p;", R"({"p": [0.5, 0.6]})",
       "init.json: 'p' sums to 1.1, but must sum to 1; model.stan:2:1 declares simplex[2]."},
      {"array[3] simplex[2] p;", R"({"p": [[0.5, 0.5], [0, 1], [0.5, 0.5]]})",
       "init.json: 'p[2, 1]' is 0, but must be positive to have free numbers; model.stan:2:1 declares "
       "array[3] simplex[2]."},
      {"array[2] cholesky_factor_corr[2] L;", R"({"L": [[[1, 0], [0, 1]], [[1, 0], [1, 0]]]})",
       "init.json: 'L[2]' lies on the edge of its support, where no unconstrained value is finite; "
       "model.stan:2:1 declares array[2] cholesky_factor_corr[2]."},
      {"tuple(real, real<lower=0>) t;", R"({"t": {"1": 1, "2": -1}})",
       "init.json: 't.2' is -1, but must be at least 0; model.stan:2:1 declares tuple(real, real<lower=0>)."},
      {"real a; real<lower=a> b;", R"({"a": 3, "b": 2})",
       "init.json: 'b' is 2, but must be at least 3; model.stan:2:9 declares real<lower=a>."},
      // One error for each, and none for what depends on the first.
      {"real<lower=0> a; real<lower=a> b; real<lower=1> c;", R"({"a": -1, "b": 2, "c": 0})",
       "init.json: 'a' is -1, but must be at least 0; model.stan:2:1 declares real<lower=0>.\n"
       "init.json: 'c' is 0, but must be at least 1; model.stan:2:35 declares real<lower=1>."},
      {"real a; real<lower=a, upper=1> b;", R"({"a": 3})",
       "model.stan:2:9: the lower bound 3 is not below the upper bound 1."},
  };
  for (const BadInit& row : rows) {
    const auto loaded =
        load("data { int N; } parameters {\n" + std::string(row.declaration) + "\n}", R"({"N": 2})");
    ASSERT_NE(loaded, nullptr) << row.declaration;
    try {
      unconstrain_text(*loaded, row.inits);
      ADD_FAILURE() << row.inits << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_EQ(error.message(), row.message);
    }
  }
}

}  // namespace
}  // namespace kullback::model
