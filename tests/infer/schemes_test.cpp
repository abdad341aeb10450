// Updates of Gaussians: natural gradients, Bures-Wasserstein steps, score matching; what all schemes share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "tests/infer/scheme_runs.hpp"

namespace kullback::infer {
namespace {

TEST(SphericalRadialPoints, AreExactToTheThirdDegreeAndUnbiased) {
  const std::size_t dim = 3;
  double fourth = 0;
  double squares = 0;
  const int count = 4000;
  for (int n = 0; n < count; ++n) {
    const NormalPoints points =
        spherical_radial_points(dim, 2, Random(3, 0, 0, static_cast<std::uint32_t>(n)));
    double one = 0, first = 0, second = 0, mixed = 0, third = 0, power = 0;
    for (std::size_t k = 0; k < points.lanes; ++k) {
      const double x = points.z[k], y = points.z[points.lanes + k];
      const double w = points.weights[k];
      one += w;
      first += w * x;
      second += w * x * x;
      mixed += w * x * y;
      third += w * x * x * y;
      power += w * x * x * x * x;
    }
    if (n < 50) {
      EXPECT_NEAR(one, 1, 1e-12);
      EXPECT_NEAR(first, 0, 1e-12);
      EXPECT_NEAR(second, 1, 1e-12);
      EXPECT_NEAR(mixed, 0, 1e-12);
      EXPECT_NEAR(third, 0, 1e-11);
    }
    fourth += power / count;
    squares += power * power / count;
  }
  const double error = std::sqrt((squares - fourth * fourth) / count);
  EXPECT_LT(std::abs(fourth - 3) / error, 4.5);
  EXPECT_LT(error, 0.1);  // else the test sees nothing
}

TEST(NaturalGradient, OneStepIsExactForFullRank) {
  const Equicorrelated shape(6, 0.9, 0.01);
  const Numbers mean = spaced(6, -3, 8);
  TestDensity target = gaussian_target(mean, shape);
  auto run = begin(target, {"fullrank", "elbo", "natural"});
  run->scheme->step();
  expect_near(run->gaussian(), mean, shape.precision, 1e-9);
  run->finish();
  expect_near(run->gaussian(), mean, shape.precision, 1e-9);
  EXPECT_NEAR(run->scheme->trace().back().bound, 0, 1e-10);  // the ELBO is the log evidence
  EXPECT_EQ(run->scheme->gradients(), target.evaluations);
  EXPECT_LE(run->scheme->gradients(), 4 * 13U);
  EXPECT_TRUE(run->scheme->findings().empty());
}

TEST(NaturalGradient, OneStepIsExactFromAStartThatIsFarTooNarrow) {
  const Equicorrelated shape(3, 0.5, 100);
  TestDensity target = gaussian_target(Numbers(3, 40), shape);
  auto run = begin(target, {"fullrank", "elbo", "natural"}, {}, 0, 0.01);
  run->scheme->step();
  expect_near(run->gaussian(), Numbers(3, 40), shape.precision, 1e-6);
}

TEST(NaturalGradient, OneStepIsExactForMeanField) {
  const Equicorrelated shape(5, 0.7, 0.4);
  const Numbers mean = spaced(5, -1, 2);
  TestDensity target = gaussian_target(mean, shape);
  auto run = begin(target, {"meanfield", "elbo", "natural"});
  run->scheme->step();
  GaussianGuess found = run->gaussian();
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(std::pow(found.sd[i], -2) / shape.precision.at(i, i), 1, 1e-10);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found.mean[i], mean[i], 1e-9 * found.sd[i]);
  run->finish();
  found = run->gaussian();
  double gap = -0.5 * shape.log_det;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::pow(found.sd[i], -2) / shape.precision.at(i, i), 1, 1e-10);
    EXPECT_NEAR(found.mean[i], mean[i], 1e-9 * found.sd[i]);
    gap += 0.5 * std::log(shape.precision.at(i, i));
  }
  // The gap to the evidence is half of sum log Lambda_ii - log det Lambda.
  EXPECT_NEAR(run->scheme->trace().back().bound, -gap, 1e-9);
  EXPECT_TRUE(run->scheme->findings().empty());
}

// A regression on 1, t, t^2 with t from 3 to 5, and the log of the noise's scale: coefficients with
// correlations up to 0.999, of which mean field knows nothing. E_q[gradient] = 0 where the means are the
// least-squares ones.
TEST(NaturalGradient, MeansOfAMeanFieldFollowTheRidgeOfARegression) {
  constexpr std::size_t kRows = 60;
  const Numbers truth{3, -2, 0.5};
  Numbers y(kRows);
  const auto column = [](std::size_t row, std::size_t power) {
    return std::pow(3 + 2 * static_cast<double>(row) / (kRows - 1), static_cast<double>(power));
  };
  // Residuals that are orthogonal to quadratics: third differences of a unit.
  Numbers residual(kRows);
  for (std::size_t r = 0; r < kRows; r += 4) {
    const double third[] = {1, -3, 3, -1};
    for (std::size_t k = 0; k < 4; ++k) residual[r + k] = 0.4 * third[k];
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t j = 0; j < 3; ++j) y[r] += truth[j] * column(r, j);
    y[r] += residual[r];
  }
  TestDensity target(4, [&](const Numbers& x, Numbers& gradient) {
    const double inverse = std::exp(-2 * x[3]);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double squares = 0;
    for (std::size_t r = 0; r < kRows; ++r) {
      double gap = y[r];
      for (std::size_t j = 0; j < 3; ++j) gap -= x[j] * column(r, j);
      squares += gap * gap;
      for (std::size_t j = 0; j < 3; ++j) gradient[j] += inverse * gap * column(r, j);
    }
    gradient[3] = inverse * squares - kRows;
    return -0.5 * inverse * squares - kRows * x[3];
  });
  Options options;
  options.set("draws", 4096);
  options.set("sampling", "sobol");
  const testing::Outcome run = testing::run("advi", target, options, {Numbers(4, 0.5), 3, 0});
  EXPECT_FALSE(run.found("not-converged")) << run.codes();
  EXPECT_LT(run.progress.gradients, 2000U);
  // Of (t - 4)^2 the posterior standard deviation is 0.39, of the coefficients of t and 1 about 8 and 16
  // times that.
  const double posterior_sd[] = {6.2, 3.1, 0.39};
  for (std::size_t j = 0; j < 3; ++j) {
    double mean = 0;
    for (std::size_t d = 0; d < 4096; ++d) mean += run.draws.theta[4 * d + j] / 4096;
    EXPECT_NEAR(mean, truth[j], 0.05 * posterior_sd[j]) << j;
  }
}

// log p = x - exp(x) has the ELBO m - exp(m + s^2 / 2) + log s: at its maximum exp(m + s^2 / 2) = 1, s = 1.
TEST(NaturalGradient, FindsTheMaximumOfAnElboInClosedForm) {
  TestDensity target(2, [](const Numbers& x, Numbers& gradient) {
    for (std::size_t i = 0; i < 2; ++i) gradient[i] = 1 - std::exp(x[i]);
    return x[0] - std::exp(x[0]) + x[1] - std::exp(x[1]);
  });
  for (const char* family : {"fullrank", "meanfield"}) {
    auto run = begin(target, {family, "elbo", "natural"});
    run->finish();
    const GaussianGuess found = run->gaussian();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(found.mean[i], -0.5, 0.15) << family;
      EXPECT_NEAR(std::log(found.sd[i]), 0, 0.25) << family;
    }
  }
}

TEST(NaturalGradient, WithFewDrawsComesNearAGaussian) {
  const Equicorrelated shape(8, 0.3, 1);
  TestDensity target = gaussian_target(Numbers(8, 2), shape);
  Options options;
  options.set("grad_draws", 10);
  auto run = begin(target, {"fullrank", "elbo", "natural"}, options);
  run->finish();
  expect_near(run->gaussian(), Numbers(8, 2), shape.precision, 0.02);
}

TEST(BuresWasserstein, ReachesAGaussian) {
  const Equicorrelated shape(4, 0.6, 0.5);
  const Numbers mean = spaced(4, 1, -2);
  TestDensity target = gaussian_target(mean, shape);
  auto run = begin(target, {"fullrank", "elbo", "bures-wasserstein"});
  run->finish();
  expect_near(run->gaussian(), mean, shape.precision, 2e-3);
  EXPECT_TRUE(run->scheme->findings().empty());
}

// In one coordinate a step of length h = 1 / curvature ends with variance h, whatever it was: M = 0.
TEST(BuresWasserstein, AStepIsTheClosedForm) {
  TestDensity target = gaussian_target({3}, Equicorrelated(1, 0, 0.5));
  auto run = begin(target, {"fullrank", "elbo", "bures-wasserstein"});
  run->scheme->step();
  EXPECT_NEAR(run->gaussian().mean[0], 3, 1e-10);
  EXPECT_NEAR(run->gaussian().sd[0], 0.5, 1e-10);
}

class ScoreMatching : public ::testing::TestWithParam<const char*> {};

TEST_P(ScoreMatching, ReachesAGaussian) {
  const Equicorrelated shape(5, 0.8, 0.3);
  const Numbers mean = spaced(5, -2, 2);
  TestDensity target = gaussian_target(mean, shape);
  auto run = begin(target, {"fullrank", GetParam()});
  run->finish();
  expect_near(run->gaussian(), mean, shape.precision, 1e-3);
  EXPECT_TRUE(run->scheme->findings().empty());
}

TEST_P(ScoreMatching, ReachesAGaussianWithABatchBelowTheDimension) {
  const Equicorrelated shape(6, 0.4, 1);
  const Numbers mean = spaced(6, -1, 1);
  TestDensity target = gaussian_target(mean, shape);
  Options options;
  options.set("grad_draws", 3);
  auto run = begin(target, {"fullrank", GetParam()}, options);
  run->finish();
  expect_near(run->gaussian(), mean, shape.precision, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Objectives, ScoreMatching, ::testing::Values("fisher", "gsm"));

// After one update of one draw of GSM, q has the score of p at that draw.
TEST(GaussianScoreMatching, MatchesTheScoreOfItsDraw) {
  Numbers at;
  TestDensity target(3, [&at](const Numbers& x, Numbers& gradient) {
    at = x;
    for (std::size_t i = 0; i < 3; ++i) gradient[i] = -std::sinh(x[i]) + 0.3 * x[(i + 1) % 3];
    return 0.0;
  });
  Options options;
  options.set("grad_draws", 1);
  auto run = begin(target, {"fullrank", "gsm"}, options);
  run->scheme->step();
  Numbers log_q(1), slopes(3), wanted(3);
  run->family->evaluate(run->scheme->lambda(), {1, at.data(), log_q.data(), slopes.data()});
  for (std::size_t i = 0; i < 3; ++i) wanted[i] = -std::sinh(at[i]) + 0.3 * at[(i + 1) % 3];
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(slopes[i], wanted[i], 1e-9 * (1 + std::abs(wanted[i])));
}

TEST(Schemes, RefuseWhatMakesNoSense) {
  TestDensity target = gaussian_target(Numbers(3, 0.0), Equicorrelated(3, 0, 1));
  for (const char* objective : {"fisher", "gsm"}) {
    EXPECT_NE(refusal(target, {"meanfield", objective}).find("--family fullrank"), std::string::npos);
  }
  EXPECT_NE(refusal(target, {"meanfield", "elbo", "bures-wasserstein"}).find("--family fullrank"),
            std::string::npos);
  EXPECT_NE(refusal(target, {"fullrank", "fisher", "natural"}).find("climbs the ELBO"), std::string::npos);
  EXPECT_NE(refusal(target, {"fullrank", "fisher", "lbfgs"}).find("climbs the ELBO"), std::string::npos);
  for (const char* optimizer : {"svrg", "saga"}) {
    const std::string said = refusal(target, {"meanfield", "elbo", optimizer});
    EXPECT_NE(said.find("this model has no rows"), std::string::npos) << said;
    EXPECT_NE(said.find("docs/minibatches.md"), std::string::npos) << said;
  }
}

TEST(Schemes, NameWhatIsNotFiniteAfterRepeatedFailures) {
  class Broken final : public density::LogDensity {
   public:
    std::size_t dim() const override { return 2; }
    void evaluate(const density::Batch& batch) override {
      for (std::size_t k = 0; k < batch.lanes; ++k) {
        batch.log_density[k] = std::nan("");
        batch.status[k] = density::Status::not_finite;
      }
    }
    std::string message() const override { return "model.stan:4:3: log of a negative number"; }
  };
  Broken target;
  for (const Case& parts : {Case{"fullrank", "elbo", "natural"}, Case{"fullrank", "fisher"},
                            Case{"meanfield", "elbo", "lbfgs"}}) {
    auto run = begin(target, parts);
    try {
      run->finish();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_NE(error.message().find("model.stan:4:3"), std::string::npos) << error.message();
    }
  }
}

// The density is not finite for x > 1: q starts where a third of its draws are, and must draw back.
TEST(Schemes, UndoStepsToWhereTheDensityIsNotFinite) {
  TestDensity target(2, [](const Numbers& x, Numbers& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      gradient[i] = -1 / (1 - x[i]) + 3 * std::exp(-x[i]) - 1;
      value += std::log(1 - x[i]) - 3 * std::exp(-x[i]) - x[i];
    }
    return value;
  });
  for (const Case& parts : {Case{"fullrank", "elbo", "natural"}, Case{"meanfield", "elbo", "natural"}}) {
    auto run = begin(target, parts, {}, 0.5, 1.5);
    run->finish();
    for (const double number : run->scheme->lambda()) EXPECT_TRUE(std::isfinite(number));
    EXPECT_LT(run->gaussian().mean[0] + 2 * run->gaussian().sd[0], 1.2);
  }
}

// An archive taken anywhere goes on to the same bits.
class Resumes : public ::testing::TestWithParam<Case> {};

TEST_P(Resumes, FromAnyStep) {
  TestDensity skewed(3, [](const Numbers& x, Numbers& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double along = x[i] + 0.4 * x[(i + 1) % 3];
      value += along - std::exp(along) - 0.1 * x[i] * x[i];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const double mine = x[i] + 0.4 * x[(i + 1) % 3];
      const double other = x[(i + 2) % 3] + 0.4 * x[i];
      gradient[i] = 1 - std::exp(mine) + 0.4 * (1 - std::exp(other)) - 0.2 * x[i];
    }
    return value;
  });
  RowSum sum(60);
  const Case& parts = GetParam();
  const bool has_rows = parts.optimizer == "svrg" || parts.optimizer == "saga";
  density::LogDensity& target = has_rows ? static_cast<density::LogDensity&>(sum) : skewed;
  Options options;
  options.set("max_steps", 60);
  auto whole = begin(target, parts, options);
  std::vector<Numbers> archives;
  do {
    Archive archive;
    whole->scheme->archive(archive);
    archives.push_back(archive.numbers());
  } while (whole->scheme->step());
  for (const Numbers& numbers : archives) {
    auto resumed = begin(target, parts, options);
    Archive archive(numbers);
    resumed->scheme->archive(archive);
    EXPECT_TRUE(archive.is_complete());
    resumed->finish();
    EXPECT_TRUE(std::equal(whole->scheme->lambda().begin(), whole->scheme->lambda().end(),
                           resumed->scheme->lambda().begin()));
    EXPECT_EQ(resumed->scheme->gradients(), whole->scheme->gradients());
    EXPECT_EQ(resumed->scheme->trace().size(), whole->scheme->trace().size());
    EXPECT_EQ(resumed->scheme->findings().size(), whole->scheme->findings().size());
    const GaussianGuess* one = whole->scheme->drawn_from();
    const GaussianGuess* other = resumed->scheme->drawn_from();
    ASSERT_EQ(one == nullptr, other == nullptr);
    if (one != nullptr) {
      EXPECT_EQ(one->lower, other->lower);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Resumes,
    ::testing::Values(Case{"fullrank", "elbo", "natural"}, Case{"meanfield", "elbo", "natural"},
                      Case{"fullrank", "elbo", "bures-wasserstein"}, Case{"fullrank", "fisher"},
                      Case{"fullrank", "gsm"}, Case{"meanfield", "elbo", "lbfgs"},
                      Case{"meanfield", "elbo", "newton-cg"}, Case{"meanfield", "elbo", "svrg"},
                      Case{"meanfield", "elbo", "saga"}));

}  // namespace
}  // namespace kullback::infer
