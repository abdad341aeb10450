// Gaussians, whose Wasserstein distances are known: between normal(0, 1) and normal(m, s)
//   W1 = E |m + (s - 1) Z|,   W2^2 = m^2 + (s - 1)^2.
#include "certify/coupling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "certify/family_density.hpp"
#include "certify/normal_through.hpp"
#include "certify/wasserstein.hpp"
#include "infer/options.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::certify::test {
namespace {

std::vector<double> normal_draws(std::size_t count, const std::vector<double>& mean,
                                 const std::vector<double>& sd, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> draws;
  for (std::size_t n = 0; n < count; ++n) {
    for (std::size_t i = 0; i < mean.size(); ++i) draws.push_back(mean[i] + sd[i] * random.normal());
  }
  return draws;
}

double w1(double m, double s) {
  double sum = 0;
  constexpr int kPoints = 4000;
  for (int n = 0; n < kPoints; ++n) {
    const double z = -8 + 16 * (n + 0.5) / kPoints;
    sum += std::abs(m + (s - 1) * z) * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI) * 16 / kPoints;
  }
  return sum;
}

CouplingBound bound_of(infer::Target& p, const std::vector<double>& mean, const std::vector<double>& sd) {
  auto q = infer::gaussian(mean, sd);
  return bound_by_coupling(p, q, normal_draws(1000, mean, sd, 5), {.seed = 3});
}

TEST(Coupling, AnExactApproximationIsAtDistanceZero) {
  auto p = infer::gaussian({3, -50, 0}, {0.01, 20, 1});
  const CouplingBound bound = bound_of(p, {3, -50, 0}, {0.01, 20, 1});
  EXPECT_TRUE(bound.has_converged);
  for (const CoupledDistance& at : bound.coordinates) {
    EXPECT_LT(at.w1_upper, 1e-6);
    EXPECT_LT(at.w2_upper, 1e-6);
  }
  EXPECT_GT(bound.acceptance_p, 0.85);
  EXPECT_EQ(bound.gradients, p.evaluations);
}

TEST(Coupling, BoundsHoldAndAreNearTheDistanceOfShiftsAndScales) {
  for (const double m : {0.0, 0.1, 0.5}) {
    for (const double s : {0.7, 0.95, 1.0, 1.1, 1.5}) {
      if (m == 0 && s == 1) continue;
      auto p = infer::gaussian({0, 2}, {1, 10});
      const CouplingBound bound = bound_of(p, {m, 2}, {s, 10});
      ASSERT_TRUE(bound.has_converged) << m << " " << s;
      const CoupledDistance& at = bound.coordinates[0];
      EXPECT_GE(at.w1_upper, w1(m, s)) << m << " " << s;
      EXPECT_GE(at.w2_upper, std::hypot(m, s - 1)) << m << " " << s;
      EXPECT_LE(at.w1_upper, 3 * w1(m, s)) << m << " " << s;
      // Squares feel the rare times when one chain accepts and the other does not.
      EXPECT_LE(at.w2_upper, 4 * std::hypot(m, s - 1)) << m << " " << s;
      EXPECT_GE(bound.joint_w2_upper, std::hypot(m, s - 1));
    }
  }
}

// The mean-field optimum of a correlated Gaussian has the right means and sds sqrt(1 - r^2).
TEST(Coupling, MeanFieldOfACorrelatedGaussian) {
  constexpr double r = 0.6;
  auto p = infer::autoregression(2, r);
  const double s = std::sqrt(1 - r * r);
  const CouplingBound bound = bound_of(p, {0, 0}, {s, s});
  ASSERT_TRUE(bound.has_converged);
  for (const CoupledDistance& at : bound.coordinates) EXPECT_GE(at.w2_upper, 1 - s);
  // W2^2 = 2 + 2 s^2 - 2 tr((s P s)^(1/2)), P with eigenvalues 1 + r and 1 - r.
  const double joint = std::sqrt(2 + 2 * s * s - 2 * s * (std::sqrt(1 + r) + std::sqrt(1 - r)));
  EXPECT_GE(bound.joint_w2_upper, joint);
  EXPECT_LE(bound.joint_w2_upper, 3 * joint);
}

TEST(Coupling, FiftyCorrelatedCoordinates) {
  constexpr std::size_t kDim = 50;
  auto p = infer::autoregression(kDim, 0.9);
  Random random(8);
  std::vector<double> draws;
  for (int n = 0; n < 1000; ++n) {
    double x = random.normal();
    for (std::size_t i = 0; i < kDim; ++i) {
      if (i > 0) x = 0.9 * x + std::sqrt(1 - 0.81) * random.normal();
      draws.push_back(x + 0.2);
    }
  }
  auto centred = infer::autoregression(kDim, 0.9);
  infer::Target q(kDim, [&centred](const double* theta, double* gradient) {
    std::vector<double> moved(theta, theta + kDim);
    for (double& x : moved) x -= 0.2;
    double value = 0;
    density::Status status{};
    centred.evaluate({1, moved.data(), &value, gradient, &status});
    return value;
  });
  const CouplingBound bound = bound_by_coupling(p, q, draws, {.pairs = 32, .seed = 2});
  ASSERT_TRUE(bound.has_converged);
  for (const CoupledDistance& at : bound.coordinates) {
    EXPECT_GE(at.w1_upper, 0.2 * 0.9);  // its unit, the sd of p, is estimated
    EXPECT_LE(at.w1_upper, 0.5);
  }
}

TEST(Coupling, NoBoundWhereChainsStayInTheirModes) {
  auto p = infer::two_modes(1, 6, 0.5);
  auto q = infer::two_modes(1, 6, 0.5);
  Random random(4);
  std::vector<double> draws;
  for (int n = 0; n < 500; ++n) draws.push_back((random.uniform() < 0.5 ? -6 : 6) + random.normal());
  const CouplingBound bound = bound_by_coupling(p, q, draws);
  EXPECT_FALSE(bound.has_converged);
  EXPECT_TRUE(std::isinf(bound.coordinates[0].w1_upper));
  EXPECT_NE(to_json(bound).find("\"has_converged\": false"), std::string::npos);
}

TEST(Coupling, ApproximationsLargerThanTheSupport) {
  infer::Target half(1, [](const double* theta, double* gradient) {  // gamma(3, 1), not in its logarithm
    gradient[0] = 2 / theta[0] - 1;
    return theta[0] > 0 ? 2 * std::log(theta[0]) - theta[0] : -std::numeric_limits<double>::infinity();
  });
  auto q = infer::gaussian({3}, {2});
  const CouplingBound bound = bound_by_coupling(half, q, normal_draws(600, {3}, {2}, 4));
  EXPECT_GT(bound.coordinates[0].w1_upper, 0.1);
}

TEST(Coupling, MembersOfFamilies) {
  infer::Options options;
  const auto family = infer::find_family("meanfield").make({.dim = 2, .options = &options});
  std::vector<double> lambda(family->parameters());
  family->begin({{1, -1}, {2, 0.5}, {}}, 1, lambda);
  FamilyDensity q(*family, lambda);
  auto p = infer::gaussian({1, -1}, {2, 0.5});
  const CouplingBound bound = bound_by_coupling(p, q, normal_draws(400, {1, -1}, {2, 0.5}, 4));
  ASSERT_TRUE(bound.has_converged);
  EXPECT_LT(bound.joint_w2_upper, 1e-6);
}

double log_density_at(density::LogDensity& density, const std::vector<double>& theta,
                      std::vector<double>& gradient) {
  double value = 0;
  gradient.resize(theta.size());
  density::Status status{};
  density.evaluate({1, theta.data(), &value, gradient.data(), &status});
  return value;
}

// A normal with correlations, of scales from 1e-3 to 1e3, and its own log density with a constant.
TEST(NormalThrough, FindsTheNormalBehindItsDraws) {
  constexpr double kScales[] = {1e-3, 1, 1e3};
  auto standard = infer::autoregression(3, 0.95);
  const auto log_q = [&](const std::vector<double>& theta, std::vector<double>& gradient) {
    std::vector<double> z(3);
    for (std::size_t i = 0; i < 3; ++i) z[i] = (theta[i] - 5) / kScales[i];
    const double value = log_density_at(standard, z, gradient) + 7;
    for (std::size_t i = 0; i < 3; ++i) gradient[i] /= kScales[i];
    return value;
  };
  Random random(3);
  std::vector<double> theta, values, gradient;
  for (int n = 0; n < 200; ++n) {
    std::vector<double> draw(3);
    double x = random.normal();
    for (std::size_t i = 0; i < 3; ++i) {
      if (i > 0) x = 0.95 * x + std::sqrt(1 - 0.95 * 0.95) * random.normal();
      draw[i] = 5 + kScales[i] * x;
    }
    theta.insert(theta.end(), draw.begin(), draw.end());
    values.push_back(log_q(draw, gradient));
  }
  const auto found = normal_through(theta, 3, values);
  ASSERT_NE(found, nullptr);
  const std::vector<double> here{5 + 1e-3, 3, 5 + 2e3}, there{5, 5, 5};
  std::vector<double> expected_slope, slope;
  const double expected = log_q(here, expected_slope) - log_q(there, gradient);
  const double value = log_density_at(*found, here, slope) - log_density_at(*found, there, gradient);
  EXPECT_NEAR(value, expected, 1e-6 * std::abs(expected));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(slope[i], expected_slope[i], 1e-6 * std::abs(expected_slope[i])) << i;
  values[17] += 0.1;  // no longer quadratic
  EXPECT_EQ(normal_through(theta, 3, values), nullptr);
  values[17] -= 0.1;
  EXPECT_EQ(normal_through(std::span(theta).first(3 * 19), 3, std::span(values).first(19)), nullptr);
}

// More coordinates than a full quadratic function could be found of.
TEST(NormalThrough, IndependentCoordinatesNeedFewerDraws) {
  constexpr std::size_t kDim = 100;
  const std::vector<double> draws =
      normal_draws(500, std::vector<double>(kDim, 1), std::vector<double>(kDim, 2), 6);
  auto q = infer::gaussian(std::vector<double>(kDim, 1), std::vector<double>(kDim, 2));
  std::vector<double> values, gradient;
  for (std::size_t n = 0; n < 500; ++n) {
    const auto first = draws.begin() + static_cast<std::ptrdiff_t>(n * kDim);
    values.push_back(log_density_at(q, {first, first + kDim}, gradient));
  }
  const auto found = normal_through(draws, kDim, values);
  ASSERT_NE(found, nullptr);
  const std::vector<double> at(kDim, 4);
  log_density_at(*found, at, gradient);
  for (const double slope : gradient) EXPECT_NEAR(slope, -3.0 / 4, 1e-6);
}

// normal(0.3, 1.2) for normal(0, 1): W1 and W2 are known.
TEST(Wasserstein, IsAPartOfTheCertificate) {
  infer::Draws draws;
  draws.dim = 1;
  draws.theta = normal_draws(400, {0.3}, {1.2}, 9);
  for (const double x : draws.theta) draws.log_q.push_back(-0.5 * (x - 0.3) * (x - 0.3) / 1.44);
  auto p = infer::gaussian({0}, {1});
  Certificate certificate;
  add_wasserstein(draws, p, 2, certificate);
  ASSERT_EQ(certificate.notes.size(), 1U);
  EXPECT_NE(certificate.notes[0].find("Wasserstein distances of the raw"), std::string::npos);
  EXPECT_EQ(certificate.cost.gradients, p.evaluations);
  const std::string key = "\"joint_w2_upper\": ";
  const std::size_t at = certificate.wasserstein.find(key);
  ASSERT_NE(at, std::string::npos);
  const double upper = std::stod(certificate.wasserstein.substr(at + key.size()));
  EXPECT_GE(upper, std::hypot(0.3, 0.2));
  EXPECT_LE(upper, 4 * std::hypot(0.3, 0.2));
  EXPECT_NE(to_json(certificate).find("\"wasserstein\": {\"has_converged\": true"), std::string::npos);
}

TEST(Wasserstein, NeedsADensityAtAnyPoint) {
  infer::Draws draws;
  draws.dim = 1;
  draws.theta = normal_draws(400, {0}, {1}, 9);
  for (const double x : draws.theta) draws.log_q.push_back(-std::log(1 + x * x));
  auto p = infer::gaussian({0}, {1});
  Certificate certificate;
  add_wasserstein(draws, p, 2, certificate);
  EXPECT_TRUE(certificate.wasserstein.empty());
  ASSERT_EQ(certificate.notes.size(), 1U);
  EXPECT_NE(certificate.notes[0].find("No bound on Wasserstein distances"), std::string::npos);
}

TEST(Coupling, WrongUse) {
  auto p = infer::gaussian({0}, {1});
  auto q = infer::gaussian({0, 0}, {1, 1});
  EXPECT_THROW(bound_by_coupling(p, q, std::vector<double>(100, 0.0)), Error);
  EXPECT_THROW(bound_by_coupling(p, p, std::vector<double>(7, 0.0)), Error);
}

}  // namespace
}  // namespace kullback::certify::test
