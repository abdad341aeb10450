// Static HMC, Langevin and the random walk.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

struct Case {
  const char* method;
  std::size_t draws;
  double int_time;
};

class Metropolis : public testing::TestWithParam<Case> {
 protected:
  const Method& method() const { return *find_method(GetParam().method); }
  Options options(Metric metric = Metric::diagonal) const {
    Options result;
    result.set("draws", GetParam().draws);
    result.set("warmup", 2000);
    result.set("int_time", GetParam().int_time);
    result.set("metric", metric);
    return result;
  }
};

TEST_P(Metropolis, SamplesACorrelatedGaussian) {
  for (const Metric metric : {Metric::diagonal, Metric::dense}) {
    Target target = autoregression(5, 0.7);
    const Draws draws = run(*method().make(target, options(metric), start_at(std::vector<double>(5, 1.0))));
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_LT(estimate(coordinate(draws, i)).errors_from(0), kErrors) << i;
      EXPECT_LT(estimate_variance(coordinate(draws, i), 0).errors_from(1), kErrors) << i;
    }
    std::vector<double> products = coordinate(draws, 1);
    const std::vector<double> next = coordinate(draws, 2);
    for (std::size_t n = 0; n < products.size(); ++n) products[n] *= next[n];
    EXPECT_LT(estimate(products).errors_from(0.7), kErrors);
  }
}

TEST_P(Metropolis, LearnsScales) {
  Target target = gaussian({100, -3}, {0.1, 30});
  const Draws draws = run(*method().make(target, options(), start_at({99, 0})));
  EXPECT_LT(estimate(coordinate(draws, 0)).errors_from(100), kErrors);
  EXPECT_LT(estimate(coordinate(draws, 1)).errors_from(-3), kErrors);
  EXPECT_LT(estimate_variance(coordinate(draws, 0), 100).errors_from(0.01), kErrors);
  EXPECT_LT(estimate_variance(coordinate(draws, 1), -3).errors_from(900), kErrors);
}

TEST_P(Metropolis, SamplesABanana) {
  Target target = banana(0.5);
  const Draws draws = run(*method().make(target, options(), start_at({0, 0})));
  EXPECT_LT(estimate_variance(coordinate(draws, 0), 0).errors_from(1), kErrors);
  EXPECT_LT(estimate(coordinate(draws, 1)).errors_from(0), kErrors);
  EXPECT_LT(estimate_variance(coordinate(draws, 1), 0).errors_from(1.5), kErrors);
}

TEST_P(Metropolis, WithoutWarmupNothingIsAdapted) {
  Target target = autoregression(3, 0.5);
  Options as_given = options();
  as_given.set("warmup", 0);
  as_given.set("draws", 20);
  as_given.set("step_size", 0.3);
  const Draws draws = run(*method().make(target, as_given, start_at({0, 0, 0})));
  for (const double step : column(draws, method(), "stepsize__")) EXPECT_EQ(step, 0.3);
}

TEST_P(Metropolis, AStartOutsideTheSupportIsNamed) {
  Target target(1, [](const double*, double*) { return std::nan(""); });
  Draws draws;
  const auto chain = method().make(target, options(), start_at({1}));
  EXPECT_THROW(chain->step(draws), Error);
}

INSTANTIATE_TEST_SUITE_P(Methods, Metropolis,
                         testing::Values(Case{"hmc", 8000, 1.5}, Case{"mala", 60000, 1},
                                         Case{"rwm", 150000, 1}),
                         [](const auto& tested) { return std::string(tested.param.method); });

TEST(Metropolis, AcceptanceReachesItsTarget) {
  Target target = gaussian(std::vector<double>(20, 0.0), std::vector<double>(20, 1.0));
  const auto acceptance = [&target](const char* name) {
    const Method& method = *find_method(name);
    Options options;
    options.set("warmup", 2000);
    options.set("draws", 4000);
    options.set("int_time", 1.5);
    double sum = 0;
    for (std::uint32_t chain = 0; chain < 8; ++chain) {
      const Draws draws =
          run(*method.make(target, options, start_at(std::vector<double>(20, 0.5), 1, chain)));
      sum += estimate(column(draws, method, "accept_stat__")).value / 8;
    }
    return sum;
  };
  EXPECT_NEAR(acceptance("mala"), 0.574, 0.06);
  EXPECT_NEAR(acceptance("rwm"), 0.234 + 0.206 / 20, 0.04);
}

// Not of long trajectories: they hit the wall however short their steps are.
TEST(Metropolis, SingleStepsStayInsideTheSupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = -1;
    return theta[0] > 0 ? -theta[0] : -std::numeric_limits<double>::infinity();
  });
  for (const char* name : {"mala", "rwm"}) {
    Options options;
    options.set("draws", 60000);
    const Draws draws = run(*find_method(name)->make(target, options, start_at({1})));
    EXPECT_LT(estimate(coordinate(draws, 0)).errors_from(1), kErrors) << name;
  }
}

TEST(Rwm, AsksForNoGradient) {
  class NoGradient final : public density::LogDensity {
   public:
    std::size_t dim() const override { return 1; }
    void evaluate(const density::Batch& batch) override {
      EXPECT_EQ(batch.gradient, nullptr);
      batch.log_density[0] = -0.5 * batch.theta[0] * batch.theta[0];
      batch.status[0] = density::Status::ok;
    }
  } target;
  const Method& method = *find_method("rwm");
  EXPECT_FALSE(method.needs.gradient);
  EXPECT_EQ(run(*method.make(target, {}, start_at({0}))).count(), 1000U);
}

TEST(Hmc, StepsFillTheIntegrationTime) {
  Target target = gaussian({0, 0}, {1, 1});
  Options options;
  options.set("warmup", 0);
  options.set("draws", 10);
  options.set("step_size", 0.1);
  options.set("int_time", 1.05);
  const auto chain = find_method("hmc")->make(target, options, start_at({0.5, 0.5}));
  const Draws draws = run(*chain);
  EXPECT_EQ(chain->progress().gradients, 1U + 10 * 10);
  for (const double time : column(draws, *find_method("hmc"), "int_time__")) EXPECT_EQ(time, 1.05);
  EXPECT_THROW(options.set("int_time", 0), Error);
}

}  // namespace
}  // namespace kullback::infer
