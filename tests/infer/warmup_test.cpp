#include "infer/mcmc/warmup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "infer/mcmc/hamiltonian.hpp"
#include "infer/mcmc/turning.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using Ends = std::vector<std::size_t>;

// Stan's reference manual, and the arithmetic of its windowed adaptation.
TEST(WindowSchedule, IsStans) {
  EXPECT_EQ(WindowSchedule(1000).ends(), (Ends{99, 149, 249, 449, 949}));
  EXPECT_EQ(WindowSchedule(150).ends(), (Ends{99}));
  EXPECT_EQ(WindowSchedule(160).ends(), (Ends{99, 109}));
  EXPECT_EQ(WindowSchedule(500).ends(), (Ends{99, 149, 249, 449}));
  EXPECT_EQ(WindowSchedule(20).ends(), (Ends{17}));
  EXPECT_EQ(WindowSchedule(100).ends(), (Ends{89}));
  EXPECT_EQ(WindowSchedule(19).ends(), Ends{});
  EXPECT_EQ(WindowSchedule(0).ends(), Ends{});
}

TEST(WindowSchedule, CollectsInItsWindowsOnly) {
  const WindowSchedule usual(1000);
  EXPECT_FALSE(usual.collects(74));
  EXPECT_TRUE(usual.collects(75));
  EXPECT_TRUE(usual.collects(949));
  EXPECT_FALSE(usual.collects(950));
  const WindowSchedule brief(20);
  EXPECT_FALSE(brief.collects(2));
  EXPECT_TRUE(brief.collects(3));
  EXPECT_TRUE(brief.collects(17));
  EXPECT_FALSE(brief.collects(18));
  EXPECT_FALSE(WindowSchedule(10).collects(5));
}

// An acceptance of exp(-step): 0.8 at a step of -log 0.8.
TEST(DualAveraging, ReachesItsTarget) {
  DualAveraging averaging({0.8}, 1);
  double step = 1;
  for (int i = 0; i < 2000; ++i) step = averaging.learn(std::exp(-step));
  EXPECT_NEAR(averaging.average(), -std::log(0.8), 0.01);
}

// By hand: t = 1, error 0.8 - 0.5; weight 1/11.
TEST(DualAveraging, FirstStepByHand) {
  DualAveraging averaging({0.8}, 2);
  const double step = averaging.learn(0.5);
  EXPECT_DOUBLE_EQ(step, std::exp(std::log(20.0) - 0.3 / 11 / 0.05));
  EXPECT_DOUBLE_EQ(averaging.average(), step);
}

TEST(RunningMoments, AreShrunkSampleMoments) {
  const std::vector<std::vector<double>> points{{1, 2}, {3, -1}, {4, 5}, {0, 0}};
  RunningMoments diagonal(2, false);
  RunningMoments dense(2, true);
  for (const auto& point : points) {
    diagonal.add(point.data());
    dense.add(point.data());
  }
  const double n = 4;
  const double ridge = 1e-3 * 5 / 9;
  const double variance0 = 10.0 / 3;  // deviations -1, 1, 2, -2
  const double variance1 = 21.0 / 3;  // deviations 0.5, -2.5, 3.5, -1.5
  const double covariance = (-0.5 - 2.5 + 7 + 3) / 3;
  const std::vector<double> expected{n / 9 * variance0 + ridge, n / 9 * covariance, n / 9 * covariance,
                                     n / 9 * variance1 + ridge};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(dense.shrunk()[i], expected[i], 1e-14);
  EXPECT_NEAR(diagonal.shrunk()[0], expected[0], 1e-14);
  EXPECT_NEAR(diagonal.shrunk()[1], expected[3], 1e-14);
}

const std::vector<double> kMatrix{4, 2, 0.6, 2, 5, 1.5, 0.6, 1.5, 3};

TEST(InverseMetric, MomentaHaveTheMetricAsCovariance) {
  InverseMetric metric(Metric::dense, 3);
  ASSERT_TRUE(metric.set(kMatrix));
  Random random(1, 0, 99);
  // Velocities M^-1 p have the covariance M^-1.
  std::vector<double> products[3];
  for (int n = 0; n < 20000; ++n) {
    double p[3];
    double v[3];
    metric.draw_momentum(random, p);
    metric.velocity(p, v);
    for (std::size_t i = 0; i < 3; ++i) products[i].push_back(v[i] * v[(i + 1) % 3]);
  }
  EXPECT_LT(estimate(products[0]).errors_from(2), kErrors);
  EXPECT_LT(estimate(products[1]).errors_from(1.5), kErrors);
  EXPECT_LT(estimate(products[2]).errors_from(0.6), kErrors);
  EXPECT_FALSE(metric.set(std::vector<double>(9, std::nan(""))));
}

TEST(Leapfrog, IsReversible) {
  for (const Metric kind : {Metric::diagonal, Metric::dense}) {
    Target target = banana(0.7);
    Hamiltonian hamiltonian(target, kind);
    ASSERT_TRUE(hamiltonian.inv_metric().set(kind == Metric::dense ? std::vector<double>{2, 0.5, 0.5, 1}
                                                                   : std::vector<double>{2, 0.3}));
    PhasePoints points(2, 2);
    points[0].theta[0] = 0.3;
    points[0].theta[1] = -0.8;
    hamiltonian.evaluate(points[0]);
    Random random(5, 0, 99);
    hamiltonian.draw_momentum(random, points[0]);
    const double before[] = {points[0].theta[0], points[0].theta[1], points[0].p[0], points[0].p[1]};
    for (int i = 0; i < 50; ++i)
      hamiltonian.leapfrog(points[i % 2 == 0 ? 0 : 1], 0.1, points[i % 2 == 0 ? 1 : 0]);
    for (int i = 0; i < 50; ++i)
      hamiltonian.leapfrog(points[i % 2 == 0 ? 0 : 1], -0.1, points[i % 2 == 0 ? 1 : 0]);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(points[0].theta[i], before[i], 1e-12);
      EXPECT_NEAR(points[0].p[i], before[2 + i], 1e-12);
    }
  }
}

// The energy error of a trajectory of fixed length falls with the square of the step size.
TEST(Leapfrog, IsOfSecondOrder) {
  Target target = banana(0.7);
  Hamiltonian hamiltonian(target, Metric::unit);
  const auto error = [&hamiltonian](int steps) {
    PhasePoints points(2, 2);
    points[0].theta[0] = 0.3;
    points[0].theta[1] = -0.8;
    hamiltonian.evaluate(points[0]);
    Random random(5, 0, 99);
    hamiltonian.draw_momentum(random, points[0]);
    const double energy = points[0].energy();
    for (int i = 0; i < steps; ++i)
      hamiltonian.leapfrog(points[i % 2 == 0 ? 0 : 1], 1.0 / steps, points[i % 2 == 0 ? 1 : 0]);
    return std::abs(points[0].energy() - energy);
  };
  EXPECT_NEAR(error(64) / error(128), 4, 0.2);
}

// On a circle of unit frequency, momenta cos(t): a trajectory from -a to a goes on while its momenta at the
// ends point along their sum, which is until a quarter period beyond the middle.
TEST(Turning, OnAHarmonicOscillator) {
  const auto goes_on_until = [](double length) {
    constexpr int kStates = 64;
    std::vector<double> p;
    for (int i = 0; i < kStates; ++i) p.push_back(std::cos(length * (i / (kStates - 1.0) - 0.5)));
    double init = 0;
    double final = 0;
    for (int i = 0; i < kStates / 2; ++i) {
      init += p[static_cast<std::size_t>(i)];
      final += p[static_cast<std::size_t>(kStates / 2 + i)];
    }
    const auto point = [&p](std::size_t i) { return PhasePoint{nullptr, nullptr, &p[i], &p[i], 0, 0}; };
    double rho = 0;
    return goes_on_across(point(0), point(kStates / 2 - 1), point(kStates / 2), point(kStates - 1),
                          {&init, &final, 1}, &rho);
  };
  EXPECT_TRUE(goes_on_until(3.1));
  EXPECT_FALSE(goes_on_until(3.2));
}

// Two states one step before and after a whole period look as if they went on; the checks across the halves
// see the turn.
TEST(Turning, AcrossTheHalves) {
  double init_p[] = {1, 0};
  double init_last_p[] = {-1, 0.1};
  double final_first_p[] = {-1, 0.1};
  double last_p[] = {1, 0};
  const double init_sum[] = {0.5, 0.1};
  const double final_sum[] = {0.5, 0.1};
  const auto point = [](double* p) { return PhasePoint{nullptr, nullptr, p, p, 0, 0}; };
  double rho[2];
  const HalfSums sums{init_sum, final_sum, 2};
  EXPECT_TRUE(goes_on_between(point(init_p), point(last_p), sums, rho));
  EXPECT_FALSE(
      goes_on_across(point(init_p), point(init_last_p), point(final_first_p), point(last_p), sums, rho));
  EXPECT_DOUBLE_EQ(rho[0], 1.0);
}

}  // namespace
}  // namespace kullback::infer
