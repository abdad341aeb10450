// Mean-field ADVI from end to end, and the parts of stochastic ascent: noise, optimisers, stages.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/noise.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/sobol.hpp"
#include "infer/vi/stages.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using testing::expect_resumes;
using Vector = std::vector<double>;

// N(mean, P^-1), normalised, with P = ((2, 1.2), (1.2, 1.5)).
Target correlated() {
  return {2, [](const double* theta, double* gradient) {
            const double a = theta[0] - 1;
            const double b = theta[1] + 2;
            gradient[0] = -(2 * a + 1.2 * b);
            gradient[1] = -(1.2 * a + 1.5 * b);
            return 0.5 * (a * gradient[0] + b * gradient[1]) + 0.5 * std::log(2 * 1.5 - 1.44) -
                   std::log(2 * std::numbers::pi);
          }};
}

double sd_of(const Draws& draws, std::size_t i, double mean) {
  double squares = 0;
  for (std::size_t d = 0; d < draws.count(); ++d)
    squares += std::pow(draws.theta[d * draws.dim + i] - mean, 2);
  return std::sqrt(squares / static_cast<double>(draws.count()));
}

double mean_of(const Vector& values, std::size_t first, std::size_t stride) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = first; i < values.size(); i += stride, ++count) sum += values[i];
  return sum / static_cast<double>(count);
}

// The optimum has the mean of the target and the diagonal of its precision, and falls short of the evidence,
// log 1 here, by half of log(2 * 1.5) - log det P.
TEST(Advi, ReachesTheMeanFieldOptimumOfAGaussian) {
  Target target = correlated();
  Options options;
  options.set("draws", 4096);
  options.set("sampling", "sobol");
  const auto run = testing::run("advi", target, options, {{3.0, 3.0}, 7, 0});
  EXPECT_NEAR(mean_of(run.draws.theta, 0, 2), 1, 0.03);
  EXPECT_NEAR(mean_of(run.draws.theta, 1, 2), -2, 0.03);
  EXPECT_NEAR(std::log(sd_of(run.draws, 0, 1)), -0.5 * std::log(2.0), 0.03);
  EXPECT_NEAR(std::log(sd_of(run.draws, 1, -2)), -0.5 * std::log(1.5), 0.03);
  double elbo = 0;
  for (std::size_t d = 0; d < run.draws.count(); ++d)
    elbo += (run.draws.log_density[d] - run.draws.log_q[d]) / static_cast<double>(run.draws.count());
  EXPECT_NEAR(elbo, -0.5 * (std::log(3.0) - std::log(1.56)), 0.01);
  EXPECT_FALSE(run.found("not-converged")) << run.codes();
}

TEST(Advi, ResumesToTheSameBits) {
  Target target = correlated();
  Options options;
  options.set("draws", 100);
  options.set("max_steps", 150);
  expect_resumes("advi", target, options, {{0.5, 0.5}, 3, 0}, 37);
}

TEST(Advi, RunsAModelWithoutParameters) {
  Target target(0, [](const double*, double*) { return -1.5; });
  Options options;
  options.set("draws", 20);
  const auto run = testing::run("advi", target, options, {{}, 1, 0});
  EXPECT_EQ(run.draws.log_density, Vector(20, -1.5));
}

TEST(Advi, NamesTheStatementWhereTheDensityFailsEverywhere) {
  std::size_t calls = 0;
  Target target(1, [&calls](const double* theta, double* gradient) {
    gradient[0] = -theta[0];
    return ++calls > 200 ? std::nan("") : -0.5 * theta[0] * theta[0];
  });
  Options options;
  options.set("optimizer", "adam");
  try {
    testing::run("advi", target, options, {{0.1}, 1, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("the test's density is not finite"), std::string::npos) << error.message();
  }
}

// Half of the line is outside the support: q shrinks away from the edge, and steps beyond it are undone.
TEST(Advi, GoesOnWhereSomeDrawsAreOutsideTheSupport) {
  Target target(1, [](const double* theta, double* gradient) {
    gradient[0] = 2 / theta[0] - 4;
    return theta[0] > 0 ? 2 * std::log(theta[0]) - 4 * theta[0] : std::nan("");
  });
  const auto run = testing::run("advi", target, {}, {{0.5}, 1, 0});
  EXPECT_NEAR(mean_of(run.draws.theta, 0, 1), 0.65, 0.2);
}

TEST(Advi, RefusesWhatMakesNoSense) {
  Target target = correlated();
  const auto message = [&](const Options& options) -> std::string {
    try {
      testing::run("advi", target, options, {{0, 0}, 1, 0});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message() + " " + error.hint();
    }
    return "nothing was thrown";
  };
  Options options;
  options.set("estimator", "reparm");
  EXPECT_NE(message(options).find("reparam, stl, dreg"), std::string::npos) << message(options);
  options = {};
  options.set("optimizer", "adm");
  EXPECT_NE(message(options).find("adam, sgd"), std::string::npos) << message(options);
  options = {};
  options.set("learning_rate", 0.05);  // asks for an optimiser that has step sizes
  options.set("max_steps", 50);
  EXPECT_EQ(message(options), "nothing was thrown");
  options = {};
  options.set("decay", 0.3);
  EXPECT_NE(message(options).find("0.5 < c <= 1"), std::string::npos) << message(options);
  options = {};
  options.set("sampling", "halton");
  EXPECT_NE(message(options).find("iid, antithetic, sobol"), std::string::npos) << message(options);
}

class EachOptimizer : public ::testing::TestWithParam<const OptimizerRecord*> {};

// Climbs -(a - 1)^2 / 2 - 5 (b + 2)^2 with noisy gradients.
TEST_P(EachOptimizer, ClimbsAQuadratic) {
  if (GetParam()->make == nullptr) GTEST_SKIP() << "updates of its own";
  const auto optimizer = GetParam()->make({}, 2);
  Random random(5);
  Vector lambda{0, 0};
  Vector sum{0, 0};
  constexpr int kSteps = 40000;
  for (int t = 0; t < kSteps; ++t) {
    const Vector gradient{1 - lambda[0] + 0.1 * random.normal(),
                          -10 * (lambda[1] + 2) + 0.1 * random.normal()};
    optimizer->step(gradient, 0.1 * GetParam()->step_size, lambda);
    if (t < kSteps / 2) continue;
    for (std::size_t i = 0; i < 2; ++i) sum[i] += lambda[i] / (kSteps / 2);
  }
  EXPECT_NEAR(sum[0], 1, 0.02);
  EXPECT_NEAR(sum[1], -2, 0.02);
}

TEST_P(EachOptimizer, IsArchivedWhole) {
  if (GetParam()->make == nullptr) GTEST_SKIP() << "updates of its own";
  const auto first = GetParam()->make({}, 2);
  Vector lambda{0.3, -0.4};
  for (int t = 0; t < 10; ++t) first->step(Vector{1.0 + t, -0.5}, 0.1, lambda);
  Archive out;
  first->archive(out);
  const auto second = GetParam()->make({}, 2);
  Archive in(out.numbers());
  second->archive(in);
  EXPECT_TRUE(in.is_complete());
  Vector again = lambda;
  first->step(Vector{0.2, 0.1}, 0.1, lambda);
  second->step(Vector{0.2, 0.1}, 0.1, again);
  EXPECT_EQ(lambda, again);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, EachOptimizer,
                         ::testing::ValuesIn(optimizers().begin(), optimizers().end()),
                         [](const auto& tested) {
                           std::string name(tested.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Each 2^m points have one in each elementary interval of each coordinate, whatever the scrambling; pairs of
// the first two coordinates have one in each box of area 2^-m.
TEST(ScrambledSobol, FillsElementaryIntervals) {
  Random random(11);
  const ScrambledSobol points(5, random);
  constexpr std::size_t kCount = 64;
  Vector values(5 * kCount);
  points.fill(0, kCount, values.data());
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<int> hits(kCount);
    for (std::size_t k = 0; k < kCount; ++k)
      ++hits[static_cast<std::size_t>(values[i * kCount + k] * kCount)];
    EXPECT_EQ(hits, std::vector<int>(kCount, 1)) << "coordinate " << i;
  }
  for (std::size_t rows = 2; rows < kCount; rows *= 2) {
    std::vector<int> hits(kCount);
    for (std::size_t k = 0; k < kCount; ++k) {
      const auto row = static_cast<std::size_t>(values[k] * static_cast<double>(rows));
      const auto column = static_cast<std::size_t>(values[kCount + k] * static_cast<double>(kCount / rows));
      ++hits[row * (kCount / rows) + column];
    }
    EXPECT_EQ(hits, std::vector<int>(kCount, 1)) << rows << " rows";
  }
}

TEST(ScrambledSobol, PartsAreThoseOfTheWhole) {
  Random random(12);
  const ScrambledSobol points(3, random);
  Vector whole(3 * 40);
  points.fill(0, 40, whole.data());
  for (const std::size_t first : {0U, 1U, 7U, 30U}) {
    Vector part(3 * 10);
    points.fill(first, 10, part.data());
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(part[i * 10 + k], whole[i * 40 + first + k]);
    }
  }
}

// One point of a set is uniform over scramblings: mean 1/2 and variance 1/12.
TEST(ScrambledSobol, PointsAreUniform) {
  double mean = 0;
  double square = 0;
  constexpr int kSets = 500;
  for (int s = 0; s < kSets; ++s) {
    Random random(static_cast<std::uint64_t>(s));
    double value[4000];
    ScrambledSobol(4000, random).fill(3, 1, value);  // the last coordinates are beyond the tables
    const double x = value[8 * s % 4000];
    mean += x / kSets;
    square += x * x / kSets;
  }
  EXPECT_NEAR(mean, 0.5, 4.5 * std::sqrt(1.0 / 12 / kSets));
  EXPECT_NEAR(square, 1.0 / 3, 4.5 * std::sqrt(4.0 / 45 / kSets));
}

TEST(Noise, AntitheticLanesCancel) {
  const NoiseSource source({1, 2, 3}, Sampling::antithetic, 3);
  Vector noise(3 * 6);
  source.fill(4, 6, noise.data());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(noise[i * 6 + k], -noise[i * 6 + k + 3]);
  }
}

// Means of smooth functions: the error of 1024 Sobol draws is far below that of independent ones.
TEST(Noise, SobolDrawsIntegrateSmoothFunctions) {
  const auto error = [](Sampling sampling) {
    double squares = 0;
    for (std::uint32_t index = 0; index < 20; ++index) {
      Vector noise(2 * 1024);
      NoiseSource({9, 0, 0}, sampling, 2).fill(index, 1024, noise.data());
      double mean = 0;
      for (std::size_t k = 0; k < 1024; ++k) mean += std::cos(noise[k]) * std::cos(noise[1024 + k]) / 1024;
      squares += std::pow(mean - std::exp(-1.0), 2) / 20;
    }
    return std::sqrt(squares);
  };
  EXPECT_LT(error(Sampling::sobol), 0.1 * error(Sampling::iid));
}

// First-order autoregressions about a drift: while it drifts no window settles; when it stands it does, and
// the mean of the window is the centre.
TEST(Stages, SettleWhereTheIteratesStandAndNotWhileTheyDrift) {
  Random random(3);
  Stages stages({1.0, 2.0}, true);
  Vector lambda{0, 0};
  double centre = 0;
  bool has_settled_early = false;
  for (int t = 0; t < 20000 && stages.step_scale() == 1; ++t) {
    if (t < 400) centre += 0.05;  // 20 units away, then it stands
    for (double& value : lambda) value = centre + 0.8 * (value - centre) + 0.05 * random.normal();
    if (!stages.note(lambda, -std::abs(centre - 20))) continue;
    const WindowReport report = stages.end_window();
    has_settled_early = has_settled_early || (report.is_settled && t < 400);
  }
  EXPECT_FALSE(has_settled_early);
  EXPECT_EQ(stages.step_scale(), 0.25);
  EXPECT_NEAR(stages.mean()[0], 20, 0.05);
}

}  // namespace
}  // namespace kullback::infer
