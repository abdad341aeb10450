// What variational inference says of itself: labels, standard errors, bounds, traces, flat directions.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/flat_coordinate.hpp"
#include "infer/vi/judge_bound.hpp"
#include "infer/vi/schemes/white_expansion.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/scheme_runs.hpp"
#include "tests/infer/targets.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using testing::expect_resumes;
using testing::TestDensity;
using Vector = std::vector<double>;

std::string fact(const Algorithm& algorithm, const std::string& name) {
  for (const auto& [key, value] : algorithm.facts()) {
    if (key == name) return value;
  }
  return "none";
}

struct Spread {
  double of_means = 0;  // standard deviation over replicates
  double said = 0;      // root mean square of the errors said
};

// Means of exp(z1 + z2 / 2) over `lanes` draws, many times.
Spread spread_of(Sampling sampling, std::size_t lanes) {
  constexpr std::uint32_t kReplicates = 2000;
  const NoiseSource noise({3, 0, 1}, sampling, 2);
  Vector z(2 * lanes);
  Vector values(lanes);
  double sum = 0;
  double squares = 0;
  double errors = 0;
  for (std::uint32_t r = 0; r < kReplicates; ++r) {
    noise.fill(r, lanes, z.data());
    double mean = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      values[k] = std::exp(0.4 * (z[k] + 0.5 * z[lanes + k]));
      mean += values[k] / static_cast<double>(lanes);
    }
    sum += mean / kReplicates;
    squares += mean * mean / kReplicates;
    errors += std::pow(error_of_mean(values, sampling), 2) / kReplicates;
  }
  return {std::sqrt(squares - sum * sum), std::sqrt(errors)};
}

TEST(Honesty, StandardErrorsKnowOfAntitheticMates) {
  for (const Sampling sampling : {Sampling::iid, Sampling::antithetic}) {
    const Spread spread = spread_of(sampling, 16);
    EXPECT_NEAR(spread.said / spread.of_means, 1, 0.08);
  }
  // As if they were independent, mates would be said to have an error more than twice as large.
  EXPECT_LT(spread_of(Sampling::antithetic, 16).said, 0.5 * spread_of(Sampling::iid, 16).said);
  EXPECT_TRUE(std::isnan(error_of_mean(Vector{1, 2, 3, 4}, Sampling::sobol)));
  EXPECT_TRUE(std::isnan(error_of_mean(Vector{1, 2}, Sampling::antithetic)));
  EXPECT_TRUE(std::isnan(error_of_mean(Vector{1}, Sampling::iid)));
}

TEST(Honesty, BoundsOfSobolsDrawsHaveNoError) {
  const Vector log_p{1, 2, 3, 5};
  const Vector log_q(4, 0.0);
  Estimate estimate;
  const auto elbo = find_objective("elbo").make({});
  evaluate_bound(*elbo, {log_p, log_q}, Sampling::iid, estimate, nullptr);
  EXPECT_NEAR(estimate.bound_error, std::sqrt(35.0 / 48), 1e-12);  // variance 35 / 12 of four
  evaluate_bound(*elbo, {log_p, log_q}, Sampling::antithetic, estimate, nullptr);
  EXPECT_NEAR(estimate.bound_error, 0.75, 1e-12);  // pairs 2, 3.5
  EXPECT_NEAR(estimate.bound, 2.75, 1e-12);
  evaluate_bound(*elbo, {log_p, log_q}, Sampling::sobol, estimate, nullptr);
  EXPECT_TRUE(std::isnan(estimate.bound_error));
  const auto several = find_objective("iw").make({{"importance_draws", 2}});
  evaluate_bound(*several, {log_p, log_q}, Sampling::antithetic, estimate, nullptr);
  EXPECT_TRUE(std::isnan(estimate.bound_error));
}

// Rotations of the spherical-radial rule are the independent units; one alone does not tell its error.
TEST(Honesty, AnErrorIsThatOfWholeRotations) {
  TestDensity target(3, [](const Vector& x, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      gradient[i] = 1 - std::exp(x[i]) - 4 * std::pow(x[i], 3);
      value += x[i] - std::exp(x[i]) - std::pow(x[i], 4);
    }
    return value;
  });
  const GaussianGuess q{Vector(3, 0.2), Vector(3, 0.7), {}};
  ScoredPoints points(target);
  constexpr std::uint64_t kReplicates = 1500;
  double sum = 0;
  double squares = 0;
  double errors = 0;
  for (std::uint64_t r = 0; r < kReplicates; ++r) {
    ASSERT_TRUE(points.evaluate(q, spherical_radial_points(3, 6, Random(r, 0, 1))));
    const MeanLog found = mean_log_p(points);
    sum += found.mean / kReplicates;
    squares += found.mean * found.mean / kReplicates;
    errors += found.error * found.error / kReplicates;
  }
  EXPECT_NEAR(std::sqrt(errors / (squares - sum * sum)), 1, 0.1);
  ASSERT_TRUE(points.evaluate(q, spherical_radial_points(3, 1, Random(1, 0, 1))));
  EXPECT_TRUE(std::isnan(mean_log_p(points).error));
}

TEST(Honesty, TheRecordSaysWhereAnErrorIsNotKnown) {
  Target target = gaussian({0.7, -2}, {0.5, 3});
  const auto error_with = [&](const char* sampling) {
    Options options;
    options.set("sampling", sampling);
    options.set("family", "meanfield");
    options.set("optimizer", "adam");
    options.set("max_steps", 50);
    const auto algorithm = find_method("vi")->make(target, options, {{0.3, 0.2}, 5, 0});
    testing::finish(*algorithm);
    return fact(*algorithm, "elbo standard error");
  };
  EXPECT_EQ(error_with("sobol"), "not known");
  EXPECT_GT(std::stod(error_with("iid")), 0);
  EXPECT_GE(std::stod(error_with("antithetic")), 0);
}

TEST(Honesty, UpdatesThatAreNoLinearFunctionsOfTheirEstimatesAreNotCalledUnbiased) {
  TestDensity target(2, testing::normal({0, 1}, {1, 2}));
  for (const Case& parts : {Case{"fullrank", "elbo", "natural"}, Case{"meanfield", "elbo", "natural"},
                            Case{"fullrank", "elbo", "bures-wasserstein"}})
    EXPECT_EQ(begin(target, parts)->scheme->bias(), Bias::consistent);
}

// E|x| has the derivative 2 phi(m) ... to the mean, here 0 by symmetry; to the log scale -sqrt(2 / pi).
// Twelve nodes do not see the kink: more draws do not help.
TEST(Honesty, QuadratureHasAnErrorThatDrawsDoNotLessen) {
  TestDensity target(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = x[0] > 0 ? -1 : 1;
    return -std::abs(x[0]);
  });
  Options options;
  const auto family = find_family("meanfield").make({1, {}, {}, &options});
  const auto elbo = find_objective("elbo").make({});
  const NoiseSource noise({5, 0, 5}, Sampling::iid, 1);
  const auto error_with = [&](std::size_t draws) {
    const auto estimator = find_estimator("local-expectation")
                               .make({&target, family.get(), elbo.get(), &noise, draws, &options});
    EXPECT_EQ(estimator->bias(), Bias::quadrature);
    Estimate estimate;
    estimator->estimate(Vector{0, 0}, 0, estimate);
    return estimate.gradient[1] - (1 - std::sqrt(2 / std::numbers::pi));
  };
  EXPECT_GT(std::abs(error_with(1)), 1e-3);
  EXPECT_NEAR(error_with(64), error_with(1), 1e-10);
}

// Weights w = u^-k: E[w^2] = 1 / (1 - 2 k).
TEST(Honesty, ABoundThatFewWeightsDecideIsAFinding) {
  const auto cubo = find_objective("cubo").make({});
  double mean = 0;
  std::size_t told = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    Vector ratios(2000);
    for (double& ratio : ratios) ratio = -0.46 * std::log(random.uniform());
    const BoundJudgement judgement = judge_bound(*cubo, ratios);
    mean += judgement.value / 40;
    told += bound_finding(judgement, *cubo).has_value();
  }
  EXPECT_LT(mean, 0.5 * std::log(1 / (1 - 0.92)) - 0.1);  // biased low
  EXPECT_GE(told, 28U);
  const auto found_of = [](const char* name, const Options& options, double shape) {
    Vector quantiles(5000);
    for (std::size_t i = 0; i < 5000; ++i)
      quantiles[i] = -shape * std::log((static_cast<double>(i) + 0.5) / 5000);
    const auto objective = find_objective(name).make(options);
    const auto found = bound_finding(judge_bound(*objective, quantiles), *objective);
    return found ? found->code + ": " + found->message : std::string("nothing");
  };
  EXPECT_EQ(found_of("cubo", {}, 0.43)
                .find("biased-bound: The bound of these draws is an estimate that lies below"),
            0U)
      << found_of("cubo", {}, 0.43);
  EXPECT_EQ(found_of("renyi", {{"alpha", -1}}, 0.43).substr(0, 12), "biased-bound");
  EXPECT_EQ(found_of("cubo", {}, 0.6).substr(0, 14), "infinite-bound");
  EXPECT_EQ(found_of("cubo", {}, 0.2), "nothing");
  EXPECT_EQ(found_of("renyi", {{"alpha", 0.5}}, 0.6), "nothing");
}

TEST(Honesty, ABoundOfOneDrawIsCalledTheElbo) {
  Target target = gaussian({0.7, -2}, {0.5, 3});
  for (const char* objective : {"iw", "renyi"}) {
    for (const std::size_t draws : {1U, 5U}) {
      Options options;
      options.set("objective", objective);
      options.set("importance_draws", draws);
      options.set("max_steps", 20);
      const auto algorithm = find_method("vi")->make(target, options, {{0.3, 0.2}, 5, 0});
      const auto run = testing::finish(*algorithm);
      EXPECT_EQ(fact(*algorithm, "bound") == "the elbo", draws == 1) << objective;
      EXPECT_EQ(run.found("is-elbo"), draws == 1 && objective == std::string("renyi")) << objective;
    }
  }
}

// Natural gradients that run out of steps leave their trace to that of Adam, which goes on.
TEST(Honesty, TheTraceKeepsTheSchemeThatStalled) {
  Target target(2, [](const double* x, double* gradient) {
    for (std::size_t i = 0; i < 2; ++i) gradient[i] = 1 - std::exp(x[i]);
    return x[0] - std::exp(x[0]) + x[1] - std::exp(x[1]);
  });
  Options options;
  options.set("max_steps", 3);
  options.set("draws", 50);
  const auto algorithm = find_method("vi")->make(target, options, {{3, -3}, 5, 0});
  testing::finish(*algorithm);
  EXPECT_EQ(fact(*algorithm, "optimizer"), "adam");
  const Trace trace = algorithm->trace();
  ASSERT_GE(trace.values.size(), 3 * trace.columns.size());
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(trace.values[row * trace.columns.size()], static_cast<double>(row + 1));
  expect_resumes("vi", target, options, {{3, -3}, 5, 0}, 2);
}

// From a q that is far too narrow or too wide, and off by some standard deviations.
TEST(Honesty, SteinsDiscrepancyIsMadeSmallFromAPoorStart) {
  TestDensity target(2, testing::normal({1, -1}, {1, 1}));
  for (const double sd : {0.02, 20.0}) {
    Options options;
    options.set("grad_draws", 32);
    auto run = begin(target, {"meanfield", "stein", "adam"}, options, 3, sd);
    run->finish();
    const GaussianGuess found = run->gaussian();
    for (const Finding& finding : run->scheme->findings())
      ADD_FAILURE() << sd << " " << finding.code << " " << finding.evidence;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(found.mean[i], i == 0 ? 1 : -1, 0.15) << sd;
      EXPECT_NEAR(std::log(found.sd[i]), 0, 0.15) << sd;
    }
  }
}

TEST(Honesty, AFlatCoordinateIsFound) {
  Random random(4);
  Vector draws(2 * 200);
  for (double& number : draws) number = random.normal();
  std::uint64_t evaluations = 0;
  TestDensity flat(2, [](const Vector& x, Vector& gradient) {
    gradient[0] = -x[0];
    gradient[1] = 0;
    return -0.5 * x[0] * x[0];
  });
  const auto found = find_flat_coordinate(flat, draws, evaluations);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->coordinate, 1U);
  EXPECT_EQ(found->fall, 0);
  EXPECT_EQ(evaluations, flat.evaluations);
  TestDensity cauchy(2, [](const Vector& x, Vector& gradient) {
    for (std::size_t i = 0; i < 2; ++i) gradient[i] = -2 * x[i] / (1 + x[i] * x[i]);
    return -std::log1p(x[0] * x[0]) - std::log1p(x[1] * x[1]);
  });
  EXPECT_FALSE(find_flat_coordinate(cauchy, draws, evaluations));
  TestDensity scale(1, [](const Vector& x, Vector& gradient) {  // a log scale without a prior
    gradient[0] = -std::exp(x[0]);
    return -std::exp(x[0]);
  });
  ASSERT_TRUE(find_flat_coordinate(scale, draws, evaluations));
  EXPECT_LT(find_flat_coordinate(scale, draws, evaluations)->length, 0);
}

TEST(Honesty, AFlatPosteriorIsCalledImproper) {
  Target target(2, [](const double* x, double* gradient) {
    gradient[0] = 1 - x[0];
    gradient[1] = 0;
    return -0.5 * (x[0] - 1) * (x[0] - 1);
  });
  for (const char* method : {"vi", "advi"}) {
    Options options;
    const auto run = testing::run(method, target, options, {{0.3, 0.2}, 5, 0});
    ASSERT_TRUE(run.found("improper")) << run.codes();
    EXPECT_NE(run.finding("improper")->message.find("theta[2]"), std::string::npos) << run.codes();
  }
}

TEST(Honesty, CountsThatCannotBeAreRefused) {
  Target target = gaussian({0.7, -2}, {0.5, 3});
  const auto refusal = [&](const Options& options) -> std::string {
    try {
      find_method("vi")->make(target, options, {{0.3, 0.2}, 5, 0});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message() + " " + error.hint();
    }
    return "not refused";
  };
  Options many;
  many.set("grad_draws", 100'000'000'000);
  EXPECT_NE(refusal(many).find("do not fit in memory"), std::string::npos) << refusal(many);
  Options rank{{"family", "lowrank"}, {"rank", 3}};
  EXPECT_NE(refusal(rank).find("--rank is 3; a covariance of 2 coordinates"), std::string::npos);
  rank.set("rank", 2);
  EXPECT_EQ(refusal(rank), "not refused");
}

}  // namespace
}  // namespace kullback::infer
