#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "infer/mcmc/temperature_ladder.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

const Method& tempering() { return *find_method("tempering"); }

Options with(std::size_t draws, std::size_t temperatures = 10) {
  Options options;
  options.set("draws", draws);
  options.set("temperatures", temperatures);
  return options;
}

TEST(Ladder, CutsTheBarrierInEqualParts) {
  std::vector<double> betas{0, 0.1, 0.5, 1};
  const std::vector<double> rates{0.6, 0.2, 0.1};
  place_temperatures(betas, rates);
  // The barrier is 0.9: a third lies half the way through the first gap, two thirds at its end.
  EXPECT_DOUBLE_EQ(betas[0], 0);
  EXPECT_NEAR(betas[1], 0.05, 1e-12);
  EXPECT_NEAR(betas[2], 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(betas[3], 1);
  std::vector<double> even{0, 0.25, 0.5, 1};
  place_temperatures(even, std::vector<double>{0, 0, 0});
  EXPECT_NEAR(even[1], 0.25, 1e-12);
  EXPECT_EQ(first_ladder(3), (std::vector<double>{0, 0.125, 1}));
  EXPECT_EQ(first_ladder(1), std::vector<double>{1});
}

TEST(Tempering, FindsBothModesWithTheirWeights) {
  Target target = two_modes(3, 6, 0.3);
  for (const double from : {-6.0, 6.0}) {
    const auto chain = tempering().make(target, with(20000), start_at({from, 0.5, 0.5}));
    const Draws draws = run(*chain);
    const std::vector<double> x = coordinate(draws, 0);
    const DrawEstimate left = estimate_of(x, [](double v) { return v < 0 ? 1.0 : 0.0; });
    EXPECT_LT(left.errors_from(0.3), kErrors);
    EXPECT_LT(left.error, 0.03);
    EXPECT_LT(estimate_of(x, [](double v) { return std::abs(v); }).errors_from(6), kErrors);
    EXPECT_LT(estimate_variance(coordinate(draws, 2), 0).errors_from(1), kErrors);
    EXPECT_GT(column(draws, tempering(), "restarts__").back(), 100);
    EXPECT_TRUE(chain->findings().empty());
  }
}

TEST(Tempering, MomentsOfACorrelatedGaussianWithAnyNumberOfTemperatures) {
  for (const std::size_t temperatures : {2U, 3U, 10U}) {
    Target target = autoregression(5, 0.7);
    const Draws draws =
        run(*tempering().make(target, with(10000, temperatures), start_at(std::vector<double>(5, 0.5))));
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_LT(estimate(coordinate(draws, i)).errors_from(0), kErrors) << temperatures << " " << i;
      EXPECT_LT(estimate_variance(coordinate(draws, i), 0).errors_from(1), kErrors)
          << temperatures << " " << i;
    }
  }
}

TEST(Tempering, LearnsScales) {
  Target target = gaussian({20, -3}, {0.1, 30});
  const Draws draws = run(*tempering().make(target, with(10000), start_at({1, 0})));
  EXPECT_LT(estimate(coordinate(draws, 0)).errors_from(20), kErrors);
  EXPECT_LT(estimate(coordinate(draws, 1)).errors_from(-3), kErrors);
  EXPECT_LT(estimate_variance(coordinate(draws, 0), 20).errors_from(0.01), kErrors);
  EXPECT_LT(estimate_variance(coordinate(draws, 1), -3).errors_from(900), kErrors);
}

TEST(Tempering, StaysInsideTheSupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = -1;
    return theta[0] > 0 ? -theta[0] : -std::numeric_limits<double>::infinity();
  });
  const Draws draws = run(*tempering().make(target, with(20000), start_at({1})));
  EXPECT_LT(estimate(coordinate(draws, 0)).errors_from(1), kErrors);
}

TEST(Tempering, SaysWhereTooFewStatesArriveFromTheReferences) {
  Target target = gaussian(std::vector<double>(30, 40.0), std::vector<double>(30, 0.01));
  const auto chain = tempering().make(target, with(50, 2), start_at(std::vector<double>(30, 0.0)));
  run(*chain);
  ASSERT_EQ(chain->findings().size(), 1U);
  EXPECT_EQ(chain->findings()[0].code, "few-restarts");
  EXPECT_THROW(tempering().make(target, with(10, 1), start_at(std::vector<double>(30, 0.0))), Error);
}

}  // namespace
}  // namespace kullback::infer
