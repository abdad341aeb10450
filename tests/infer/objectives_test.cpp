// Objectives: values in closed form on Gaussian targets, the order of the bounds at a common q, slopes by
// differences, the limits in alpha and K, and bounds that are infinite.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/vi/evaluated_draws.hpp"
#include "infer/vi/expectation_objective.hpp"
#include "infer/vi/f_divergence.hpp"
#include "infer/vi/judge_bound.hpp"
#include "infer/vi/power_mean.hpp"
#include "tests/infer/coupled_target.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

using Vector = std::vector<double>;
using testing::CoupledTarget;
using testing::Quadrature;

constexpr std::uint64_t kSeed = 20261115;

std::unique_ptr<Objective> make(std::string_view name, const Options& options = {}) {
  return find_objective(name).make(options);
}

Options with_draws(std::size_t draws) { return {{"importance_draws", draws}}; }
Options with_alpha(double alpha, std::size_t draws) {
  return {{"importance_draws", draws}, {"alpha", alpha}};
}

// log p - log q of draws from a mean field.
Vector log_ratios(density::LogDensity& density, const Vector& lambda, std::size_t count) {
  const auto family = find_family("meanfield").make({density.dim(), {}, {}, nullptr});
  EvaluatedDraws draws(density, *family);
  const NoiseSource noise({kSeed, 0, 77}, Sampling::iid, family->noise());
  EXPECT_TRUE(draws.evaluate(lambda, noise, 0, count, false));
  Vector result(count);
  for (std::size_t k = 0; k < count; ++k) result[k] = draws.log_p()[k] - draws.log_q()[k];
  return result;
}

const Vector kP{-1.3, 0.4, 0.2, -2.0, 0.9};
const Vector kQ{-0.9, -0.3, 0.5, -1.1, -0.2};

struct Row {
  const char* name;
  Options options;
};
const Row kSeveralDraws[] = {{"iw", with_draws(5)},
                             {"renyi", with_alpha(0.3, 5)},
                             {"renyi", with_alpha(1, 5)},
                             {"renyi", with_alpha(2.5, 5)},
                             {"tvo", with_draws(5)},
                             {"elbo", {}},
                             {"tvo", {{"importance_draws", 5}, {"partitions", 1}}}};

TEST(Objectives, SlopesAreDerivatives) {
  constexpr double kStep = 1e-5;
  for (const Row& row : kSeveralDraws) {
    const auto objective = make(row.name, row.options);
    BoundSlopes slopes;
    objective->value({kP, kQ}, &slopes);
    for (std::size_t k = 0; k < kP.size(); ++k) {
      const auto moved = [&](double by_p, double by_q, BoundSlopes* of) {
        Vector p = kP;
        Vector q = kQ;
        p[k] += by_p;
        q[k] += by_q;
        return objective->value({p, q}, of);
      };
      const auto slope_q = [&](double by_p, double by_q) {
        BoundSlopes there;
        moved(by_p, by_q, &there);
        return there.q[k];
      };
      EXPECT_NEAR(slopes.p[k], (moved(kStep, 0, nullptr) - moved(-kStep, 0, nullptr)) / (2 * kStep), 1e-8);
      EXPECT_NEAR(slopes.q[k], (moved(0, kStep, nullptr) - moved(0, -kStep, nullptr)) / (2 * kStep), 1e-8);
      EXPECT_NEAR(slopes.q_p[k], (slope_q(kStep, 0) - slope_q(-kStep, 0)) / (2 * kStep), 1e-8) << row.name;
      EXPECT_NEAR(slopes.q_q[k], (slope_q(0, kStep) - slope_q(0, -kStep)) / (2 * kStep), 1e-8) << row.name;
    }
  }
}

TEST(Objectives, JetsAreDerivatives) {
  const auto f = [](auto p, auto q) {
    using std::exp, std::log, std::sqrt, std::pow, std::tanh, std::log1p, std::expm1;
    return exp(0.3 * p - q) / (1 + p * p) - log1p(exp(q)) + sqrt(2 + q * p) * tanh(q) +
           pow(3 + p, 1.7) * expm1(q) - log(4 + q);
  };
  const auto objective = make_expectation_objective(f);
  BoundSlopes slopes;
  const Vector p{0.7};
  const Vector q{-0.4};
  EXPECT_NEAR(objective->value({p, q}, &slopes), f(0.7, -0.4), 1e-14);
  constexpr double kStep = 1e-4;
  EXPECT_NEAR(slopes.p[0], (f(0.7 + kStep, -0.4) - f(0.7 - kStep, -0.4)) / (2 * kStep), 1e-7);
  EXPECT_NEAR(slopes.q[0], (f(0.7, -0.4 + kStep) - f(0.7, -0.4 - kStep)) / (2 * kStep), 1e-7);
  EXPECT_NEAR(slopes.q_q[0],
              (f(0.7, -0.4 + kStep) - 2 * f(0.7, -0.4) + f(0.7, -0.4 - kStep)) / (kStep * kStep), 1e-6);
  EXPECT_NEAR(slopes.q_p[0],
              (f(0.7 + kStep, -0.4 + kStep) - f(0.7 + kStep, -0.4 - kStep) - f(0.7 - kStep, -0.4 + kStep) +
               f(0.7 - kStep, -0.4 - kStep)) /
                  (4 * kStep * kStep),
              1e-6);
}

TEST(Objectives, RenyiIsTheElboAtOneAndTheWeightedBoundAtZero) {
  const double elbo = make("elbo")->value({kP, kQ}, nullptr);
  for (const double alpha : {1.0, 1 - 1e-12, 1 + 1e-12, 1 - 1e-9, 1 + 1e-9})
    EXPECT_NEAR(make("renyi", with_alpha(alpha, 5))->value({kP, kQ}, nullptr), elbo, 1e-8) << alpha;
  EXPECT_EQ(make("renyi", with_alpha(0, 5))->value({kP, kQ}, nullptr),
            make("iw", with_draws(5))->value({kP, kQ}, nullptr));
  EXPECT_EQ(make("iw", with_draws(1))->value({kP, kQ}, nullptr), elbo);
  EXPECT_NEAR(make("tvo", {{"importance_draws", 5}, {"partitions", 1}})->value({kP, kQ}, nullptr), elbo,
              1e-14);
  // Below 0 it is CUBO of order 1 - alpha.
  EXPECT_EQ(make("renyi", with_alpha(-1, 5))->value({kP, kQ}, nullptr),
            make("cubo", {{"grad_draws", 5}, {"order", 2}})->value({kP, kQ}, nullptr));
  // Slopes go over into each other too.
  BoundSlopes near;
  BoundSlopes at;
  make("renyi", with_alpha(1 - 1e-9, 5))->value({kP, kQ}, &near);
  make("renyi", with_alpha(1, 5))->value({kP, kQ}, &at);
  for (std::size_t k = 0; k < kP.size(); ++k) EXPECT_NEAR(near.p[k], at.p[k], 1e-8);
}

TEST(Objectives, WeightsOfZeroMakeNoNan) {
  Vector p = kP;
  p[2] = -std::numeric_limits<double>::infinity();
  for (const Row& row : kSeveralDraws) {
    BoundSlopes slopes;
    const double value = make(row.name, row.options)->value({p, kQ}, &slopes);
    EXPECT_FALSE(std::isnan(value)) << row.name;
    for (const double slope : slopes.p) EXPECT_TRUE(std::isfinite(slope)) << row.name;
    for (const double slope : slopes.q_q) EXPECT_TRUE(std::isfinite(slope)) << row.name;
  }
  BoundSlopes slopes;
  EXPECT_TRUE(std::isfinite(make("cubo", {{"grad_draws", 5}})->value({p, kQ}, &slopes)));
  for (const double slope : slopes.q_p) EXPECT_TRUE(std::isfinite(slope));
}

TEST(Objectives, PowersNeitherOverflowNorLoseDigits) {
  const Vector far{-2000, -1999, -3000};
  EXPECT_NEAR(log_power_mean(far, 1, {}), -1999 + std::log((1 + std::exp(-1.0)) / 3), 1e-12);
  EXPECT_NEAR(log_power_mean(far, -1, {}), -3000 + std::log(3.0), 1e-12);
  // log mean exp(c x) / c = mean + c var / 2 + O(c^2)
  const Vector x{0.1, -0.4, 0.7};
  const double mean = 0.4 / 3;
  const double variance = (0.01 + 0.16 + 0.49) / 3 - mean * mean;
  for (const double c : {1e-3, 1e-6, 1e-10, -1e-6})
    EXPECT_NEAR(log_power_mean(x, c, {}), mean + c * variance / 2, std::max(1e-15, 0.1 * c * c));
}

// A Gaussian target with unit variances and correlation rho, unnormalised; q is the mean field with the
// precisions of the target: the best by the ELBO.
struct Correlated {
  explicit Correlated(double rho)
      : precision(1 / (1 - rho * rho)),
        target(2,
               [this, rho](const double* x, double* gradient) {
                 gradient[0] = -precision * (x[0] - rho * x[1]);
                 gradient[1] = -precision * (x[1] - rho * x[0]);
                 return 0.5 * (x[0] * gradient[0] + x[1] * gradient[1]);
               }),
        log_evidence(std::log(2 * std::numbers::pi) + 0.5 * std::log(1 - rho * rho)),
        correlation(rho) {}

  // log E_q[w^c] / c: a Gaussian integral of the precision c Lambda + (1 - c) D.
  double bound(double c) const {
    const double diagonal = precision;
    const double beside = -c * correlation * precision;
    const double determinant = diagonal * diagonal - beside * beside;
    EXPECT_GT(determinant, 0);
    return (c * std::log(2 * std::numbers::pi) + (1 - c) * std::log(precision) -
            0.5 * std::log(determinant)) /
           c;
  }
  Vector lambda() const { return {0, 0, -0.5 * std::log(precision), -0.5 * std::log(precision)}; }

  double precision;
  Target target;
  double log_evidence;
  double correlation;
};

TEST(Objectives, ClosedFormsOnACorrelatedGaussian) {
  Correlated model(0.3);
  const Vector ratios = log_ratios(model.target, model.lambda(), 100000);
  EXPECT_NEAR(model.bound(1), model.log_evidence, 1e-14);
  const double gap =
      0.5 * (2 * std::log(model.precision) + std::log(1 - 0.09));  // diagonals less determinant
  const BoundJudgement elbo = judge_bound(*make("elbo"), ratios);
  EXPECT_NEAR(elbo.value, model.log_evidence - gap, 4.5 * elbo.error);
  for (const double alpha : {-0.8, -0.4, 0.2, 0.5, 0.8, 1.3, 1.6}) {
    const BoundJudgement bound = judge_bound(*make("renyi", with_alpha(alpha, 10)), ratios);
    EXPECT_FALSE(bound.is_infinite) << alpha << " khat " << bound.khat;
    EXPECT_NEAR(bound.value, model.bound(1 - alpha), 4.5 * bound.error) << alpha;
    EXPECT_LT(bound.error, 0.01);
  }
  const BoundJudgement cubo = judge_bound(*make("cubo"), ratios);
  EXPECT_NEAR(cubo.value, model.bound(2), 4.5 * cubo.error);
}

// Order 2 is finite in two dimensions while |rho| < 1/2.
TEST(Objectives, AnInfiniteBoundIsCalledSo) {
  for (const double rho : {-0.3, 0.2, 0.4}) {
    Correlated model(rho);
    const BoundJudgement found = judge_bound(*make("cubo"), log_ratios(model.target, model.lambda(), 50000));
    EXPECT_FALSE(found.is_infinite) << rho << " khat " << found.khat;
    EXPECT_NE(found.text(), "infinite");
  }
  for (const double rho : {-0.65, 0.65, 0.8, 0.95}) {
    Correlated model(rho);
    const auto cubo = make("cubo");
    const BoundJudgement found = judge_bound(*cubo, log_ratios(model.target, model.lambda(), 50000));
    EXPECT_TRUE(found.is_infinite) << rho << " khat " << found.khat;
    EXPECT_EQ(found.text(), "infinite");
    EXPECT_EQ(bound_finding(found, *cubo)->code, "infinite-bound");
  }
}

// Sticking the landing would be biased for the second and third.
TEST(Objectives, ASlopeIsConstantWhereItIsSoForAllWeights) {
  EXPECT_TRUE(has_constant_q_slope(*make_expectation_objective([](Jet p, Jet q) { return 0.5 * p - q; })));
  EXPECT_FALSE(has_constant_q_slope(
      *make_expectation_objective([](Jet p, Jet q) { return p - q > 20 ? Jet(20) : p - q; })));
  EXPECT_FALSE(has_constant_q_slope(*make_expectation_objective([](Jet p, Jet q) { return p - q * q; })));
  EXPECT_TRUE(is_elbo(*make("elbo")));
  EXPECT_TRUE(is_elbo(*make("renyi", with_alpha(1, 10))));
  EXPECT_FALSE(is_elbo(*make("iw", with_draws(10))));
}

// A power in (0, 1] of the weights has a finite mean whatever the tail looks like: E[w^c] <= E[w]^c.
TEST(Objectives, ALowerBoundIsNeverCalledInfinite) {
  Random random(5);
  Vector ratios(10000);
  for (double& ratio : ratios) ratio = -1.5 * std::log(random.uniform());  // k-hat 1.5
  EXPECT_FALSE(judge_bound(*make("renyi", with_alpha(0.2, 10)), ratios).is_infinite);
  EXPECT_FALSE(judge_bound(*make("iw", with_draws(10)), ratios).is_infinite);
  EXPECT_TRUE(judge_bound(*make("renyi", with_alpha(-0.2, 10)), ratios).is_infinite);
}

// One-sided z-tests at a common q, of independent draws.
TEST(Objectives, BoundsKeepTheirOrder) {
  CoupledTarget target;
  const Vector lambda{0.6, -0.5, 0.0, std::log(0.9)};
  const Vector ratios = log_ratios(target, lambda, 400000);
  const double log_evidence = Quadrature().log_evidence();
  const auto expect_order = [](const BoundJudgement& below, const BoundJudgement& above) {
    EXPECT_GT((above.value - below.value) / std::hypot(above.error, below.error), -3.0);
  };
  BoundJudgement last = judge_bound(*make("elbo"), ratios);
  for (const std::size_t draws : {2, 5, 20, 100}) {
    const BoundJudgement next = judge_bound(*make("iw", with_draws(draws)), ratios);
    expect_order(last, next);
    EXPECT_GT(next.value - last.value, 3 * std::hypot(next.error, last.error)) << "K = " << draws;
    last = next;
  }
  const BoundJudgement evidence{.value = log_evidence};
  expect_order(last, evidence);
  expect_order(evidence, judge_bound(*make("cubo"), ratios));
  last = judge_bound(*make("renyi", with_alpha(2, 10)), ratios);
  for (const double alpha : {1.5, 1.0, 0.6, 0.3, -0.3, -1.0}) {
    const BoundJudgement next = judge_bound(*make("renyi", with_alpha(alpha, 10)), ratios);
    expect_order(last, next);
    last = next;
  }
  const BoundJudgement tvo = judge_bound(*make("tvo", with_draws(100)), ratios);
  expect_order(judge_bound(*make("elbo"), ratios), tvo);
  expect_order(tvo, evidence);
}

TEST(Objectives, FDivergencesThatNeedTheEvidenceAreRefused) {
  EXPECT_TRUE(needs_no_evidence([](Jet t) { return t * log(t); }));
  EXPECT_TRUE(needs_no_evidence([](Jet t) { return -log(t) + 3 * t; }));
  EXPECT_TRUE(needs_no_evidence([](Jet t) { return pow(t, -0.7); }));
  const auto jensen_shannon = [](Jet t) { return t * log(t) - (t + 1) * log(0.5 * (t + 1)); };
  EXPECT_FALSE(needs_no_evidence(jensen_shannon));
  EXPECT_THROW(make_f_objective(jensen_shannon, 64), Error);
  for (const char* name : {"jensen-shannon", "total-variation", "nonsense"})
    EXPECT_THROW(make("f", {{"divergence", name}}), Error) << name;
}

TEST(Objectives, FDivergencesAgreeWithQuadrature) {
  CoupledTarget target;
  const Vector lambda{0.6, -0.5, 0.0, std::log(0.9)};
  const Vector ratios = log_ratios(target, lambda, 200000);
  const Vector zeros(ratios.size(), 0.0);
  const Quadrature quadrature;
  const double log_z = quadrature.log_evidence();
  const auto exact = [&](auto f) {
    return quadrature.integral(lambda,
                               [&](double p, double q) { return std::exp(q) * f(std::exp(p - q - log_z)); });
  };
  const auto found = [&](const char* name) {
    return -make("f", {{"grad_draws", ratios.size()}, {"divergence", name}})->value({ratios, zeros}, nullptr);
  };
  EXPECT_NEAR(found("forward-kl"), exact([](double t) { return t * std::log(t); }), 0.01);
  EXPECT_NEAR(found("reverse-kl"), exact([](double t) { return -std::log(t); }), 0.01);
  EXPECT_NEAR(found("chi2"), exact([](double t) { return t * t - 1; }), 0.05);
  EXPECT_NEAR(found("hellinger"), exact([](double t) { return 1 - std::sqrt(t); }), 0.003);
}

TEST(Objectives, OptionsWithoutSenseAreRefused) {
  EXPECT_THROW(make("iw", with_draws(0)), Error);
  EXPECT_THROW(make("renyi", with_alpha(std::numeric_limits<double>::quiet_NaN(), 10)), Error);
  EXPECT_THROW(make("renyi", with_alpha(-1, 1)), Error);
  EXPECT_THROW(make("cubo", {{"order", 1}}), Error);
  EXPECT_THROW(make("cubo", {{"grad_draws", 1}}), Error);
  EXPECT_THROW(make("tvo", {{"partitions", 0}}), Error);
  EXPECT_THROW(make("tvo", with_draws(1)), Error);
}

}  // namespace
}  // namespace kullback::infer
