// Posteriors that are known to be right and wrong: Laplace of a Gaussian is exact, a factorised Gaussian of
// correlated parameters is too narrow, and a Gaussian of a skewed posterior is off to one side.
#include "fit/calibrate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kullback::fit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConjugate = R"(
data { int N; vector[N] y; }
parameters { real mu; }
model { mu ~ normal(1, 2); y ~ normal(mu, 3); }
)";
constexpr const char* kCorrelated = R"(
data { int N; vector[N] y; }
parameters { real a; real b; }
model { a ~ normal(0, 1); b ~ normal(0, 1); y ~ normal(a + b, 0.5); }
)";
constexpr const char* kSkewed = R"(
data { int N; vector[N] y; }
parameters { real<lower=0> sigma; }
model { sigma ~ lognormal(0, 2); y ~ normal(0, sigma); }
)";

class Calibrating : public testing::Test {
 protected:
  Calibrating() : folder_(fs::temp_directory_path() / ("kullback-calibrate-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Calibrating() override { fs::remove_all(folder_); }

  Calibration run(const std::string& program, const char* method, CalibrateRequest request = {},
                  const std::string& data = R"({"N": 2, "y": [0, 0]})", const CalibrateWatch& watch = {}) {
    write_file(folder_ / "model.stan", program);
    write_file(folder_ / "data.json", data);
    request.inputs = {.program = (folder_ / "model.stan").string(), .data = (folder_ / "data.json").string()};
    request.method = infer::find_method(method);
    request.seed = 7;
    request.out = folder_ / "out";
    request.force = true;
    const auto loaded = load_program(request.inputs);
    return calibrate(request, *loaded, watch);
  }

  std::string refusal(const std::string& program, const char* method,
                      const std::string& data = R"({"N": 2, "y": [0, 0]})") {
    try {
      run(program, method, {.simulations = 20}, data);
    } catch (const Error& error) {
      return error.message() + " " + error.hint();
    }
    return "no refusal";
  }

  fs::path folder_;
};

TEST_F(Calibrating, AnExactPosteriorPasses) {
  const Calibration calibration = run(kConjugate, "laplace", {.simulations = 400});
  ASSERT_EQ(calibration.parameters.size(), 1u);
  const CalibratedParameter& mu = calibration.parameters[0];
  EXPECT_EQ(mu.name, "mu");
  EXPECT_EQ(mu.verdict, "ok");
  EXPECT_EQ(mu.u.size(), 400u);
  EXPECT_NEAR(mu.bias, 0, 4 * mu.bias_error);
  EXPECT_NEAR(mu.spread, 1, 4 / std::sqrt(2 * 400.0));
  EXPECT_TRUE(calibration.is_ok());
  const std::string json = read_file(folder_ / "out" / "calibration.json");
  EXPECT_NE(json.find("\"verdict\": \"ok\""), std::string::npos);
  EXPECT_NE(read_file(folder_ / "out" / "run.json").find("calibration"), std::string::npos);
}

TEST_F(Calibrating, AFullRankFitOfCorrelatedParametersPasses) {
  CalibrateRequest request{.simulations = 120};
  request.options.set("draws", 400);
  const Calibration calibration = run(kCorrelated, "fullrank", request);
  EXPECT_TRUE(calibration.is_ok()) << calibration.parameters[0].verdict;
}

TEST_F(Calibrating, AMeanFieldFitOfCorrelatedParametersIsTooNarrow) {
  CalibrateRequest request{.simulations = 120};
  request.options.set("draws", 400);
  const Calibration calibration = run(kCorrelated, "advi", request);
  ASSERT_EQ(calibration.parameters.size(), 2u);
  for (const CalibratedParameter& parameter : calibration.parameters) {
    EXPECT_EQ(parameter.verdict, "too narrow") << parameter.crowding_p;
    EXPECT_GT(parameter.spread, 1.3);
  }
  EXPECT_FALSE(calibration.is_ok());
}

TEST_F(Calibrating, AGaussianOfASkewedPosteriorIsBiased) {
  const Calibration calibration = run(kSkewed, "laplace", {.simulations = 400}, R"({"N": 1, "y": [0]})");
  EXPECT_NE(calibration.parameters[0].verdict.find("mean too low"), std::string::npos)
      << calibration.parameters[0].verdict << " " << calibration.parameters[0].symmetry_p;
}

TEST_F(Calibrating, ThreadsChangeNothing) {
  run(kConjugate, "laplace", {.simulations = 30, .threads = 1});
  const std::string one = read_file(folder_ / "out" / "calibration.json");
  run(kConjugate, "laplace", {.simulations = 30, .threads = 3});
  EXPECT_EQ(read_file(folder_ / "out" / "calibration.json"), one);
}

TEST_F(Calibrating, StopsWhenAsked) {
  const Calibration calibration = run(kConjugate, "laplace", {.simulations = 100000, .threads = 1},
                                      R"({"N": 2, "y": [0, 0]})", {.should_stop = [] { return true; }});
  EXPECT_TRUE(calibration.is_interrupted);
  EXPECT_LT(calibration.fitted, 100000u);
  EXPECT_NE(read_file(folder_ / "out" / "run.json").find("\"stopped\""), std::string::npos);
}

TEST_F(Calibrating, DataThatCannotBeFittedAreCounted) {
  // y is declared positive: about half of the simulations draw a negative one, which the program refuses.
  const Calibration calibration =
      run("data { real<lower=0> y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ normal(mu, 1); }",
          "laplace", {.simulations = 100}, R"({"y": 1})");
  EXPECT_GT(calibration.failed, 20u);
  EXPECT_EQ(calibration.failed + calibration.fitted, 100u);
  EXPECT_NE(calibration.first_failure.find("simulation "), std::string::npos);
}

TEST_F(Calibrating, Refusals) {
  EXPECT_NE(refusal("data { real y; } parameters { real mu; } model { mu ~ normal(0, 1); }", "laplace",
                    R"({"y": 1})")
                .find("no data have a distribution"),
            std::string::npos);
  EXPECT_NE(refusal("data { real y; } parameters { real mu; } model { y ~ normal(mu, 1); }", "laplace",
                    R"({"y": 1})")
                .find("mu"),
            std::string::npos);
  EXPECT_NE(
      refusal("data { real y; } model { y ~ normal(0, 1); }", "laplace", R"({"y": 1})").find("no parameters"),
      std::string::npos);
  EXPECT_NE(refusal(kConjugate, "optimize").find("one point"), std::string::npos);
  const std::string never = refusal(
      "data { real<lower=5> y; } parameters { real mu; } model { mu ~ normal(0, 0.1); y ~ "
      "normal(mu, 0.1); }",
      "laplace", R"({"y": 6})");
  EXPECT_NE(never.find("20 of 20 simulated data sets could not be fitted"), std::string::npos) << never;
  EXPECT_FALSE(fs::exists(folder_ / "out")) << "a run that failed leaves no folder";
}

}  // namespace
}  // namespace kullback::fit
