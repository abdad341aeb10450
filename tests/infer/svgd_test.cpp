#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/particles/mirror.hpp"
#include "infer/particles/particle_coordinates.hpp"
#include "infer/particles/stein_checks.hpp"
#include "infer/particles/stein_force.hpp"
#include "infer/particles/svgd_choices.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer::testing {
namespace {

using Kind = stats::RadialKernel::Kind;

struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class F>
Moments moments(const Draws& draws, std::size_t coordinate, F f) {
  const auto n = static_cast<double>(draws.count());
  double sum = 0;
  double squares = 0;
  for (std::size_t k = 0; k < draws.count(); ++k) {
    const double value = f(draws.theta[k * draws.dim + coordinate]);
    sum += value;
    squares += value * value;
  }
  return {sum / n, (squares - sum * sum / n) / (n - 1)};
}

Moments moments(const Draws& draws, std::size_t coordinate) {
  return moments(draws, coordinate, [](double x) { return x; });
}

Vector normals(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Vector result(count);
  for (double& x : result) x = random.normal();
  return result;
}

// The force by its definition, with the kernel's gradient by differences.
TEST(SteinForce, IsThatOfTheDefinition) {
  constexpr std::size_t kCount = 7;
  constexpr std::size_t kDim = 3;
  const Vector places = normals(kCount * kDim, 1);
  const Vector scores = normals(kCount * kDim, 2);
  const Vector slopes = normals(kCount * kDim, 3);
  for (const Kind kind : {Kind::rbf, Kind::imq}) {
    const stats::RadialKernel kernel{kind, 0.9};
    SteinForce stein(kCount, kDim, kind, 0.9);
    Vector force(kCount * kDim);
    stein.compute(places, scores, slopes, force);
    const auto k_at = [&](std::size_t j, std::size_t i, std::size_t moved, double by) {
      double s = 0;
      for (std::size_t a = 0; a < kDim; ++a)
        s += std::pow(places[a * kCount + j] + (a == moved ? by : 0) - places[a * kCount + i], 2);
      return derivatives(kernel, s).value;
    };
    for (std::size_t i = 0; i < kCount; ++i) {
      double kernels = 0;
      for (std::size_t a = 0; a < kDim; ++a) {
        double expected = 0;
        for (std::size_t j = 0; j < kCount; ++j) {
          const double slope = (k_at(j, i, a, 1e-5) - k_at(j, i, a, -1e-5)) / 2e-5;
          expected += k_at(j, i, a, 0) * scores[a * kCount + j] + slope * slopes[a * kCount + j];
          if (a == 0) kernels += k_at(j, i, a, 0);
        }
        EXPECT_NEAR(force[a * kCount + i], expected / kCount, 1e-9);
      }
      EXPECT_NEAR(stein.mean_kernels()[i], kernels / kCount, 1e-14);
    }
  }
}

TEST(SteinForce, AdaptsItsBandwidth) {
  const Vector places{0, 3, 3.5};  // squared distances 9, 12.25, 0.25
  SteinForce stein(3, 1, Kind::imq, 0);
  Vector force(3);
  stein.compute(places, {0, 0, 0}, {}, force);
  EXPECT_DOUBLE_EQ(stein.bandwidth(), 3);
  EXPECT_LT(force[0], 0);  // apart
  EXPECT_GT(force[2], 0);
  EXPECT_NEAR(std::accumulate(force.begin(), force.end(), 0.0), 0, 1e-15);
}

TEST(Mirror, SlopesAreThoseByDifferences) {
  using Support = density::Support;
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Support> supports{{Support::Kind::positive, 2, inf},
                                      {Support::Kind::positive, -inf, 5},
                                      {Support::Kind::bounded, -1, 3},
                                      {},
                                      {Support::Kind::other, 0, 1}};
  const Vector theta{0.4, -1.1, 0.7, 0.2, 0.3};
  Vector above(theta);
  Vector below(theta);
  for (std::size_t i = 0; i < theta.size(); ++i) above[i] += 1e-6;
  for (std::size_t i = 0; i < theta.size(); ++i) below[i] -= 1e-6;
  const MirrorValues at = mirror_values(supports, theta, 1);
  const MirrorValues up = mirror_values(supports, above, 1);
  const MirrorValues down = mirror_values(supports, below, 1);
  EXPECT_DOUBLE_EQ(at.values[0], 2 + std::exp(0.4));
  EXPECT_DOUBLE_EQ(at.values[1], 5 - std::exp(-1.1));
  EXPECT_DOUBLE_EQ(at.values[2], -1 + 4 / (1 + std::exp(-0.7)));
  EXPECT_EQ(at.values[3], 0.2);
  EXPECT_EQ(at.values[4], 0.3);
  for (std::size_t i = 0; i < theta.size(); ++i)
    EXPECT_NEAR(at.slopes[i], (up.values[i] - down.values[i]) / 2e-6, 1e-8);
}

TEST(ParticleCoordinates, MakeTheCurvatureTheIdentity) {
  const Vector curvature{4, 1.2, 1.2, 0.5};
  ParticleCoordinates coordinates(2);
  coordinates.set_units({0.3, 2});
  coordinates.set_curvature(curvature);
  const Vector theta = normals(6, 4);  // three particles
  const Vector z = coordinates.to_z(theta, 3);
  for (std::size_t k = 0; k < 3; ++k) {
    const double x = theta[k];
    const double y = theta[3 + k];
    EXPECT_NEAR(z[k] * z[k] + z[3 + k] * z[3 + k], 4 * x * x + 2.4 * x * y + 0.5 * y * y, 1e-12);
  }
  // A score times a move is the same number in both coordinates.
  const Vector gradient = normals(6, 5);
  const Vector move = normals(6, 6);
  const Vector score = coordinates.scores_to_z(gradient, 3);
  Vector moved(6, 0.0);
  coordinates.add_move(move, 3, moved);
  EXPECT_NEAR(std::inner_product(score.begin(), score.end(), move.begin(), 0.0),
              std::inner_product(gradient.begin(), gradient.end(), moved.begin(), 0.0), 1e-12);
}

// Of particles with covariance C and mean m and a Gaussian with precision P and mean mu.
TEST(SteinChecks, OfAGaussianAreExact) {
  constexpr std::size_t kCount = 12;
  const Vector theta = normals(2 * kCount, 7);
  Vector gradient(2 * kCount);
  const double p[2][2] = {{2, 0.6}, {0.6, 1}};
  const double mu[2] = {0.5, -1};
  double mean[2] = {0, 0};
  for (std::size_t k = 0; k < kCount; ++k) {
    for (std::size_t i = 0; i < 2; ++i) {
      mean[i] += theta[i * kCount + k] / kCount;
      for (std::size_t j = 0; j < 2; ++j)
        gradient[i * kCount + k] -= p[i][j] * (theta[j * kCount + k] - mu[j]);
    }
  }
  double c[2][2] = {{0, 0}, {0, 0}};
  for (std::size_t k = 0; k < kCount; ++k) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j)
        c[i][j] += (theta[i * kCount + k] - mean[i]) * (theta[j * kCount + k] - mean[j]) / kCount;
    }
  }
  const SteinChecks checks = stein_checks(theta, gradient, kCount);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(checks.variance_ratios[i], c[i][0] * p[0][i] + c[i][1] * p[1][i], 1e-13);
    double shift = 0;
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t l = 0; l < 2; ++l) shift += c[i][j] * p[j][l] * (mu[l] - mean[l]);
    }
    EXPECT_NEAR(checks.mean_shifts[i], shift / std::sqrt(c[i][i]), 1e-13);
  }
}

Options options_of(SvgdVariant variant, SvgdOptimizer optimizer = SvgdOptimizer::adagrad) {
  Options options;
  options.set("svgd_variant", variant);
  options.set("svgd_optimizer", optimizer);
  return options;
}

class Svgd : public ::testing::TestWithParam<std::pair<SvgdOptimizer, SvgdKernel>> {
 protected:
  Options options(SvgdVariant variant = SvgdVariant::natural) const {
    Options options = options_of(variant, GetParam().first);
    options.set("svgd_kernel", GetParam().second);
    return options;
  }
};

// Correlation 0.8, standard deviations 0.1 and 10.
double correlated(const Vector& theta, Vector& gradient) {
  const double x = (theta[0] - 3) / 0.1;
  const double y = (theta[1] + 20) / 10;
  gradient[0] = -(x - 0.8 * y) / 0.36 / 0.1;
  gradient[1] = -(y - 0.8 * x) / 0.36 / 10;
  return -0.5 * (x * x - 1.6 * x * y + y * y) / 0.36;
}

TEST_P(Svgd, FindsMeanAndVarianceOfAGaussian) {
  TestDensity density(2, correlated);
  const Outcome outcome = run("svgd", density, options(), {{0.0, 0.0}, 1, 0});
  ASSERT_EQ(outcome.draws.count(), 100U);
  EXPECT_EQ(density.most_lanes, 100U);
  EXPECT_TRUE(outcome.draws.log_q.empty());
  const Moments x = moments(outcome.draws, 0);
  const Moments y = moments(outcome.draws, 1);
  EXPECT_NEAR(x.mean, 3, 0.02 * 0.1);
  EXPECT_NEAR(y.mean, -20, 0.02 * 10);
  EXPECT_NEAR(x.variance / 0.01, 1, 0.12);
  EXPECT_NEAR(y.variance / 100, 1, 0.12);
  EXPECT_EQ(outcome.findings.size(), 1U) << outcome.codes();
  EXPECT_TRUE(outcome.found("ksd")) << outcome.codes();
}

TEST_P(Svgd, FromASpreadAroundTheStart) {
  TestDensity density(2, normal({1, -2}, {1, 0.5}));
  Options spread = options(SvgdVariant::plain);
  spread.set("svgd_start", SvgdStart::spread);
  const Outcome outcome = run("svgd", density, spread, {{3.0, 3.0}, 1, 0});
  EXPECT_NEAR(moments(outcome.draws, 0).mean, 1, 0.05);
  EXPECT_NEAR(moments(outcome.draws, 1).mean, -2, 0.05);
  EXPECT_NEAR(moments(outcome.draws, 0).variance, 1, 0.2);
  EXPECT_NEAR(moments(outcome.draws, 1).variance, 0.25, 0.05);
}

// log x of x ~ gamma(3, 2), and logit y of y ~ beta(2, 5), each with its Jacobian.
double gamma_and_beta(const Vector& theta, Vector& gradient) {
  const double x = std::exp(theta[0]);
  const double y = 1 / (1 + std::exp(-theta[1]));
  gradient[0] = 3 - 2 * x;
  gradient[1] = 2 - 7 * y;
  return 3 * theta[0] - 2 * x + 2 * std::log(y) + 5 * std::log1p(-y);
}

TEST_P(Svgd, MirroredFindsMomentsOfConstrainedValues) {
  TestDensity density(2, gamma_and_beta);
  const double inf = std::numeric_limits<double>::infinity();
  density.set_supports({{density::Support::Kind::positive, 0, inf}, {density::Support::Kind::bounded, 0, 1}});
  const Outcome outcome = run("svgd", density, options(SvgdVariant::mirrored), {{0.0, 0.0}, 1, 0});
  const Moments x = moments(outcome.draws, 0, [](double t) { return std::exp(t); });
  const Moments y = moments(outcome.draws, 1, [](double t) { return 1 / (1 + std::exp(-t)); });
  EXPECT_NEAR(x.mean, 1.5, 0.05 * std::sqrt(0.75));
  EXPECT_NEAR(y.mean, 2.0 / 7, 0.05 * std::sqrt(10.0 / 392));
  EXPECT_NEAR(x.variance / 0.75, 1, 0.2);
  EXPECT_NEAR(y.variance / (10.0 / 392), 1, 0.2);
}

TEST_P(Svgd, GoesOnFromAnArchive) {
  TestDensity density(2, gamma_and_beta);
  const double inf = std::numeric_limits<double>::infinity();
  density.set_supports({{density::Support::Kind::positive, 0, inf}, {density::Support::Kind::bounded, 0, 1}});
  for (const SvgdVariant variant : {SvgdVariant::natural, SvgdVariant::plain, SvgdVariant::mirrored}) {
    Options brief = options(variant);
    brief.set("svgd_particles", 20);
    brief.set("max_iterations", 130);
    brief.set("svgd_start", variant == SvgdVariant::plain ? SvgdStart::spread : SvgdStart::path);
    expect_resumes("svgd", density, brief, {{0.5, 0.5}, 3, 1}, 19);
  }
}

INSTANTIATE_TEST_SUITE_P(Choices, Svgd,
                         ::testing::Values(std::pair{SvgdOptimizer::adagrad, SvgdKernel::rbf},
                                           std::pair{SvgdOptimizer::adagrad, SvgdKernel::imq},
                                           std::pair{SvgdOptimizer::coin, SvgdKernel::rbf},
                                           std::pair{SvgdOptimizer::coin, SvgdKernel::imq}),
                         [](const auto& tested) {
                           return std::string(tested.param.first == SvgdOptimizer::coin ? "coin"
                                                                                        : "adagrad") +
                                  (tested.param.second == SvgdKernel::rbf ? "_rbf" : "_imq");
                         });

TEST(SvgdFindings, ACollapseInManyDimensions) {
  TestDensity density(60, normal(Vector(60, 0.0), Vector(60, 1.0)));
  Options options;
  options.set("svgd_particles", 20);
  const Outcome outcome = run("svgd", density, options, {Vector(60, 0.5), 1, 0});
  ASSERT_TRUE(outcome.found("variance-collapse")) << outcome.codes();
  double variance = 0;
  for (std::size_t i = 0; i < 60; ++i) variance += moments(outcome.draws, i).variance / 60;
  EXPECT_LT(variance, 0.6);  // what the finding says is so
}

TEST(SvgdFindings, IterationsThatRanOut) {
  TestDensity density(1, normal({0}, {1}));
  Options options = options_of(SvgdVariant::plain);
  options.set("svgd_start", SvgdStart::spread);
  options.set("max_iterations", 3);
  const Outcome outcome = run("svgd", density, options, {{9.0}, 1, 0});
  EXPECT_TRUE(outcome.found("not-converged")) << outcome.codes();
  EXPECT_TRUE(outcome.found("mean-shift")) << outcome.codes();
  EXPECT_TRUE(outcome.found("moves-on")) << outcome.codes();
  EXPECT_EQ(outcome.progress.done, 3U);
}

// In Neal's funnel the particles fill part of it.
TEST(SvgdFindings, MovesThatLeadOn) {
  TestDensity funnel(3, [](const Vector& theta, Vector& gradient) {
    const double precision = std::exp(-theta[0]);
    const double squares = theta[1] * theta[1] + theta[2] * theta[2];
    gradient = {-theta[0] / 9 + 0.5 * squares * precision - 1, -theta[1] * precision, -theta[2] * precision};
    return -theta[0] * theta[0] / 18 - theta[0] - 0.5 * squares * precision;
  });
  Options options;
  options.set("max_iterations", 30);
  const Outcome outcome = run("svgd", funnel, options, {{0.5, 0.5, 0.5}, 1, 0});
  const Finding* found = outcome.finding("moves-on");
  ASSERT_NE(found, nullptr) << outcome.codes();
  EXPECT_NE(found->evidence.find("standard deviation"), std::string::npos);
}

// A normal distribution cut off at 1.
TEST(SvgdFindings, MovesOutOfTheSupportAreUndone) {
  TestDensity density(1, [](const Vector& theta, Vector& gradient) {
    gradient[0] = -(theta[0] - 0.8);
    return theta[0] < 1 ? -0.5 * (theta[0] - 0.8) * (theta[0] - 0.8)
                        : -std::numeric_limits<double>::infinity();
  });
  Options options;
  options.set("max_iterations", 50);
  const Outcome outcome = run("svgd", density, options, {{0.0}, 1, 0});
  EXPECT_TRUE(outcome.found("moves-undone")) << outcome.codes();
  for (const double x : outcome.draws.theta) EXPECT_LT(x, 1);
  for (const double value : outcome.draws.log_density) EXPECT_TRUE(std::isfinite(value));
}

TEST(SvgdErrors, NamesTheStatementWhereNoParticleCanMove) {
  std::size_t calls = 0;
  TestDensity density(1, [&calls](const Vector& theta, Vector& gradient) {
    gradient[0] = -theta[0];
    return ++calls <= 20 ? -0.5 * theta[0] * theta[0] : std::numeric_limits<double>::quiet_NaN();
  });
  Options options = options_of(SvgdVariant::plain);
  options.set("svgd_particles", 20);
  options.set("svgd_start", SvgdStart::spread);
  try {
    run("svgd", density, options, {{0.0}, 1, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(error.message().find("20 of 20 particles could not move"), std::string::npos)
        << error.message();
  }
}

void expect_refused(const Options& options, const std::string& words, std::size_t dim = 2) {
  TestDensity density(dim, normal(Vector(dim, 0.0), Vector(dim, 1.0)));
  try {
    find_method("svgd")->make(density, options, {Vector(dim, 0.0), 1, 0});
    FAIL() << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.message().find(words), std::string::npos) << error.message();
  }
}

TEST(SvgdErrors, OptionsWithoutSense) {
  const OptionTable table = find_method("svgd")->options;
  const auto message = [&](const char* name, const char* text) -> std::string {
    try {
      read_option(*find_option(table, name), text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message();
    }
    return "accepted";
  };
  EXPECT_EQ(message("svgd_particles", "5"), "--svgd-particles is 5; it must be from 10 to 4000.");
  EXPECT_EQ(message("svgd_bandwidth", "-1"), "--svgd-bandwidth is -1; it must be auto or above 0.");
  EXPECT_EQ(message("svgd_tol", "0"), "--svgd-tol is 0; it must be above 0.");
  EXPECT_EQ(message("svgd_kernel", "gauss"), "--svgd-kernel: found 'gauss', but a value must be imq or rbf.");
  EXPECT_EQ(message("svgd_variant", "mirrored"), "accepted");
  expect_refused(options_of(SvgdVariant::mirrored), "needs a model that tells its constraints");
  expect_refused({}, "natural` takes 500 coordinates at most; there are 501", 501);
}

TEST(SvgdErrors, RunsAModelWithoutParameters) {
  TestDensity density(0, [](const Vector&, Vector&) { return -1.5; });
  const Outcome outcome = run("svgd", density, {}, {{}, 1, 0});
  EXPECT_EQ(outcome.draws.log_density, Vector(100, -1.5));
  EXPECT_TRUE(outcome.findings.empty());
}

}  // namespace
}  // namespace kullback::infer::testing
