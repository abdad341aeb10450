// Schemes that are no steps along a gradient of lambda: natural gradients, Bures-Wasserstein steps, score
// matching, fixed draws, minibatches with less noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "base/error.hpp"
#include "infer/optimize/lbfgs.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/guess.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/scheme.hpp"
#include "infer/vi/schemes/fixed_bound.hpp"
#include "infer/vi/schemes/gaussian_points.hpp"
#include "infer/vi/schemes/gaussian_scheme.hpp"
#include "infer/vi/schemes/linear_response.hpp"
#include "infer/vi/schemes/minibatches.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using testing::TestDensity;
using Numbers = std::vector<double>;

// Symmetric.
struct Matrix {
  std::size_t dim = 0;
  Numbers values;

  double at(std::size_t i, std::size_t j) const { return values[i * dim + j]; }
};

// Correlations rho, standard deviations from `scale` to 3 `scale`; the precision in closed form.
struct Equicorrelated {
  Numbers sd;
  Matrix precision;
  double log_det = 0;  // of the precision

  Equicorrelated(std::size_t dim, double rho, double scale) : sd(dim), precision{dim, Numbers(dim * dim)} {
    const auto d = static_cast<double>(dim);
    for (std::size_t i = 0; i < dim; ++i)
      sd[i] = scale * (1 + 2 * static_cast<double>(i) / std::max(1.0, d - 1));
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j < dim; ++j) {
        const double white = ((i == j ? 1 : 0) - rho / (1 + (d - 1) * rho)) / (1 - rho);
        precision.values[i * dim + j] = white / (sd[i] * sd[j]);
      }
      log_det -= 2 * std::log(sd[i]);
    }
    log_det -= (d - 1) * std::log(1 - rho) + std::log(1 + (d - 1) * rho);
  }
};

Numbers spaced(std::size_t count, double first, double last) {
  Numbers result(count, first);
  for (std::size_t i = 1; i < count; ++i)
    result[i] += (last - first) * static_cast<double>(i) / static_cast<double>(count - 1);
  return result;
}

// N(mean, precision^-1) with log evidence 0.
TestDensity gaussian_target(const Numbers& mean, const Equicorrelated& shape) {
  const double constant =
      0.5 * shape.log_det - 0.5 * static_cast<double>(mean.size()) * std::log(2 * std::numbers::pi);
  const Matrix precision = shape.precision;
  return {mean.size(), [=](const Numbers& theta, Numbers& gradient) {
            double value = constant;
            for (std::size_t i = 0; i < mean.size(); ++i) {
              gradient[i] = 0;
              for (std::size_t j = 0; j < mean.size(); ++j)
                gradient[i] -= precision.at(i, j) * (theta[j] - mean[j]);
              value += 0.5 * gradient[i] * (theta[i] - mean[i]);
            }
            return value;
          }};
}

struct Case {
  std::string family;
  std::string objective = "elbo";
  std::string optimizer = "adam";
};

// A scheme with the family and options that it must not outlive.
struct Run {
  Options options;
  std::unique_ptr<Family> family;
  std::unique_ptr<Scheme> scheme;

  GaussianGuess gaussian() const { return family->gaussian_of(scheme->lambda()); }
  void finish() {
    while (scheme->step()) {
    }
  }
};

std::unique_ptr<Run> begin(density::LogDensity& density, const Case& parts, const Options& options = {},
                           double start = 0.5, double sd = 0.7) {
  auto run = std::make_unique<Run>();
  run->options = options;
  run->family = find_family(parts.family).make({density.dim(), {}, {}, &run->options});
  run->scheme = make_scheme({&density,
                             run->family.get(),
                             &find_objective(parts.objective),
                             &find_estimator("stl"),
                             &find_optimizer(parts.optimizer),
                             &run->options,
                             {7, 0, static_cast<std::uint32_t>(Purpose::gradient_noise)},
                             {Numbers(density.dim(), start), Numbers(density.dim(), sd), {}}});
  return run;
}

Matrix covariance_of(const GaussianGuess& gaussian) {
  const std::size_t dim = gaussian.mean.size();
  Matrix result{dim, Numbers(dim * dim, 0.0)};
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      if (gaussian.lower.empty()) {
        result.values[i * dim + j] = i == j ? gaussian.sd[i] * gaussian.sd[i] : 0;
        continue;
      }
      for (std::size_t k = 0; k < dim; ++k)
        result.values[i * dim + j] += gaussian.lower[k * dim + i] * gaussian.lower[k * dim + j];
    }
  }
  return result;
}

// Largest entry of covariance * precision - 1.
double distance(const GaussianGuess& found, const Matrix& precision) {
  const Matrix covariance = covariance_of(found);
  double largest = 0;
  for (std::size_t i = 0; i < precision.dim; ++i) {
    for (std::size_t j = 0; j < precision.dim; ++j) {
      double sum = i == j ? -1 : 0;
      for (std::size_t k = 0; k < precision.dim; ++k) sum += covariance.at(i, k) * precision.at(k, j);
      largest = std::max(largest, std::abs(sum * found.sd[j] / found.sd[i]));
    }
  }
  return largest;
}

void expect_near(const GaussianGuess& found, const Numbers& mean, const Matrix& precision, double tolerance) {
  EXPECT_LT(distance(found, precision), tolerance);
  for (std::size_t i = 0; i < mean.size(); ++i)
    EXPECT_NEAR(found.mean[i], mean[i], tolerance * found.sd[i]) << i;
}

std::string refusal(density::LogDensity& density, const Case& parts, const Options& options = {}) {
  try {
    begin(density, parts, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " " + error.hint();
  }
  return "not refused";
}

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

TEST(NaturalGradient, MeanFieldHasPrecisionsAfterOneStepAndMeansAfterMore) {
  const Equicorrelated shape(5, 0.7, 0.4);
  const Numbers mean = spaced(5, -1, 2);
  TestDensity target = gaussian_target(mean, shape);
  auto run = begin(target, {"meanfield", "elbo", "natural"});
  run->scheme->step();
  GaussianGuess found = run->gaussian();
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(std::pow(found.sd[i], -2) / shape.precision.at(i, i), 1, 1e-10);
  EXPECT_GT(std::abs(found.mean[0] - mean[0]), 1e-3 * found.sd[0]);
  run->finish();
  found = run->gaussian();
  double gap = -0.5 * shape.log_det;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::pow(found.sd[i], -2) / shape.precision.at(i, i), 1, 1e-10);
    EXPECT_NEAR(found.mean[i], mean[i], 1e-3 * found.sd[i]);
    gap += 0.5 * std::log(shape.precision.at(i, i));
  }
  // The gap to the evidence is half of sum log Lambda_ii - log det Lambda.
  EXPECT_NEAR(run->scheme->trace().back().bound, -gap, 1e-5);
  EXPECT_TRUE(run->scheme->findings().empty());
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
  options.grad_draws = 10;
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
  options.grad_draws = 3;
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
  options.grad_draws = 1;
  auto run = begin(target, {"fullrank", "gsm"}, options);
  run->scheme->step();
  Numbers log_q(1), slopes(3), wanted(3);
  run->family->evaluate(run->scheme->lambda(), {1, at.data(), log_q.data(), slopes.data()});
  for (std::size_t i = 0; i < 3; ++i) wanted[i] = -std::sinh(at[i]) + 0.3 * at[(i + 1) % 3];
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(slopes[i], wanted[i], 1e-9 * (1 + std::abs(wanted[i])));
}

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
  options.grad_draws = 400;
  auto run = begin(target, {"fullrank", "elbo", GetParam()}, options);
  run->finish();
  expect_near(run->gaussian(), Numbers(3, 1), shape.precision, 0.25);
  EXPECT_EQ(run->scheme->drawn_from(), nullptr);
}

TEST_P(FixedDraws, TooFewForFullRankAreRefused) {
  TestDensity target = gaussian_target(Numbers(8, 0.0), Equicorrelated(8, 0, 1));
  Options options;
  options.grad_draws = 8;
  const std::string said = refusal(target, {"fullrank", "elbo", GetParam()}, options);
  EXPECT_NE(said.find("8 fixed draws do not determine a covariance of 8 coordinates"), std::string::npos)
      << said;
  EXPECT_NE(said.find("--grad-draws 16"), std::string::npos) << said;
  options.grad_draws = 9;
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
    options.tol_rel_obj = options.tol_obj = options.tol_rel_grad = 0;
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
  options.grad_draws = 6;
  auto run = begin(target, {"meanfield", "elbo", "lbfgs"}, options);
  run->finish();
  const Findings few = run->scheme->findings();
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few[0].code, "fixed-draws");
  EXPECT_NE(few[0].advice.find("--grad-draws"), std::string::npos);
  options.grad_draws = 600;
  run = begin(target, {"meanfield", "elbo", "lbfgs"}, options);
  run->finish();
  EXPECT_TRUE(run->scheme->findings().empty());
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

// A regression as a finite sum: y_n ~ normal(a + b x_n, 1), flat priors.
class RowSum final : public density::LogDensity, public density::Rows {
 public:
  explicit RowSum(std::size_t count) {
    Random random(5);
    for (std::size_t n = 0; n < count; ++n) {
      x_.push_back(random.normal());
      y_.push_back(1.5 - 2 * x_.back() + random.normal());
      all_.push_back(static_cast<std::uint32_t>(n));
    }
    chosen_ = all_;
  }
  std::size_t dim() const override { return 2; }
  density::Rows* rows() override { return this; }
  std::size_t count() const override { return all_.size(); }
  void choose(std::span<const std::uint32_t> rows) override {
    if (rows.empty())
      chosen_ = all_;
    else
      chosen_.assign(rows.begin(), rows.end());
  }
  void evaluate(const density::Batch& batch) override {
    const double scale = static_cast<double>(count()) / static_cast<double>(chosen_.size());
    for (std::size_t k = 0; k < batch.lanes; ++k) {
      double value = 0, of_a = 0, of_b = 0;
      for (const std::uint32_t n : chosen_) {
        const double rest = y_[n] - batch.theta[k] - batch.theta[batch.lanes + k] * x_[n];
        value -= 0.5 * rest * rest;
        of_a += rest;
        of_b += rest * x_[n];
      }
      batch.log_density[k] = scale * value;
      batch.status[k] = density::Status::ok;
      if (batch.gradient == nullptr) continue;
      batch.gradient[k] = scale * of_a;
      batch.gradient[batch.lanes + k] = scale * of_b;
    }
  }
  bool sees_all() const { return chosen_.size() == all_.size(); }
  // The posterior: precisions, and the means by Cramer's rule.
  Numbers precisions() const {
    Numbers result{static_cast<double>(x_.size()), 0.0};
    for (const double x : x_) result[1] += x * x;
    return result;
  }
  Numbers means() const {
    double sum_x = 0, sum_y = 0, sum_xy = 0;
    for (std::size_t n = 0; n < x_.size(); ++n) {
      sum_x += x_[n];
      sum_y += y_[n];
      sum_xy += x_[n] * y_[n];
    }
    const Numbers squares = precisions();
    const double determinant = squares[0] * squares[1] - sum_x * sum_x;
    return {(squares[1] * sum_y - sum_x * sum_xy) / determinant,
            (squares[0] * sum_xy - sum_x * sum_y) / determinant};
  }

 private:
  Numbers x_;
  Numbers y_;
  std::vector<std::uint32_t> all_;
  std::vector<std::uint32_t> chosen_;
};

class Reduced : public ::testing::TestWithParam<const char*> {};

TEST_P(Reduced, ReachesThePosteriorOfAFiniteSum) {
  RowSum target(200);
  Options options;
  options.batch_size = 20;
  auto run = begin(target, {"meanfield", "elbo", GetParam()}, options);
  run->finish();
  EXPECT_TRUE(target.sees_all());
  EXPECT_TRUE(run->scheme->findings().empty());
  const GaussianGuess found = run->gaussian();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(found.mean[i], target.means()[i], 0.15 * found.sd[i]);
    EXPECT_NEAR(std::log(found.sd[i] * std::sqrt(target.precisions()[i])), 0, 0.1);
  }
}

TEST_P(Reduced, RefusesMoreRowsThanThereAre) {
  RowSum target(10);
  Options options;
  options.batch_size = 11;
  EXPECT_NE(refusal(target, {"meanfield", "elbo", GetParam()}, options).find("the data have 10 rows"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, Reduced, ::testing::Values("svrg", "saga"));

TEST(Minibatches, ChooseEachSetAsOften) {
  const Minibatches batches({1, 0, 0}, 5, 2);
  std::vector<int> counts(25);
  const int tries = 20000;
  for (int n = 0; n < tries; ++n) {
    const auto rows = batches.at(static_cast<std::uint32_t>(n));
    ASSERT_EQ(rows.size(), 2U);
    ASSERT_LT(rows[0], rows[1]);
    ++counts[rows[0] * 5 + rows[1]];
  }
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = a + 1; b < 5; ++b)
      EXPECT_NEAR(counts[a * 5 + b], tries / 10, 5 * std::sqrt(tries * 0.09));
  }
  EXPECT_EQ(batches.at(3), batches.at(3));
  std::set<std::uint32_t> seen;
  for (const auto& block : batches.partition()) seen.insert(block.begin(), block.end());
  EXPECT_EQ(seen.size(), 5U);
  EXPECT_EQ(batches.partition().back().size(), 1U);
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
  options.max_steps = 60;
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

TEST(Dadvi, DrawsHaveTheLinearResponseCovariance) {
  const Equicorrelated shape(3, 0.9, 1);
  TestDensity target = gaussian_target(Numbers(3, 1), shape);
  Options options;
  options.draws = 4000;
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
