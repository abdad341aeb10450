// Fits by every objective from end to end, on targets that the family holds.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "infer/vi/options.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using testing::expect_resumes;

Options parts(const char* objective, const char* estimator = "") {
  Options options;
  options.set("family", "meanfield");
  options.set("objective", objective);
  options.set("estimator", estimator);
  options.set("draws", 4096);
  options.set("max_steps", 4000);
  return options;
}

void expect_target(const Options& options) {
  const std::vector<double> mean{0.7, -2};
  const std::vector<double> sd{0.5, 3};
  Target target = gaussian(mean, sd);
  const auto run = testing::run("vi", target, options, {{0.3, 0.2}, 5, 0});
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    double squares = 0;
    for (std::size_t d = 0; d < run.draws.count(); ++d) {
      const double z = (run.draws.theta[2 * d + i] - mean[i]) / sd[i];
      sum += z;
      squares += z * z;
    }
    const auto count = static_cast<double>(run.draws.count());
    EXPECT_NEAR(sum / count, 0, 0.12) << options[option::kObjective] << ' ' << options[option::kEstimator];
    EXPECT_NEAR(std::sqrt(squares / count), 1, 0.12)
        << options[option::kObjective] << ' ' << options[option::kEstimator];
  }
}

TEST(ObjectiveFits, EveryObjectiveFindsATargetThatTheFamilyHolds) {
  for (const char* name : {"iw", "renyi", "cubo", "tvo", "f", "forward-kl", "msc", "stein"})
    expect_target(parts(name));
}

TEST(ObjectiveFits, EveryEstimatorFindsATargetThatTheFamilyHolds) {
  for (const char* name :
       {"reparam", "stl", "dreg", "score-loo", "score-cv", "overdispersed", "local-expectation"})
    expect_target(parts("elbo", name));
}

TEST(ObjectiveFits, UpperBoundsFindItToo) {
  Options options = parts("renyi");
  options.set("alpha", -0.5);
  options.set("importance_draws", 32);
  options.set("grad_draws", 32);
  expect_target(options);
}

TEST(ObjectiveFits, GoOnFromAnArchive) {
  for (const char* name : {"iw", "cubo", "forward-kl", "msc", "stein"}) {
    Target target = gaussian({0.7, -2}, {0.5, 3});
    Options options = parts(name);
    options.set("draws", 100);
    options.set("max_steps", 60);
    expect_resumes("vi", target, options, {{0.5, 0.5}, 3, 0}, 41);
  }
}

// Of a Student-t target with 3 degrees of freedom any Gaussian has an infinite CUBO.
TEST(ObjectiveFits, AnInfiniteBoundIsAFinding) {
  Target target = student_t(3);
  Options options = parts("cubo");
  options.set("max_steps", 300);
  const auto run = testing::run("vi", target, options, {{0.5}, 3, 0});
  bool is_found = false;
  for (const Finding& finding : run.findings) is_found = is_found || finding.code == "infinite-bound";
  EXPECT_TRUE(is_found);
}

TEST(ObjectiveFits, PresetsHaveNames) {
  for (const char* name : {"iw", "renyi", "cubo"}) {
    Target target = gaussian({0.7, -2}, {0.5, 3});
    Options options;
    options.set("max_steps", 200);
    EXPECT_EQ(testing::run(name, target, options, {{0.3, 0.2}, 5, 0}).draws.count(), 1000U);
  }
}

}  // namespace
}  // namespace kullback::infer
