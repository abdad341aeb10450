// Expectation propagation: exact for Gaussians, equal to fixed points computed in another way (probit and
// logistic regressions, tests/infer/make_ep_references.py), near the posterior, flagged where it is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/ep/frames.hpp"
#include "infer/ep/propagation.hpp"
#include "infer/ep/term_shapes.hpp"
#include "infer/ep/tilted.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using testing::Outcome;
using testing::Vector;

// A function of its coordinates that adds its gradient.
struct TestTerm {
  std::vector<std::uint32_t> coordinates;
  std::function<double(const Vector& theta, Vector& gradient)> value;
};

class TermDensity final : public density::LogDensity, public density::Terms {
 public:
  TermDensity(std::size_t dim, std::vector<TestTerm> terms) : dim_(dim), terms_(std::move(terms)) {}

  std::size_t dim() const override { return dim_; }
  void evaluate(const density::Batch& batch) override {
    if (batch.gradient != nullptr) gradients += batch.lanes;
    for (std::size_t k = 0; k < batch.lanes; ++k) {
      Vector gradient(dim_, 0.0);
      const Vector theta = point(batch.lanes, batch.theta, k);
      batch.log_density[k] = 0;
      for (const TestTerm& term : terms_) batch.log_density[k] += term.value(theta, gradient);
      batch.status[k] =
          std::isfinite(batch.log_density[k]) ? density::Status::ok : density::Status::not_finite;
      for (std::size_t i = 0; batch.gradient != nullptr && i < dim_; ++i)
        batch.gradient[i * batch.lanes + k] = gradient[i];
    }
  }
  density::Terms* factors() override { return this; }

  std::size_t count() const override { return terms_.size(); }
  std::span<const std::uint32_t> coordinates(std::size_t term) const override {
    return terms_[term].coordinates;
  }
  void evaluate(std::size_t lanes, const double* theta, double* result) override {
    Vector gradient(dim_);
    for (std::size_t k = 0; k < lanes; ++k) {
      const Vector at = point(lanes, theta, k);
      for (std::size_t t = 0; t < terms_.size(); ++t) result[t * lanes + k] = terms_[t].value(at, gradient);
    }
  }

  std::size_t gradients = 0;  // evaluated

 private:
  Vector point(std::size_t lanes, const double* theta, std::size_t k) const {
    Vector at(dim_);
    for (std::size_t i = 0; i < dim_; ++i) at[i] = theta[i * lanes + k];
    return at;
  }

  std::size_t dim_;
  std::vector<TestTerm> terms_;
};

// f(a' theta), f gives value and derivative.
using Curve = std::function<std::pair<double, double>(double)>;
TestTerm along(const Vector& a, Curve f) {
  TestTerm term;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a[i] != 0) term.coordinates.push_back(i);
  }
  term.value = [a, f = std::move(f)](const Vector& theta, Vector& gradient) {
    double u = 0;
    for (std::size_t i = 0; i < a.size(); ++i) u += a[i] * theta[i];
    const auto [value, slope] = f(u);
    for (std::size_t i = 0; i < a.size(); ++i) gradient[i] += a[i] * slope;
    return value;
  };
  return term;
}

constexpr double kLogTwoPi = 1.8378770664093453;

Curve normal_log_density(double y, double sd) {
  return [=](double u) {
    const double z = (y - u) / sd;
    return std::pair{-0.5 * z * z - std::log(sd) - 0.5 * kLogTwoPi, z / sd};
  };
}
std::pair<double, double> log_normal_cdf(double u) {
  // Below -30 the logarithm would be that of 0; tests stay far from it.
  const double p = 0.5 * std::erfc(-u / std::numbers::sqrt2);
  return {std::log(p), std::exp(-0.5 * u * u - 0.5 * kLogTwoPi) / p};
}
std::pair<double, double> log_inv_logit(double u) {
  return {u > 0 ? -std::log1p(std::exp(-u)) : u - std::log1p(std::exp(u)), 1 / (1 + std::exp(u))};
}

const Vector kX{-1.5, -1.1, -0.8, -0.4, -0.1, 0.2, 0.5, 0.7, 1.0, 1.3, 1.6, 2.1};
const Vector kY{0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1};

// Priors normal(0, 2) on both coefficients; the second coordinate is the slope in units of `unit`.
TermDensity binary_regression(const Curve& link, double unit = 1) {
  std::vector<TestTerm> terms;
  terms.push_back(along({1, 0}, normal_log_density(0, 2)));
  terms.push_back(along({0, 1}, normal_log_density(0, 2 / unit)));
  for (std::size_t n = 0; n < kX.size(); ++n) {
    const double sign = 2 * kY[n] - 1;
    terms.push_back(along({sign, sign * kX[n] * unit}, link));
  }
  return {2, std::move(terms)};
}

FirstGaussian standard(std::size_t dim, double sd = 1) {
  FirstGaussian first{Vector(dim, 0.0), Vector(dim * dim, 0.0)};
  for (std::size_t i = 0; i < dim; ++i) first.root[i * dim + i] = sd;
  return first;
}

struct Fixed {
  Vector mean;
  Vector covariance;
  Sweep last;
  std::size_t sweeps = 0;
};

Fixed fixed_point(density::Terms& terms, const FirstGaussian& first, PropagationOptions options = {}) {
  Propagation propagation(terms, first, options);
  EXPECT_TRUE(propagation.start());
  Fixed result;
  do {
    result.last = propagation.sweep();
  } while (++result.sweeps < 400 && result.last.change > 1e-10);
  EXPECT_LT(result.last.change, 1e-10);
  EXPECT_EQ(result.last.failed, 0U);
  result.mean = propagation.mean();
  result.covariance = propagation.covariance();
  return result;
}

void expect_near(const Vector& found, const Vector& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance) << i;
}

// ---- Gaussians ----

// y = X b + noise with known noise: precision X'X / s^2 + 1 / prior^2, evidence in closed form. From a start
// that is wrong by far.
TEST(Ep, exactForALinearModel) {
  const Vector y{1.2, 0.3, -0.7, 2.2, 1.9};
  const Vector x{0.5, -1, -2, 1.5, 1};
  constexpr double kNoise = 0.7;
  std::vector<TestTerm> terms{along({1, 0}, normal_log_density(0.5, 3)),
                              along({0, 1}, normal_log_density(0, 2))};
  double p11 = 1.0 / 9;
  double p12 = 0;
  double p22 = 0.25;
  double b1 = 0.5 / 9;
  double b2 = 0;
  double constant = -0.5 * 0.25 / 9 - std::log(6.0) - kLogTwoPi;
  for (std::size_t n = 0; n < y.size(); ++n) {
    terms.push_back(along({1, x[n]}, normal_log_density(y[n], kNoise)));
    p11 += 1 / (kNoise * kNoise);
    p12 += x[n] / (kNoise * kNoise);
    p22 += x[n] * x[n] / (kNoise * kNoise);
    b1 += y[n] / (kNoise * kNoise);
    b2 += x[n] * y[n] / (kNoise * kNoise);
    constant -= 0.5 * y[n] * y[n] / (kNoise * kNoise) + std::log(kNoise) + 0.5 * kLogTwoPi;
  }
  const double det = p11 * p22 - p12 * p12;
  const Vector mean{(p22 * b1 - p12 * b2) / det, (p11 * b2 - p12 * b1) / det};
  const double log_evidence =
      constant + 0.5 * (b1 * mean[0] + b2 * mean[1]) + kLogTwoPi - 0.5 * std::log(det);
  TermDensity density(2, std::move(terms));
  Propagation propagation(density, {{2, -3}, {1.5, 0.2, 0, 0.4}}, {});
  EXPECT_EQ(propagation.sites(), 0U);
  ASSERT_TRUE(propagation.start());
  const Sweep sweep = propagation.sweep();
  EXPECT_EQ(sweep.change, 0);
  expect_near(propagation.mean(), mean, 1e-9);
  expect_near(propagation.covariance(), {p22 / det, -p12 / det, -p12 / det, p11 / det}, 1e-9);
  EXPECT_NEAR(sweep.log_evidence, log_evidence, 1e-9);
}

// One quadratic term of six coordinates, all correlated: a random walk with drift.
TEST(Ep, exactForAWideQuadratic) {
  constexpr std::size_t kDim = 6;
  TestTerm walk;
  for (std::uint32_t i = 0; i < kDim; ++i) walk.coordinates.push_back(i);
  walk.value = [](const Vector& theta, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < kDim; ++i) {
      const double step = theta[i] - (i == 0 ? 0 : theta[i - 1]) - 0.3;
      value -= 0.5 * step * step;
      gradient[i] -= step;
      if (i > 0) gradient[i - 1] += step;
    }
    return value;
  };
  TermDensity density(kDim, {walk});
  const Fixed found = fixed_point(density, standard(kDim));
  for (std::size_t i = 0; i < kDim; ++i) {
    EXPECT_NEAR(found.mean[i], 0.3 * static_cast<double>(i + 1), 1e-9);
    for (std::size_t j = 0; j < kDim; ++j)
      EXPECT_NEAR(found.covariance[i * kDim + j], static_cast<double>(std::min(i, j) + 1), 1e-8);
  }
  EXPECT_NEAR(found.last.log_evidence, 0.5 * kDim * kLogTwoPi, 1e-9);
}

// ---- fixed points ----

TEST(Ep, probitRegressionHasTheClosedFormsFixedPoint) {
  TermDensity density = binary_regression(log_normal_cdf);
  const Fixed found = fixed_point(density, standard(2));
  expect_near(found.mean, {-0.181581110350847, 0.603437475455202}, 1e-8);
  expect_near(found.covariance, {0.161559624779767, -0.046463779248291, -0.046463779248291, 0.15009660718332},
              1e-8);
  EXPECT_NEAR(found.last.log_evidence, -10.488527987986433, 1e-8);
  // the posterior by a grid of 601 * 601 points
  expect_near(found.mean, {-0.18184045102148227, 0.6040190304984544}, 0.002);
  expect_near(found.covariance, {0.16236563382, -0.047356863734, -0.047356863734, 0.15168283449}, 0.002);
  EXPECT_NEAR(found.last.log_evidence, -10.486230611201817, 0.003);
}

TEST(Ep, logisticRegressionByPower) {
  struct Row {
    double power;
    Vector mean;
    Vector covariance;
    double log_evidence;
  };
  const Row rows[] = {
      {1,
       {-0.265032069095486, 1.004337251694776},
       {0.438218632799739, -0.113899128818229, -0.113899128818229, 0.435206751514803},
       -9.561812989769809},
      {0.5,
       {-0.264728224458465, 1.003060546349961},
       {0.436476074005654, -0.113032085344322, -0.113032085344322, 0.431610395959471},
       -9.564100156315583},
      {0.1,
       {-0.264483877587072, 1.002031759883609},
       {0.435151025681915, -0.112377509086095, -0.112377509086095, 0.428896073157871},
       -9.565874155461273},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.power);
    TermDensity density = binary_regression(log_inv_logit);
    const Fixed found = fixed_point(density, standard(2), {.power = row.power});
    expect_near(found.mean, row.mean, 1e-8);
    expect_near(found.covariance, row.covariance, 1e-8);
    EXPECT_NEAR(found.last.log_evidence, row.log_evidence, 1e-8);
  }
}

// normal(0, 1.5), two logistic terms and a Poisson one: 0.714... and 0.541... maximise the evidence lower
// bound, by 120 nodes of Gauss and Hermite; power 1 has the posterior's own moments, as all are one site.
TEST(Ep, fromThePosteriorsMomentsToTheVariationalOptimum) {
  const auto density = [] {
    const auto logistic = [](double slope, double offset) {
      return along({1}, [=](double u) {
        const auto [value, d] = log_inv_logit(slope * u + offset);
        return std::pair{value, slope * d};
      });
    };
    return TermDensity(1, {logistic(2, 1), logistic(-1, 0.5),
                           along({1},
                                 [](double u) {
                                   return std::pair{3 * u - std::exp(u), 3 - std::exp(u)};
                                 }),
                           along({1}, [](double u) {
                             return std::pair{-u * u / 4.5, -u / 2.25};
                           })});
  };
  TermDensity exact = density();
  const Fixed moments = fixed_point(exact, standard(1));
  EXPECT_NEAR(moments.mean[0], 0.7162612342603341, 1e-8);
  EXPECT_NEAR(std::sqrt(moments.covariance[0]), 0.5530187629598626, 1e-8);
  EXPECT_NEAR(moments.last.log_evidence, -0.5631265921678392, 1e-8);
  double last = 1;
  for (const double power : {1e-1, 1e-2, 1e-3}) {
    TermDensity variational = density();
    const Fixed found = fixed_point(variational, standard(1), {.power = power});
    const double error = std::abs(found.mean[0] - 0.7142886929834413) +
                         std::abs(std::sqrt(found.covariance[0]) - 0.5418686846268926) +
                         std::abs(found.last.log_evidence + 0.5702216768787043);
    EXPECT_LT(error, 0.15 * last) << power;  // it falls as the power
    last = error;
  }
  EXPECT_LT(last, 1e-4);
}

// One term of four directions, sum of 5 x - exp(x): logarithms of gamma(5) numbers, with mean digamma(5) and
// variance trigamma(5). Its moments are those of 4096 weighted draws.
TestTerm log_gammas() {
  return {{0, 1, 2, 3}, [](const Vector& theta, Vector& gradient) {
            double value = 0;
            for (std::size_t i = 0; i < 4; ++i) {
              value += 5 * theta[i] - std::exp(theta[i]);
              gradient[i] += 5 - std::exp(theta[i]);
            }
            return value;
          }};
}

TEST(Ep, manyDirectionsByDraws) {
  TermDensity density(4, {log_gammas()});
  FirstGaussian first = standard(4, 0.6);
  first.mean = Vector(4, 1.8);
  const Fixed found = fixed_point(density, first);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found.mean[i], 1.506117668431800, 0.03);
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(found.covariance[4 * i + j], i == j ? 0.221322955737115 : 0, 0.02) << i << j;
  }
  EXPECT_NEAR(found.last.log_evidence, 4 * std::log(24.0), 0.05);
}

// ---- invariance ----

TEST(Ep, unitsDoNotMatter) {
  TermDensity one = binary_regression(log_inv_logit);
  TermDensity other = binary_regression(log_inv_logit, 1e-4);
  const Fixed a = fixed_point(one, standard(2));
  const Fixed b = fixed_point(other, {{0, 0}, {1, 0, 0, 1e4}});
  EXPECT_NEAR(a.mean[0], b.mean[0], 1e-9);
  EXPECT_NEAR(a.mean[1], b.mean[1] * 1e-4, 1e-9);
  EXPECT_NEAR(a.covariance[1], b.covariance[1] * 1e-4, 1e-9);
  EXPECT_NEAR(a.covariance[3], b.covariance[3] * 1e-8, 1e-9);
  EXPECT_NEAR(a.last.log_evidence, b.last.log_evidence, 1e-8);
}

TEST(Ep, theStartDoesNotMatter) {
  TermDensity density = binary_regression(log_inv_logit);
  const Fixed a = fixed_point(density, standard(2));
  const Fixed b = fixed_point(density, {{1, 2}, {0.3, 0.1, 0, 0.2}}, {.damping = 0.5, .seed = {99, 3}});
  expect_near(a.mean, b.mean, 1e-8);
  expect_near(a.covariance, b.covariance, 1e-8);
}

// Observations with their signs turned turn the coefficients.
TEST(Ep, mirrored) {
  const auto build = [](double side) {
    std::vector<TestTerm> terms{along({1, 0}, normal_log_density(0, 2)),
                                along({0, 1}, normal_log_density(0, 2))};
    for (std::size_t n = 0; n < kX.size(); ++n) {
      const double sign = side * (2 * kY[n] - 1);
      terms.push_back(along({sign, sign * kX[n]}, log_normal_cdf));
    }
    return TermDensity(2, std::move(terms));
  };
  TermDensity right = build(1);
  TermDensity left = build(-1);
  const Fixed a = fixed_point(right, standard(2));
  const Fixed b = fixed_point(left, standard(2));
  expect_near(a.mean, {-b.mean[0], -b.mean[1]}, 1e-8);
  expect_near(a.covariance, b.covariance, 1e-8);
}

// ---- what terms are ----

TEST(Ep, shapesOfTerms) {
  const auto product = [](const Vector& theta, Vector& gradient) {
    const double e = std::exp(theta[0] * theta[1]);
    gradient[0] -= theta[1] * e;
    gradient[1] -= theta[0] * e;
    return -e;
  };
  TermDensity density(3, {
                             along({1, 0, 0}, normal_log_density(0, 1)),
                             along({0.5, -2, 1}, log_inv_logit),
                             along({0, 0, 1},
                                   [](double u) {
                                     return std::pair{2.5 * u, 2.5};
                                   }),
                             {{0, 1}, product},
                             {{}, [](const Vector&, Vector&) { return -3.5; }},
                         });
  ScaledTerms scaled(density, {0, 0, 0}, {1, 1, 1});
  const Vector root = standard(3).root;
  const std::vector<TermShape> shapes = find_shapes(scaled, {.root = root, .seed = 1});
  using Kind = TermShape::Kind;
  EXPECT_EQ(shapes[0].kind, Kind::quadratic);
  EXPECT_NEAR(shapes[0].natural.precision[0], 1, 1e-10);
  EXPECT_EQ(shapes[1].kind, Kind::other);
  ASSERT_EQ(shapes[1].rank, 1U);
  const double sign = shapes[1].basis[0] > 0 ? 1 : -1;
  const double length = std::sqrt(5.25);
  expect_near(shapes[1].basis, {sign * 0.5 / length, -sign * 2 / length, sign / length}, 1e-10);
  EXPECT_EQ(shapes[2].kind, Kind::quadratic);
  EXPECT_NEAR(shapes[2].natural.precision[0], 0, 1e-10);
  EXPECT_NEAR(shapes[2].natural.shift[0] * (shapes[2].basis.empty() ? 1 : shapes[2].basis[0]), 2.5, 1e-10);
  EXPECT_EQ(shapes[3].kind, Kind::other);
  EXPECT_EQ(shapes[3].rank, 2U);
  EXPECT_EQ(shapes[4].kind, Kind::constant);
  EXPECT_EQ(shapes[4].constant, -3.5);
}

// Every lattice reaches as far and is as dense as its sites need: the standard normal's own moments come out.
TEST(Ep, latticesServeTheirSites) {
  constexpr std::size_t kDim = 5;
  Random random(3);
  std::vector<Site> sites;
  for (std::size_t rank = 1; rank <= 3; ++rank) {
    for (int n = 0; n < 25; ++n) {
      Site site;
      site.terms = {0};
      site.rank = rank;
      for (std::uint32_t i = 0; i < kDim; ++i) site.coordinates.push_back(i);
      for (std::size_t k = 0; k < rank * kDim; ++k) site.basis.push_back(random.normal());
      site.natural = NaturalGaussian(rank);
      sites.push_back(std::move(site));
    }
  }
  NaturalGaussian natural(kDim);
  for (std::size_t i = 0; i < kDim; ++i)
    natural.precision[i * kDim + i] = std::pow(2.0, static_cast<double>(i));
  natural.precision[1] = natural.precision[kDim] = 0.9;
  const JointGaussian joint = *JointGaussian::from(natural);
  std::vector<SiteView> views;
  for (const Site& site : sites) views.push_back(view(site, joint, 1));
  std::vector<std::size_t> served(sites.size(), 0);
  for (const Frame& frame : make_frames(sites, views, joint, {})) {
    EXPECT_TRUE(frame.is_lattice);
    for (const std::uint32_t s : frame.sites) {
      ++served[s];
      const std::size_t rank = sites[s].rank;
      TiltedSums sums(views[s], rank, true, 1);
      for (std::size_t k = 0; k < frame.count(); ++k) {
        Vector v(rank, 0.0);
        for (std::size_t i = 0; i < kDim; ++i) {
          double move = 0;
          for (std::size_t a = 0; a < rank; ++a)
            move += frame.directions[a * kDim + i] * frame.steps[k * rank + a];
          for (std::size_t a = 0; a < rank; ++a) v[a] += views[s].whiten[i * rank + a] * move;
        }
        const double no_terms = 0;
        sums.add(v.data(), &no_terms, 1);
      }
      const Moments moments = sums.moments();
      EXPECT_NEAR(moments.log_mass, 0, 1e-12);
      for (std::size_t a = 0; a < rank; ++a) {
        EXPECT_NEAR(moments.mean[a], 0, 1e-7);
        for (std::size_t b = 0; b < rank; ++b)
          EXPECT_NEAR(moments.covariance[a * rank + b], a == b ? 1 : 0, 1e-5) << rank;
      }
    }
  }
  for (const std::size_t count : served) EXPECT_EQ(count, 1U);
}

// ---- the method ----

Outcome ep(density::LogDensity& density, Vector start, const Options& options = {}) {
  return testing::run("ep", density, options, {.theta = std::move(start), .seed = 1});
}

TEST(Ep, drawsAndTheirLogQ) {
  TermDensity density = binary_regression(log_inv_logit);
  const Outcome run = ep(density, {0, 0}, {{"draws", 4000}});
  EXPECT_FALSE(run.found("ep-not-converged")) << run.codes();
  EXPECT_EQ(run.progress.gradients, density.gradients);  // values of terms are none
  ASSERT_EQ(run.draws.count(), 4000U);
  const Vector mean{-0.265032069095486, 1.004337251694776};
  const Vector variance{0.438218632799739, 0.435206751514803};
  const double det = variance[0] * variance[1] - 0.113899128818229 * 0.113899128818229;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT(estimate(coordinate(run.draws, i)).errors_from(mean[i]), kErrors);
    EXPECT_LT(estimate_variance(coordinate(run.draws, i), mean[i]).errors_from(variance[i]), kErrors);
  }
  for (std::size_t d = 0; d < 10; ++d) {
    const double a = run.draws.theta[2 * d] - mean[0];
    const double b = run.draws.theta[2 * d + 1] - mean[1];
    const double square = (variance[1] * a * a + 2 * 0.113899128818229 * a * b + variance[0] * b * b) / det;
    EXPECT_NEAR(run.draws.log_q[d], -kLogTwoPi - 0.5 * std::log(det) - 0.5 * square, 1e-4);
    double log_density = 0;
    density::Status status{};
    density.evaluate({1, run.draws.theta.data() + 2 * d, &log_density, nullptr, &status});
    EXPECT_EQ(run.draws.log_density[d], log_density);
  }
}

// A mean and the logarithm of a scale: one site of two directions, whose moments are those of the posterior
// (by a grid), but for what heavy tails have beyond 7.5 standard deviations.
TEST(Ep, meanAndScale) {
  const Vector y{0.3, 1.8, -0.6, 2.9, 1.1, 0.8, -1.2, 2.0};
  std::vector<TestTerm> terms;
  for (const double observed : y) {
    terms.push_back({{0, 1}, [observed](const Vector& theta, Vector& gradient) {
                       const double z = (observed - theta[0]) * std::exp(-theta[1]);
                       gradient[0] += z * std::exp(-theta[1]);
                       gradient[1] += z * z - 1;
                       return -0.5 * z * z - theta[1];
                     }});
  }
  TermDensity density(2, terms);
  double sums[5] = {};
  for (double a = -6; a < 8; a += 0.01) {
    for (double b = -2; b < 4; b += 0.01) {
      Vector none(2);
      double value = 0;
      for (const TestTerm& term : terms) value += term.value({a, b}, none);
      const double p = std::exp(value);
      const double parts[5] = {1, a, b, a * a, b * b};
      for (std::size_t i = 0; i < 5; ++i) sums[i] += p * parts[i];
    }
  }
  for (std::size_t i = 1; i < 5; ++i) sums[i] /= sums[0];
  const Fixed found = fixed_point(density, {{0.9, 0.3}, {0.5, 0, 0, 0.3}});
  EXPECT_NEAR(found.mean[0], sums[1], 1e-3);
  EXPECT_NEAR(found.mean[1], sums[2], 1e-3);
  EXPECT_NEAR(found.covariance[0], sums[3] - sums[1] * sums[1], 5e-3);
  EXPECT_NEAR(found.covariance[3], sums[4] - sums[2] * sums[2], 1e-3);
}

TEST(Ep, resumesToTheSameBits) {
  TermDensity density = binary_regression(log_normal_cdf);
  testing::expect_resumes("ep", density, {{"draws", 100}}, {.theta = {0.5, -0.5}, .seed = 4}, 3);
}

TEST(Ep, withoutParameters) {
  TermDensity density(0, {{{}, [](const Vector&, Vector&) { return -1.5; }}});
  const Outcome run = ep(density, {}, {{"draws", 20}});
  EXPECT_EQ(run.draws.log_density, Vector(20, -1.5));
  EXPECT_TRUE(run.findings.empty()) << run.codes();
}

TEST(Ep, saysThatItHasNotConverged) {
  TermDensity density = binary_regression(log_inv_logit);
  const Outcome run = ep(density, {0, 0}, {{"draws", 10}, {"sweeps", 1}, {"tol_sites", 1e-12}});
  ASSERT_TRUE(run.found("ep-not-converged")) << run.codes();
  EXPECT_NE(run.finding("ep-not-converged")->evidence.find("12 sites, 0 have a cavity"), std::string::npos)
      << run.codes();
}

TEST(Ep, saysThatThereIsOneTermOnly) {
  TermDensity density(4, {log_gammas()});
  const Outcome run = ep(density, {1, 1, 1, 1}, {{"draws", 100}});
  EXPECT_TRUE(run.found("ep-one-term")) << run.codes();
}

TEST(Ep, refusesATermOfEverything) {
  constexpr std::size_t kDim = 30;
  TestTerm all;
  for (std::uint32_t i = 0; i < kDim; ++i) all.coordinates.push_back(i);
  all.value = [](const Vector& theta, Vector& gradient) {
    double square = 0;
    for (const double x : theta) square += x * x;
    for (std::size_t i = 0; i < kDim; ++i) gradient[i] -= 2 * square * theta[i] + theta[i];
    return -0.5 * square * square - 0.5 * square;
  };
  TermDensity density(kDim, {all});
  try {
    ep(density, Vector(kDim, 0.1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("depends on 30 coordinates"), std::string::npos) << error.what();
  }
}

TEST(Ep, refusesOptionsWithoutSense) {
  TermDensity density = binary_regression(log_inv_logit);
  const auto message = [&](std::initializer_list<NamedValue> values) {
    try {
      find_method("ep")->make(density, Options(values), {.theta = {0, 0}});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({{"power", 0}}), "--power is 0; it must be above 0 and at most 1.");
  EXPECT_EQ(message({{"power", 1.5}}), "--power is 1.5; it must be above 0 and at most 1.");
  EXPECT_EQ(message({{"damping", -1}}), "--damping is -1; it must be above 0 and at most 1.");
  EXPECT_EQ(message({{"tol_sites", 0}}), "--tol-sites is 0; it must be above 0.");
  EXPECT_EQ(message({{"sweeps", 0}}), "--sweeps is 0; it must be 1 or more.");
  EXPECT_EQ(message({{"draws", 0}}), "--draws is 0; it must be 1 or more.");
  EXPECT_EQ(message({}), "");
  Target whole = gaussian({0, 0}, {1, 1});
  EXPECT_THROW(find_method("ep")->make(whole, {}, start_at({0, 0})), Error);
}

}  // namespace
}  // namespace kullback::infer
