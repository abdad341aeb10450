// What the shared engine (distribution_test.cpp) cannot know of discrete distributions: sums over their
// supports, which terms `~` keeps, edges, and random integers against their masses; and random vectors and
// matrices against their moments. Seeds are fixed; tolerances are five standard errors.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "math/discrete_random.hpp"
#include "math/distribution.hpp"
#include "math/gamma_functions.hpp"
#include "math/multivariate_random.hpp"

namespace kullback::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

const Distribution& family(const std::string& name) {
  const Distribution* found = find_distribution(name);
  if (found == nullptr) throw std::runtime_error("no distribution " + name);
  return *found;
}

double log_mass(const std::string& name, double n, const Values& parameters, Terms terms = {}) {
  Values arguments = {n};
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  return family(name).log_density.value(arguments.data(), terms, nullptr);
}

double log_cumulative(const Density& function, double n, const Values& parameters) {
  Values arguments = {n};
  arguments.insert(arguments.end(), parameters.begin(), parameters.end());
  return function.value(arguments.data(), {}, nullptr);
}

struct Case {
  const char* name;
  Values parameters;
  int low;
  int high;  // beyond which there is nothing, or next to nothing
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"bernoulli", {0.3}, 0, 1},
      {"bernoulli_logit", {-0.7}, 0, 1},
      {"binomial", {20, 0.3}, 0, 20},
      {"binomial", {1000, 0.4}, 0, 1000},
      {"binomial", {300, 0.9}, 0, 300},
      {"binomial_logit", {20, 0.3}, 0, 20},
      {"beta_binomial", {15, 2, 3.5}, 0, 15},
      {"beta_binomial", {15, 0.3, 0.2}, 0, 15},
      {"beta_neg_binomial", {3, 40, 5}, 0, 200},
      {"hypergeometric", {10, 12, 20}, 0, 10},
      {"hypergeometric", {10, 3, 9}, 1, 3},
      {"neg_binomial", {3, 0.5}, 0, 400},
      {"neg_binomial_2", {4, 1.5}, 0, 400},
      {"neg_binomial_2", {40, 1e6}, 0, 400},
      {"neg_binomial_2_log", {1.4, 0.75}, 0, 600},
      {"poisson", {0.7}, 0, 60},
      {"poisson", {35.5}, 0, 200},
      {"poisson", {500}, 0, 1500},
      {"poisson_log", {2.5}, 0, 150},
      {"discrete_range", {-3, 4}, -3, 4},
      {"yule_simon", {12}, 1, 2000},
  };
  return all;
}

TEST(Discrete, MassesSumToOne) {
  for (const Case& c : cases()) {
    double sum = 0;
    for (int n = c.low; n <= c.high; ++n) sum += std::exp(log_mass(c.name, n, c.parameters));
    EXPECT_NEAR(sum, 1, 2e-12) << c.name;
  }
}

TEST(Discrete, CumulativeFunctionsAreSumsOfMasses) {
  for (const Case& c : cases()) {
    const Distribution& distribution = family(c.name);
    if (distribution.log_cdf.value == nullptr) continue;
    double below = 0;
    for (int n = c.low; n <= std::min(c.high, c.low + 80); ++n) {
      below += std::exp(log_mass(c.name, n, c.parameters));
      const double log_cdf = log_cumulative(distribution.log_cdf, n, c.parameters);
      const double log_ccdf = log_cumulative(distribution.log_ccdf, n, c.parameters);
      EXPECT_NEAR(std::exp(log_cdf), below, 1e-12) << c.name << " " << n;
      EXPECT_NEAR(std::exp(log_cdf) + std::exp(log_ccdf), 1, 1e-12) << c.name << " " << n;
    }
    EXPECT_EQ(log_cumulative(distribution.log_cdf, c.low - 1, c.parameters), -kInf) << c.name;
    EXPECT_EQ(log_cumulative(distribution.log_ccdf, c.low - 1, c.parameters), 0) << c.name;
  }
}

// The terms of Stan's include_summand, written out.
TEST(Discrete, TildeKeepsStansTerms) {
  const auto kept = [](const char* name, double n, const Values& parameters, unsigned varying) {
    return log_mass(name, n, parameters, {false, varying});
  };
  EXPECT_NEAR(kept("poisson", 3, {2.5}, 2), 3 * std::log(2.5) - 2.5, 1e-14);
  EXPECT_NEAR(kept("poisson_log", 3, {0.5}, 2), 1.5 - std::exp(0.5), 1e-14);
  EXPECT_NEAR(kept("binomial", 3, {10, 0.25}, 4), 3 * std::log(0.25) + 7 * std::log(0.75), 1e-14);
  EXPECT_NEAR(kept("binomial_logit", 3, {10, 0.0}, 4), -10 * std::log(2.0), 1e-14);
  EXPECT_NEAR(kept("beta_binomial", 3, {10, 2, 3}, 4), log_beta(5, 10) - log_beta(2, 3), 1e-14);
  const double coefficient = log_choose(3 + 1.5 - 1, 3);
  const double rest = -1.5 * std::log1p(2.5 / 1.5) - 3 * std::log(4.0);
  EXPECT_NEAR(kept("neg_binomial_2", 3, {2.5, 1.5}, 6), coefficient + 3 * std::log(2.5) + rest, 1e-14);
  EXPECT_NEAR(kept("neg_binomial_2", 3, {2.5, 1.5}, 2), 3 * std::log(2.5) + rest, 1e-14);
  EXPECT_NEAR(kept("neg_binomial_2", 3, {2.5, 1.5}, 4), coefficient + rest, 1e-14);
  const double eta = std::log(2.5);
  EXPECT_NEAR(kept("neg_binomial_2_log", 3, {eta, 1.5}, 2), 3 * eta + rest, 1e-14);
  EXPECT_NEAR(kept("neg_binomial_2_log", 3, {eta, 1.5}, 4), coefficient + rest, 1e-14);
  const double gamma_rest = -1.5 * std::log1p(1 / 0.5) - 3 * std::log1p(0.5);
  EXPECT_NEAR(kept("neg_binomial", 3, {1.5, 0.5}, 4), gamma_rest, 1e-14);
  EXPECT_NEAR(kept("neg_binomial", 3, {1.5, 0.5}, 2), coefficient + gamma_rest, 1e-14);
  EXPECT_EQ(kept("hypergeometric", 1, {3, 4, 5}, 0), 0);
  EXPECT_EQ(kept("discrete_range", 1, {0, 5}, 0), 0);
  for (const Case& c : cases()) EXPECT_EQ(kept(c.name, c.low, c.parameters, 0), 0) << c.name;
}

TEST(Discrete, Edges) {
  EXPECT_EQ(log_mass("poisson", 0, {0}), 0);
  EXPECT_EQ(log_mass("poisson", 1, {0}), -kInf);
  EXPECT_EQ(log_mass("poisson", 3, {kInf}), -kInf);
  EXPECT_EQ(log_mass("poisson_log", 0, {-kInf}), 0);
  EXPECT_EQ(log_mass("poisson_log", 1, {-kInf}), -kInf);
  EXPECT_EQ(log_mass("poisson_log", 1, {kInf}), -kInf);
  EXPECT_EQ(log_mass("binomial", 0, {5, 0}), 0);
  EXPECT_EQ(log_mass("binomial", 5, {5, 1}), 0);
  EXPECT_EQ(log_mass("binomial", 4, {5, 1}), -kInf);
  EXPECT_EQ(log_mass("binomial", 6, {5, 0.5}), -kInf);
  EXPECT_EQ(log_mass("binomial", 0, {0, 0.5}), 0);
  EXPECT_EQ(log_mass("bernoulli", 1, {1}), 0);
  EXPECT_EQ(log_mass("bernoulli", 0, {1}), -kInf);
  EXPECT_EQ(log_mass("bernoulli", 2, {0.5}), -kInf);
  EXPECT_EQ(log_mass("bernoulli_logit", 1, {kInf}), 0);
  EXPECT_EQ(log_mass("bernoulli_logit", 0, {kInf}), -kInf);
  EXPECT_EQ(log_mass("bernoulli_logit", 3, {0.5}), -kInf);
  EXPECT_EQ(log_mass("beta_binomial", 6, {5, 1, 1}), -kInf);
  EXPECT_EQ(log_mass("discrete_range", 6, {1, 5}), -kInf);
  EXPECT_TRUE(std::isnan(log_mass("poisson", -1, {2})));
  EXPECT_TRUE(std::isnan(log_mass("poisson", 1.5, {2})));
  EXPECT_TRUE(std::isnan(log_mass("neg_binomial_2", 1, {2, 0})));
  EXPECT_TRUE(std::isnan(log_mass("discrete_range", 1, {2, 1})));
  const double logit_args[] = {2, 0.5};
  EXPECT_EQ(describe_bad_argument(family("bernoulli_logit"), "lpmf", logit_args),
            "bernoulli_logit_lpmf: variate must be 0 or 1");
  const double binomial_args[] = {6, 5, 0.5};
  EXPECT_EQ(describe_bad_argument(family("binomial"), "lpmf", binomial_args),
            "binomial_lpmf: variate must not be greater than trials");
}

TEST(GammaFunctions, KeepTheirAccuracy) {
  EXPECT_NEAR(log_choose(1e6, 1), std::log(1e6), 1e-14);
  EXPECT_NEAR(log_beta(1e8, 2.5) / -45.7670190081579944, 1, 1e-12);
  EXPECT_DOUBLE_EQ(log_rising(1e8, 3), std::log(1e8) + std::log(1e8 + 1) + std::log(1e8 + 2));
  EXPECT_NEAR(digamma_positive(1), -0.57721566490153286061, 1e-15);
  EXPECT_NEAR(digamma_difference(1e10, 50) / 4.99999998775000004e-9, 1, 1e-13);
  EXPECT_NEAR(log_multivariate_gamma(3, 4.5),
              1.5 * std::log(3.14159265358979323846) + std::lgamma(4.5) + std::lgamma(4.0) + std::lgamma(3.5),
              1e-14);
}

// ---- random integers ----
TEST(DiscreteRandom, FrequenciesAreMasses) {
  constexpr int kDraws = 40'000;
  for (const Case& c : cases()) {
    const Distribution& distribution = family(c.name);
    if (distribution.random == nullptr) continue;
    Random random(20240501);
    std::vector<int> counts(static_cast<std::size_t>(c.high - c.low + 2), 0);
    for (int i = 0; i < kDraws; ++i) {
      const double n = distribution.random(random, c.parameters.data());
      ASSERT_GE(n, c.low) << c.name;
      ++counts[std::min(static_cast<std::size_t>(n - c.low), counts.size() - 1)];
    }
    double below = 0;
    int drawn_below = 0;
    for (int n = c.low; n <= c.high; ++n) {
      const double mass = std::exp(log_mass(c.name, n, c.parameters));
      below += mass;
      drawn_below += counts[static_cast<std::size_t>(n - c.low)];
      const double drawn = static_cast<double>(counts[static_cast<std::size_t>(n - c.low)]) / kDraws;
      EXPECT_NEAR(drawn, mass, 5 * std::sqrt(mass * (1 - mass) / kDraws) + 1e-4) << c.name << " " << n;
      const double cumulated = static_cast<double>(drawn_below) / kDraws;
      EXPECT_NEAR(cumulated, below, 5 * std::sqrt(std::abs(below * (1 - below)) / kDraws) + 1e-4)
          << c.name << " " << n;
    }
  }
}

// ---- random vectors and matrices ----
// Means of functions of draws against what they should be.
class Means {
 public:
  explicit Means(std::size_t size) : sum_(size, 0.0), squares_(size, 0.0) {}
  void add(const Values& x) {
    ASSERT_EQ(x.size(), sum_.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(std::isfinite(x[i]));
      sum_[i] += x[i];
      squares_[i] += x[i] * x[i];
    }
    ++count_;
  }
  void expect(const Values& expected, const char* what) const {
    const double n = count_;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double mean = sum_[i] / n;
      const double error = std::sqrt(std::max(squares_[i] / n - mean * mean, 0.0) / n);
      EXPECT_NEAR(mean, expected[i], 5 * error + 1e-12) << what << " " << i;
    }
  }

 private:
  Values sum_, squares_;
  int count_ = 0;
};

constexpr int kDraws = 20'000;
const Values kS = {2, 0.5, -0.25, 0.5, 1.25, 0.125, -0.25, 0.125, 0.75};
const Values kL = {1.5, 0.25, -0.5, 0, 0.75, 0.125, 0, 0, 1.25};
const Values kMu = {0.25, -0.5, 1};

Values times_transpose(const Values& a, std::size_t n) {
  Values result(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) result[i + j * n] += a[i + k * n] * a[j + k * n];
    }
  }
  return result;
}

template <class Draw>
void expect_mean_and_covariance(Draw draw, const Values& mean, const Values& covariance, const char* what) {
  Means means(mean.size());
  Means products(covariance.size());
  for (int i = 0; i < kDraws; ++i) {
    Values x = draw();
    means.add(x);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] -= mean[k];
    Values product;
    for (double a : x) {
      for (double b : x) product.push_back(a * b);
    }
    products.add(product);
  }
  means.expect(mean, what);
  products.expect(covariance, what);
}

Values scaled(Values x, double factor) {
  for (double& value : x) value *= factor;
  return x;
}

TEST(MultivariateRandom, NormalAndStudent) {
  Random random(1);
  expect_mean_and_covariance([&] { return draw_multi_normal(random, kMu, kS); }, kMu, kS, "multi_normal");
  expect_mean_and_covariance([&] { return draw_multi_normal_cholesky(random, kMu, kL); }, kMu,
                             times_transpose(kL, 3), "multi_normal_cholesky");
  const Values precision = {2, 0.5, 0.5, 1};
  const double determinant = 1.75;
  expect_mean_and_covariance(
      [&] {
        return draw_multi_normal_prec(random, Values{1, 2}, precision);
      },
      {1, 2}, {1 / determinant, -0.5 / determinant, -0.5 / determinant, 2 / determinant},
      "multi_normal_prec");
  expect_mean_and_covariance([&] { return draw_multi_student_t(random, 9, kMu, kS); }, kMu,
                             scaled(kS, 9.0 / 7), "multi_student_t");
  expect_mean_and_covariance([&] { return draw_multi_student_t_cholesky(random, 9, kMu, kL); }, kMu,
                             scaled(times_transpose(kL, 3), 9.0 / 7), "multi_student_t_cholesky");
}

TEST(MultivariateRandom, WishartAndLkj) {
  Random random(2);
  Means wishart(9), wishart_cholesky(9), inverse(9), inverse_cholesky(9), squares(9), factor_squares(9);
  const Values scale = times_transpose(kL, 3);
  for (int i = 0; i < kDraws; ++i) {
    wishart.add(draw_wishart(random, 5.5, kS));
    wishart_cholesky.add(times_transpose(draw_wishart_cholesky(random, 5.5, kL), 3));
    inverse.add(draw_inv_wishart(random, 9.5, kS));
    inverse_cholesky.add(times_transpose(draw_inv_wishart_cholesky(random, 9.5, kL), 3));
    Values r = draw_lkj_corr(random, 3, 1.5);
    for (double& value : r) value *= value;
    squares.add(r);
    const Values factor = draw_lkj_corr_cholesky(random, 3, 1.5);
    EXPECT_EQ(factor[3], 0);
    r = times_transpose(factor, 3);
    for (double& value : r) value *= value;
    factor_squares.add(r);
  }
  wishart.expect(scaled(kS, 5.5), "wishart");
  wishart_cholesky.expect(scaled(scale, 5.5), "wishart_cholesky");
  inverse.expect(scaled(kS, 1 / 5.5), "inv_wishart");
  inverse_cholesky.expect(scaled(scale, 1 / 5.5), "inv_wishart_cholesky");
  // Each correlation is 2 beta(b, b) - 1, b = eta + (K - 2)/2 = 2, with variance 1/(2 b + 1).
  const Values expected = {1, 0.2, 0.2, 0.2, 1, 0.2, 0.2, 0.2, 1};
  squares.expect(expected, "lkj_corr");
  factor_squares.expect(expected, "lkj_corr_cholesky");
}

TEST(MultivariateRandom, SimplexesAndCounts) {
  Random random(3);
  const Values theta = {0.125, 0.5, 0.375};
  const Values alpha = {0.5, 1.5, 3};
  Means dirichlet(3), tiny(3), multinomial(3), multinomial_logit(3), compound(3), categories(3), logits(3);
  const Values odds = {std::log(0.125), std::log(0.5), std::log(0.375)};
  const auto one_hot = [](double k) {
    Values result(3, 0.0);
    result[static_cast<std::size_t>(k) - 1] = 1;
    return result;
  };
  for (int i = 0; i < kDraws; ++i) {
    dirichlet.add(draw_dirichlet(random, alpha));
    tiny.add(draw_dirichlet(random, Values{1e-4, 1e-4, 2e-4}));
    multinomial.add(draw_multinomial(random, theta, 40));
    multinomial_logit.add(draw_multinomial_logit(random, odds, 40));
    compound.add(draw_dirichlet_multinomial(random, alpha, 40));
    categories.add(one_hot(draw_categorical(random, theta)));
    logits.add(one_hot(draw_categorical_logit(random, odds)));
  }
  dirichlet.expect({0.1, 0.3, 0.6}, "dirichlet");
  tiny.expect({0.25, 0.25, 0.5}, "dirichlet with small shapes");
  multinomial.expect({5, 20, 15}, "multinomial");
  multinomial_logit.expect({5, 20, 15}, "multinomial_logit");
  compound.expect({4, 12, 24}, "dirichlet_multinomial");
  categories.expect(theta, "categorical");
  logits.expect(theta, "categorical_logit");
}

TEST(MultivariateRandom, RegressionsAndPaths) {
  Random random(4);
  const Values cuts = {-1, 0.25};
  const auto inv_logit = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto normal_cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  Means logistic(3), probit(3), glm(2), paths(4);
  const auto one_hot = [](std::size_t k, std::size_t size) {
    Values result(size, 0.0);
    result[k] = 1;
    return result;
  };
  const Values log_omegas = {std::log(0.8), std::log(0.1), std::log(0.3), std::log(0.6)};
  const Values transitions = {0.7, 0.4, 0.3, 0.6};  // rows (0.7, 0.3) and (0.4, 0.6)
  const Values first = {0.25, 0.75};
  for (int i = 0; i < kDraws; ++i) {
    logistic.add(one_hot(static_cast<std::size_t>(draw_ordered_logistic(random, 0.5, cuts)) - 1, 3));
    probit.add(one_hot(static_cast<std::size_t>(draw_ordered_probit(random, 0.5, cuts)) - 1, 3));
    glm.add(draw_bernoulli_logit_glm(random, Values{1, 2, -1, 0.5}, Values{0.25, -0.5}, Values{0.5, 1}));
    const Values path = draw_hmm_latent(random, log_omegas, transitions, first);
    paths.add(one_hot(static_cast<std::size_t>(2 * (path[0] - 1) + path[1] - 1), 4));
  }
  logistic.expect({inv_logit(-1.5), inv_logit(-0.25) - inv_logit(-1.5), inv_logit(0.25)}, "ordered_logistic");
  probit.expect({normal_cdf(-1.5), normal_cdf(-0.25) - normal_cdf(-1.5), normal_cdf(0.25)}, "ordered_probit");
  glm.expect({inv_logit(0.25 + 0.5 - 1), inv_logit(-0.5 + 1 + 0.5)}, "bernoulli_logit_glm");
  Values weights = {0.25 * 0.8 * 0.7 * 0.3, 0.25 * 0.8 * 0.3 * 0.6, 0.75 * 0.1 * 0.4 * 0.3,
                    0.75 * 0.1 * 0.6 * 0.6};
  double total = 0;
  for (double w : weights) total += w;
  paths.expect(scaled(weights, 1 / total), "hmm_latent");
}

TEST(MultivariateRandom, BadArgumentsAreNamed) {
  Random random(5);
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message([&] {
              draw_multi_normal(random, Values{0, 0}, Values{1, 2, 2, 1});
            }),
            "multi_normal_rng: Covariance matrix is not positive definite.");
  EXPECT_EQ(
      message([&] {
        draw_multi_normal(random, Values{0}, Values{1, 0, 0, 1});
      }),
      "multi_normal_rng: Size of location parameter (1) and rows of scale matrix (2) must match in size");
  EXPECT_EQ(message([&] {
              draw_dirichlet(random, Values{1, 0});
            }),
            "dirichlet_rng: prior sample sizes[2] is 0, but must be positive!");
  EXPECT_EQ(message([&] {
              draw_categorical(random, Values{0.5, 0.6});
            }),
            "categorical_rng: Probabilities parameter is not a valid simplex. sum(Probabilities parameter) = "
            "1.1, but "
            "should be 1");
  EXPECT_EQ(message([&] {
              draw_wishart(random, 1, Values{1, 0, 0, 1});
            }),
            "wishart_rng: degrees of freedom > dims - 1 is 1, but must be greater than 1");
}

}  // namespace
}  // namespace kullback::math
