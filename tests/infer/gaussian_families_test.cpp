// What is special to each family around the Gaussian: exactness at Gaussian targets, tails and mixtures
// against reference values (SciPy 1.x and mpmath with 40 digits), boosting on two modes, numbers at the edge.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/chi_square.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/family.hpp"
#include "infer/vi/mixture.hpp"
#include "infer/vi/noise.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/variational.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using Vector = std::vector<double>;

const double kLogTwoPi = std::log(2 * std::numbers::pi);
constexpr double kLogEvidence = 3.7;

// L L' with L random, diagonal between 0.3 and 1.3.
Vector random_lower(std::size_t dim, std::uint64_t seed) {
  Random random(seed, 5);
  Vector lower(dim * dim);
  for (std::size_t j = 0; j < dim; ++j) {
    lower[j * dim + j] = 0.3 + random.uniform();
    for (std::size_t i = j + 1; i < dim; ++i) lower[j * dim + i] = 0.5 * random.normal();
  }
  return lower;
}

GaussianGuess guess_from(Vector mean, Vector lower) {
  const std::size_t dim = mean.size();
  Vector sd(dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) sd[i] += lower[j * dim + i] * lower[j * dim + i];
    sd[i] = std::sqrt(sd[i]);
  }
  return {std::move(mean), std::move(sd), std::move(lower)};
}

GaussianGuess random_gaussian(std::size_t dim, std::uint64_t seed) {
  Random random(seed, 6);
  Vector mean(dim);
  for (double& value : mean) value = random.normal();
  return guess_from(mean, random_lower(dim, seed));
}

// exp(kLogEvidence) times the normal density.
Target gaussian_target(const GaussianGuess& g) {
  const std::size_t dim = g.mean.size();
  return {dim, [g, dim](const double* theta, double* gradient) {
            Vector z(dim);
            double value = kLogEvidence - 0.5 * static_cast<double>(dim) * kLogTwoPi;
            for (std::size_t i = 0; i < dim; ++i) {
              z[i] = theta[i] - g.mean[i];
              for (std::size_t j = 0; j < i; ++j) z[i] -= g.lower[j * dim + i] * z[j];
              z[i] /= g.lower[i * dim + i];
              value -= 0.5 * z[i] * z[i] + std::log(g.lower[i * dim + i]);
            }
            for (std::size_t i = dim; i-- > 0;) {
              gradient[i] = -z[i];
              for (std::size_t j = i + 1; j < dim; ++j) gradient[i] -= g.lower[i * dim + j] * gradient[j];
              gradient[i] /= g.lower[i * dim + i];
            }
            return value;
          }};
}

std::unique_ptr<Family> make(std::string_view name, std::size_t dim, const Options& options = {}) {
  return find_family(name).make({dim, {}, {}, &options});
}

Vector noise_of(const Family& family, std::size_t lanes, std::uint64_t seed = 1) {
  const NoiseSource source({seed, 0, 99}, Sampling::iid, family.noise());
  Vector noise(source.size() * lanes);
  source.fill(0, lanes, noise.data());
  return noise;
}

struct Drawn {
  Vector theta;
  Vector log_q;
  Vector log_p;
};

Drawn draw(Family& family, const Vector& lambda, density::LogDensity& target, std::size_t lanes) {
  Drawn result{Vector(family.dim() * lanes), Vector(lanes), Vector(lanes)};
  const Vector noise = noise_of(family, lanes);
  std::vector<density::Status> status(lanes);
  family.draw(lambda, {lanes, noise.data(), result.theta.data(), result.log_q.data()});
  target.evaluate({lanes, result.theta.data(), result.log_p.data(), nullptr, status.data()});
  return result;
}

// log p - log q is the evidence at every draw, and sticking the landing has no gradient.
void expect_exact(Family& family, const Vector& lambda, Target& target, double tolerance) {
  const Drawn drawn = draw(family, lambda, target, 32);
  for (std::size_t k = 0; k < 32; ++k) EXPECT_NEAR(drawn.log_p[k] - drawn.log_q[k], kLogEvidence, tolerance);
  const NoiseSource noise({3, 0, 98}, Sampling::iid, family.noise());
  const auto objective = find_objective("elbo").make({});
  const Options options;
  const auto estimator =
      find_estimator("stl").make({&target, &family, objective.get(), &noise, 16, &options});
  infer::Estimate estimate;
  estimator->estimate(lambda, 0, estimate);
  for (const double slope : estimate.gradient) EXPECT_NEAR(slope, 0, 10 * tolerance);
}

TEST(GaussianFamilies, FullRankIsExactAtAGaussian) {
  for (const std::size_t dim : {1, 5, 40}) {
    const GaussianGuess g = random_gaussian(dim, dim);
    Target target = gaussian_target(g);
    const auto family = make("fullrank", dim);
    Vector lambda(family->parameters());
    family->set_gaussian(g, lambda);
    expect_exact(*family, lambda, target, 1e-10);
    const GaussianGuess back = family->gaussian_of(lambda);
    for (std::size_t i = 0; i < dim * dim; ++i) EXPECT_NEAR(back.lower[i], g.lower[i], 1e-14);
  }
}

TEST(GaussianFamilies, LowRankIsExactWithRankEnough) {
  const GaussianGuess g = random_gaussian(6, 11);
  Target target = gaussian_target(g);
  for (const std::size_t rank : {5, 6}) {
    Options options;
    options.set("rank", rank);
    const auto family = make("lowrank", 6, options);
    Vector lambda(family->parameters());
    family->set_gaussian(g, lambda);
    expect_exact(*family, lambda, target, 1e-10);
  }
}

// A covariance that is a diagonal and two columns is found from its Cholesky factor.
TEST(GaussianFamilies, LowRankFindsTheFactorsOfAFactorModel) {
  constexpr std::size_t kDim = 8;
  Options options;
  options.set("rank", 2);
  const auto family = make("lowrank", kDim, options);
  Random random(4, 7);
  Vector lambda(family->parameters());
  for (std::size_t p = 0; p < lambda.size(); ++p)
    lambda[p] = p >= 2 * kDim ? 2 * random.normal() : 0.3 * random.normal();
  const GaussianGuess g = family->gaussian_of(lambda);
  Target target = gaussian_target(g);
  expect_exact(*family, lambda, target, 1e-10);
  Vector found(lambda.size());
  family->set_gaussian(g, found);
  const GaussianGuess back = family->gaussian_of(found);
  for (std::size_t i = 0; i < kDim * kDim; ++i) EXPECT_NEAR(back.lower[i], g.lower[i], 1e-4) << i;
}

// Of the members, set_gaussian() takes the one with the least KL(q || g) = evidence - ELBO, which has a
// closed form here: no step to another member may raise it.
TEST(GaussianFamilies, SetGaussianIsTheNearestMember) {
  const GaussianGuess g = random_gaussian(7, 23);
  for (const std::string_view name : {"lowrank", "block", "meanfield"}) {
    Options options;
    options.set("rank", 2);
    const std::vector<density::Block> blocks{{"a", 0, 3}, {"b", 3, 0}, {"c", 3, 4}};
    const auto family = find_family(name).make({7, blocks, {}, &options});
    Vector lambda(family->parameters());
    family->set_gaussian(g, lambda);
    Target target = gaussian_target(g);
    // E_q log p = log p(mean) - tr(P S) / 2, by the 2 * 7 points mean +- columns of the factor of S.
    const auto elbo = [&](const Vector& at) {
      const GaussianGuess q = family->gaussian_of(at);
      const bool is_dense = !q.lower.empty();
      Vector gradient(7);
      double sum = 0;
      double middle = 0;
      density::Status status{};
      target.evaluate({1, q.mean.data(), &middle, nullptr, &status});
      for (std::size_t j = 0; j < 7; ++j) {
        for (const double side : {-1.0, 1.0}) {
          Vector theta = q.mean;
          for (std::size_t i = 0; i < 7; ++i)
            theta[i] += side * (is_dense ? q.lower[j * 7 + i] : (i == j ? q.sd[i] : 0));
          double value = 0;
          target.evaluate({1, theta.data(), &value, nullptr, &status});
          sum += 0.5 * (value - middle);
        }
      }
      return middle + sum + family->entropy(at, 1, {});
    };
    const double best = elbo(lambda);
    EXPECT_LT(best, kLogEvidence);
    for (std::size_t p = 0; p < lambda.size(); ++p) {
      Vector moved = lambda;
      moved[p] += 1e-3;
      const double above = elbo(moved);
      moved[p] -= 2e-3;
      EXPECT_NEAR((above - elbo(moved)) / 2e-3, 0, 1e-4) << name << " " << p;
    }
  }
}

// The scheme, from a start without any correlation.
TEST(GaussianFamilies, SchemesReachTheEvidence) {
  const GaussianGuess g = random_gaussian(4, 31);
  Target target = gaussian_target(g);
  for (const std::string_view name : {"fullrank", "lowrank"}) {
    Options options;
    options.set("rank", 3);
    const auto family = make(name, 4, options);
    const auto scheme = make_scheme({&target,
                                     family.get(),
                                     &find_objective("elbo"),
                                     &find_estimator("stl"),
                                     &find_optimizer("adam"),
                                     &options,
                                     {8, 0, 77},
                                     {Vector(4, 0.0), Vector(4, 1.0), {}}});
    while (scheme->step()) {
    }
    const Vector lambda(scheme->lambda().begin(), scheme->lambda().end());
    const Drawn drawn = draw(*family, lambda, target, 1000);
    double elbo = 0;
    for (std::size_t k = 0; k < 1000; ++k) elbo += (drawn.log_p[k] - drawn.log_q[k]) / 1000;
    EXPECT_NEAR(elbo, kLogEvidence, 1e-4) << name;
  }
}

TEST(GaussianFamilies, FitsFromEndToEnd) {
  const GaussianGuess g = random_gaussian(3, 41);
  Target target = gaussian_target(g);
  Options options;
  options.set("draws", 2000);
  for (const Preset& preset : {Preset{"fullrank", "elbo", "", ""}, Preset{"lowrank", "elbo", "", ""}}) {
    const auto run = testing::finish(*make_variational(target, options, {{0, 0, 0}, 5, 0}, preset));
    double worst = 0;
    for (std::size_t d = 0; d < run.draws.count(); ++d)
      worst = std::max(worst, std::abs(run.draws.log_density[d] - run.draws.log_q[d] - kLogEvidence));
    EXPECT_LT(worst, 0.05) << preset.family;
    EXPECT_FALSE(run.found("not-converged")) << run.codes();
  }
}

TEST(Block, RefusesAModelWithoutNames) {
  try {
    make("block", 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.message().find("0 of its 3 coordinates"), std::string::npos) << error.message();
    EXPECT_NE(error.hint().find("fullrank"), std::string::npos);
  }
}

TEST(Block, CoversTheCorrelationsWithinABlock) {
  // L L' with blocks {0, 1} and {2}: the target has no correlation between them.
  const GaussianGuess g = guess_from({1, 2, 3}, {1.0, 0.8, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 2.0});
  Target target = gaussian_target(g);
  const std::vector<density::Block> blocks{{"a", 0, 2}, {"b", 2, 1}};
  const Options options;
  const auto family = find_family("block").make({3, blocks, {}, &options});
  EXPECT_EQ(family->parameters(), 5U + 2U);
  Vector lambda(family->parameters());
  family->set_gaussian(g, lambda);
  expect_exact(*family, lambda, target, 1e-10);
}

TEST(ChiSquare, AgreesWithReferenceValues) {
  struct Row {
    double degrees, z, value, slope;
  };
  const Row rows[] = {
      {2.1, -3.0, 0.0037796978557128272, 0.012117439027752497},
      {3.5, 0.4, 3.9055192290401116, 1.1604006777206596},
      {5.0, 4.0, 28.308920163928484, 2.2407886484547057},
      {40.0, -0.7, 33.457226449624481, 0.92098779273036873},
      {40.0, 2.5, 65.821432134472916, 1.2801770974230201},
      {900.0, 1.0, 942.41072542084225, 1.0235789206428208},
      {900.0, -5.0, 703.62079216153117, 0.88229273248845875},
  };
  for (const Row& row : rows) {
    const ChiSquareDraw found = chi_square_of_normal(row.degrees, row.z);
    EXPECT_NEAR(found.value / row.value, 1, 1e-13) << row.degrees << " " << row.z;
    EXPECT_NEAR(found.slope / row.slope, 1, 1e-11) << row.degrees << " " << row.z;
  }
}

// lambda of the Student family with the location and scale of the references.
Vector student_lambda(double nu) {
  return {0.3,  -0.2,          0.5,  std::log(1.2), 0.3,
          -0.2, std::log(0.7), 0.25, std::log(0.8), -std::log(1 / (nu - 2) - 1e-3)};
}

// scipy.stats.multivariate_t.
TEST(Student, AgreesWithReferenceValues) {
  struct Row {
    double nu;
    Vector log_q;
    double entropy;
  };
  const Row rows[] = {
      {3.5, {-2.7584140650126674, -13.364634670615263, -28.64701221460937}, 4.679474277873236},
      {30.0, {-2.706652118739816, -27.256826119872095, -101.30033707021217}, 3.958538344876406},
  };
  const Vector theta{0.1, 5.0, -60.0, 0.2, -4.0, 20.0, 0.3, 3.0, 90.0};
  const auto family = make("student", 3);
  for (const Row& row : rows) {
    const Vector lambda = student_lambda(row.nu);
    Vector log_q(3);
    family->evaluate(lambda, {3, theta.data(), log_q.data(), nullptr});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(log_q[k], row.log_q[k], 1e-10);
    EXPECT_NEAR(family->entropy(lambda, 1, {}), row.entropy, 1e-10);
  }
}

// The least KL(q || t) over the degrees of freedom is where they are the target's.
TEST(Student, FindsTheTailsOfAStudent) {
  const double nu = 5;
  Target target(1, [nu](const double* theta, double* gradient) {
    gradient[0] = -(nu + 1) * theta[0] / (nu + theta[0] * theta[0]);
    return -0.5 * (nu + 1) * std::log1p(theta[0] * theta[0] / nu);
  });
  const auto family = make("student", 1);
  Options options;
  const auto scheme = make_scheme({&target,
                                   family.get(),
                                   &find_objective("elbo"),
                                   &find_estimator("stl"),
                                   &find_optimizer("adam"),
                                   &options,
                                   {8, 0, 77},
                                   {{0.5}, {2.0}, {}}});
  while (scheme->step()) {
  }
  const double found = 2 + 1 / (std::exp(-scheme->lambda().back()) + 1e-3);
  EXPECT_NEAR(found, nu, 0.3);
  EXPECT_NEAR(std::exp(scheme->lambda()[1]), 1, 0.02);
}

// Weights softmax(0.2, -0.5).
Vector two_component_lambda() {
  return {0.2,           -0.5, -1.5, 0.5,           std::log(0.8), 0.3,
          std::log(0.6), 2.0,  -1.0, std::log(1.1), -0.4,          std::log(0.9)};
}

TEST(MixtureFamily, AgreesWithReferenceValues) {
  Mixture family(2, 2);
  const Vector theta{0.2, -3.0, 50.0, 0.1, 2.0, -70.0};
  Vector log_q(3);
  family.evaluate(two_component_lambda(), {3, theta.data(), log_q.data(), nullptr});
  EXPECT_NEAR(log_q[0], -4.04170747166783818, 1e-13);
  EXPECT_NEAR(log_q[1], -9.16605561635524758, 1e-13);
  EXPECT_NEAR(log_q[2], -2595.07977311001981, 1e-9);
}

// Both far tails, and modes with nothing between them.
TEST(MixtureFamily, DrawsAreQuantiles) {
  Mixture family(1, 2);
  const double weight = 0.3;
  const Vector lambda{std::log(weight), std::log(1 - weight), -20.0, std::log(0.5), 30.0, std::log(2.0)};
  const Vector noise{-30.0, -8.0, -1.0, -0.6, -0.5, 0.0, 1.0, 8.0, 30.0};
  Vector theta(noise.size());
  family.draw(lambda, {noise.size(), noise.data(), theta.data(), nullptr});
  const auto below = [](double y) { return 0.5 * std::erfc(-y / std::numbers::sqrt2); };
  for (std::size_t k = 0; k < noise.size(); ++k) {
    const double side = noise[k] <= 0 ? 1 : -1;
    const double found =
        weight * below(side * (theta[k] + 20) / 0.5) + (1 - weight) * below(side * (theta[k] - 30) / 2);
    EXPECT_NEAR(found / below(side * noise[k]), 1, 1e-10) << noise[k];
  }
}

TEST(MixtureFamily, AComponentWithoutWeightIsNotThere) {
  Mixture two(2, 2);
  Mixture one(2, 1);
  Vector lambda = two_component_lambda();
  lambda[1] = Mixture::kNoWeight;
  Vector alone{0.0};
  alone.insert(alone.end(), lambda.begin() + 2, lambda.begin() + 7);
  const Vector noise{0.3, -1.0, 2.0, 0.1, 0.4, -2.0};
  Vector theta(6);
  Vector log_q(3);
  two.draw(lambda, {3, noise.data(), theta.data(), log_q.data()});
  Vector expected(6);
  Vector expected_log_q(3);
  one.draw(alone, {3, noise.data(), expected.data(), expected_log_q.data()});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(theta[i], expected[i], 1e-13);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(log_q[k], expected_log_q[k], 1e-12);
}

// 0.7 N((-4, 0), I) + 0.3 N((4, 2), diag(0.5, 1.5)^2), evidence 1.
Target two_modes() {
  return {2, [](const double* theta, double* gradient) {
            const double a = theta[0] + 4;
            const double b = theta[1];
            const double c = (theta[0] - 4) / 0.5;
            const double d = (theta[1] - 2) / 1.5;
            const double first = std::log(0.7) - kLogTwoPi - 0.5 * (a * a + b * b);
            const double second = std::log(0.3 / 0.75) - kLogTwoPi - 0.5 * (c * c + d * d);
            const double top = std::max(first, second);
            const double value = top + std::log(std::exp(first - top) + std::exp(second - top));
            const double p = std::exp(first - value);
            gradient[0] = -p * a - (1 - p) * c / 0.5;
            gradient[1] = -p * b - (1 - p) * d / 1.5;
            return value;
          }};
}

TEST(Boosting, RaisesTheBoundToTheEvidenceOfTwoModes) {
  Target target = two_modes();
  Options options;
  options.set("components", 3);
  Mixture family(2, 3);
  const auto scheme = make_scheme({&target,
                                   &family,
                                   &find_objective("elbo"),
                                   &find_estimator("stl"),
                                   &find_optimizer("boosting"),
                                   &options,
                                   {12, 0, 77},
                                   {{-4.0, 0.0}, {1.0, 1.0}, {}}});
  while (scheme->step()) {
  }
  ASSERT_GE(scheme->trace().size(), 2U);
  EXPECT_NEAR(scheme->trace()[0].bound, std::log(0.7), 0.05);  // one mode alone
  for (std::size_t i = 1; i < scheme->trace().size(); ++i)
    EXPECT_GT(scheme->trace()[i].bound, scheme->trace()[i - 1].bound);
  EXPECT_NEAR(scheme->trace().back().bound, 0, 0.01);
  Vector mean(2);
  Vector sd(2);
  family.moments(scheme->lambda(), mean, sd);
  EXPECT_NEAR(mean[0], -4 * 0.7 + 4 * 0.3, 0.2);
}

TEST(Boosting, ResumesToTheSameBits) {
  Target target = two_modes();
  Options options;
  options.set("components", 2);
  options.set("draws", 64);
  options.set("max_steps", 60);
  const Preset preset{"mixture", "elbo", "", "boosting"};
  const auto fresh = [&] { return make_variational(target, options, {{-3.0, 0.5}, 3, 0}, preset); };
  const auto whole = testing::finish(*fresh());
  for (const int steps : {5, 40, 90, 130}) {
    const auto first = fresh();
    Draws draws;
    for (int n = 0; n < steps; ++n) first->step(draws);
    Archive written;
    first->archive(written);
    Archive read(written.numbers());
    const auto second = fresh();
    second->archive(read);
    ASSERT_TRUE(read.is_complete());
    testing::expect_same(testing::finish(*second, draws), whole);
  }
}

TEST(Boosting, RefusesOtherFamilies) {
  Target target = two_modes();
  EXPECT_THROW(make_variational(target, {}, {{0, 0}, 1, 0}, {"meanfield", "elbo", "", "boosting"}), Error);
}

// Marginal with m = 0.5, s = 1.5, e = 0.4, d = 0.7.
TEST(Copula, MarginalsAgreeWithReferenceValues) {
  const auto family = make("copula", 1);
  const Vector lambda{0.5, std::log(1.5), 0.4, std::log(0.7)};
  const Vector theta{-3.0, 0.5, 20.0};
  Vector log_q(3);
  family->evaluate(lambda, {3, theta.data(), log_q.data(), nullptr});
  EXPECT_NEAR(log_q[0], -4.05916295297180599, 1e-12);
  EXPECT_NEAR(log_q[1], -1.68748383643994824, 1e-12);
  EXPECT_NEAR(log_q[2], -8.17723113877240001, 1e-12);
  Vector mean(1);
  Vector sd(1);
  family->moments(lambda, mean, sd);
  EXPECT_NEAR(mean[0], 2.1415025482291124, 1e-10);
  EXPECT_NEAR(sd[0], 3.3122616406573241, 1e-10);
}

TEST(Copula, BeginsAsTheGaussian) {
  const GaussianGuess g = random_gaussian(4, 51);
  Target target = gaussian_target(g);
  const auto family = make("copula", 4);
  Vector lambda(family->parameters());
  family->begin(g, 1, lambda);
  expect_exact(*family, lambda, target, 1e-10);
}

// Beyond the limits of their dense covariances families are diagonal, and the contract's sums still hold.
TEST(GaussianFamilies, ManyCoordinatesAreFactorisedOrLow) {
  constexpr std::size_t kDim = 250;
  for (const std::string_view name : {"student", "mixture", "copula", "lowrank"}) {
    const auto family = make(name, kDim);
    EXPECT_LT(family->parameters(), 13 * kDim + 10) << name;
    Vector lambda(family->parameters());
    family->begin({Vector(kDim, 1.0), Vector(kDim, 0.5), {}}, 3, lambda);
    Target target = gaussian(Vector(kDim, 0.0), Vector(kDim, 1.0));
    const Drawn drawn = draw(*family, lambda, target, 3);
    Vector log_q(3);
    family->evaluate(lambda, {3, drawn.theta.data(), log_q.data(), nullptr});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(log_q[k], drawn.log_q[k], 1e-8) << name;
  }
}

// Numbers that a step too long may reach: no crash, and something that is not finite says so.
TEST(GaussianFamilies, ExtremeParametersDoNotCrash) {
  const std::vector<density::Block> blocks{{"a", 0, 3}};
  for (const std::string_view name : {"fullrank", "lowrank", "block", "student", "mixture", "copula"}) {
    const Options options;
    const auto family = find_family(name).make({3, blocks, {}, &options});
    for (const double value : {-800.0, 800.0, -1e300, 1e300}) {
      Vector lambda(family->parameters(), value);
      const Vector noise = noise_of(*family, 4);
      Vector theta(12);
      Vector log_q(4);
      Vector adjoint(12, 1.0);
      Vector gradient(lambda.size());
      family->draw(lambda, {4, noise.data(), theta.data(), log_q.data()});
      family->pull_back(lambda, {4, adjoint.data(), log_q.data()}, gradient);
      family->slopes_of_draws(lambda, adjoint.data());
      bool is_finite = true;
      for (const double x : theta) is_finite = is_finite && std::isfinite(x);
      for (const double x : log_q) is_finite = is_finite && std::isfinite(x);
      for (const double x : adjoint) is_finite = is_finite && std::isfinite(x);
      EXPECT_FALSE(is_finite) << name << " " << value;
    }
  }
}

}  // namespace
}  // namespace kullback::infer
