// Many draws at once against each alone: how many share a workspace, pieces of all sizes, regressions whose
// rows are read once for all draws, and draws that fail among others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;
using density::Status;

// 64 + 8 + 4 + 1: a piece of each size of a small tape, and one draw alone.
constexpr std::size_t kManyLanes = 77;

std::vector<std::vector<double>> draws_of(std::size_t dim, std::size_t lanes) {
  std::vector<std::vector<double>> draws(lanes, std::vector<double>(dim));
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = 0; i < dim; ++i)
      draws[k][i] = std::sin(1.3 * static_cast<double>(i + 1) + 0.7 * static_cast<double>(k));
  }
  return draws;
}

constexpr const char* kSmall = R"(
data { array[3] real y; }
parameters { real mu; real<lower=0> tau; array[3] real theta; }
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, 2);
  mu ~ student_t(3, tau, 2);
})";

TEST(Lanes, ASmallTapeIsEvaluatedWithManyLanesTogether) {
  const auto loaded = load(kSmall, R"({"y": [1, -2, 0.5]})");
  expect_lanes(*loaded->model, draws_of(5, kManyLanes));
  EXPECT_EQ(loaded->model->lanes_together(), 64U);
}

TEST(Lanes, TheLargerTheTapeTheFewerLanesTogether) {
  const std::string program = R"(
parameters { real<lower=0, upper=1> a; real x; }
model {
  real s = x;
  for (i in 1:500) { s = a * s + sin(i); target += -square(s); }
})";
  const auto loaded = load(program);
  expect_lanes(*loaded->model, draws_of(2, 19));
  EXPECT_EQ(loaded->model->lanes_together(), 8U);
}

// Rows beyond a block, columns beyond a multiple of four.
std::string regression(const std::string& statement) {
  return R"(
transformed data {
  int N = 203;
  matrix[N, 7] X;
  array[N] int y;
  for (i in 1:N) {
    y[i] = sin(3.0 * i) > 0.2;
    for (j in 1:7) X[i, j] = sin(1.7 * i + 0.9 * j * i);
  }
}
parameters { real a; vector[7] b; }
model { a ~ normal(0, 1); )" +
         statement + "}";
}

TEST(Lanes, RegressionsReadTheirRowsOnceForAllDraws) {
  for (const char* statement :
       {"y ~ bernoulli_logit(a + X * b);", "y ~ bernoulli_logit(X * b);", "y ~ bernoulli_logit_glm(X, a, b);",
        "y ~ poisson_log(a + X * b);", "target += poisson_log_glm_lpmf(y | X, a, b);",
        "target += poisson_log_glm_lpmf(y | X, 0.3, b);", "y[2] ~ bernoulli_logit_glm(X[1:1], a, b);",
        "target += bernoulli_logit_glm_lpmf(1 | X, a, b);", "to_vector(y) ~ normal_id_glm(X, a, b, exp(a));",
        "target += normal_id_glm_lpdf(to_vector(y) | X, 0.3, b, 0.7);",
        "to_vector(y) ~ normal_id_glm(X, 0.1 + 0 * to_vector(y), b, exp(a));"}) {
    SCOPED_TRACE(statement);
    const auto loaded = load(regression(statement));
    for (const std::size_t lanes : {4U, 8U, 13U, 77U}) expect_lanes(*loaded->model, draws_of(8, lanes));
    const auto normalized = load(regression(statement), "{}", {.normalized = true});
    expect_lanes(*normalized->model, draws_of(8, 8));
  }
}

TEST(Lanes, ADrawThatFailsLeavesTheOthersAlone) {
  const auto loaded = load(regression("y ~ bernoulli_logit(a + X * b);"));
  std::vector<std::vector<double>> draws = draws_of(8, 8);
  expect_lanes(*loaded->model, draws);
  EXPECT_GT(loaded->model->lanes_together(), 1U);
  draws[3][2] = 1e308;
  const std::size_t lanes = draws.size();
  std::vector<double> theta(lanes * 8);
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = 0; i < 8; ++i) theta[i * lanes + k] = draws[k][i];
  }
  const Evaluated together = evaluate_lanes(*loaded->model, theta, lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    const Point alone = evaluate(*loaded->model, draws[k]);
    EXPECT_EQ(together.status[k], alone.status) << k;
    EXPECT_EQ(together.status[k] == Status::ok, k != 3) << k;
    if (k == 3) continue;
    EXPECT_NEAR(together.log_density[k], alone.log_density, 1e-12 * std::abs(alone.log_density));
  }
}

// Shares of log_sum_exp: two operands, and more, one of which may be log 0.
TEST(Lanes, ForwardAlgorithmsOfTwoAndThreeStates) {
  for (const char* states : {"2", "3"}) {
    const std::string program = std::string("transformed data { int K = ") + states + R"(; }
parameters { vector[K] mu; array[K] vector[K] free; }
model {
  vector[K] alpha = rep_vector(0, K);
  alpha[2] = negative_infinity();
  for (t in 1:12) {
    vector[K] next;
    for (k in 1:K) next[k] = log_sum_exp(alpha + log_softmax(free[k])) - square(sin(t) - mu[k]);
    alpha = next;
  }
  target += log_sum_exp(alpha);
  mu ~ normal(0, 1);
})";
    const auto loaded = load(program);
    const std::size_t dim = loaded->model->dim();
    for (const std::size_t lanes : {2U, 8U, 16U, 29U}) expect_lanes(*loaded->model, draws_of(dim, lanes));
  }
}

// exp(-|a - b|) from 1 to less than a double holds, and the derivatives beside it.
TEST(Lanes, LogSumExpOfTwoNumbersFarApart) {
  const auto loaded = load(R"(
parameters { real x; real y; }
model {
  vector[2] z = [x, y]';
  for (i in 1:20) target += log_sum_exp(z * i);
})");
  for (const double distance : {0.0, 1e-9, 3.0, 36.0, 37.5, 706.0, 708.0, 750.0, 1e5}) {
    std::vector<std::vector<double>> draws(8, std::vector<double>(2));
    for (std::size_t k = 0; k < draws.size(); ++k) {
      const double near = 0.1 * static_cast<double>(k);
      draws[k] = k % 2 == 0 ? std::vector<double>{near, near + distance / 20}
                            : std::vector<double>{near + distance / 20, near};
      double value = 0;
      double share = 0;  // of y
      for (int i = 1; i <= 20; ++i) {
        const double far = i * (draws[k][1] - draws[k][0]);
        value += i * std::fmax(draws[k][0], draws[k][1]) + std::log1p(std::exp(-std::abs(far)));
        share += i / (1 + std::exp(-far));
      }
      const Point alone = evaluate(*loaded->model, draws[k]);
      EXPECT_NEAR(alone.log_density, value, 1e-14 * (1 + std::abs(value))) << distance;
      EXPECT_NEAR(alone.gradient[1], share, 1e-13 * share) << distance;
    }
    expect_lanes(*loaded->model, draws);
  }
}

// The factor of the first step is 1, that of the others a parameter.
TEST(Lanes, ARecurrenceWhoseFirstStepDiffers) {
  const auto loaded = load(R"(
parameters { real<lower=0, upper=1> a; real b; real x; }
model {
  real s = x;
  for (i in 1:40) {
    s = (i == 1 ? s : a * s) + exp(0.01 * i * b);
    target += -square(s);
  }
})");
  for (const std::vector<double>& draw : draws_of(3, 3)) expect_gradient(*loaded->model, draw, "recurrence");
  for (const std::size_t lanes : {2U, 8U, 13U}) expect_lanes(*loaded->model, draws_of(3, lanes));
}

}  // namespace
}  // namespace kullback::model
