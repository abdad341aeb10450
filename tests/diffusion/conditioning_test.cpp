// Restoring with exact scores: operators, likelihoods, and posteriors that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.hpp"
#include "tests/diffusion/inverse_problems.hpp"
#include "tests/diffusion/made.hpp"

namespace kullback::deep::diffusion {
namespace {

using Words = GivenTexts;

constexpr auto kNumber = torch::kFloat64;

double largest(const torch::Tensor& x) { return x.abs().max().item<double>(); }

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

std::string written(const std::string& name, const std::string& text) {
  const std::string file = testing::TempDir() + name;
  std::ofstream(file) << text;
  return file;
}

const RowShape kImage = row_of(ImageShape{.channels = 3, .height = 6, .width = 8});

TEST(Operator, AdjointsOfLinearOnes) {
  const std::string matrix = written("matrix.csv", "1,0,2,0,0,1\n0,-1,0.5,0,0,3\n");
  const struct {
    const char* name;
    RowShape shape;
    Words options;
  } cases[] = {{"inpaint", kImage, {{"box", "1,2,3,4"}}},    {"blur", kImage, {{"blur_sd", "1.3"}}},
               {"blur", row_of(7), {{"blur_sd", "4"}}},      {"downsample", kImage, {{"factor", "2"}}},
               {"downsample", row_of(9), {{"factor", "3"}}}, {"linear", row_of(6), {{"matrix", matrix}}}};
  at::manual_seed(1);
  for (const auto& c : cases) {
    const auto operation = made_operator(c.name, c.shape, c.options);
    ASSERT_TRUE(operation->is_linear());
    const torch::Tensor x = torch::randn({3, c.shape.size}, kNumber),
                        y = torch::randn({3, operation->gives().size}, kNumber);
    const torch::Tensor forward = operation->forward(x);
    EXPECT_EQ(forward.sizes(), y.sizes()) << c.name;
    EXPECT_LT(largest((forward * y).sum(1) - (x * adjoint(*operation, y)).sum(1)), 1e-10) << c.name;
    EXPECT_LT(largest(operation->forward(2 * x) - 2 * forward), 1e-10) << c.name;
  }
}

TEST(Operator, WhatTheyDo) {
  const torch::Tensor ones = torch::ones({1, kImage.size}, kNumber);
  EXPECT_LT(largest(make_operator("blur", kImage)->forward(ones) - ones), 1e-12);  // edges too
  const torch::Tensor line = torch::tensor({1.0, 3.0, 5.0, 5.0, 0.0, 2.0}, kNumber).view({1, 6});
  EXPECT_LT(largest(make_operator("downsample", row_of(6))->forward(line) -
                    torch::tensor({2.0, 5.0, 1.0}, kNumber)),
            1e-12);
  const auto clip = made_operator("clip", row_of(6), {{"low", "1"}, {"high", "4"}});
  EXPECT_EQ(clip->forward(line).max().item<double>(), 4);
  EXPECT_FALSE(clip->is_linear());
  const auto box = made_operator("inpaint", kImage, {{"box", "0,0,6,4"}});
  EXPECT_EQ(box->seen().sum().item<std::int64_t>(), kImage.size / 2);
}

// Magnitudes of the Fourier transform: the energy is kept, the mean is the first, shifts change nothing.
TEST(Operator, PhaseIsLost) {
  at::manual_seed(2);
  const RowShape shape = row_of(ImageShape{.channels = 1, .height = 5, .width = 4});
  const auto phase = make_operator("phase", shape);
  const torch::Tensor x = torch::randn({2, 20}, kNumber), seen = phase->forward(x);
  EXPECT_LT(largest(seen.square().sum(1) - x.square().sum(1)), 1e-9);
  EXPECT_LT(largest(seen.select(1, 0) - x.sum(1).abs() / std::sqrt(20.0)), 1e-9);
  const torch::Tensor moved = at::roll(x.view({2, 5, 4}), {2, 1}, {1, 2}).reshape({2, 20});
  EXPECT_LT(largest(phase->forward(moved) - seen), 1e-9);
}

TEST(Operator, WhatDoesNotFitIsSaid) {
  const auto says = [](const char* name, const RowShape& shape, const Words& options) {
    return message_of([&] { made_operator(name, shape, options); });
  };
  const std::string five = written("five.csv", "1,0,1,0,1\n");
  EXPECT_NE(says("inpaint", row_of(4), {{"mask", five}}).find("the mask has 5 numbers"), std::string::npos);
  EXPECT_NE(says("inpaint", row_of(4), {{"box", "0,0,1,1"}}).find("--box is for images"), std::string::npos);
  EXPECT_NE(says("inpaint", kImage, {{"box", "0,0,7,1"}}).find("does not lie inside images 6x8x3"),
            std::string::npos);
  EXPECT_NE(says("inpaint", kImage, {{"box", "1,2"}}).find("TOP,LEFT,HEIGHT,WIDTH"), std::string::npos);
  EXPECT_NE(says("inpaint", row_of(2), {{"mask", written("zero.csv", "0,0\n")}}).find("nothing is seen"),
            std::string::npos);
  EXPECT_NE(says("linear", row_of(4), {{"matrix", five}}).find("5 columns"), std::string::npos);
  EXPECT_NE(says("linear", row_of(4), {}).find("needs --matrix"), std::string::npos);
  EXPECT_NE(says("downsample", kImage, {{"factor", "4"}}).find("does not divide images 6x8x3"),
            std::string::npos);
  EXPECT_NE(says("blur", kImage, {{"blur_sd", "0"}}).find("blur-sd"), std::string::npos);
  EXPECT_NE(says("clip", kImage, {{"low", "2"}}).find("not below"), std::string::npos);
  EXPECT_NE(says("sharpen", kImage, {}).find("no --operator 'sharpen'"), std::string::npos);
  EXPECT_NE(says("linear", row_of(2), {{"matrix", written("ragged.csv", "1,2\n3\n")}}).find("line 2"),
            std::string::npos);
}

// Against the density of a normal with the whole covariance, in units with a center and scales.
TEST(Measurement, IsTheNormalDensity) {
  at::manual_seed(3);
  const torch::Tensor matrix = torch::randn({4, 3}, kNumber), center = torch::randn({3}, kNumber),
                      scale = torch::rand({3}, kNumber) + 0.5, y = torch::randn({4}, kNumber);
  y[2] = NAN;
  const auto dense =
      operator_of([&](const torch::Tensor& x) { return x.mm(matrix.t()); }, row_of(3), row_of(4), true);
  const Measurement measurement(*dense, {center, scale}, y, 0.4);
  ASSERT_EQ(measurement.seen(), 3);
  const torch::Tensor index = torch::tensor({0, 1, 3}, torch::kInt64);
  const torch::Tensor slope = (matrix * scale).index_select(0, index), x = torch::randn({5, 3}, kNumber);
  const torch::Tensor own = center + scale * x;
  for (const double spread : {0.0, 0.7}) {
    const torch::Tensor covariance = 0.16 * torch::eye(3, kNumber) + spread * slope.mm(slope.t());
    const torch::Tensor away = (y - own.mm(matrix.t())).index_select(1, index);
    const torch::Tensor expected =
        -((away.mm(at::linalg_inv(covariance)) * away).sum(1) + at::logdet(2 * M_PI * covariance)) / 2;
    EXPECT_LT(largest(measurement.log_likelihood(x, spread) - expected), 1e-9);
    const torch::Tensor pull = away.mm(at::linalg_inv(covariance)).mm(slope);
    EXPECT_LT(largest(measurement.gradient(x, spread) - pull), 1e-9);
    const torch::Tensor precision =
        2.5 * torch::eye(3, kNumber) + slope.t().mm(at::linalg_inv(covariance)).mm(slope);
    const Measurement::Metric metric{.prior = 2.5, .spread = spread};
    EXPECT_LT(largest(measurement.times_covariance(x.mm(precision), metric, 1) - x), 1e-9);
    const torch::Tensor half = measurement.times_covariance(x, metric, 0.5);
    EXPECT_LT(largest(measurement.times_covariance(half, metric, -0.5) - x), 1e-9);
    EXPECT_LT(largest(half.mm(half.t()) - x.mm(measurement.times_covariance(x, metric, 1).t())), 1e-9);
  }
}

// Where the slope is not kept, the largest eigenvalue of J J^T is that of power iteration.
TEST(Measurement, OfAFunctionUsesTheLargestSlope) {
  at::manual_seed(4);
  const torch::Tensor matrix = torch::randn({4, 3}, kNumber);
  const auto function =
      operator_of([&](const torch::Tensor& x) { return x.mm(matrix.t()); }, row_of(3), row_of(4), false);
  const Measurement measurement(*function, own_units(), torch::zeros({4}, kNumber), 0.5);
  const double slope = std::pow(at::linalg_svdvals(matrix).max().item<double>(), 2);
  const torch::Tensor x = torch::randn({3, 3}, kNumber);
  const torch::Tensor square = x.mm(matrix.t()).square().sum(1);
  const double variance = 0.25 + 2 * slope;
  EXPECT_LT(
      largest(measurement.log_likelihood(x, 2) + (square / variance + 4 * std::log(2 * M_PI * variance)) / 2),
      1e-3);
  EXPECT_LT(largest(measurement.log_likelihood(x) + (square / 0.25 + 4 * std::log(2 * M_PI * 0.25)) / 2),
            1e-9);
}

Restored restored(const InverseProblem& problem, const char* sde_name, const char* method,
                  const Words& options, std::int64_t count = 64) {
  const auto sde = make_sde(sde_name);
  const MixtureScore score(*sde, problem.prior);
  at::manual_seed(9);
  const Measurement measurement = problem.measurement();
  return made_method(method, options)->run(*sde, score, measurement, {.count = count});
}

using Case = std::pair<int, const char*>;

class NormalPosterior : public testing::TestWithParam<Case> {};

TEST_P(NormalPosterior, ByTwistedSmc) {
  const auto& [which, sde] = GetParam();
  const InverseProblem problem = normal_problem(which);
  const Restored found =
      restored(problem, sde, "tsmc", {{"particles", "400"}, {"runs", "16"}, {"steps", "200"}});
  const Comparison errors = compare(found, posterior_of(problem));
  EXPECT_LT(errors.mean_z, 5);
  EXPECT_LT(errors.covariance_z, 5);
  EXPECT_LT(errors.mean_error, 0.15);
  EXPECT_LT(errors.covariance_error, 0.25);
  const Evidence evidence = evidence_of(found);
  EXPECT_LT(std::abs(evidence.log_value - log_evidence_of(problem)), 5 * evidence.error);
  EXPECT_LT(evidence.error, 0.2);
}

TEST_P(NormalPosterior, ByLangevin) {
  const auto& [which, sde] = GetParam();
  const InverseProblem problem = normal_problem(which);
  const Restored found =
      restored(problem, sde, "langevin", {{"chains", "200"}, {"steps", "40"}, {"adjusted_steps", "400"}});
  const Comparison errors = compare(found, posterior_of(problem));
  EXPECT_LT(errors.mean_z, 5);
  EXPECT_LT(errors.covariance_z, 5);
  EXPECT_LT(errors.mean_error, 0.1);
  EXPECT_LT(errors.covariance_error, 0.2);
  EXPECT_NEAR(*found.acceptance, 0.57, 0.12);
}

TEST_P(NormalPosterior, ItsMeanByRedDiff) {
  const auto& [which, sde] = GetParam();
  const InverseProblem problem = normal_problem(which);
  const Restored found = restored(problem, sde, "red-diff", {{"steps", "400"}}, 4);
  EXPECT_LT(compare(found, posterior_of(problem)).mean_error, 0.02);
}

std::string problem_name(const testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"inpaint", "dense", "blur"};
  return std::string(kNames[info.param.first]) + "_" + info.param.second;
}

INSTANTIATE_TEST_SUITE_P(All, NormalPosterior,
                         testing::Values(Case(0, "vp"), Case(1, "vp"), Case(2, "vp"), Case(1, "ve")),
                         problem_name);

TEST(Restoring, SharesOfTwoModes) {
  const InverseProblem problem = two_mode_problem();
  const double truth = posterior_of(problem).weight[1].item<double>();
  ASSERT_GT(truth, 0.55);
  const auto share = [](const Restored& found) {
    return average(found, (found.x.narrow(2, 0, 1) > 0).to(kNumber));
  };
  const Average exact =
      share(restored(problem, "vp", "tsmc", {{"particles", "300"}, {"runs", "32"}, {"steps", "300"}}));
  EXPECT_LT(std::abs(exact.value.item<double>() - truth), 3 * exact.error.item<double>());
  EXPECT_LT(exact.error.item<double>(), 0.03);
  // The ladder's shares are about right; both modes are found.
  const Average ladder =
      share(restored(problem, "vp", "langevin", {{"chains", "400"}, {"adjusted_steps", "60"}}));
  EXPECT_NEAR(ladder.value.item<double>(), truth, 0.15);
}

// With repulsion particles spread as the posterior does; without they meet.
TEST(Restoring, RepulsionMakesAnswersDiffer) {
  const InverseProblem problem = normal_problem(1);
  const torch::Tensor sd = covariance_of(posterior_of(problem)).diag().sqrt();
  const auto spread = [&](const char* repulsion) {
    const Restored found =
        restored(problem, "vp", "red-diff", {{"repulsion", repulsion}, {"steps", "400"}}, 60);
    return (found.x.squeeze(1).std(0) / sd).mean().item<double>();
  };
  EXPECT_LT(spread("0"), 0.05);
  EXPECT_NEAR(spread("1"), 1, 0.3);
}

// x in [-1, 1] seen through a clip at 0.5 from above: the mean of what was clipped lies beyond it.
TEST(Restoring, AnOperatorThatIsNotLinear) {
  Mixture prior = random_mixture(1, 2, 1);
  prior.mean = torch::zeros({1, 2}, kNumber);
  prior.covariance = torch::eye(2, kNumber).unsqueeze(0);
  const InverseProblem problem{"clip", prior,
                               made_operator("clip", row_of(2), {{"low", "-9"}, {"high", "0.5"}}),
                               torch::tensor({0.5, -0.3}, kNumber), 0.1};
  // Of x = N(0, 1) given that min(x, 1/2) + noise is 1/2, by quadrature.
  double mass = 0, first = 0;
  for (double x = -8; x <= 8; x += 1e-3) {
    const double away = (0.5 - std::min(x, 0.5)) / 0.1, weight = std::exp(-(x * x + away * away) / 2);
    mass += weight;
    first += weight * x;
  }
  for (const char* method : {"tsmc", "langevin"}) {
    const Restored found =
        restored(problem, "vp", method,
                 std::string(method) == "tsmc" ? Words{{"particles", "500"}, {"runs", "16"}}
                                               : Words{{"chains", "300"},
                                                       {"steps", "50"},
                                                       // Beyond the clip the likelihood has no slope.
                                                       {"adjusted_steps", "500"}});
    const Average mean = average(found, found.x);
    const double error = mean.error[0].item<double>();
    EXPECT_LT(std::abs(mean.value[0].item<double>() - first / mass), 5 * error) << method;
    EXPECT_LT(error, 0.05) << method;
    EXPECT_NEAR(mean.value[1].item<double>(), -0.3 / 1.01, 5 * mean.error[1].item<double>()) << method;
  }
}

// The same problem for data with mean 5 and sd 3: answers in their units are those of the plain problem.
TEST(Restoring, UnitsOfTheData) {
  InverseProblem problem = normal_problem(0);
  const Mixture truth = posterior_of(problem);
  const auto sde = make_sde("vp");
  const MixtureScore score(*sde, problem.prior);
  const Units units{torch::full({2}, 5.0, kNumber), torch::full({2}, 3.0, kNumber)};
  const Measurement measurement(*problem.operation, units, 5 + 3 * problem.observed, 3 * problem.noise_sd);
  for (const char* method : {"tsmc", "langevin", "red-diff"}) {
    at::manual_seed(6);
    const Restored found = make_method(method)->run(*sde, score, measurement, {.count = 16});
    const Comparison errors = compare(found, truth);
    if (std::string(method) == "red-diff") {
      EXPECT_LT(errors.mean_error, 0.02);
      continue;
    }
    EXPECT_LT(errors.mean_z, 6) << method;  // of four runs
    EXPECT_LT(errors.mean_error, 0.3) << method;
  }
  at::manual_seed(6);
  const Restored found = made_method("tsmc", {{"runs", "16"}})->run(*sde, score, measurement, {});
  const Evidence evidence = evidence_of(found);
  EXPECT_NEAR(evidence.log_value, log_evidence_of(problem) - std::log(3), 5 * evidence.error);
}

TEST(Restoring, TheSameSeedGivesTheSame) {
  const InverseProblem problem = normal_problem(0);
  for (const char* method : {"tsmc", "langevin", "red-diff"}) {
    const Words brief{{"steps", "10"}};
    const Restored one = restored(problem, "vp", method, brief), two = restored(problem, "vp", method, brief);
    EXPECT_TRUE(one.x.equal(two.x)) << method;
  }
}

TEST(Restoring, EqualDrawsFollowTheWeights) {
  Restored found;
  found.x = torch::arange(6, kNumber).view({2, 3, 1});
  found.log_weight = at::log(torch::tensor({0.5, 0.25, 0.25, 0.0, 1.0, 0.0}, kNumber)).view({2, 3});
  found.log_evidence = at::log(torch::tensor({3.0, 1.0}, kNumber));
  at::manual_seed(1);
  const torch::Tensor draws = equal_draws(found, 1600).flatten();
  const double expected[] = {600, 300, 300, 0, 400, 0};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR((draws == i).sum().item<double>(), expected[i], 1.01) << i;
  EXPECT_NEAR(average(found, found.x).value.item<double>(), 0.75 * 0.75 + 0.25 * 4, 1e-12);
  EXPECT_NEAR(evidence_of(found).log_value, std::log(2.0), 1e-12);
}

TEST(Restoring, WhatCannotBeDoneIsSaid) {
  const InverseProblem problem = normal_problem(0);
  for (const char* method : {"tsmc", "langevin", "red-diff"})
    EXPECT_NE(message_of([&] {
                restored(problem, "cld", method, {{"steps", "2"}});
              }).find("without a velocity"),
              std::string::npos);
  const auto measure = [&](const torch::Tensor& observed, double noise) {
    return message_of([&] { Measurement(*problem.operation, own_units(), observed, noise); });
  };
  EXPECT_NE(measure(problem.observed, 0).find("--noise-sd is 0"), std::string::npos);
  EXPECT_NE(measure(torch::zeros({3}, kNumber), 1).find("an observed row has 3 numbers"), std::string::npos);
  EXPECT_NE(measure(torch::full({2}, NAN, kNumber), 1).find("nothing of an observed row is seen"),
            std::string::npos);
  EXPECT_THROW(make_method("gibbs"), Error);
  EXPECT_THROW(made_method("red-diff", {{"repulsion", "-1"}}), Error);
  EXPECT_NE(message_of([&] {
              restored(problem, "vp", "red-diff", {{"repulsion", "1"}}, 1);
            }).find("two draws"),
            std::string::npos);
}

}  // namespace
}  // namespace kullback::deep::diffusion
