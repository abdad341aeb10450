// Log prior and log likelihood: against the densities by hand, and their sum against the whole.
#include "model/likelihood_split.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

double normal(double x, double m, double s) {
  return -0.5 * std::log(2 * M_PI) - std::log(s) - 0.5 * std::pow((x - m) / s, 2);
}

const std::string kHead = "data { int N; vector[N] y; } parameters { real m; real<lower=0> s; } ";
const std::string kData = R"({"N": 2, "y": [1, -0.5]})";

// m ~ normal(0, 2), s ~ exponential(1), y ~ normal(m, s), in several ways.
TEST(LikelihoodSplit, KnowsDensitiesOfDataHoweverTheyAreWritten) {
  const std::vector<std::string> models = {
      "model { m ~ normal(0, 2); s ~ exponential(1); y ~ normal(m, s); }",
      "model { m ~ normal(0, 2); s ~ exponential(1); for (n in 1:N) y[n] ~ normal(m, s); }",
      "model { target += normal_lpdf(m | 0, 2) + normal_lpdf(y | m, s) + exponential_lpdf(s | 1); }",
      "model { target += exponential_lpdf(s | 1) - (-normal_lpdf(y | m, s)); m ~ normal(0, 2); }",
      "model { vector[N] l; real total = 0; for (n in 1:N) l[n] = normal_lpdf(y[n] | m, s); total += sum(l);"
      " m ~ normal(0, 2); s ~ exponential(1); target += total; }",
      "transformed parameters { real lprior = normal_lpdf(m | 0, 2) + exponential_lpdf(s | 1); }"
      "model { target += lprior; target += log_sum_exp(normal_lpdf(y | m, s) - log(2), normal_lpdf(y | m, s) "
      "- log(2)); }",
  };
  for (const std::string& model : models) {
    SCOPED_TRACE(model);
    const auto loaded = load(kHead + model, kData);
    ASSERT_NE(loaded, nullptr);
    LikelihoodSplit split(loaded->model->prepared());
    for (const double m : {0.3, -1.0}) {  // the second is repeated
      const std::vector<double> theta{m, 0.2};
      const double s = std::exp(0.2);
      double prior = 0;
      double likelihood = 0;
      ASSERT_TRUE(split.evaluate(theta.data(), prior, likelihood));
      EXPECT_NEAR(prior, normal(m, 0, 2) - s, 1e-13);
      EXPECT_NEAR(likelihood, normal(1, m, s) + normal(-0.5, m, s), 1e-13);
    }
  }
}

TEST(LikelihoodSplit, NamesItsParts) {
  const auto loaded =
      load(kHead + "model {\n  m ~ normal(0, 2);\n  target += normal_lpdf(y | m, s) - s;\n}", kData);
  const LikelihoodSplit split(loaded->model->prepared());
  ASSERT_EQ(split.parts().size(), 3U);
  EXPECT_FALSE(split.parts()[0].is_likelihood);
  EXPECT_TRUE(split.parts()[1].is_likelihood);
  EXPECT_FALSE(split.parts()[2].is_likelihood);
  EXPECT_EQ(loaded->sources.text(split.parts()[1].span), "normal_lpdf(y | m, s)");
}

TEST(LikelihoodSplit, FollowsBranchesAndRejections) {
  const auto loaded =
      load(kHead +
               "model { if (m > 0) y ~ normal(m, s); else y ~ normal(2 * m, s); m ~ normal(0, 1);"
               " if (m > 9) reject(\"large\"); s ~ lognormal(0, 1) T[ , 5]; }",
           kData);
  LikelihoodSplit split(loaded->model->prepared());
  double prior = 0;
  double likelihood = 0;
  for (const double m : {0.5, -0.5, 0.7}) {
    const std::vector<double> theta{m, 0};
    ASSERT_TRUE(split.evaluate(theta.data(), prior, likelihood));
    const double mean = m > 0 ? m : 2 * m;
    EXPECT_NEAR(likelihood, normal(1, mean, 1) + normal(-0.5, mean, 1), 1e-13);
    const double mass = 0.5 * std::erfc(-std::log(5.0) / std::sqrt(2.0));
    EXPECT_NEAR(prior, normal(m, 0, 1) + normal(0, 0, 1) - std::log(mass), 1e-12);
  }
  const std::vector<double> bad{10, 0};
  EXPECT_FALSE(split.evaluate(bad.data(), prior, likelihood));
  EXPECT_TRUE(std::isnan(prior));
  EXPECT_NE(split.message().find("large"), std::string::npos);
}

// The sum of both is the normalised density without Jacobians.
TEST(LikelihoodSplit, AddsUpToTheDensity) {
  const auto loaded = load(
      "data { int N; array[N] int k; matrix[N, 2] X; } parameters { vector[2] b; simplex[3] p; cov_matrix[2] "
      "S; }"
      "model { k ~ poisson_log_glm(X, 0.1, b); b ~ multi_normal([0, 1]', S); S ~ inv_wishart(4, "
      "identity_matrix(2)); "
      "p ~ dirichlet([1, 2, 3]'); }",
      R"({"N": 3, "k": [1, 0, 2], "X": [[1, 2], [0, 1], [-1, 0.5]]})",
      {.normalized = true, .jacobian = false});
  LikelihoodSplit split(loaded->model->prepared());
  const std::vector<double> theta = some_point(loaded->model->dim());
  double prior = 0;
  double likelihood = 0;
  ASSERT_TRUE(split.evaluate(theta.data(), prior, likelihood));
  EXPECT_NEAR(prior + likelihood, evaluate(*loaded->model, theta).log_density, 1e-11);
  EXPECT_LT(likelihood, 0);
}

}  // namespace
}  // namespace kullback::model
