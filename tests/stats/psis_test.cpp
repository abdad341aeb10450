// Pareto tails and leave-one-out densities against what is known exactly.
#include "stats/psis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/loo.hpp"

namespace kullback::stats::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double pareto_draw(Random& random, double k) {
  const double log_u = std::log(random.uniform());
  return k == 0 ? -log_u : std::expm1(-k * log_u) / k;
}

class Pareto : public testing::TestWithParam<double> {};

// The standard error of k is near (1 + k) / sqrt(n) (n large, k > -1/2).
TEST_P(Pareto, the_fit_recovers_shape_and_scale) {
  const double k = GetParam(), scale = 3;
  const std::size_t n = 5000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    std::vector<double> exceedances;
    for (std::size_t i = 0; i < n; ++i) exceedances.push_back(scale * pareto_draw(random, k));
    std::sort(exceedances.begin(), exceedances.end());
    const double se = (1 + k) / std::sqrt(static_cast<double>(n));
    const ParetoFit fit = fit_pareto(exceedances, false);
    EXPECT_NEAR(fit.k, k, 4 * se);
    EXPECT_NEAR(fit.sigma / scale, 1, 4 * std::sqrt(2.0) * se + 0.02);
    const double count = static_cast<double>(n);
    EXPECT_DOUBLE_EQ(fit_pareto(exceedances).k, (count * fit.k + 5) / (count + 10));
  }
}

TEST_P(Pareto, the_fit_does_not_depend_on_the_unit) {
  Random random(3);
  std::vector<double> exceedances;
  for (int i = 0; i < 200; ++i) exceedances.push_back(pareto_draw(random, GetParam()));
  std::sort(exceedances.begin(), exceedances.end());
  const ParetoFit fit = fit_pareto(exceedances);
  for (double& value : exceedances) value *= 0x1p300;
  EXPECT_NEAR(fit_pareto(exceedances).k, fit.k, 1e-12);
  for (double& value : exceedances) value *= 0x1p-600;
  EXPECT_NEAR(fit_pareto(exceedances).k, fit.k, 1e-12);
}

// Weights 1/U^k have a tail of shape k; the 3 sqrt(S) largest decide, with their standard error.
TEST_P(Pareto, khat_of_weights_is_the_shape_of_their_tail) {
  const double k = GetParam();
  if (k <= 0) return;
  const std::size_t count = 100000;
  Random random(11);
  std::vector<double> log_weights;
  for (std::size_t i = 0; i < count; ++i) log_weights.push_back(-k * std::log(random.uniform()));
  const double tail = 3 * std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(smooth_weights(log_weights).khat, k, 4 * (1 + k) / std::sqrt(tail));
  std::vector<double> mirrored;
  for (const double value : log_weights) mirrored.push_back(random.uniform() - std::exp(value));
  EXPECT_NEAR(tail_khat(mirrored), k, 4 * (1 + k) / std::sqrt(tail));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Pareto, testing::Values(-0.3, 0.0, 0.2, 0.5, 0.7, 1.0, 2.0));

TEST(ParetoFit, huge_ratios_of_exceedances_do_not_overflow) {
  std::vector<double> exceedances;
  for (int i = 0; i < 100; ++i) exceedances.push_back(std::pow(10.0, 3.0 * i - 297));
  const ParetoFit fit = fit_pareto(exceedances);
  EXPECT_TRUE(std::isfinite(fit.k));
  EXPECT_GT(fit.k, 5);
}

TEST(SmoothWeights, are_normalised_ordered_and_below_the_largest_raw_weight) {
  Random random(5);
  std::vector<double> raw;
  for (int i = 0; i < 1000; ++i) raw.push_back(3 * random.normal() + 1000);
  const Psis psis = smooth_weights(raw);
  double total = 0;
  for (const double value : psis.log_weights) total += std::exp(value);
  EXPECT_NEAR(total, 1, 1e-12);
  for (std::size_t i = 0; i < raw.size(); ++i)
    for (std::size_t j = 0; j < 50; ++j)
      EXPECT_TRUE(raw[i] >= raw[j] || psis.log_weights[i] <= psis.log_weights[j]) << i << ' ' << j;
  // Raw weights below the tail keep their ratios: those of the tail are cut at the largest raw weight.
  const auto least = static_cast<std::size_t>(std::min_element(raw.begin(), raw.end()) - raw.begin());
  const auto most = static_cast<std::size_t>(std::max_element(raw.begin(), raw.end()) - raw.begin());
  EXPECT_LE(psis.log_weights[most] - psis.log_weights[least], raw[most] - raw[least] + 1e-9);
}

TEST(SmoothWeights, equal_weights_stay_and_have_no_tail) {
  const Psis psis = smooth_weights(std::vector<double>(100, -7.0), 0.5);
  for (const double value : psis.log_weights) EXPECT_NEAR(value, -std::log(100.0), 1e-12);
  EXPECT_EQ(psis.khat, kInf);
  EXPECT_NEAR(psis.ess, 50, 1e-9);
}

TEST(SmoothWeights, a_weight_of_zero_stays_zero_and_one_that_is_no_number_spoils_all) {
  Random random(5);
  std::vector<double> raw;
  for (int i = 0; i < 1000; ++i) raw.push_back(random.normal());
  raw[3] = -kInf;
  EXPECT_EQ(smooth_weights(raw).log_weights[3], -kInf);
  EXPECT_TRUE(std::isfinite(smooth_weights(raw).khat));
  for (const double bad : {kNaN, kInf}) {
    raw[3] = bad;
    const Psis psis = smooth_weights(raw);
    EXPECT_TRUE(std::isnan(psis.log_weights[0]));
    EXPECT_EQ(psis.khat, kInf);
    EXPECT_TRUE(std::isnan(psis.ess));
  }
  EXPECT_TRUE(std::isnan(smooth_weights(std::vector<double>(50, -kInf)).ess));
  EXPECT_EQ(smooth_weights({}).khat, kInf);
}

// E_p[x] by draws of q = N(0, 1.25^2), p = N(0.5, 1): bounded weights.
TEST(SmoothWeights, correct_a_proposal) {
  Random random(6);
  std::vector<double> x, log_weights;
  for (int i = 0; i < 20000; ++i) {
    const double value = 1.25 * random.normal();
    x.push_back(value);
    log_weights.push_back(-0.5 * (value - 0.5) * (value - 0.5) + 0.5 * value * value / (1.25 * 1.25));
  }
  const Psis psis = smooth_weights(log_weights);
  double mean_of_p = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_of_p += std::exp(psis.log_weights[i]) * x[i];
  EXPECT_NEAR(mean_of_p, 0.5, 4 / std::sqrt(psis.ess));
  EXPECT_LT(psis.khat, 0.3);
}

TEST(KhatThreshold, grows_with_the_draws_up_to_07) {
  EXPECT_DOUBLE_EQ(khat_threshold(100), 0.5);
  EXPECT_DOUBLE_EQ(khat_threshold(1000), 1 - 1.0 / 3);
  EXPECT_DOUBLE_EQ(khat_threshold(100000), 0.7);
}

// y_n ~ N(mu, 1), mu ~ N(0, 10^2): the posterior of mu, and the predictive density of y_n given the others,
// are normal.
struct Conjugate {
  std::vector<double> y;
  double posterior_mean = 0;
  double posterior_sd = 0;
  double exact_elpd = 0;
};

double normal_log_density(double x, double mean, double variance) {
  return -0.5 * (x - mean) * (x - mean) / variance - 0.5 * std::log(2 * std::numbers::pi * variance);
}

Conjugate conjugate(std::size_t count) {
  Conjugate result;
  Random random(21);
  double total = 0;
  for (std::size_t n = 0; n < count; ++n) {
    result.y.push_back(1 + random.normal());
    total += result.y.back();
  }
  const double precision = static_cast<double>(count) + 0.01;
  result.posterior_mean = total / precision;
  result.posterior_sd = 1 / std::sqrt(precision);
  for (const double y : result.y)
    result.exact_elpd += normal_log_density(y, (total - y) / (precision - 1), 1 + 1 / (precision - 1));
  return result;
}

struct Fit {
  std::vector<double> log_lik;
  std::vector<double> predictive;
};

Fit draw(const Conjugate& model, double shift, std::size_t draws) {
  Fit result;
  for (const double y : model.y) {
    Random random(22), noise(23);
    for (std::size_t s = 0; s < draws; ++s) {
      const double mu = shift + model.posterior_mean + model.posterior_sd * random.normal();
      result.log_lik.push_back(normal_log_density(y, mu, 1));
      result.predictive.push_back(mu + noise.normal());
    }
  }
  return result;
}

TEST(Loo, of_a_conjugate_model_is_the_exact_one) {
  const Conjugate model = conjugate(50);
  const Fit fit = draw(model, 0, 4000);
  const Loo found = loo(fit.log_lik, 50, 4, 1000);
  EXPECT_NEAR(found.elpd, model.exact_elpd, 0.05);
  EXPECT_NEAR(found.p_loo, 1, 0.4);  // one parameter
  EXPECT_LT(*std::max_element(found.khat.begin(), found.khat.end()), 0.5);
  EXPECT_GT(found.elpd_se, 0);
}

TEST(Loo, the_better_model_wins_and_differences_are_paired) {
  const Conjugate model = conjugate(50);
  const Loo good = loo(draw(model, 0, 1000).log_lik, 50, 4, 250);
  const Loo bad = loo(draw(model, 1, 1000).log_lik, 50, 4, 250);
  const Difference difference = compare(good, bad);
  EXPECT_NEAR(difference.elpd, good.elpd - bad.elpd, 1e-9);
  EXPECT_GT(difference.elpd, 3 * difference.se);
  EXPECT_EQ(compare(good, good).se, 0);
  EXPECT_THROW(compare(good, Loo{}), Error);
}

TEST(Loo, an_impossible_observation_is_seen) {
  std::vector<double> log_lik = draw(conjugate(3), 0, 400).log_lik;
  log_lik[450] = -kInf;
  const Loo found = loo(log_lik, 3, 4, 100);
  EXPECT_TRUE(std::isfinite(found.pointwise[0]));
  EXPECT_TRUE(std::isnan(found.pointwise[1]));
  EXPECT_EQ(found.khat[1], kInf);
  EXPECT_TRUE(std::isnan(found.elpd));
}

// Likelihoods of e^-2000 underflow, their efficiencies must not.
TEST(Loo, does_not_depend_on_the_scale_of_the_likelihood) {
  std::vector<double> log_lik = draw(conjugate(3), 0, 400).log_lik;
  const Loo found = loo(log_lik, 3, 4, 100);
  for (double& value : log_lik) value -= 2000;
  const Loo shifted = loo(log_lik, 3, 4, 100);
  EXPECT_NEAR(shifted.elpd, found.elpd - 6000, 1e-8);
  EXPECT_NEAR(shifted.khat[0], found.khat[0], 1e-9);
}

TEST(LooPit, of_the_true_model_is_uniform) {
  const Conjugate model = conjugate(200);
  const Fit fit = draw(model, 0, 1000);
  auto pit = loo_pit(model.y, fit.predictive, fit.log_lik, 4, 250);
  std::sort(pit.begin(), pit.end());
  double distance = 0;
  for (std::size_t n = 0; n < pit.size(); ++n)
    distance = std::max(distance, std::abs(pit[n] - (static_cast<double>(n) + 0.5) / 200));
  EXPECT_LT(distance, 1.63 / std::sqrt(200.0));  // Kolmogorov-Smirnov at 1 %
}

TEST(LooPit, ties_count_half) {
  const std::vector<double> y = {1}, equal(400, 1.0), log_lik(400, -1.0);
  EXPECT_NEAR(loo_pit(y, equal, log_lik, 4, 100)[0], 0.5, 1e-12);
}

}  // namespace
}  // namespace kullback::stats::test
