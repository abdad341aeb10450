// Joint distances and their permutation tests, against the functions that they repeat, and over repeated
// samples.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/chains.hpp"
#include "stats/divergence.hpp"
#include "stats/divergence/joint.hpp"

namespace kullback::stats::test {
namespace {

// Normal points in `dim` coordinates, of which the second one correlates with the first.
std::vector<double> points(std::size_t count, std::size_t dim, double shift, double correlation,
                           std::uint64_t seed) {
  Random random(seed, 3);
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = result.size();
    for (std::size_t k = 0; k < dim; ++k) result.push_back(random.normal());
    result[first + 1] =
        correlation * result[first] + std::sqrt(1 - correlation * correlation) * result[first + 1];
    result[first] += shift;
  }
  return result;
}

Gaussian gaussian_of(const Points& of) {
  const std::size_t n = of.values.size() / of.dim;
  Gaussian result{std::vector<double>(of.dim, 0.0), std::vector<double>(of.dim * of.dim, 0.0)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < of.dim; ++a)
      result.mean[a] += of.values[i * of.dim + a] / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < of.dim; ++a)
      for (std::size_t b = 0; b < of.dim; ++b)
        result.covariance[a * of.dim + b] += (of.values[i * of.dim + a] - result.mean[a]) *
                                             (of.values[i * of.dim + b] - result.mean[b]) /
                                             static_cast<double>(n - 1);
  return result;
}

TEST(JointDistances, AreThoseOfTheirFunctions) {
  const std::vector<double> a = points(60, 4, 0, 0, 1), b = points(45, 4, 0.7, 0.8, 2);
  const Points x{a, 4}, y{b, 4};
  const JointDistances joint = joint_distances(x, y, {.permutations = 19, .projections = 30, .seed = 5});
  EXPECT_NEAR(joint.mmd_squared.value, mmd(x, y).squared_unbiased, 1e-13);
  EXPECT_NEAR(joint.sliced_wasserstein.value,
              sliced_wasserstein(x, y, {.order = 1, .projections = 30, .seed = 5}).value, 1e-13);
  ASSERT_TRUE(joint.gaussian_kl.has_value());
  EXPECT_NEAR(joint.gaussian_kl->value, kl_divergence(gaussian_of(x), gaussian_of(y)), 1e-11);
  EXPECT_EQ(joint.mmd_squared.p_value, 0.05);  // none of 19 choices is further apart
}

// 400 pairs of samples of one distribution: p-values are exact, so that 0.2 of them are below 0.2 and 0.05
// below 0.05, known to 0.02 and 0.011; noise is exceeded by one in 20.
TEST(JointDistances, PValuesAreExactWhereNothingDiffers) {
  double below_20[3] = {}, below_5[3] = {}, beyond[3] = {};
  for (std::uint64_t r = 0; r < 400; ++r) {
    const std::vector<double> a = points(40, 3, 0, 0.5, 10 + r), b = points(30, 3, 0, 0.5, 50000 + r);
    const JointDistances joint =
        joint_distances({a, 3}, {b, 3}, {.permutations = 99, .projections = 20, .seed = r});
    const TestedDistance all[3] = {joint.mmd_squared, joint.sliced_wasserstein, *joint.gaussian_kl};
    for (std::size_t k = 0; k < 3; ++k) {
      below_20[k] += (all[k].p_value <= 0.2) / 400.0;
      below_5[k] += (all[k].p_value <= 0.05) / 400.0;
      beyond[k] += (all[k].value > all[k].noise) / 400.0;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(below_20[k], 0.2, 3.5 * 0.02) << k;
    EXPECT_NEAR(below_5[k], 0.05, 3.5 * 0.011) << k;
    EXPECT_NEAR(beyond[k], 0.05, 3.5 * 0.011) << k;
  }
}

// Marginals are the same, only the dependence differs.
TEST(JointDistances, SeeDependence) {
  const std::vector<double> a = points(300, 2, 0, 0.8, 1), b = points(300, 2, 0, -0.8, 2);
  const JointDistances joint = joint_distances({a, 2}, {b, 2});
  EXPECT_EQ(joint.mmd_squared.p_value, 0.001);
  EXPECT_EQ(joint.sliced_wasserstein.p_value, 0.001);
  EXPECT_EQ(joint.gaussian_kl->p_value, 0.001);
  const Gaussian p{{0, 0}, {1, 0.8, 0.8, 1}}, q{{0, 0}, {1, -0.8, -0.8, 1}};
  EXPECT_NEAR(joint.gaussian_kl->value / kl_divergence(p, q), 1, 0.3);
}

// A small shift along a narrow direction: KL sees it, in any coordinates.
TEST(JointDistances, GaussiansSeeNarrowDirections) {
  const std::vector<double> a = points(300, 2, 0, 0.999, 1);
  std::vector<double> b = points(300, 2, 0, 0.999, 2);
  for (std::size_t i = 0; i < b.size(); i += 2) b[i] += 0.05;
  const JointDistances joint = joint_distances({a, 2}, {b, 2});
  EXPECT_EQ(joint.gaussian_kl->p_value, 0.001);
  EXPECT_GT(joint.mmd_squared.p_value, 0.05);
}

// The last coordinate is what is left to 1, as of a simplex: KL is that of the others.
TEST(JointDistances, CoordinatesThatDependOnOthersDropOut) {
  const std::vector<double> a = points(200, 2, 0, 0.3, 1), b = points(200, 2, 0.5, 0.3, 2);
  const auto with_rest = [](const std::vector<double>& of) {
    std::vector<double> result;
    for (std::size_t i = 0; i < of.size(); i += 2)
      result.insert(result.end(), {of[i], of[i + 1], 1 - of[i] - of[i + 1]});
    return result;
  };
  const std::vector<double> c = with_rest(a), d = with_rest(b);
  EXPECT_NEAR(joint_distances({c, 3}, {d, 3}, {.permutations = 19}).gaussian_kl->value,
              joint_distances({a, 2}, {b, 2}, {.permutations = 19}).gaussian_kl->value, 1e-10);
}

TEST(JointDistances, EdgesOfTheGaussian) {
  const std::vector<double> a = points(101, 51, 0, 0, 1), b = points(101, 51, 0, 0, 2);
  EXPECT_FALSE(joint_distances({a, 51}, {b, 51}, {.permutations = 19}).gaussian_kl.has_value());
  const std::vector<double> few = points(7, 4, 0, 0, 1);
  EXPECT_FALSE(joint_distances({few, 4}, {few, 4}, {.permutations = 19}).gaussian_kl.has_value());
  // The second coordinate is constant in x alone.
  std::vector<double> flat = points(50, 2, 0, 0, 3);
  for (std::size_t i = 1; i < flat.size(); i += 2) flat[i] = 0;
  const std::vector<double> full = points(50, 2, 0, 0, 4);
  EXPECT_EQ(joint_distances({flat, 2}, {full, 2}, {.permutations = 19}).gaussian_kl->value,
            std::numeric_limits<double>::infinity());
  EXPECT_THROW(joint_distances({full, 2}, {a, 51}), Error);
}

}  // namespace
}  // namespace kullback::stats::test
