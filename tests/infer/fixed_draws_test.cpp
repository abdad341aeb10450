// Fixed draws: deterministic bounds, linear response, dadvi.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/infer/scheme_runs.hpp"

namespace kullback::infer {
namespace {

class FixedDraws : public ::testing::TestWithParam<const char*> {};

TEST_P(FixedDraws, LinearResponseIsExactForGaussians) {
  const Equicorrelated shape(4, 0.9, 0.5);
  const Numbers mean = spaced(4, 10, -5);
  TestDensity target = gaussian_target(mean, shape);
  auto run = begin(target, {"meanfield", "elbo", GetParam()});
  run->finish();
  EXPECT_TRUE(run->scheme->findings().empty());
  const GaussianGuess* response = run->scheme->drawn_from();
  ASSERT_NE(response, nullptr);
  // Pairs z, -z make the mean exact; draws of 30 leave the covariance of z wrong by a few tenths.
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(response->mean[i], mean[i], 2e-3 * response->sd[i]);
    EXPECT_LT(run->gaussian().sd[i], 0.85 * response->sd[i]);
  }
  EXPECT_LT(distance(*response, shape.precision), 0.02);
  EXPECT_EQ(run->scheme->gradients(), target.evaluations);
}

TEST_P(FixedDraws, FullRankReachesTheTarget) {
  const Equicorrelated shape(3, 0.5, 1);
  TestDensity target = gaussian_target(Numbers(3, 1), shape);
  Options options;
  options.set("grad_draws", 400);
  auto run = begin(target, {"fullrank", "elbo", GetParam()}, options);
  run->finish();
  expect_near(run->gaussian(), Numbers(3, 1), shape.precision, 0.25);
  EXPECT_EQ(run->scheme->drawn_from(), nullptr);
}

TEST_P(FixedDraws, TooFewForFullRankAreRefused) {
  TestDensity target = gaussian_target(Numbers(8, 0.0), Equicorrelated(8, 0, 1));
  Options options;
  options.set("grad_draws", 8);
  const std::string said = refusal(target, {"fullrank", "elbo", GetParam()}, options);
  EXPECT_NE(said.find("8 fixed draws do not determine a covariance of 8 coordinates"), std::string::npos)
      << said;
  EXPECT_NE(said.find("--grad-draws 16"), std::string::npos) << said;
  options.set("grad_draws", 9);
  EXPECT_EQ(refusal(target, {"fullrank", "elbo", GetParam()}, options), "not refused");
}

INSTANTIATE_TEST_SUITE_P(Optimizers, FixedDraws, ::testing::Values("lbfgs", "newton-cg"),
                         [](const auto& tested) {
                           return std::string(tested.param) == "lbfgs" ? "Lbfgs" : "NewtonCg";
                         });

// Independent skewed coordinates, log p = sum x - exp(x).
double gumbel(const Numbers& x, Numbers& gradient) {
  double value = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    gradient[i] = 1 - std::exp(x[i]);
    value += x[i] - std::exp(x[i]);
  }
  return value;
}

// The error that the finding reports is that of the means over other fixed draws.
TEST(LinearResponse, KnowsTheNoiseOfFixedDraws) {
  TestDensity target(1, gumbel);
  Options options;
  auto family = find_family("meanfield").make({1, {}, {}, &options});
  const int count = 300;
  double mean = 0, squares = 0, predicted = 0;
  for (int n = 0; n < count; ++n) {
    const NormalPoints points = antithetic_points(1, 20, Random(11, 0, 0, static_cast<std::uint32_t>(n)));
    FixedBound bound(target, *family, points.z, {-0.5, 0.0});
    for (const char* name : {"tol_rel_obj", "tol_obj", "tol_rel_grad"}) options.set(name, 0);
    Lbfgs lbfgs(bound, options, {0, 0});
    while (lbfgs.step()) {
    }
    const auto response = linear_response(bound, *family, lbfgs.theta());
    ASSERT_TRUE(response.has_value());
    mean += response->gaussian.mean[0] / count;
    squares += std::pow(response->gaussian.mean[0], 2) / count;
    predicted += std::pow(response->mean_sd[0], 2) / count;
  }
  EXPECT_NEAR(0.5 * std::log(predicted / (squares - mean * mean)), 0, 0.15);
}

TEST(FixedDrawsNoise, TellsThatOtherDrawsWouldGiveOtherMeans) {
  TestDensity target(3, [](const Numbers& x, Numbers& gradient) {  // a funnel: pairs do not help
    const double precision = std::exp(-x[0]);
    gradient[0] = -x[0] / 9 - 1 + 0.5 * precision * (x[1] * x[1] + x[2] * x[2]);
    gradient[1] = -precision * x[1] - 0.3 * (x[1] - 2);
    gradient[2] = -precision * x[2] - 0.3 * (x[2] - 1);
    return -x[0] * x[0] / 18 - x[0] - 0.5 * precision * (x[1] * x[1] + x[2] * x[2]) -
           0.15 * (x[1] - 2) * (x[1] - 2) - 0.15 * (x[2] - 1) * (x[2] - 1);
  });
  Options options;
  options.set("grad_draws", 6);
  auto run = begin(target, {"meanfield", "elbo", "lbfgs"}, options);
  run->finish();
  const Findings few = run->scheme->findings();
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few[0].code, "fixed-draws");
  EXPECT_NE(few[0].advice.find("--grad-draws"), std::string::npos);
  options.set("grad_draws", 600);
  run = begin(target, {"meanfield", "elbo", "lbfgs"}, options);
  run->finish();
  EXPECT_TRUE(run->scheme->findings().empty());
}

TEST(Dadvi, DrawsHaveTheLinearResponseCovariance) {
  const Equicorrelated shape(3, 0.9, 1);
  TestDensity target = gaussian_target(Numbers(3, 1), shape);
  Options options;
  options.set("draws", 4000);
  const auto outcome = testing::run("dadvi", target, options, {Numbers(3, 0.0), 1, 0});
  EXPECT_TRUE(outcome.findings.empty()) << outcome.codes();
  const double truth = shape.sd[0];
  double mean = 0, squares = 0, weight = 0;
  for (std::size_t n = 0; n < 4000; ++n) {
    mean += outcome.draws.theta[3 * n] / 4000;
    squares += std::pow(outcome.draws.theta[3 * n] - 1, 2) / 4000;
    weight += std::exp(outcome.draws.log_density[n] - outcome.draws.log_q[n]) / 4000;  // E[p / q] = 1
  }
  EXPECT_NEAR(mean, 1, 4.5 * truth / std::sqrt(4000));
  EXPECT_NEAR(std::sqrt(squares) / truth, 1, 0.06);
  EXPECT_NEAR(weight, 1, 0.05);
}

}  // namespace
}  // namespace kullback::infer
