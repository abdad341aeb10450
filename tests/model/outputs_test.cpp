// Output columns: Stan's names and order, values against formulas, random numbers, rejections.
#include "model/outputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/coordinate_names.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using Names = std::vector<std::string>;

std::map<std::string, double> write(Outputs& outputs, const std::vector<double>& theta, Random& random) {
  std::vector<double> row(outputs.column_names().size());
  outputs.write(theta.data(), random, row.data());
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < row.size(); ++i) named[outputs.column_names()[i]] = row[i];
  return named;
}

TEST(Outputs, NamesFollowStanByColumns) {
  const auto loaded = load(
      "parameters { real mu; vector[2] v; matrix[2, 2] L; array[2] vector[2] a; simplex[2] p; }"
      "transformed parameters { real tau = exp(mu); { real hidden = 1; } }"
      "generated quantities { array[2, 2] int k = {{1, 2}, {3, 4}}; tuple(real, array[2] int) t = (1.5, {7, "
      "8});"
      " array[2] tuple(int, real) q = {(1, 2.5), (3, 4.5)}; }");
  Outputs outputs(loaded->model->prepared());
  EXPECT_EQ(outputs.column_names(),
            (Names{"mu",    "v.1",   "v.2",   "L.1.1", "L.2.1", "L.1.2", "L.2.2", "a.1.1", "a.2.1",
                   "a.1.2", "a.2.2", "p.1",   "p.2",   "tau",   "k.1.1", "k.2.1", "k.1.2", "k.2.2",
                   "t:1",   "t:2.1", "t:2.2", "q.1:1", "q.1:2", "q.2:1", "q.2:2"}));
  Random random(1);
  std::vector<double> theta(12);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = 0.1 * static_cast<double>(i + 1);
  auto row = write(outputs, theta, random);
  EXPECT_DOUBLE_EQ(row["tau"], std::exp(0.1));
  EXPECT_DOUBLE_EQ(row["L.2.1"], 0.5);  // free numbers by columns
  EXPECT_DOUBLE_EQ(row["L.1.2"], 0.6);
  EXPECT_DOUBLE_EQ(row["a.1.2"], 0.9);  // items of an array one after another
  EXPECT_DOUBLE_EQ(row["a.2.1"], 1.0);
  EXPECT_NEAR(row["p.1"] + row["p.2"], 1, 1e-15);
  EXPECT_EQ(row["k.2.1"], 3);
  EXPECT_EQ(row["k.1.2"], 2);
  EXPECT_EQ(row["t:2.2"], 8);
  EXPECT_EQ(row["q.2:1"], 3);
  EXPECT_EQ(row["q.1:2"], 2.5);
}

TEST(Outputs, GeneratedQuantitiesBranchLoopAndDraw) {
  const auto loaded = load(
      "functions { real twice_rng(real m) { return 2 * normal_rng(m, 1e-9); } }"
      "data { int N; vector[N] y; } transformed data { real shift = sum(y); }"
      "parameters { real mu; real<lower=0> sigma; } model { y ~ normal(mu, sigma); }"
      "generated quantities { vector[N] log_lik; int sign = mu > 0 ? 1 : -1; real d = twice_rng(mu + shift);"
      " int steps = 0; { real x = sigma; while (x < 10) { x *= 2; steps += 1; } }"
      " for (n in 1:N) log_lik[n] = normal_lpdf(y[n] | mu, sigma); }",
      R"({"N": 2, "y": [0.5, -1]})");
  Outputs outputs(loaded->model->prepared());
  Random random(7);
  auto row = write(outputs, {-0.3, 0.2}, random);
  const double sigma = std::exp(0.2);
  const auto log_lik = [&](double y) {
    return -0.5 * std::log(2 * M_PI) - 0.2 - 0.5 * std::pow((y + 0.3) / sigma, 2);
  };
  EXPECT_NEAR(row["log_lik.1"], log_lik(0.5), 1e-14);
  EXPECT_NEAR(row["log_lik.2"], log_lik(-1), 1e-14);
  EXPECT_EQ(row["sign"], -1);
  EXPECT_EQ(row["steps"], std::ceil(std::log2(10 / sigma)));
  EXPECT_NEAR(row["d"], 2 * (-0.3 - 0.5), 1e-7);
  EXPECT_EQ((write(outputs, {0.3, 0.2}, random)["sign"]), 1);
}

TEST(Outputs, ManyDrawsNeedNoMoreMemoryAndDoNotInfluenceEachOther) {
  const auto loaded = load(
      "parameters { vector[3] v; } transformed parameters { vector[3] w = exp(v); }"
      "generated quantities { real s = sum(w); real u = uniform_rng(0, 1); }");
  Outputs outputs(loaded->model->prepared());
  Random random(3);
  double sum = 0;
  for (int i = 0; i < 2000; ++i) {
    auto row = write(outputs, {0.001 * i, 0, 1}, random);
    EXPECT_DOUBLE_EQ(row["s"], std::exp(0.001 * i) + 1 + std::exp(1.0));
    sum += row["u"];
  }
  EXPECT_NEAR(sum / 2000, 0.5, 4 * std::sqrt(1.0 / 12 / 2000));
}

// The record of one draw is repeated for others; a new object records anew at each.
TEST(Outputs, RepeatedDrawsAreThoseOfAFreshObject) {
  const auto loaded = load(
      "data { int N; vector[N] y; } parameters { vector[2] b; real<lower=0> s; simplex[3] p; cov_matrix[2] "
      "S; }"
      "transformed parameters { vector[N] mu = b[1] + b[2] * y; real<lower=-1> low = b[1]; array[2] real z;"
      " z[1] = b[1] > 0.1 ? exp(b[1]) : b[2]; z[2] = 1; z[2] += log_sum_exp(b); }"
      "generated quantities { vector[N] log_lik; for (n in 1:N) log_lik[n] = student_t_lpdf(y[n] | 3, mu[n], "
      "s);"
      " matrix[2, 2] L = cholesky_decompose(S); int best = sort_indices_desc(p)[1];"
      " real r = normal_rng(best, 1e-12); real after = r + s; }",
      R"({"N": 3, "y": [1, -0.5, 2]})");
  Outputs repeated(loaded->model->prepared());
  int rejected = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<double> theta(8);
    for (std::size_t k = 0; k < theta.size(); ++k)
      theta[k] = 1.2 * std::sin(3.0 * i + 2.0 * static_cast<double>(k));
    Outputs fresh(loaded->model->prepared());
    Random random(1, static_cast<std::uint32_t>(i));
    Random same(1, static_cast<std::uint32_t>(i));
    std::vector<double> a(fresh.column_names().size());
    std::vector<double> b(a.size());
    EXPECT_EQ(fresh.write(theta.data(), random, a.data()), repeated.write(theta.data(), same, b.data()));
    EXPECT_EQ(fresh.message(), repeated.message());
    rejected += fresh.message().empty() ? 0 : 1;
    for (std::size_t c = 0; c < a.size(); ++c) {
      if (!std::isnan(a[c]) || !std::isnan(b[c])) {
        EXPECT_EQ(a[c], b[c]) << fresh.column_names()[c] << i;
      }
    }
  }
  EXPECT_GT(rejected, 0);
  EXPECT_LT(rejected, 30);
}

TEST(Outputs, ColumnsKnowTheirBlocks) {
  const auto loaded = load(
      "parameters { real mu; simplex[3] p; } transformed parameters { matrix[2, 2] t = rep_matrix(mu, 2, 2); "
      "}"
      "generated quantities { array[2] int k = {1, 2}; tuple(real, complex) c = (1, 2); }");
  const Outputs outputs(loaded->model->prepared());
  EXPECT_EQ(outputs.parameter_columns(), 4U);
  EXPECT_EQ(outputs.generated_columns_begin(), 8U);
  EXPECT_EQ(outputs.column_names().size(), 13U);
}

// Every type: the columns of a draw give the same transformed parameters and generated quantities as the
// point they came from, whether interpreted (the first draw of an object) or repeated.
TEST(Outputs, StoredParametersGiveTheOutputsOfTheirPoint) {
  const char* declarations[] = {
      "real x;",
      "real<lower=0> x;",
      "vector<lower=-1, upper=1>[3] x;",
      "row_vector[3] x;",
      "matrix[2, 3] x;",
      "array[2, 3] real x;",
      "array[2] matrix[3, 2] x;",
      "array[3] vector[2] x;",
      "ordered[3] x;",
      "positive_ordered[3] x;",
      "simplex[4] x;",
      "array[2] simplex[3] x;",
      "unit_vector[3] x;",
      "sum_to_zero_vector[4] x;",
      "sum_to_zero_matrix[2, 3] x;",
      "cholesky_factor_corr[3] x;",
      "cholesky_factor_cov[3, 2] x;",
      "corr_matrix[3] x;",
      "cov_matrix[2] x;",
      "column_stochastic_matrix[2, 3] x;",
      "row_stochastic_matrix[2, 3] x;",
      "complex x;",
      "complex_matrix[2, 2] x;",
      "tuple(real<lower=0>, simplex[3]) x;",
      "array[2] tuple(matrix[2, 2], array[2] tuple(real, vector[2])) x;",
  };
  for (const std::string declaration : declarations) {
    const std::string type = declaration.substr(0, declaration.size() - 2);
    const auto loaded =
        load("parameters { real<lower=0> first; " + declaration + " vector[2] last; }" +
             "transformed parameters { " + type + "copy_x = x; real t = first * last[2]; }" +
             "generated quantities { " + type + "again = copy_x; int k = last[1] > 0 ? 1 : 2;" +
             " real r = normal_rng(t, 1); real after = r + first; }");
    ASSERT_NE(loaded, nullptr) << declaration;
    Outputs outputs(loaded->model->prepared());
    Outputs from_params(loaded->model->prepared());
    for (std::uint32_t draw = 0; draw < 4; ++draw) {
      std::vector<double> theta = some_point(loaded->model->dim());
      for (double& x : theta) x = x * (draw + 1) - 0.2 * draw;
      Random random(1, draw);
      Random same(1, draw);
      std::vector<double> row(outputs.column_names().size());
      std::vector<double> again(row.size());
      ASSERT_TRUE(outputs.write(theta.data(), random, row.data())) << declaration << outputs.message();
      ASSERT_TRUE(from_params.write_from_params(row.data(), same, again.data()))
          << declaration << from_params.message();
      for (std::size_t c = 0; c < row.size(); ++c)
        EXPECT_DOUBLE_EQ(row[c], again[c]) << declaration << outputs.column_names()[c] << draw;
    }
  }
}

TEST(Outputs, StoredParametersMeetNewData) {
  const char* program =
      "data { int N; vector[N] x; } parameters { real a; real<lower=0> s; }"
      "transformed parameters { vector[N] mu = a * x; }"
      "generated quantities { vector[N] low = mu - s; if (a < -5) reject(\"a is \", a); }";
  const auto loaded = load(program, R"({"N": 3, "x": [1, 2, 3]})");
  Outputs outputs(loaded->model->prepared());
  std::vector<double> row(outputs.column_names().size());
  Random random(1);
  const std::vector<double> params{2, 0.5};
  ASSERT_TRUE(outputs.write_from_params(params.data(), random, row.data()));
  EXPECT_EQ(row, (std::vector<double>{2, 0.5, 2, 4, 6, 1.5, 3.5, 5.5}));
  const std::vector<double> bad{-6, 0.5};
  EXPECT_FALSE(outputs.write_from_params(bad.data(), random, row.data()));
  EXPECT_EQ(row[2], -6);
  EXPECT_TRUE(std::isnan(row[5]));
  EXPECT_NE(outputs.message().find("a is -6"), std::string::npos);
}

TEST(Outputs, ClonesWriteTheSame) {
  const auto loaded = load("parameters { real mu; } generated quantities { real y = normal_rng(mu, 1); }");
  Outputs outputs(loaded->model->prepared());
  const std::unique_ptr<OutputWriter> clone = outputs.clone();
  Random random(4);
  Random same(4);
  const double theta = 0.5;
  std::vector<double> a(2);
  std::vector<double> b(2);
  EXPECT_TRUE(outputs.write(&theta, random, a.data()));
  EXPECT_TRUE(clone->write(&theta, same, b.data()));
  EXPECT_EQ(a, b);
}

TEST(Outputs, RandomTransformedDataAreDrawnOnceAndDependOnTheSeed) {
  const char* program =
      "transformed data { real z = normal_rng(0, 1); } parameters { real mu; } model { mu ~ normal(z, 1); }"
      "generated quantities { real copy = z; }";
  const auto one = load(program, "{}", {.seed = 1});
  const auto two = load(program, "{}", {.seed = 2});
  Outputs first(one->model->prepared());
  Outputs second(two->model->prepared());
  Random random(3);
  const double z = write(first, {0.0}, random)["copy"];
  EXPECT_EQ((write(first, {1.0}, random)["copy"]), z);
  EXPECT_NE((write(second, {0.0}, random)["copy"]), z);
  EXPECT_DOUBLE_EQ(evaluate(*one->model, {0.25}).gradient[0], z - 0.25);
}

TEST(Outputs, ARejectionLeavesNaNInItsBlockAndSaysWhere) {
  const auto loaded = load(
      "parameters { real mu; }\n"
      "transformed parameters { real up = mu + 1; }\n"
      "generated quantities {\n"
      "  real before = 3;\n"
      "  real<lower=0> g = mu;\n"
      "  if (mu < -5) reject(\"mu is \", mu);\n"
      "}\n");
  Outputs outputs(loaded->model->prepared());
  Random random(1);
  auto row = write(outputs, {-1}, random);
  EXPECT_EQ(row["mu"], -1);
  EXPECT_EQ(row["up"], 0);
  EXPECT_TRUE(std::isnan(row["before"]));
  EXPECT_TRUE(std::isnan(row["g"]));
  EXPECT_EQ(outputs.message(), "model.stan:5:3: generated quantity 'g' is -1, but must be at least 0");
  write(outputs, {-6}, random);
  EXPECT_EQ(outputs.message(), "model.stan:6:16: mu is -6");
  row = write(outputs, {2}, random);
  EXPECT_EQ(row["g"], 2);
  EXPECT_EQ(outputs.message(), "");
}

TEST(Outputs, ARejectionInsideAFunctionDoesNotDisturbTheNextDraw) {
  const auto loaded = load(
      "functions { real f(real x) { if (x < 0) reject(\"negative\"); return sqrt(x); } }"
      "parameters { real mu; } generated quantities { real r = f(mu); }");
  Outputs outputs(loaded->model->prepared());
  Random random(1);
  for (int i = 0; i < 3000; ++i) EXPECT_TRUE(std::isnan(write(outputs, {-1}, random)["r"]));
  EXPECT_EQ((write(outputs, {4}, random)["r"]), 2);
}

TEST(Outputs, BadArgumentsOfADensityRejectAsInStan) {
  const auto loaded =
      load("parameters { real s; }\ngenerated quantities { real l = normal_lpdf(1 | 0, s); }");
  Outputs outputs(loaded->model->prepared());
  Random random(1);
  EXPECT_TRUE(std::isnan(write(outputs, {-1}, random)["l"]));
  EXPECT_EQ(outputs.message(),
            "model.stan:2:24: normal_lpdf: scale is -1, but must be positive, in 'real l = normal_lpdf(1 | "
            "0, s);'.");
}

TEST(Outputs, CoordinatesHaveNames) {
  const auto loaded = load(
      "parameters { real mu; vector[2] v; simplex[3] p; matrix[2, 2] M; array[2] ordered[2] o;"
      " cholesky_factor_corr[3] L; }");
  EXPECT_EQ(coordinate_names(*loaded->model->prepared()),
            (Names{"mu", "v[1]", "v[2]", "p[1]", "p[2]", "M[1, 1]", "M[2, 1]", "M[1, 2]", "M[2, 2]",
                   "o[1, 1]", "o[1, 2]", "o[2, 1]", "o[2, 2]", "L[1]", "L[2]", "L[3]"}));
}

TEST(Outputs, CoordinatesHaveOneNameEach) {
  const auto loaded = load(
      "parameters { complex z; array[2] tuple(real, simplex[3]) t; row_stochastic_matrix[2, 3] R;"
      " column_stochastic_matrix[3, 2] C; sum_to_zero_matrix[2, 3] S; cov_matrix[2] V; complex_vector[2] w; "
      "}");
  const Prepared& prepared = *loaded->model->prepared();
  EXPECT_EQ(
      coordinate_columns(prepared),
      (Names{"z.real", "z.imag", "t.1:1", "t.1:2.1",  "t.1:2.2",  "t.2:1",    "t.2:2.1", "t.2:2.2", "R.1.1",
             "R.2.1",  "R.1.2",  "R.2.2", "C.1.1",    "C.2.1",    "C.1.2",    "C.2.2",   "S.1.1",   "S.1.2",
             "V.1",    "V.2",    "V.3",   "w.1.real", "w.1.imag", "w.2.real", "w.2.imag"}));
  EXPECT_EQ(coordinate_columns(prepared).size(), prepared.dim);
  const Names names = coordinate_names(prepared);
  ASSERT_EQ(names.size(), prepared.dim);
  EXPECT_EQ(names[1], "z (imaginary)");
  EXPECT_EQ(names[6], "t[2].2[1]");
}

TEST(Outputs, TransformedParametersNeedNoGeneratedQuantities) {
  const auto loaded = load(
      "parameters { real mu; } transformed parameters { real<upper=2> tau = exp(mu); }"
      "generated quantities { real u = uniform_rng(0, 1); reject(\"never\"); }");
  Outputs outputs(loaded->model->prepared());
  double row[2] = {0, 0};
  for (const double mu : {0.25, 0.5, 1.0, -1.0}) {  // recorded, repeated, refused, repeated
    const bool is_allowed = std::exp(mu) <= 2;
    EXPECT_EQ(outputs.write_transformed(&mu, row), is_allowed) << mu;
    EXPECT_EQ(row[0], mu);
    EXPECT_EQ(std::isnan(row[1]), !is_allowed);
    if (is_allowed) {
      EXPECT_DOUBLE_EQ(row[1], std::exp(mu));
    }
    EXPECT_EQ(outputs.message().empty(), is_allowed);
  }
}

TEST(Data, TuplesAndComplexNumbersBecomeValues) {
  const auto loaded = load(
      "data { tuple(int, vector[2]) t; array[2] tuple(real, matrix[2, 2]) q;"
      " tuple(real, tuple(int, int)) n; complex z; int m; array[t.1] real tail; }"
      "parameters { real mu; }"
      "generated quantities { real a = t.2[2] + t.1; real b = q[2].1; real c = q[1].2[2, 1]; real d = "
      "q[2].2[1, 2];"
      " int e = n.2.2; complex w = z; }",
      R"({"t": {"1": 3, "2": [1.5, 2.5]}, "q": [{"1": 1, "2": [[1, 2], [3, 4]]}, {"1": 2, "2": [[5, 6], [7, 8]]}],)"
      R"( "n": {"1": 0.5, "2": {"1": 4, "2": 5}}, "z": [1.25, -2], "m": 1, "tail": [1, 2, 3]})");
  Outputs outputs(loaded->model->prepared());
  Random random(1);
  auto row = write(outputs, {0}, random);
  EXPECT_EQ(row["a"], 5.5);
  EXPECT_EQ(row["b"], 2);
  EXPECT_EQ(row["c"], 3);
  EXPECT_EQ(row["d"], 6);
  EXPECT_EQ(row["e"], 5);
  EXPECT_EQ(row["w.real"], 1.25);
  EXPECT_EQ(row["w.imag"], -2);
}

}  // namespace
}  // namespace kullback::model
