#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

const Method& smc() { return *find_method("smc"); }

const double kLogTwoPi = std::log(8 * std::atan(1.0));

struct Cooled {
  Draws draws;
  double log_normalizer = 0;
  std::string finding;
};

Cooled run_smc(density::LogDensity& target, std::size_t particles, std::uint64_t seed,
               std::vector<double> start = {}) {
  Options options;
  options.set("particles", particles);
  start.resize(target.dim());
  const auto algorithm = smc().make(target, options, start_at(std::move(start), seed));
  Cooled result{run(*algorithm), 0, {}};
  result.log_normalizer = column(result.draws, smc(), "log_normalizer__").at(0);
  result.finding = algorithm->findings().at(0).message;
  return result;
}

// Independent runs give the standard error.
DrawEstimate log_normalizer(density::LogDensity& target, std::size_t particles = 1000) {
  std::vector<double> values;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    values.push_back(run_smc(target, particles, seed).log_normalizer);
  return estimate(values, values.size());
}

TEST(Smc, NormalisingConstantOfGaussians) {
  Target scaled = gaussian({3, -1, 0.5}, {0.1, 5, 1});
  EXPECT_LT(log_normalizer(scaled).errors_from(1.5 * kLogTwoPi + std::log(0.5)), kErrors);
  // The determinant of the precision of a first-order autoregression is (1 - r^2)^-(dim - 1).
  Target correlated = autoregression(20, 0.8);
  EXPECT_LT(log_normalizer(correlated).errors_from(10 * kLogTwoPi + 0.5 * 19 * std::log(0.36)), kErrors);
}

// y_i ~ normal(mu, 1), mu ~ normal(0, 1), all constants in: log N(y | 0, I + 1 1').
TEST(Smc, MarginalLikelihoodOfAConjugateModel) {
  const std::vector<double> y{1.2, 0.3, 2.5, 1.9};
  Target model(1, [y](const double* theta, double* gradient) {
    double sum = -0.5 * theta[0] * theta[0] - 2.5 * kLogTwoPi;
    gradient[0] = -theta[0];
    for (const double value : y) {
      sum -= 0.5 * (value - theta[0]) * (value - theta[0]);
      gradient[0] += value - theta[0];
    }
    return sum;
  });
  double total = 0;
  double squares = 0;
  for (const double value : y) {
    total += value;
    squares += value * value;
  }
  const double truth = -2 * kLogTwoPi - 0.5 * std::log(5.0) - 0.5 * (squares - total * total / 5);
  EXPECT_LT(log_normalizer(model).errors_from(truth), kErrors);
  const std::vector<double> mu = coordinate(run_smc(model, 4000, 1).draws, 0);
  EXPECT_NEAR(estimate(mu).value, total / 5, kErrors * std::sqrt(0.2 / 4000));
  EXPECT_NEAR(estimate_variance(mu, total / 5).value, 0.2, kErrors * 0.2 * std::sqrt(2.0 / 4000));
}

TEST(Smc, MomentsOfACorrelatedGaussian) {
  Target target = autoregression(20, 0.8);
  const Draws draws = run_smc(target, 4000, 1).draws;
  ASSERT_EQ(draws.count(), 4000U);
  for (std::size_t i = 0; i < 20; ++i) {
    // Resampled particles share ancestors: twice the error of independent draws.
    EXPECT_NEAR(estimate(coordinate(draws, i)).value, 0, kErrors * 2 / std::sqrt(4000.0)) << i;
    EXPECT_NEAR(estimate_variance(coordinate(draws, i), 0).value, 1, kErrors * 2 * std::sqrt(2.0 / 4000))
        << i;
  }
}

TEST(Smc, BothModesWithTheirWeights) {
  Target target = two_modes(2, 5, 0.3);
  std::vector<double> left;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::vector<double> x = coordinate(run_smc(target, 1000, seed).draws, 0);
    left.push_back(estimate_of(x, [](double v) { return v < 0 ? 1.0 : 0.0; }).value);
  }
  EXPECT_LT(estimate(left, left.size()).errors_from(0.3), kErrors);
  EXPECT_LT(estimate(left, left.size()).error, 0.05);
  EXPECT_LT(log_normalizer(target).errors_from(kLogTwoPi), kErrors);
}

// Particles cannot move between far modes: the run says so, and does not try for long.
TEST(Smc, SeparateModesAreAFinding) {
  Target target = two_modes(2, 5, 0.3);
  const auto algorithm = smc().make(target, {}, start_at({0, 0}));
  run(*algorithm);
  ASSERT_EQ(algorithm->findings().size(), 2U);
  EXPECT_EQ(algorithm->findings()[1].code, "particles-stay");
  EXPECT_LT(algorithm->progress().gradients / 1000 / algorithm->progress().done, 60U);

  Target single = autoregression(5, 0.7);
  const auto moving = smc().make(single, {}, start_at(std::vector<double>(5, 0.0)));
  run(*moving);
  EXPECT_EQ(moving->findings().size(), 1U);
}

TEST(Smc, PartOfTheReferenceOutsideTheSupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = -1;
    return theta[0] > 0 ? -theta[0] : -std::numeric_limits<double>::infinity();
  });
  EXPECT_LT(log_normalizer(target).errors_from(0), kErrors);
}

TEST(Smc, ItsOwnStandardErrorIsOfTheRightSize) {
  Target target = autoregression(20, 0.8);
  const double spread = log_normalizer(target).error * std::sqrt(10.0);
  const std::string said = run_smc(target, 1000, 1).finding;
  const double claimed = std::stod(said.substr(said.rfind(' ')));
  EXPECT_GT(claimed, spread / 3);
  EXPECT_LT(claimed, spread * 4);
}

TEST(Smc, ReachesAsFarAsTheStart) {
  Target target = gaussian({1000}, {0.5});
  const Cooled found = run_smc(target, 500, 1, {999});
  EXPECT_NEAR(found.log_normalizer, 0.5 * kLogTwoPi + std::log(0.5), 0.5);
  EXPECT_NEAR(estimate(coordinate(found.draws, 0)).value, 1000, 0.2);
}

TEST(Smc, NamesADensityThatIsNowhereFinite) {
  Target target(1, [](const double*, double*) { return std::nan(""); });
  try {
    run_smc(target, 50, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("0 of 50 particles: the test's density"), std::string::npos)
        << error.message();
  }
  Options few;
  EXPECT_THROW(few.set("particles", 2), Error);
}

}  // namespace
}  // namespace kullback::infer
