// H v by differences of gradients, against exact Hessians. The tolerances are those that docs/engine.md
// states.
#include <cmath>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using Square = std::vector<std::vector<double>>;

// All columns of the Hessian.
std::vector<double> hessian(density::LogDensity& model, const std::vector<double>& theta) {
  const std::size_t n = theta.size();
  std::vector<double> identity(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) identity[i * n + i] = 1;
  std::vector<double> result(n * n, std::nan(""));
  EXPECT_TRUE(model.hessian_times(theta.data(), n, identity.data(), result.data()));
  return result;
}

// Relative to the largest element.
double worst_error(const std::vector<double>& found, const Square& exact) {
  double worst = 0;
  double scale = 0;
  const std::size_t n = exact.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      worst = std::max(worst, std::abs(found[i * n + j] - exact[i][j]));
      scale = std::max(scale, std::abs(exact[i][j]));
    }
  }
  return worst / scale;
}

TEST(Hessian, OfAQuadraticIsExactButForRounding) {
  const auto loaded =
      load("data { matrix[3, 3] P; } parameters { vector[3] x; } model { target += -0.5 * quad_form(P, x); }",
           R"({"P": [[2, 0.5, 0.1], [0.5, 3, -0.7], [0.1, -0.7, 1]]})");
  EXPECT_EQ(loaded->model->order(), 1);
  const Square exact{{-2, -0.5, -0.1}, {-0.5, -3, 0.7}, {-0.1, 0.7, -1}};
  EXPECT_LT(worst_error(hessian(*loaded->model, {0.3, -1, 2}), exact), 1e-11);
  // A coordinate far away must not lengthen the steps of the others.
  EXPECT_LT(worst_error(hessian(*loaded->model, {1000, -1, 2}), exact), 1e-8);
}

TEST(Hessian, OfALogisticRegression) {
  const Square x{{1, 0.3, 1.2}, {1, -0.7, 0.1}, {1, 2.0, -1.0}, {1, 0.5, 0.5}, {1, -1.5, 0.8}};
  const auto loaded = load(
      "data { matrix[5, 3] x; array[5] int y; } parameters { vector[3] b; }"
      " model { b ~ normal(0, 2.5); y ~ bernoulli_logit(x * b); }",
      R"({"x": [[1, 0.3, 1.2], [1, -0.7, 0.1], [1, 2, -1], [1, 0.5, 0.5], [1, -1.5, 0.8]], "y": [1, 0, 1, 1, 0]})");
  const std::vector<double> b{0.4, -1.1, 0.6};
  Square exact(3, std::vector<double>(3, 0.0));
  for (std::size_t i = 0; i < 3; ++i) exact[i][i] = -1 / (2.5 * 2.5);
  for (const std::vector<double>& row : x) {
    const double eta = row[0] * b[0] + row[1] * b[1] + row[2] * b[2];
    const double p = 1 / (1 + std::exp(-eta));
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) exact[i][j] -= p * (1 - p) * row[i] * row[j];
    }
  }
  EXPECT_LT(worst_error(hessian(*loaded->model, b), exact), 1e-10);
}

// theta ~ normal(mu, exp(t)), y ~ normal(theta, sigma), mu ~ normal(0, 5), exp(t) ~ cauchy(0, 5) with its
// Jacobian.
Square eight_schools_hessian(const std::vector<double>& at, const std::vector<double>& sigma) {
  const double mu = at[0];
  const double tau = std::exp(at[1]);
  const double precision = 1 / (tau * tau);
  Square exact(10, std::vector<double>(10, 0.0));
  exact[0][0] = -8 * precision - 1.0 / 25;
  // -log(1 + tau^2 / 25) with u = tau^2 / 25: second derivative in t is -4 u / (1 + u)^2.
  const double u = tau * tau / 25;
  exact[1][1] = -4 * u / ((1 + u) * (1 + u));
  for (std::size_t j = 0; j < 8; ++j) {
    const double r = at[2 + j] - mu;
    exact[2 + j][2 + j] = -precision - 1 / (sigma[j] * sigma[j]);
    exact[0][2 + j] = exact[2 + j][0] = precision;
    exact[1][2 + j] = exact[2 + j][1] = 2 * r * precision;
    exact[0][1] += -2 * r * precision;
    exact[1][1] += -2 * r * r * precision;
  }
  exact[1][0] = exact[0][1];
  return exact;
}

TEST(Hessian, OfCentredEightSchools) {
  const auto loaded = load(
      "data { vector[8] y; vector[8] sigma; } parameters { real mu; real<lower=0> tau; vector[8] theta; }"
      " model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); }",
      R"({"y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})");
  const std::vector<double> sigma{15, 10, 16, 11, 9, 11, 10, 18};
  for (const double log_tau : {1.2, -2.0}) {
    std::vector<double> at{4, log_tau};
    for (int j = 0; j < 8; ++j) at.push_back(4 + 2 * std::sin(j));
    EXPECT_LT(worst_error(hessian(*loaded->model, at), eight_schools_hessian(at, sigma)), 1e-9) << log_tau;
  }
}

TEST(Hessian, DirectionsOfAnyLengthAndNumber) {
  const auto loaded =
      load("parameters { vector[2] x; } model { target += -0.5 * square(x[1]) - x[1] * x[2]; }");
  for (const std::size_t count : {1U, 7U, 8U, 9U, 20U}) {
    const double theta[] = {0.7, -0.2};
    std::vector<double> v(2 * count);
    std::vector<double> result(2 * count, std::nan(""));
    for (std::size_t d = 0; d < count; ++d) {
      const double length = std::pow(10.0, static_cast<double>(d % 7) - 3);
      v[d] = d == 5 ? 0 : length;
      v[count + d] = d == 5 ? 0 : -2 * length;
    }
    ASSERT_TRUE(loaded->model->hessian_times(theta, count, v.data(), result.data()));
    for (std::size_t d = 0; d < count; ++d) {
      EXPECT_NEAR(result[d], -v[d] - v[count + d], 1e-10 * std::abs(v[d])) << d;
      EXPECT_NEAR(result[count + d], -v[d], 1e-10 * std::abs(v[d])) << d;
    }
  }
}

TEST(Hessian, StepsFollowADensityOfSmallScale) {
  const auto loaded = load("parameters { vector[2] x; } model { target += -cosh(1000 * x[1]) + 3 * x[2]; }");
  const double theta[] = {0.001, 0.5};
  const double v[] = {1, 0, 0, 1};
  double result[4];
  ASSERT_TRUE(loaded->model->hessian_times(theta, 2, v, result));
  EXPECT_NEAR(result[0], -1e6 * std::cosh(1.0), 1e6 * 1e-8);
  EXPECT_EQ(result[3], 0);
}

TEST(Hessian, BesideTheEdgeOfTheSupport) {
  const auto loaded = load("parameters { real x; } model { x ~ gamma(3, 1); }");
  const double one = 1;
  double result = 0;
  const double near = 2e-4;  // the whole step would leave the support
  ASSERT_TRUE(loaded->model->hessian_times(&near, 1, &one, &result));
  EXPECT_NEAR(result, -2 / (near * near), 1e-6 * 2 / (near * near));
  const double outside = -1;
  EXPECT_FALSE(loaded->model->hessian_times(&outside, 1, &one, &result));
}

}  // namespace
}  // namespace kullback::model
