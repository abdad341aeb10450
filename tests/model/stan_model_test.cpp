// Programs with data as log densities: values against formulas, gradients against finite differences, lanes
// against single draws, and branches on parameters.
#include "model/stan_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "base/error.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;

using namespace program_test;

TEST(StanModel, NormalMeanHasItsClosedForm) {
  const char* program =
      "data { int N; vector[N] y; } parameters { real mu; real<lower=0> sigma; } model { y ~ normal(mu, "
      "sigma); }";
  const auto dropped = load(program, R"({"N": 3, "y": [1, 2, 4]})");
  const auto kept = load(program, R"({"N": 3, "y": [1, 2, 4]})", {.normalized = true});
  const double mu = 0.5;
  const double log_sigma = -0.25;
  const double sigma = std::exp(log_sigma);
  double sum = log_sigma;  // the Jacobian of sigma
  for (const double y : {1.0, 2.0, 4.0}) sum += -log_sigma - 0.5 * (y - mu) * (y - mu) / (sigma * sigma);
  EXPECT_NEAR(evaluate(*dropped->model, {mu, log_sigma}).log_density, sum, 1e-12 * std::abs(sum));
  const double constants = -1.5 * std::log(2 * std::numbers::pi);
  EXPECT_NEAR(evaluate(*kept->model, {mu, log_sigma}).log_density, sum + constants, 1e-12 * std::abs(sum));
}

TEST(StanModel, ALoopIsTheVectorisedStatement) {
  const std::string head =
      "data { int N; vector[N] y; array[N] int g; } parameters { vector[2] a; real<lower=0> s; } model { ";
  const std::string data = R"({"N": 5, "y": [1, -1, 0.5, 2, 3], "g": [1, 2, 1, 2, 2]})";
  const auto loop = load(head + "for (n in 1:N) y[n] ~ normal(a[g[n]], s); }", data);
  const auto vectorised = load(head + "y ~ normal(a[g], s); }", data);
  const std::vector<double> theta = some_point(3);
  const Point a = evaluate(*loop->model, theta);
  const Point b = evaluate(*vectorised->model, theta);
  EXPECT_NEAR(a.log_density, b.log_density, 1e-13 * std::abs(b.log_density));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-12 * (1 + std::abs(b.gradient[i])));
  EXPECT_EQ(loop->model->tape()->instructions.size(), vectorised->model->tape()->instructions.size());
}

constexpr ProgramRow kPrograms[] = {
    {"transforms",
     "parameters { simplex[3] p; ordered[3] o; cov_matrix[2] S; cholesky_factor_corr[3] L; unit_vector[3] u;"
     " array[2] real<lower=-1, upper=2> b; vector<offset=1, multiplier=3>[2] z; }"
     " model { p ~ dirichlet([1.5, 2, 3]'); o ~ normal(0, 1); S ~ wishart(4, [[2, 0.3], [0.3, 1]]);"
     " L ~ lkj_corr_cholesky(2); sum(u) ~ normal(0, 1); b ~ normal(0, 1); z ~ normal(1, 3); target += "
     "dot_self(z); }"},
    {"matrix algebra",
     "data { matrix[3, 2] X; vector[3] y; } parameters { vector[2] b; matrix[2, 2] A; real<lower=0> s; }"
     " transformed parameters { matrix[2, 2] K = A * A' + diag_matrix(rep_vector(1.5, 2)); }"
     " model { y ~ normal(X * b, s); b ~ multi_normal(zeros_vector(2), K); target += log_determinant(K);"
     " target += -quad_form(K, b) - sum(cholesky_decompose(K)) + sum(A[1]) * A[2, 1] - (b' / K) * b; }",
     R"({"X": [[1, 2], [0.5, -1], [3, 1]], "y": [1, 0, 2]})"},
    {"functions and recursion",
     "functions { real poly(vector c, real x, int n) { if (n == 0) return 0; return c[n] + x * poly(c, x, n "
     "- 1); }"
     " real my_lpdf(real y, real m) { return -square(y - m); } }"
     " parameters { vector[3] c; real x; } model { target += poly(c, x, 3); x ~ my(0.5); c ~ student_t(3, 0, "
     "1); }"},
    {"recurrence",
     "data { int T; vector[T] y; } parameters { real mu; real<lower=0, upper=1> a; real<lower=0> s0; }"
     " model { real h = s0; for (t in 2:T) { h = 0.1 + a * square(y[t - 1] - mu) + 0.5 * h; y[t] ~ "
     "normal(mu, sqrt(h)); } }",
     R"({"T": 6, "y": [0.1, -0.4, 1.2, 0.3, -2, 0.7]})"},
    {"mixture",
     "data { int N; vector[N] y; } parameters { ordered[2] m; real<lower=0, upper=1> w; }"
     " model { for (n in 1:N) target += log_mix(w, normal_lpdf(y[n] | m[1], 1), normal_lpdf(y[n] | m[2], 1));"
     " vector[2] lp; lp[1] = normal_lpdf(m | 0, 1); lp[2] = -3; target += log_sum_exp(lp); }",
     R"({"N": 4, "y": [-2, -1.5, 1, 2]})"},
    {"truncation and counts",
     "data { array[3] int k; } parameters { real<lower=0> l; real<lower=1> x; }"
     " model { x ~ normal(0, 2) T[1, ]; x ~ gamma(2, 3) T[1, 9]; k ~ poisson(l); k ~ neg_binomial_2(l, x);"
     " k[1] ~ binomial_logit(10, l - 1); target += normal_lcdf(x | l, 1) + poisson_lccdf(k[2] | l); }",
     R"({"k": [2, 0, 3]})"},
    {"tuples and arrays",
     "functions { tuple(real, vector) split(vector v) { return (sum(v), 2 * v); } }"
     " parameters { array[2] vector[2] x; } model { tuple(real, vector[2]) t = split(x[1]); array[2] real z; "
     "real w;"
     " (z[1], w) = (t.1, t.2[1]); z[2] = w; z ~ normal(0, 1); for (v in x) target += -dot_self(v);"
     " x[2][1] ~ normal(x[1, 2], 1); target += target() * 0.01; }"},
};

TEST(StanModel, GradientsAreThoseOfFiniteDifferences) {
  for (const ProgramRow& row : kPrograms) {
    const auto loaded = load(row.program, row.data);
    ASSERT_NE(loaded, nullptr) << row.name;
    expect_gradient(*loaded->model, some_point(loaded->model->dim()), row.name);
  }
}

TEST(StanModel, LanesAreSingleDraws) {
  for (const ProgramRow& row : kPrograms) {
    const auto loaded = load(row.program, row.data);
    const std::size_t dim = loaded->model->dim();
    for (const std::size_t lanes : {2U, 5U, 8U}) {
      std::vector<double> theta(dim * lanes);
      for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = 0.4 * std::cos(0.7 * static_cast<double>(i));
      std::vector<double> log_density(lanes);
      std::vector<double> gradient(dim * lanes);
      std::vector<Status> status(lanes);
      loaded->model->evaluate({lanes, theta.data(), log_density.data(), gradient.data(), status.data()});
      for (std::size_t k = 0; k < lanes; ++k) {
        std::vector<double> own(dim);
        for (std::size_t i = 0; i < dim; ++i) own[i] = theta[i * lanes + k];
        const Point single = evaluate(*loaded->model, own);
        EXPECT_NEAR(log_density[k], single.log_density, 1e-11 * (1 + std::abs(single.log_density)))
            << row.name;
        for (std::size_t i = 0; i < dim; ++i) {
          EXPECT_NEAR(gradient[i * lanes + k], single.gradient[i], 1e-10 * (1 + std::abs(single.gradient[i])))
              << row.name << " lanes " << lanes << " coordinate " << i;
        }
      }
    }
  }
}

TEST(StanModel, ABranchOnAParameterIsTakenAnewAtEachPoint) {
  const auto loaded = load(
      "parameters { real x; } model { if (x > 0) target += -x; else target += 3 * x; target += -fmax(x, 2); "
      "}");
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {1.0}).log_density, -3.0);
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {-1.0}).log_density, -5.0);
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {-1.0}).gradient[0], 3.0);
  EXPECT_DOUBLE_EQ(evaluate(*loaded->model, {3.0}).log_density, -6.0);
}

TEST(StanModel, SaysWhyAPointIsRefused) {
  const auto rejecting = load("parameters { real x; } model { if (x < 0) reject(\"x is \", x); }");
  EXPECT_EQ(evaluate(*rejecting->model, {-1.5}).status, Status::rejected);
  EXPECT_EQ(rejecting->model->message(), "model.stan:1:43: x is -1.5");
  EXPECT_EQ(evaluate(*rejecting->model, {1.5}).status, Status::ok);
  const auto outside = load("parameters { real x; } model { x ~ exponential(1); }");
  EXPECT_EQ(evaluate(*outside->model, {-1.0}).status, Status::rejected);  // as Stan: outside its domain
}

TEST(StanModel, BadDataAndUnsupportedFunctionsAreErrors) {
  EXPECT_THROW(load("data { int N; } model { }"), Error);
  EXPECT_THROW(load("data { int<lower=3> N; } model { }", R"({"N": 2})"), Error);
  const auto loaded =
      load("parameters { real x; } model { target += wiener_lcdf_unnorm(1.0, exp(x), 0.1, 0.5, 0.2); }");
  EXPECT_THROW(evaluate(*loaded->model, {0.0}), Error);
}

TEST(StanModel, SizesOfWhatIsNotSetYet) {
  const auto loaded = load(
      "transformed data { array[3] int a; array[size(a)] int b; b = {1, 2, 3}; a = b; }"
      "parameters { vector[size(a)] x; } model { x ~ normal(a, 1); }");
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->model->dim(), 3);
}

TEST(StanModel, SameBitsOnEveryRun) {
  const auto first = load(kPrograms[1].program, kPrograms[1].data);
  const auto second = load(kPrograms[1].program, kPrograms[1].data);
  const std::vector<double> theta = some_point(first->model->dim());
  EXPECT_EQ(evaluate(*first->model, theta).gradient, evaluate(*second->model, theta).gradient);
}

}  // namespace
}  // namespace kullback::model
