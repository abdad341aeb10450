// Stochastic-gradient MCMC against what its discrete dynamics predict.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "base/error.hpp"
#include "infer/sgmcmc/gradient_source.hpp"
#include "infer/sgmcmc/options.hpp"
#include "infer/sgmcmc/schedule.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/row_regression.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using testing::Outcome;

// One update for each draw, in theta itself.
Options bare(double step_size, std::size_t draws) {
  Options options;
  options.set("metric", Metric::unit);
  options.set("sg_step_size", step_size);
  options.set("sg_updates", 1);
  options.set("warmup", 2000);
  options.set("draws", draws);
  options.set("sg_log_density", SgLogDensity::none);
  return options;
}

Options bare_with(Options options, std::size_t draws) {
  options.set("draws", draws);
  return options;
}

Outcome run_sg(const char* method, density::LogDensity& density, const Options& options,
               std::uint64_t seed = 3) {
  return testing::run(method, density, options, start_at(std::vector<double>(density.dim(), 0.5), seed));
}

// Mean products of deviations from a mean, with their errors.
DrawEstimate covariance(const Draws& draws, const Eigen::VectorXd& mean, std::size_t i, std::size_t j) {
  std::vector<double> products;
  for (std::size_t n = 0; n < draws.count(); ++n) {
    products.push_back((draws.theta[n * draws.dim + i] - mean(static_cast<Eigen::Index>(i))) *
                       (draws.theta[n * draws.dim + j] - mean(static_cast<Eigen::Index>(j))));
  }
  return estimate(products);
}

void expect_covariance(const Draws& draws, const Eigen::VectorXd& mean, const Eigen::MatrixXd& predicted) {
  for (std::size_t i = 0; i < draws.dim; ++i) {
    EXPECT_LT(estimate(coordinate(draws, i)).errors_from(mean(static_cast<Eigen::Index>(i))), kErrors) << i;
    for (std::size_t j = 0; j <= i; ++j) {
      const DrawEstimate found = covariance(draws, mean, i, j);
      const double expected = predicted(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      EXPECT_LT(found.errors_from(expected), kErrors) << i << " " << j << ": found " << found.value << " +- "
                                                      << found.error << ", predicted " << expected;
      if (i == j) {  // else agreement says nothing
        EXPECT_LT(found.error, 0.04 * found.value);
      }
    }
  }
}

// Excess of the smallest variance that a wrong prediction would show.
double excess(const Eigen::MatrixXd& predicted, const Eigen::MatrixXd& precision) {
  return (predicted * precision).trace() / static_cast<double>(precision.rows()) - 1;
}

struct NoiseCase {
  SgAnchor anchor;
  std::size_t batch_size;  // 0: all rows
};

class Covariance : public ::testing::TestWithParam<NoiseCase> {
 protected:
  RowRegression target_{200, 2};
  Eigen::MatrixXd noise(const Eigen::MatrixXd& spread) const {
    if (GetParam().batch_size == 0) return Eigen::MatrixXd::Zero(2, 2);
    return target_.gradient_noise(GetParam().batch_size, spread, GetParam().anchor == SgAnchor::mode);
  }
  Options options(double step_size) const {
    Options result = bare(step_size, 200000);
    result.set("batch_size", GetParam().batch_size);
    result.set("sg_anchor", GetParam().anchor);
    return result;
  }
};

TEST_P(Covariance, OfSgldIsThatOfItsRecursion) {
  const double h = 0.5 / target_.largest_curvature();
  const Eigen::MatrixXd predicted =
      langevin_covariance(target_.precision(), h, [this](const auto& spread) { return noise(spread); });
  EXPECT_GT(excess(predicted, target_.precision()), 0.1);
  expect_covariance(run_sg("sgld", target_, options(h)).draws, target_.mean(), predicted);
}

TEST_P(Covariance, OfSghmcIsThatOfItsRecursion) {
  const double frequency = std::sqrt(target_.largest_curvature());
  Options options = this->options(0.7 / frequency);
  options.set("sg_friction", 0.8 * frequency);
  const Eigen::MatrixXd predicted =
      hamiltonian_covariance(target_.precision(), options[option::kSgStepSize], options[option::kSgFriction],
                             [this](const auto& spread) { return noise(spread); });
  EXPECT_GT(excess(predicted, target_.precision()), 0.1);
  expect_covariance(run_sg("sghmc", target_, options).draws, target_.mean(), predicted);
}

INSTANTIATE_TEST_SUITE_P(Noise, Covariance,
                         ::testing::Values(NoiseCase{SgAnchor::none, 0}, NoiseCase{SgAnchor::none, 20},
                                           NoiseCase{SgAnchor::mode, 5}),
                         [](const auto& tested) {
                           if (tested.param.batch_size == 0) return "AllRows";
                           return tested.param.anchor == SgAnchor::mode ? "Anchored" : "Minibatches";
                         });

// Relative excess of the variance of 50 standard normal coordinates, which are alike.
DrawEstimate measured_excess(const char* method, const Options& options) {
  Target target = gaussian(std::vector<double>(50, 0.0), std::vector<double>(50, 1.0));
  const Draws draws = run_sg(method, target, options).draws;
  std::vector<double> squares;
  for (std::size_t n = 0; n < draws.count(); ++n) {
    double sum = 0;
    for (std::size_t i = 0; i < 50; ++i) sum += std::pow(draws.theta[n * 50 + i], 2);
    squares.push_back(sum / 50 - 1);
  }
  return estimate(squares);
}

TEST(Discretisation, BiasOfSgldFallsWithTheStepSize) {
  std::vector<double> found;
  for (const double h : {0.4, 0.2, 0.1}) {
    const DrawEstimate bias = measured_excess("sgld", bare(h, 30000));
    EXPECT_LT(bias.errors_from(h / 2 / (1 - h / 2)), kErrors) << h << ": " << bias.value;
    found.push_back(bias.value);
  }
  EXPECT_NEAR(std::log2(found[0] / found[2]) / 2, 1, 0.25);
}

TEST(Discretisation, BiasOfSghmcFallsWithTheSquareOfTheStepSize) {
  std::vector<double> found;
  for (const double e : {0.8, 0.4}) {
    Options options = bare(e, 100000);
    options.set("sg_friction", 0.2);
    const double share = e * e / (2 * (2 - 0.2 * e));
    const DrawEstimate bias = measured_excess("sghmc", options);
    EXPECT_LT(bias.errors_from(share / (1 - share)), kErrors) << e << ": " << bias.value;
    found.push_back(bias.value);
  }
  EXPECT_NEAR(std::log2(found[0] / found[1]), 2, 0.5);
}

TEST(Thermostat, TakesUpTheNoiseThatCoordinatesShare) {
  RowRegression target(200, 2);
  const Eigen::MatrixXd posterior = target.precision().inverse();
  const double frequency = std::sqrt(target.largest_curvature());
  Options options = bare(0.1 / frequency, 300000);
  options.set("batch_size", 10);
  options.set("sg_anchor", SgAnchor::none);
  options.set("sg_friction", frequency);
  const auto noise = [&](const auto& spread) { return target.gradient_noise(10, spread, false); };
  const Eigen::MatrixXd without =
      hamiltonian_covariance(target.precision(), options[option::kSgStepSize], frequency, noise);
  const Eigen::MatrixXd with =
      thermostat_covariance(target.precision(), options[option::kSgStepSize], frequency, noise);
  EXPECT_GT(without(0, 0) / posterior(0, 0), 1.5);
  EXPECT_LT(std::abs(with(0, 0) / posterior(0, 0) - 1), 0.25 * (without(0, 0) / posterior(0, 0) - 1));
  expect_covariance(run_sg("sghmc", target, options).draws, target.mean(), without);
  expect_covariance(run_sg("sgnht", target, options).draws, target.mean(), with);
  options.set("batch_size", 0);
  expect_covariance(run_sg("sgnht", target, options).draws, target.mean(),
                    thermostat_covariance(target.precision(), options[option::kSgStepSize], frequency,
                                          [](const auto& spread) -> Eigen::MatrixXd { return 0 * spread; }));
}

// With variances V_i of gradients that differ, what one friction leaves of the noise is in the facts.
TEST(Thermostat, TellsOfTheNoiseThatItLeaves) {
  RowRegression target(200, 2);
  const double frequency = std::sqrt(target.largest_curvature());
  Options options = bare(0.1 / frequency, 10);
  options.set("batch_size", 10);
  options.set("sg_anchor", SgAnchor::none);
  options.set("sg_friction", frequency);
  const auto chain = find_method("sgnht")->make(target, options, start_at({0.5, 0.5}));
  run(*chain);
  const Eigen::VectorXd variances = target.gradient_noise(10, target.precision().inverse(), false).diagonal();
  const double half_step = options[option::kSgStepSize] / (2 * frequency);
  const double shared = half_step * variances.mean();
  const double left = (1 + half_step * variances.maxCoeff()) / (1 + shared) - 1;
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, text] : chain->facts()) {
      if (key == name) return std::stod(text) / 100;
    }
    return -1.0;
  };
  // Variances are means of 128 squares of normal numbers: relative errors of sqrt(2 / 128).
  const double error = std::sqrt(2.0 / 128);
  EXPECT_NEAR(fact("taken up by the thermostat"), shared, kErrors * error * shared);
  EXPECT_NEAR(fact("of that by noise of gradients"), left, kErrors * error * shared);
  EXPECT_EQ(fact("predicted excess of variances"), fact("of that by noise of gradients"));
}

// The variances that are allowed for are measured, with relative errors of sqrt(2 / 128): runs with other
// seeds measure anew.
DrawEstimate mean_of_runs(const std::vector<double>& values) { return estimate(values, values.size()); }

TEST(CorrectedNoise, LeavesThePosteriorsVariance) {
  RowRegression target(200, 2);
  const Eigen::MatrixXd precision = target.precision();
  const Eigen::MatrixXd posterior = precision.inverse();
  const Eigen::MatrixXd measured = target.gradient_noise(20, posterior, false).diagonal().asDiagonal();
  const auto noise = [&](const auto& spread) { return target.gradient_noise(20, spread, false); };
  const auto rest = [&](const auto& spread) -> Eigen::MatrixXd { return noise(spread) - measured; };
  const double curvature = target.largest_curvature();
  for (const std::string method : {"sgld", "sghmc"}) {
    const bool is_sgld = method == "sgld";
    Options options = bare(is_sgld ? 0.1 / curvature : 0.2 / std::sqrt(curvature), 20000);
    options.set("batch_size", 20);
    options.set("sg_anchor", SgAnchor::none);
    const double friction = 2 * std::sqrt(curvature);
    if (!is_sgld) options.set("sg_friction", friction);
    const auto predicted = [&](const auto& brought) {
      return is_sgld ? langevin_covariance(precision, options[option::kSgStepSize], brought)
                     : hamiltonian_covariance(precision, options[option::kSgStepSize], friction, brought);
    };
    const auto found = [&] {
      std::vector<double> variances;
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Draws draws = run_sg(method.c_str(), target, options, seed).draws;
        variances.push_back(covariance(draws, target.mean(), 1, 1).value);
      }
      return mean_of_runs(variances);
    };
    EXPECT_GT(predicted(noise)(1, 1) / posterior(1, 1), 1.3) << method;
    EXPECT_LT(found().errors_from(predicted(noise)(1, 1)), kErrors) << method;
    options.set("sg_noise", SgNoise::corrected);
    const DrawEstimate corrected = found();
    EXPECT_LT(std::abs(predicted(rest)(1, 1) / posterior(1, 1) - 1), 0.1) << method;
    EXPECT_LT(corrected.errors_from(predicted(rest)(1, 1)), kErrors)
        << method << ": " << corrected.value << " +- " << corrected.error;
    EXPECT_LT(corrected.error, 0.05 * posterior(1, 1)) << method;
  }
}

// The bias by discretisation is of first order in the step size h: 2 v(h / 2) - v(h) is without.
DrawEstimate without_discretisation(Options options) {
  const DrawEstimate coarse = measured_excess("sgld", options);
  options.set(option::kSgStepSize, options[option::kSgStepSize] / 2);
  options.set(option::kDraws, 2 * options[option::kDraws]);
  const DrawEstimate fine = measured_excess("sgld", options);
  return {1 + 2 * fine.value - coarse.value, std::hypot(2 * fine.error, coarse.error)};
}

// With a memory of one gradient G is 1 / (floor + |x|) on a standard normal. The diffusion without the
// derivative of G has the density p / G: variance (floor + E|x|^3) / (floor + E|x|).
TEST(RmsProp, IsRightWithItsCorrectionAndBiasedAsPredictedWithout) {
  Options options = bare(0.04, 60000);
  options.set("sg_rms_decay", 0);
  options.set("sg_rms_floor", 0.5);
  options.set("sg_preconditioner", SgPreconditioner::rmsprop_biased);
  Target target = gaussian({0}, {1});
  EXPECT_TRUE(run_sg("sgld", target, bare_with(options, 10)).found("biased-preconditioner"));
  const double root = std::sqrt(2 / std::numbers::pi);
  const double predicted = (0.5 + 2 * root) / (0.5 + root);
  const DrawEstimate biased = without_discretisation(options);
  EXPECT_LT(biased.errors_from(predicted), kErrors) << biased.value << " +- " << biased.error;
  options.set("sg_preconditioner", SgPreconditioner::rmsprop);
  EXPECT_FALSE(run_sg("sgld", target, bare_with(options, 10)).found("biased-preconditioner"));
  const DrawEstimate right = without_discretisation(options);
  EXPECT_LT(right.errors_from(1), kErrors) << right.value << " +- " << right.error;
  EXPECT_LT(right.error, 0.05);
}

TEST(RmsProp, OfALongMemorySamplesMinibatches) {
  RowRegression target(2000, 3);
  Options options;
  options.set("draws", 4000);
  options.set("sg_preconditioner", SgPreconditioner::rmsprop);
  const Draws draws = run_sg("sgld", target, options).draws;
  const Eigen::MatrixXd posterior = target.precision().inverse();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(covariance(draws, target.mean(), i, i).value / posterior(at, at), 1, 0.2) << i;
  }
}

std::set<bool> visited(const Draws& draws) {
  std::set<bool> sides;
  for (const double x : coordinate(draws, 0)) sides.insert(x > 0);
  return sides;
}

TEST(Cyclical, VisitsBothModesWherePlainStaysInOne) {
  for (const char* method : {"sgld", "sghmc"}) {
    Target target = two_modes(2, 5, 0.5);
    Options options;
    options.set("draws", 2000);
    EXPECT_EQ(visited(run_sg(method, target, options).draws).size(), 1U) << method;
    options.set("sg_schedule", SgSchedule::cyclical);
    options.set("sg_cycles", 20);
    const Outcome found = run_sg(method, target, options);
    EXPECT_EQ(visited(found.draws).size(), 2U) << method;
    EXPECT_EQ(found.draws.count(), 2000U);
    EXPECT_TRUE(found.findings.empty()) << found.codes();
  }
}

TEST(Schedule, FollowsItsFormulas) {
  Options options;
  options.set("warmup", 100);
  options.set("draws", 50);
  options.set("sg_schedule", SgSchedule::decaying);
  options.set("sg_delay", 10);
  options.set("sg_decay", 0.6);
  const Schedule decaying(options);
  EXPECT_EQ(decaying.factor(0, 0, 4), 1);
  EXPECT_DOUBLE_EQ(decaying.factor(30, 2, 4), std::pow(1 + 30.5 / 10, -0.6));
  EXPECT_DOUBLE_EQ(decaying.largest_kept(), decaying.factor(100, 0, 1));
  options = {};
  options.set("warmup", 10);
  options.set("draws", 40);
  options.set("thin", 2);
  options.set("sg_schedule", SgSchedule::cyclical);
  options.set("sg_cycles", 4);
  options.set("sg_exploration", 0.75);
  const Schedule cyclical(options);
  EXPECT_EQ(cyclical.iterations(), 10U + 4 * 40);
  EXPECT_EQ(cyclical.factor(10, 0, 5), 1);
  EXPECT_EQ(cyclical.factor(50, 0, 5), 1);
  EXPECT_DOUBLE_EQ(cyclical.factor(30, 0, 5), 0.5);
  EXPECT_DOUBLE_EQ(cyclical.factor(3, 0, 5), cyclical.factor(40, 0, 5));
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < cyclical.iterations(); ++i) kept += cyclical.is_kept(i) ? 1 : 0;
  EXPECT_EQ(kept, 20U);
  EXPECT_FALSE(cyclical.is_kept(39));
  EXPECT_TRUE(cyclical.is_kept(40));
}

TEST(Schedule, DecayingStepsTakeTheBiasAway) {
  Options options = bare(0.6, 60000);
  options.set("warmup", 100);
  const DrawEstimate constant = measured_excess("sgld", options);
  options.set("sg_schedule", SgSchedule::decaying);
  const DrawEstimate decaying = measured_excess("sgld", options);
  EXPECT_GT(constant.value, 0.4);
  EXPECT_LT(decaying.value, 0.05);
  EXPECT_GT(decaying.value + 5 * decaying.error, 0);
}

// Over many minibatches: mean and variance of a source's gradient.
struct GradientMoments {
  Eigen::VectorXd mean;
  Eigen::VectorXd variance;
};

GradientMoments moments_of(GradientSource& source, const Eigen::VectorXd& theta, std::uint32_t count) {
  const std::vector<double> point(theta.data(), theta.data() + theta.size());
  std::vector<double> gradient;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(theta.size());
  Eigen::VectorXd squares = sum;
  for (std::uint32_t n = 0; n < count; ++n) {
    EXPECT_TRUE(source.at(n, point, gradient));
    const Eigen::Map<const Eigen::VectorXd> g(gradient.data(), theta.size());
    sum += g;
    squares += g.cwiseAbs2();
  }
  const Eigen::VectorXd mean = sum / count;
  return {mean, squares / count - mean.cwiseAbs2()};
}

TEST(ControlVariates, NoiseFallsWithTheSquaredDistanceFromTheAnchor) {
  RowRegression target(300, 3);
  Options options;
  options.set("batch_size", 10);
  options.set("sg_anchor", SgAnchor::mode);
  GradientSource source(target, options, {5, 0, 0});
  const Eigen::VectorXd mode = target.mean();
  source.set_anchor({mode.data(), mode.data() + 3});
  EXPECT_EQ(moments_of(source, mode, 50).variance.maxCoeff(), 0);
  const Eigen::VectorXd direction = Eigen::VectorXd::Ones(3);
  for (const double distance : {0.01, 0.1, 1.0}) {
    const Eigen::VectorXd away = distance * direction;
    const GradientMoments found = moments_of(source, mode + away, 20000);
    const Eigen::VectorXd predicted = target.gradient_noise(10, away * away.transpose(), true).diagonal();
    const Eigen::VectorXd full = -target.precision() * away;
    for (Eigen::Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.variance(i) / predicted(i), 1, 0.1) << distance;
      EXPECT_LT(std::abs(found.mean(i) - full(i)), 5 * std::sqrt(predicted(i) / 20000)) << distance;
    }
  }
  options.set("sg_anchor", SgAnchor::none);
  GradientSource plain(target, options, {5, 0, 0});
  const Eigen::VectorXd noise = target.gradient_noise(10, Eigen::MatrixXd::Zero(3, 3), false).diagonal();
  const GradientMoments found = moments_of(plain, mode, 20000);
  for (Eigen::Index i = 0; i < 3; ++i) EXPECT_NEAR(found.variance(i) / noise(i), 1, 0.1);
}

class Untuned : public ::testing::TestWithParam<const char*> {};

TEST_P(Untuned, FindsThePosteriorOfManyRows) {
  RowRegression target(5000, 4);
  const Eigen::MatrixXd posterior = target.precision().inverse();
  const Outcome found = run_sg(GetParam(), target, {});
  EXPECT_TRUE(found.findings.empty()) << found.codes();
  for (std::size_t i = 0; i < 4; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const double sd = std::sqrt(posterior(at, at));
    EXPECT_NEAR(estimate(coordinate(found.draws, i)).value, target.mean()(at), 0.2 * sd);
    EXPECT_NEAR(std::sqrt(covariance(found.draws, target.mean(), i, i).value) / sd, 1, 0.15);
  }
  for (const double value : found.draws.log_density) ASSERT_TRUE(std::isfinite(value));
}

TEST_P(Untuned, FindsScalesAndCorrelationsOfAllMetrics) {
  Target target = gaussian({100, -3}, {0.1, 30});
  Target coupled = autoregression(5, 0.7);
  for (const Metric metric : {Metric::diagonal, Metric::dense}) {
    Options options;
    options.set("metric", metric);
    options.set("draws", 4000);
    const Draws draws = run_sg(GetParam(), target, options).draws;
    EXPECT_LT(estimate(coordinate(draws, 0)).errors_from(100), kErrors);
    EXPECT_NEAR(estimate_variance(coordinate(draws, 0), 100).value, 0.01, 0.002);
    EXPECT_NEAR(estimate_variance(coordinate(draws, 1), -3).value, 900, 180);
    const Draws others = run_sg(GetParam(), coupled, options).draws;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(estimate_variance(coordinate(others, i), 0).value, 1, 0.25) << i;
  }
}

TEST_P(Untuned, ResumesAnywhereWithMinibatches) {
  RowRegression target(1500, 3);
  for (const SgSchedule schedule : {SgSchedule::constant, SgSchedule::cyclical}) {
    Options options;
    options.set("warmup", 5);
    options.set("draws", 10);
    options.set("sg_schedule", schedule);
    if (schedule == SgSchedule::cyclical) options.set("sg_cycles", 2);
    testing::expect_resumes(GetParam(), target, options, start_at({0.5, 0.5, 0.5}, 9, 1), 3);
  }
}

TEST_P(Untuned, RunsAModelWithoutParameters) {
  Target target(0, [](const double*, double*) { return -1.5; });
  Options options;
  options.set("warmup", 3);
  options.set("draws", 4);
  EXPECT_EQ(run_sg(GetParam(), target, options).draws.log_density, std::vector<double>(4, -1.5));
}

TEST_P(Untuned, ComesBackFromOutsideTheSupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = -theta[0];
    return std::abs(theta[0]) < 2.5 ? -0.5 * theta[0] * theta[0] : std::nan("");
  });
  Options options;
  options.set("draws", 5000);
  const Outcome found = run_sg(GetParam(), target, options);
  EXPECT_TRUE(found.found("divergences"));
  EXPECT_GT(found.progress.divergences, 0U);
  EXPECT_NEAR(estimate(coordinate(found.draws, 0)).value, 0, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Methods, Untuned, ::testing::Values("sgld", "sghmc", "sgnht"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Sgld, ResumesWithItsPreconditioner) {
  RowRegression target(1500, 3);
  Options options;
  options.set("warmup", 5);
  options.set("draws", 5);
  options.set("sg_preconditioner", SgPreconditioner::rmsprop);
  options.set("sg_noise", SgNoise::corrected);
  testing::expect_resumes("sgld", target, options, start_at({0.5, 0.5, 0.5}, 9, 1), 3);
}

TEST(Sgld, TellsOfAStepSizeThatIsTooLarge) {
  Target target = gaussian({0}, {1});
  EXPECT_TRUE(run_sg("sgld", target, bare(0.9, 100)).found("discretisation"));
  EXPECT_TRUE(run_sg("sgld", target, bare(2.1, 100)).found("unstable-step-size"));
  EXPECT_TRUE(run_sg("sgld", target, bare(0.1, 100)).findings.empty());
}

TEST(Sgld, CountsItsEvaluations) {
  RowRegression target(2000, 2);
  Options options;
  options.set("batch_size", 100);
  options.set("warmup", 10);
  options.set("draws", 30);
  options.set("sg_updates", 5);
  const auto chain = find_method("sgld")->make(target, options, start_at({0.5, 0.5}));
  run(*chain);
  const Facts facts = chain->facts();
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, text] : facts) {
      if (key == name) return text;
    }
    return std::string("none");
  };
  // Two lanes for each update and for each of the probes, and one more for the start.
  EXPECT_EQ(fact("gradients of minibatches"), std::to_string(2 * (40 * 5 + 2 * 128 + 1)));
  EXPECT_EQ(fact("minibatches"), "100 of 2000 rows, anchored at the mode");
  EXPECT_EQ(fact("updates of an iteration"), "5");
  EXPECT_TRUE(target.sees_all());
}

std::string refusal(const char* method, density::LogDensity& density,
                    std::initializer_list<NamedValue> values) {
  try {
    find_method(method)->make(density, Options(values), start_at(std::vector<double>(density.dim(), 0.5)));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_FALSE(error.hint().empty());
    return error.message();
  }
  return "not refused";
}

TEST(SgOptions, WithoutSenseAreRefused) {
  Target no_rows = gaussian({0}, {1});
  RowRegression rows(50, 2);
  const auto expect = [](const std::string& found, const char* words) {
    EXPECT_NE(found.find(words), std::string::npos) << found;
  };
  expect(refusal("sgld", no_rows, {{"batch_size", 5}}), "has no rows");
  expect(refusal("sgld", rows, {{"batch_size", 51}}), "the data have 50 rows");
  expect(refusal("sghmc", no_rows, {{"sg_anchor", SgAnchor::mode}}), "there are none");
  expect(refusal("sgld", no_rows, {{"sg_cycles", 3}}), "cyclical` alone");
  expect(refusal("sgld", no_rows, {{"sg_schedule", SgSchedule::cyclical}, {"draws", 5}}),
         "at most the 5 draws");
  expect(refusal("sgld", no_rows, {{"sg_decay", 0.7}}), "decaying` alone");
  expect(refusal("sgld", no_rows, {{"sg_rms_decay", 0.5}}), "RMSProp alone");
  expect(refusal("sgnht", no_rows, {{"sg_step_size", -1}}),
         "--sg-step-size is -1; it must be auto or above 0");
  expect(refusal("sgnht", no_rows, {{"thin", 0}}), "--thin is 0; it must be 1 or more");
  expect(refusal("sgld", no_rows, {{"sg_decay", 2}}), "--sg-decay is 2; it must be above 0 and at most 1");
  expect(refusal("sgld", no_rows, {{"sg_exploration", 1}}),
         "--sg-exploration is 1; it must be from 0 to 0.99");
}

}  // namespace
}  // namespace kullback::infer
