// Terms add up to the log density, and a term stays where it is when a coordinate that it does not name
// moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/file.hpp"
#include "model/stan_model.hpp"
#include "model/stan_terms.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

std::vector<double> values_at(density::Terms& terms, const std::vector<double>& theta,
                              std::size_t lanes = 1) {
  std::vector<double> values(terms.count() * lanes);
  terms.evaluate(lanes, theta.data(), values.data());
  return values;
}

// `names_more`: a term may name coordinates that it does not depend on, as an element of a product of
// matrices names those of all elements.
void check_terms(StanModel& model, density::Terms& terms, std::size_t at_least, bool names_more = false) {
  EXPECT_GE(terms.count(), at_least);
  std::vector<double> theta(model.dim());
  for (std::size_t i = 0; i < theta.size(); ++i)
    theta[i] = 0.4 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  double log_density = 0;
  density::Status status{};
  model.evaluate({1, theta.data(), &log_density, nullptr, &status});
  const std::vector<double> values = values_at(terms, theta);
  double sum = 0;
  for (const double value : values) sum += value;
  EXPECT_NEAR(sum, log_density, 1e-11 * (1 + std::abs(log_density)));
  std::vector<std::size_t> named(model.dim(), 0);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    std::vector<double> moved = theta;
    moved[i] += 0.37;
    const std::vector<double> after = values_at(terms, moved);
    for (std::size_t t = 0; t < terms.count(); ++t) {
      const auto coordinates = terms.coordinates(t);
      EXPECT_TRUE(std::is_sorted(coordinates.begin(), coordinates.end()));
      const bool depends =
          std::binary_search(coordinates.begin(), coordinates.end(), static_cast<std::uint32_t>(i));
      named[i] += depends ? 1 : 0;
      if (depends && names_more) continue;
      if (depends) {
        EXPECT_NE(after[t], values[t]) << "term " << t << " names coordinate " << i << " but does not move";
      } else {
        EXPECT_EQ(after[t], values[t]) << "term " << t << " moves with coordinate " << i;
      }
    }
    EXPECT_GT(named[i], 0U) << "coordinate " << i;
  }
  std::vector<double> wide(theta.size() * 2);
  for (std::size_t i = 0; i < theta.size(); ++i) wide[2 * i] = wide[2 * i + 1] = theta[i];
  const std::vector<double> lanes = values_at(terms, wide, 2);
  for (std::size_t t = 0; t < terms.count(); ++t)
    EXPECT_NEAR(lanes[2 * t + 1], values[t], 1e-12 * (1 + std::abs(values[t])));
}

// The terms, and the factors, of which there are at least as many.
void check_terms(const std::string& program, const std::string& data, std::size_t at_least) {
  SCOPED_TRACE(program);
  const auto loaded = load(program, data);
  ASSERT_NE(loaded, nullptr);
  check_terms(*loaded->model, *loaded->model->terms(), at_least);
  check_terms(*loaded->model, *loaded->model->factors(), loaded->model->terms()->count(), true);
}

// Factors that depend on parameters, the constants apart.
std::size_t count_factors(const std::string& program, const std::string& data) {
  SCOPED_TRACE(program);
  const auto loaded = load(program, data);
  if (loaded == nullptr) return 0;
  density::Terms& factors = *loaded->model->factors();
  check_terms(*loaded->model, factors, 1, true);
  std::size_t count = 0;
  for (std::size_t t = 0; t < factors.count(); ++t) count += factors.coordinates(t).empty() ? 0 : 1;
  return count;
}

TEST(Terms, addUpAndNameTheirCoordinates) {
  const std::string data = R"({"N": 6, "J": 3, "y": [1, 2, 0.5, -1, 3, 0.2], "g": [1, 2, 3, 1, 2, 3]})";
  const std::string head = "data { int N; int J; vector[N] y; array[N] int g; } ";
  // mu, tau, sigma, three a: each group's observations are a term
  check_terms(head + R"(parameters { real mu; real<lower=0> tau; real<lower=0> sigma; vector[J] a; }
    model { mu ~ normal(0, 5); tau ~ cauchy(0, 1); a ~ normal(mu, tau); y ~ normal(a[g], sigma); })",
              data, 8);
  check_terms(head + R"(parameters { vector<lower=0>[N] z; real m; }
    model { target += -0.5 * dot_self(log(z) - m) + sum(y) - m * m; y ~ normal(z, 1); })",
              data, 8);
  check_terms(head + R"(parameters { array[2] simplex[3] p; real<lower=-1, upper=1> r; }
    model { for (k in 1:2) p[k] ~ dirichlet(rep_vector(2.0, 3)); y ~ normal(r, 1 + square(p[1, 2])); })",
              data, 4);
  check_terms(
      "parameters { real x; real<lower=0> s; } model { x ~ normal(0, s); target += 3; target += -s + 2 * x; "
      "}",
      "{}", 4);
}

TEST(Terms, examples) {
  const std::string folder = std::string(KULLBACK_SOURCE_DIR) + "/examples/";
  for (const std::string name : {"eight_schools", "hierarchical", "logistic"})
    check_terms(read_file(folder + name + ".stan"), read_file(folder + name + ".json"), 2);
}

TEST(Terms, factorsAreSingleObservations) {
  const std::string data =
      R"({"N": 5, "K": 2, "x": [[1, 2], [0.5, -1], [0.3, 0.1], [2, 1], [-1, 1]], "y": [1, 0, 1, 1, 0],
          "c": [1, 3, 2, 1, 2], "r": [0.2, 1, -1, 2, 0.4]})";
  const std::string head =
      "data { int N; int K; matrix[N, K] x; array[N] int<lower=0> y; array[N] int c; vector[N] r; } ";
  const std::string regression = head + "parameters { real a; vector[K] b; real<lower=0> s; } model { ";
  // s has a Jacobian and a prior; a and b have none
  const auto with = [&](const std::string& likelihood) {
    return count_factors(regression + likelihood + " a ~ normal(0, 1); s ~ exponential(1); }", data) - 3;
  };
  EXPECT_EQ(with("y ~ bernoulli_logit(a + x * b);"), 5U);
  EXPECT_EQ(with("y ~ bernoulli_logit_glm(x, a, b);"), 5U);
  EXPECT_EQ(with("y ~ poisson_log_glm(x, a, b);"), 5U);
  EXPECT_EQ(with("y ~ neg_binomial_2_log_glm(x, a, b, s);"), 5U);
  EXPECT_EQ(with("target += neg_binomial_2_log_glm_lpmf(y | x, a, b, s);"), 5U);
  EXPECT_EQ(with("y ~ binomial_logit_glm(4, x, a, b);"), 5U);
  EXPECT_EQ(with("r ~ normal_id_glm(x, a, b, s);"), 5U);
  EXPECT_EQ(with("r ~ normal(a + x * b, s);"), 5U);
  EXPECT_EQ(
      with("for (n in 1:N) target += log_mix(0.3, normal_lpdf(r[n] | a, s), normal_lpdf(r[n] | b[1], 1)); "
           "b[2] ~ normal(0, 1);"),
      6U);
  EXPECT_EQ(with("target += -0.5 * squared_distance(r, a + x * b);"), 5U);
  const std::string arrays =
      head +
      R"(parameters { array[3] vector[2] m; vector<lower=0, upper=1>[3] p; array[2] simplex[3] w;
      ordered[2] o; vector[N] e; real<lower=0> s; } model {
      m ~ multi_normal([0, s]', [[2, 1], [1, 2]]);  // 3
      c ~ ordered_logistic(e, o);                   // 5
      e ~ normal(0, s);                             // 5
      c ~ categorical(w[1]);                        // 5
      })";
  // Jacobians: p 3, w 2, s 1; of o one
  EXPECT_EQ(count_factors(arrays, data), 3U + 5 + 5 + 5 + 3 + 2 + 1 + 1);
}

TEST(Terms, otherBranch) {
  const auto loaded = load(
      "parameters { real x; real y; } model { if (x > 1) y ~ normal(x, 1); else y ~ normal(-x, 2); x ~ "
      "normal(0, 1); }",
      "{}");
  density::Terms& terms = *loaded->model->terms();
  for (const double x : {0.5, 1.5}) {
    const std::vector<double> theta{x, 0.3};
    double log_density = 0;
    density::Status status{};
    loaded->model->evaluate({1, theta.data(), &log_density, nullptr, &status});
    const std::vector<double> values = values_at(terms, theta);
    double sum = 0;
    for (const double value : values) sum += value;
    EXPECT_NEAR(sum, log_density, 1e-12);
  }
}

}  // namespace
}  // namespace kullback::model
