#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

const Method& nuts() { return *find_method("nuts"); }

Options with(std::size_t draws, Metric metric = Metric::diagonal) {
  Options options;
  options.set("draws", draws);
  options.set("metric", metric);
  return options;
}

void expect_standard(const Draws& draws) {
  for (std::size_t i = 0; i < draws.dim; ++i) {
    const std::vector<double> x = coordinate(draws, i);
    EXPECT_LT(estimate(x).errors_from(0), kErrors) << "mean of " << i;
    EXPECT_LT(estimate_variance(x, 0).errors_from(1), kErrors) << "variance of " << i;
  }
}

TEST(Nuts, SamplesACorrelatedGaussianWithEveryMetric) {
  for (const Metric metric : {Metric::unit, Metric::diagonal, Metric::dense}) {
    Target target = autoregression(20, 0.8);
    const auto chain = nuts().make(target, with(4000, metric), start_at(std::vector<double>(20, 1.5)));
    const Draws draws = run(*chain);
    ASSERT_EQ(draws.count(), 4000U);
    expect_standard(draws);
    std::vector<double> products = coordinate(draws, 3);
    const std::vector<double> next = coordinate(draws, 4);
    for (std::size_t n = 0; n < products.size(); ++n) products[n] *= next[n];
    EXPECT_LT(estimate(products).errors_from(0.8), kErrors);
    const double accepted = estimate(column(draws, nuts(), "accept_stat__")).value;
    EXPECT_NEAR(accepted, 0.8, 0.12);
  }
}

TEST(Nuts, LearnsScales) {
  Target target = gaussian({100, -3, 0}, {1e-3, 10, 1e3});
  const auto chain = nuts().make(target, with(2000), start_at({99, 0, 0}));
  const Draws draws = run(*chain);
  const double sd[] = {1e-3, 10, 1e3};
  const double mean[] = {100, -3, 0};
  const Adaptation adapted = chain->adaptation().value();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(estimate(coordinate(draws, i)).errors_from(mean[i]), kErrors);
    EXPECT_LT(estimate_variance(coordinate(draws, i), mean[i]).errors_from(sd[i] * sd[i]), kErrors);
  }
  // The last window has 500 draws: 1e-6 is below the 1e-3 * 5 / 505 that shrinkage adds.
  EXPECT_NEAR(adapted.inv_metric[0], 1e-3 * 5 / 505, 2e-6);
  EXPECT_NEAR(adapted.inv_metric[1], 100, 30);
  EXPECT_NEAR(adapted.inv_metric[2], 1e6, 3e5);
}

TEST(Nuts, SamplesABananaAndHeavyTails) {
  Target bent = banana(1);
  const Draws draws = run(*nuts().make(bent, with(20000), start_at({0, 0})));
  EXPECT_LT(estimate_variance(coordinate(draws, 0), 0).errors_from(1), kErrors);
  EXPECT_LT(estimate(coordinate(draws, 1)).errors_from(0), kErrors);
  EXPECT_LT(estimate_variance(coordinate(draws, 1), 0).errors_from(3), kErrors);

  Target heavy = student_t(3);
  const std::vector<double> x = coordinate(run(*nuts().make(heavy, with(20000), start_at({1}))), 0);
  // P(|t_3| < 1) and P(|t_3| < 3).
  EXPECT_LT(
      estimate_of(x, [](double v) { return std::abs(v) < 1 ? 1.0 : 0.0; }).errors_from(0.6089977810442294),
      kErrors);
  EXPECT_LT(
      estimate_of(x, [](double v) { return std::abs(v) < 3 ? 1.0 : 0.0; }).errors_from(0.9423311143775626),
      kErrors);
}

TEST(Nuts, StatisticsHoldTogether) {
  Target target = autoregression(5, 0.5);
  const Draws draws = run(*nuts().make(target, with(500), start_at(std::vector<double>(5, 0.5))));
  const std::vector<double> depth = column(draws, nuts(), "treedepth__");
  const std::vector<double> leapfrogs = column(draws, nuts(), "n_leapfrog__");
  const std::vector<double> energy = column(draws, nuts(), "energy__");
  const std::vector<double> step = column(draws, nuts(), "stepsize__");
  for (std::size_t n = 0; n < draws.count(); ++n) {
    // A trajectory of depth d has 2^d - 1 new states, and at most 2^d more that were thrown away.
    EXPECT_GE(leapfrogs[n], std::exp2(depth[n]) - 1);
    EXPECT_LE(leapfrogs[n], std::exp2(depth[n] + 1) - 1);
    EXPECT_GE(energy[n], -draws.log_density[n]);
    EXPECT_EQ(step[n], step[0]);
    double again = 0;
    std::vector<double> gradient(5);
    density::Status status{};
    target.evaluate({1, &draws.theta[n * 5], &again, gradient.data(), &status});
    EXPECT_EQ(again, draws.log_density[n]);
  }
}

// Energies of a d-dimensional Gaussian: half of a chi-squared variable with 2d degrees of freedom.
TEST(Nuts, EnergiesHaveTheirDistribution) {
  Target target = gaussian(std::vector<double>(10, 0.0), std::vector<double>(10, 1.0));
  const Draws draws = run(*nuts().make(target, with(10000), start_at(std::vector<double>(10, 0.1))));
  const std::vector<double> energy = column(draws, nuts(), "energy__");
  EXPECT_LT(estimate(energy).errors_from(10), kErrors);
  EXPECT_LT(estimate_variance(energy, 10).errors_from(10), kErrors);
}

// About half of all chains diverge somewhere; that none of sixteen does has a probability below 1e-4.
TEST(Nuts, AFunnelDiverges) {
  double all = 0;
  for (std::uint32_t number = 0; number < 16; ++number) {
    Target target = funnel(10);
    Start start = start_at(std::vector<double>(10, 0.5));
    start.chain = number;
    const auto chain = nuts().make(target, with(1000), start);
    const Draws draws = run(*chain);
    const std::vector<double> divergent = column(draws, nuts(), "divergent__");
    const double count = std::accumulate(divergent.begin(), divergent.end(), 0.0);
    EXPECT_EQ(static_cast<double>(chain->progress().divergences), count);
    all += count;
  }
  EXPECT_GT(all, 0);
}

// A density that is rejected half the way is an infinite potential: the half line is sampled right.
TEST(Nuts, TheEdgeOfASupportIsAWall) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = -1;
    return theta[0] > 0 ? -theta[0] : -std::numeric_limits<double>::infinity();
  });
  Options options = with(20000);
  const Draws draws = run(*nuts().make(target, options, start_at({1})));
  EXPECT_LT(estimate(coordinate(draws, 0)).errors_from(1), kErrors);
}

TEST(Nuts, WithoutWarmupTheStepSizeIsAsGiven) {
  Target target = autoregression(4, 0.3);
  Options options = with(50);
  options.set("warmup", 0);
  options.set("step_size", 0.25);
  options.set("max_depth", 3);
  const auto chain = nuts().make(target, options, start_at(std::vector<double>(4, 0.0)));
  const Draws draws = run(*chain);
  for (const double step : column(draws, nuts(), "stepsize__")) EXPECT_EQ(step, 0.25);
  for (const double depth : column(draws, nuts(), "treedepth__")) EXPECT_LE(depth, 3);
  EXPECT_EQ(chain->adaptation()->inv_metric, std::vector<double>(4, 1.0));
  // One evaluation at the start: no gradient is computed twice.
  const std::vector<double> leapfrogs = column(draws, nuts(), "n_leapfrog__");
  EXPECT_EQ(static_cast<double>(chain->progress().gradients),
            1 + std::accumulate(leapfrogs.begin(), leapfrogs.end(), 0.0));
}

TEST(Nuts, JitterMovesTheStepSize) {
  Target target = autoregression(4, 0.3);
  Options options = with(400);
  options.set("warmup", 0);
  options.set("step_size", 0.5);
  options.set("step_size_jitter", 0.5);
  const std::vector<double> step =
      column(run(*nuts().make(target, options, start_at(std::vector<double>(4, 0.0)))), nuts(), "stepsize__");
  EXPECT_GT(*std::max_element(step.begin(), step.end()), 0.7);
  EXPECT_LT(*std::min_element(step.begin(), step.end()), 0.3);
  EXPECT_LE(*std::max_element(step.begin(), step.end()), 0.75);
}

TEST(Nuts, ThinsAsStan) {
  Target target = autoregression(2, 0.3);
  Options options = with(10);
  options.set("thin", 3);
  EXPECT_EQ(run(*nuts().make(target, options, start_at({0, 0}))).count(), 4U);
}

TEST(Nuts, AnImproperPosteriorIsNamed) {
  Target target(1, [](const double*, double* gradient) {
    gradient[0] = 0;
    return 0.0;
  });
  const auto chain = nuts().make(target, with(10), start_at({0}));
  Draws draws;
  try {
    chain->step(draws);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(error.message().find("improper"), std::string::npos);
  }
}

TEST(Nuts, RefusesOptionsWithoutSense) {
  const auto message = [](const char* name, double value) -> std::string {
    try {
      Options().set(name, value);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message() + " " + error.hint();
    }
    return "accepted";
  };
  EXPECT_EQ(message("target_accept", 1),
            "--target-accept is 1; it must be between 0 and 1. 0.8 suits most models; 0.95 difficult ones.");
  EXPECT_EQ(message("step_size", 0),
            "--step-size is 0; it must be above 0. Leave it at 1 where warm-up adapts it.");
  EXPECT_EQ(message("step_size_jitter", 1),
            "--step-size-jitter is 1; it must be at least 0 and below 1. Use 0 for none.");
  EXPECT_EQ(message("thin", 0), "--thin is 0; it must be 1 or more. Use --thin 1 to keep all.");
  EXPECT_EQ(message("max_depth", 31),
            "--max-depth is 31; it must be from 1 to 30. 10 allows trajectories of 1023 steps.");
  EXPECT_EQ(message("step_size", std::nan("")),
            "--step-size is nan; it must be a finite number. Leave it at 1 where warm-up adapts it.");
}

TEST(Nuts, ChainsAndSeedsDiffer) {
  Target target = autoregression(2, 0.3);
  const Draws one = run(*nuts().make(target, with(5), start_at({0, 0}, 1, 0)));
  EXPECT_EQ(one.theta, run(*nuts().make(target, with(5), start_at({0, 0}, 1, 0))).theta);
  EXPECT_NE(one.theta, run(*nuts().make(target, with(5), start_at({0, 0}, 1, 1))).theta);
  EXPECT_NE(one.theta, run(*nuts().make(target, with(5), start_at({0, 0}, 2, 0))).theta);
}

}  // namespace
}  // namespace kullback::infer
