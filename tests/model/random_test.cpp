// `_rng` functions in Stan programs: moments of draws in standard errors, shapes, refusals. The draws
// themselves are tested in tests/math.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "model/outputs.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

struct Moment {
  const char* column;
  double mean;
};

struct RandomRow {
  const char* declaration;  // of the generated quantity x
  std::vector<Moment> moments;
};

const std::vector<RandomRow>& rows() {
  static const std::vector<RandomRow> kRows = {
      {"vector[2] x = multi_normal_rng([1, -2]', [[2, 0.5], [0.5, 1]]);", {{"x.1", 1}, {"x.2", -2}}},
      {"real x = square(multi_normal_rng([1, -2], [[2, 0.5], [0.5, 1]])[1] - 1);", {{"x", 2}}},
      {"array[2] vector[2] x = multi_normal_rng({[1, -2]', [3, 4]'}, [[2, 0.5], [0.5, 1]]);",
       {{"x.1.1", 1}, {"x.2.1", 3}, {"x.1.2", -2}, {"x.2.2", 4}}},
      {"array[2] vector[2] x = multi_normal_cholesky_rng({[1, -2], [3, 4]}, [[2, 0], [0.5, 1]]);",
       {{"x.1.1", 1}, {"x.2.1", 3}, {"x.1.2", -2}, {"x.2.2", 4}}},
      {"vector[2] x = multi_student_t_rng(7, [1, -2]', [[2, 0.5], [0.5, 1]]);", {{"x.1", 1}, {"x.2", -2}}},
      {"array[1] vector[2] x = multi_student_t_cholesky_rng(7, {[1, -2]'}, [[2, 0], [0.5, 1]]);",
       {{"x.1.1", 1}, {"x.1.2", -2}}},
      {"matrix[2, 2] x = wishart_rng(5, [[2, 0.5], [0.5, 1]]);",
       {{"x.1.1", 10}, {"x.2.1", 2.5}, {"x.2.2", 5}}},
      {"matrix[2, 2] x = tcrossprod(wishart_cholesky_rng(5, [[2, 0], [0.5, 1]]));",
       {{"x.1.1", 20}, {"x.2.1", 5}}},
      {"matrix[2, 2] x = inv_wishart_rng(8, [[2, 0.5], [0.5, 1]]);", {{"x.1.1", 0.4}, {"x.2.1", 0.1}}},
      {"matrix[2, 2] x = tcrossprod(inv_wishart_cholesky_rng(8, [[2, 0], [0.5, 1]]));",
       {{"x.1.1", 0.8}, {"x.2.1", 0.2}}},
      {"matrix[3, 3] x = lkj_corr_rng(3, 2);", {{"x.1.1", 1}, {"x.2.1", 0}, {"x.3.2", 0}}},
      {"matrix[3, 3] x = lkj_corr_cholesky_rng(3, 2);", {{"x.1.1", 1}, {"x.2.1", 0}, {"x.1.2", 0}}},
      {"vector[3] x = dirichlet_rng([1, 2, 5]');", {{"x.1", 0.125}, {"x.2", 0.25}, {"x.3", 0.625}}},
      {"int x = categorical_rng([0.2, 0.3, 0.5]');", {{"x", 2.3}}},
      {"int x = categorical_logit_rng(log([0.2, 0.3, 0.5]'));", {{"x", 2.3}}},
      {"array[3] int x = multinomial_rng([0.2, 0.3, 0.5]', 10);", {{"x.1", 2}, {"x.2", 3}, {"x.3", 5}}},
      {"array[3] int x = multinomial_logit_rng(log([0.2, 0.3, 0.5]'), 10);", {{"x.1", 2}, {"x.3", 5}}},
      {"array[3] int x = dirichlet_multinomial_rng([1, 2, 5]', 8);", {{"x.1", 1}, {"x.2", 2}, {"x.3", 5}}},
      {"int x = ordered_logistic_rng(0, [-log(3), log(3)]');", {{"x", 2}}},
      {"int x = ordered_probit_rng(0, [-1, 1]');", {{"x", 2}}},
      {"array[2] int x = bernoulli_logit_glm_rng([[1, 0], [0, 1]], [0, 0]', [log(3), -log(3)]');",
       {{"x.1", 0.75}, {"x.2", 0.25}}},
      {"array[2] int x = bernoulli_logit_glm_rng([1, 0], [0, 0]', [log(3), -log(3)]');",
       {{"x.1", 0.75}, {"x.2", 0.75}}},
      // Two states that stay with probability 0.75, observations that say nothing.
      {"array[2] int x = hmm_latent_rng(rep_matrix(0, 2, 2), [[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5]');",
       {{"x.1", 1.5}, {"x.2", 1.5}}},
      {"array[2] real x = normal_rng([1, 2]', 3);", {{"x.1", 1}, {"x.2", 2}}},
      {"real x = pareto_type_2_rng(3, 1, 4);", {{"x", 3 + 1.0 / 3}}},
      {"int x = hypergeometric_rng(5, 6, 4);", {{"x", 3}}},
      {"array[2] int x = poisson_rng({1.5, 4});", {{"x.1", 1.5}, {"x.2", 4}}},
  };
  return kRows;
}

TEST(RandomFunctions, HaveTheirMeans) {
  constexpr int kDraws = 20000;
  for (const RandomRow& row : rows()) {
    const auto loaded =
        load(std::string("parameters { real t; } generated quantities { ") + row.declaration + " }");
    ASSERT_TRUE(loaded) << row.declaration;
    Outputs outputs(loaded->model->prepared());
    const std::size_t columns = outputs.column_names().size();
    std::vector<double> sum(columns);
    std::vector<double> squares(columns);
    std::vector<double> draw(columns);
    Random random(11);
    const double theta = 0;
    for (int i = 0; i < kDraws; ++i) {
      ASSERT_TRUE(outputs.write(&theta, random, draw.data())) << row.declaration << outputs.message();
      for (std::size_t c = 0; c < columns; ++c) {
        sum[c] += draw[c];
        squares[c] += draw[c] * draw[c];
      }
    }
    for (const Moment& moment : row.moments) {
      const auto& names = outputs.column_names();
      const auto c =
          static_cast<std::size_t>(std::find(names.begin(), names.end(), moment.column) - names.begin());
      ASSERT_LT(c, columns) << row.declaration << moment.column;
      const double mean = sum[c] / kDraws;
      const double error = std::sqrt(std::max(squares[c] / kDraws - mean * mean, 0.0) / kDraws);
      EXPECT_NEAR(mean, moment.mean, 4.5 * error + 1e-12) << row.declaration << moment.column;
    }
  }
}

struct RefusedRow {
  const char* call;
  const char* message;
};

constexpr RefusedRow kRefused[] = {
    {"normal_rng(0, t)", "normal_rng: scale is -1, but must be positive"},
    {"sum(multi_normal_rng([0, 0]', [[1, 0], [0, t]]))", "multi_normal_rng: "},
    {"sum(multi_normal_rng([0, 0]', [[1, 0, 0], [0, 1, 0]]))",
     "multi_normal_rng: its matrix has dimensions [2, 3], but must be square."},
    {"uniform_rng(0, t)", "uniform_rng: "},
    {"discrete_range_rng(3, 2)", "discrete_range_rng: upper bound"},
    {"hypergeometric_rng(9, 3, 4)", "hypergeometric_rng: draws must"},
    {"poisson_rng(t)", "poisson_rng: "},
    {"sum(dirichlet_rng([1, t]'))", "dirichlet_rng: "},
    {"categorical_rng([0.5, t]')", "categorical_rng: "},
    {"lkj_corr_rng(2, t)[1, 1]", "lkj_corr"},
    {"sum(normal_rng([1, 2]', [1, 2, 3]'))",
     "normal_rng: its arguments have dimensions [2] and dimensions [3]."},
};

TEST(RandomFunctions, RefuseWhatStanRefuses) {
  for (const RefusedRow& row : kRefused) {
    const auto loaded =
        load(std::string("parameters { real t; }\ngenerated quantities {\n  real x = ") + row.call + ";\n}");
    ASSERT_TRUE(loaded) << row.call;
    Outputs outputs(loaded->model->prepared());
    std::vector<double> draw(2);
    Random random(1);
    const double theta = -1;
    EXPECT_FALSE(outputs.write(&theta, random, draw.data())) << row.call;
    EXPECT_EQ(outputs.message().rfind(std::string("model.stan:3:3: ") + row.message, 0), 0U)
        << row.call << ": " << outputs.message();
  }
}

}  // namespace
}  // namespace kullback::model
