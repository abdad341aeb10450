// Pathfinder: the Gaussian of a quasi-Newton path against closed forms, and what it makes of densities.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/optimize/path.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using testing::Outcome;
using testing::TestDensity;
using testing::Vector;

Outcome pathfinder(TestDensity& density, const Options& options, std::uint64_t seed = 1) {
  Vector start(density.dim());
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::start));
  for (double& number : start) number = 4 * random.uniform() - 2;
  return testing::run("pathfinder", density, options, {.theta = start, .seed = seed});
}

struct Moments {
  double mean = 0;
  double sd = 0;
};

Moments moments(const Draws& draws, std::size_t coordinate) {
  const auto n = static_cast<double>(draws.count());
  double sum = 0;
  double squares = 0;
  for (std::size_t d = 0; d < draws.count(); ++d) sum += draws.theta[d * draws.dim + coordinate];
  for (std::size_t d = 0; d < draws.count(); ++d) {
    const double z = draws.theta[d * draws.dim + coordinate] - sum / n;
    squares += z * z;
  }
  return {sum / n, std::sqrt(squares / (n - 1))};
}

using Matrix = std::vector<Vector>;

// V'HV + s s' / s'y with V = I - y s' / s'y, entry by entry.
Matrix bfgs_update(const Matrix& h, const Vector& s, const Vector& y) {
  const std::size_t n = s.size();
  const double s_y = dot(s, y);
  Matrix hv(n, Vector(n, 0.0));
  Matrix result(n, Vector(n, 0.0));
  const auto v = [&](std::size_t i, std::size_t j) { return (i == j ? 1.0 : 0.0) - y[i] * s[j] / s_y; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) hv[i][j] += h[i][k] * v(k, j);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) result[i][j] += v(k, i) * hv[k][j];
      result[i][j] += s[i] * s[j] / s_y;
    }
  }
  return result;
}

// Pairs of a quadratic whose Hessian is tridiagonal.
struct QuasiNewton {
  CurvaturePairs pairs;
  Vector diagonal;
  Matrix dense;

  QuasiNewton(std::size_t dim, std::size_t count) : pairs(dim, count) {
    Random random(7);
    diagonal.resize(dim);
    for (double& a : diagonal) a = 0.5 + random.uniform();
    dense.assign(dim, Vector(dim, 0.0));
    for (std::size_t i = 0; i < dim; ++i) dense[i][i] = diagonal[i];
    for (std::size_t k = 0; k < count; ++k) {
      Vector s(dim);
      Vector y(dim);
      for (double& number : s) number = random.normal();
      for (std::size_t i = 0; i < dim; ++i) {
        y[i] = 2.5 * s[i];
        if (i > 0) y[i] -= s[i - 1];
        if (i + 1 < dim) y[i] -= s[i + 1];
      }
      EXPECT_TRUE(pairs.push(s, y));
      dense = bfgs_update(dense, s, y);
    }
  }
};

TEST(LowRankGaussian, is_the_gaussian_of_dense_bfgs) {
  for (const auto& [dim, count] :
       {std::pair{3, 5}, std::pair{12, 6}, std::pair{40, 6}, std::pair{4, 0}, std::pair{1, 1}}) {
    const auto n = static_cast<std::size_t>(dim);
    const QuasiNewton reference(n, static_cast<std::size_t>(count));
    Vector theta(n);
    Vector gradient(n);
    for (std::size_t i = 0; i < n; ++i) {
      theta[i] = static_cast<double>(i);
      gradient[i] = std::cos(static_cast<double>(i));
    }
    const auto gaussian = LowRankGaussian::at(theta, gradient, reference.diagonal, reference.pairs);
    ASSERT_TRUE(gaussian.has_value());
    Matrix root;  // column j: the draw from unit vector j, less the mean
    for (std::size_t j = 0; j < n; ++j) {
      Vector unit(n, 0.0);
      unit[j] = 1;
      Vector column = gaussian->draw(unit);
      for (std::size_t i = 0; i < n; ++i) column[i] -= gaussian->mean()[i];
      root.push_back(column);
    }
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(gaussian->mean()[i], theta[i] + dot(reference.dense[i], gradient), 1e-10) << dim;
      for (std::size_t j = 0; j < n; ++j) {
        double covariance = 0;
        for (std::size_t k = 0; k < n; ++k) covariance += root[k][i] * root[k][j];
        EXPECT_NEAR(covariance, reference.dense[i][j], 1e-10) << dim << ": " << i << ", " << j;
      }
    }
    Random random(1);
    Vector normals(n);
    for (double& number : normals) number = random.normal();
    EXPECT_NEAR(gaussian->log_density(gaussian->draw(normals)), gaussian->log_density_of_draw(normals), 1e-10)
        << dim;
  }
}

TEST(LowRankGaussian, log_density_is_normalised_in_one_dimension) {
  const QuasiNewton reference(1, 1);  // y = 2.5 s: the variance is 0.4
  const auto gaussian = LowRankGaussian::at(Vector{1}, Vector{0}, reference.diagonal, reference.pairs);
  ASSERT_TRUE(gaussian.has_value());
  EXPECT_NEAR(gaussian->log_density(Vector{1.5}), -0.5 * std::log(2 * std::numbers::pi * 0.4) - 0.25 / 0.8,
              1e-12);
}

// The diagonal of an isotropic density is right after one step; with one coordinate, always.
TEST(LowRankGaussian, diagonal) {
  Vector diagonal{1, 1, 1};
  const Vector s{1, -2, 0.5};
  update_diagonal(diagonal, s, Vector{4, -8, 2});
  for (const double a : diagonal) EXPECT_NEAR(a, 0.25, 1e-14);
  // Equation 4.9 of Gilbert and Lemarechal with a = (0.5, 2), s = (1, 1), y = (3, 1): y'Ay = 6.5, s'A^-1 s
  // = 2.5.
  Vector two{0.5, 2};
  update_diagonal(two, Vector{1, 1}, Vector{3, 1});
  EXPECT_NEAR(two[0], 4 / (6.5 / 0.5 + 9 - 6.5 / 2.5 * 4), 1e-14);
  EXPECT_NEAR(two[1], 4 / (6.5 / 2 + 1 - 6.5 / 2.5 * 0.25), 1e-14);
}

// With r = sd_q / sd_p and b = (mean_q - mean_p) / sd_p in each coordinate, log p - log q of a draw is
// log Z + log r - b^2/2 - r^2/2 + 1/2 in the mean, with variance b^2 r^2 + (1 - r^2)^2 / 2.
TEST(Elbo, closed_form_for_gaussians) {
  constexpr std::size_t kDraws = 2000;
  const Vector mean_p{0, 1, -1};
  const Vector sd_p{1, 2, 0.5};
  const Vector mean_q{0.3, 1, -1.2};
  const Vector variance_q{0.5, 4, 0.36};
  TestDensity density(3, testing::normal(mean_p, sd_p));
  const CurvaturePairs none(3, 5);
  const auto gaussian = LowRankGaussian::at(mean_q, Vector(3, 0.0), variance_q, none);
  ASSERT_TRUE(gaussian.has_value());
  double expected = 0;
  double variance = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double r = std::sqrt(variance_q[i]) / sd_p[i];
    const double b = (mean_q[i] - mean_p[i]) / sd_p[i];
    expected +=
        0.5 * std::log(2 * std::numbers::pi) + std::log(sd_p[i]) + std::log(r) - 0.5 * (b * b + r * r - 1);
    variance += b * b * r * r + 0.5 * (1 - r * r) * (1 - r * r);
  }
  const double estimate = estimate_elbo(density, *gaussian, kDraws, {.seed = 1}, 1);
  EXPECT_NEAR(estimate, expected, 4 * std::sqrt(variance / kDraws));
  EXPECT_GE(density.most_lanes, 8U);

  const auto exact = LowRankGaussian::at(mean_p, Vector(3, 0.0), Vector{1, 4, 0.25}, none);
  const double log_z = 1.5 * std::log(2 * std::numbers::pi) + std::log(sd_p[0] * sd_p[1] * sd_p[2]);
  EXPECT_NEAR(estimate_elbo(density, *exact, 25, {.seed = 1}, 1), log_z, 1e-12);
}

// Where all standard deviations are equal the Gaussian is exact after one iteration: the best ELBO is log Z.
TEST(Pathfinder, isotropic_gaussians) {
  for (const std::size_t dim : {2U, 20U, 200U}) {
    Vector mean(dim);
    for (std::size_t i = 0; i < dim; ++i) mean[i] = std::sin(static_cast<double>(i));
    TestDensity density(dim, testing::normal(mean, Vector(dim, 0.3)));
    Path path(density, {}, {.seed = 1}, Vector(dim, 1.0));
    while (path.step()) {
    }
    const double log_z = static_cast<double>(dim) * (0.5 * std::log(2 * std::numbers::pi) + std::log(0.3));
    ASSERT_TRUE(path.has_gaussian());
    EXPECT_NEAR(path.elbo(), log_z, 1e-6) << dim;
    for (const std::size_t paths : {1U, 4U}) {
      const Outcome run = pathfinder(density, {{"draws", 4000}, {"paths", paths}});
      ASSERT_EQ(run.draws.count(), 4000U);
      EXPECT_TRUE(run.findings.empty()) << run.codes();
      // Of 16000 candidates and of 4000 choices among them.
      const double resampled = paths == 1 ? 1 : std::sqrt(1.25);
      for (std::size_t i = 0; i < dim; ++i) {
        const Moments estimate = moments(run.draws, i);
        EXPECT_NEAR(estimate.mean, mean[i], 4.5 * resampled * 0.3 / std::sqrt(4000.0)) << dim << " " << i;
        EXPECT_NEAR(estimate.sd / 0.3, 1, 4.5 * resampled / std::sqrt(8000.0)) << dim << " " << i;
      }
    }
  }
}

// Unequal scales: importance resampling over paths makes up for what the Gaussians miss; in 200 dimensions it
// cannot, and says so.
TEST(Pathfinder, unequal_scales) {
  const auto unequal = [](std::size_t dim, Vector& mean, Vector& sd) {
    mean.resize(dim);
    sd.resize(dim);
    for (std::size_t i = 0; i < dim; ++i) {
      mean[i] = std::sin(static_cast<double>(i));
      sd[i] = 1 + 0.5 * std::cos(static_cast<double>(3 * i));
    }
    return TestDensity(dim, testing::normal(mean, sd));
  };
  Vector mean;
  Vector sd;
  for (const std::size_t dim : {2U, 20U}) {
    TestDensity density = unequal(dim, mean, sd);
    const Outcome run = pathfinder(density, {{"draws", 4000}, {"paths", 4}});
    ASSERT_EQ(run.draws.count(), 4000U);
    EXPECT_TRUE(run.findings.empty()) << run.codes();
    for (std::size_t i = 0; i < dim; ++i) {
      const Moments estimate = moments(run.draws, i);
      EXPECT_NEAR((estimate.mean - mean[i]) / sd[i], 0, 0.1) << i;
      EXPECT_NEAR(estimate.sd / sd[i], 1, 0.1) << i;
    }
  }
  TestDensity large = unequal(200, mean, sd);
  const Outcome run = pathfinder(large, {{"draws", 1000}, {"paths", 1}});
  EXPECT_TRUE(run.found("khat")) << run.codes();
  for (std::size_t i = 0; i < 200; ++i)
    EXPECT_NEAR((moments(run.draws, i).mean - mean[i]) / sd[i], 0, 0.25) << i;
}

// 2 pi (0.7 N((-3, 0), I) + 0.3 N((3, 0), I)).
double two_modes(const Vector& x, Vector& gradient) {
  const double left = std::log(0.7) - 0.5 * (x[0] + 3) * (x[0] + 3);
  const double right = std::log(0.3) - 0.5 * (x[0] - 3) * (x[0] - 3);
  const double top = std::max(left, right);
  const double both = top + std::log(std::exp(left - top) + std::exp(right - top));
  gradient[0] = std::exp(left - both) * (-3 - x[0]) + std::exp(right - both) * (3 - x[0]);
  gradient[1] = -x[1];
  return both - 0.5 * x[1] * x[1];
}

TEST(Pathfinder, columns_and_log_q) {
  TestDensity density(2, testing::normal({1, 2}, {1, 3}));
  const Outcome single = pathfinder(density, {{"draws", 100}, {"paths", 1}});
  ASSERT_EQ(single.draws.stats.size(), 200U);
  ASSERT_EQ(single.draws.log_q.size(), 100U);
  Vector gradient(2);
  const auto normal = testing::normal({1, 2}, {1, 3});
  for (std::size_t d = 0; d < 100; ++d) {
    EXPECT_EQ(single.draws.stats[2 * d], single.draws.log_q[d]);
    EXPECT_EQ(single.draws.stats[2 * d + 1], 1);
    EXPECT_EQ(single.draws.log_density[d],
              normal({single.draws.theta[2 * d], single.draws.theta[2 * d + 1]}, gradient));
  }
  const Outcome several = pathfinder(density, {{"draws", 100}, {"paths", 3}});
  ASSERT_EQ(several.draws.stats.size(), 200U);
  EXPECT_TRUE(several.draws.log_q.empty());
  bool seen[4] = {};
  for (std::size_t d = 0; d < 100; ++d) {
    const double path = several.draws.stats[2 * d + 1];
    ASSERT_TRUE(path == 1 || path == 2 || path == 3) << path;
    seen[static_cast<std::size_t>(path)] = true;
    EXPECT_EQ(several.draws.log_density[d],
              normal({several.draws.theta[2 * d], several.draws.theta[2 * d + 1]}, gradient));
  }
  EXPECT_TRUE(seen[1] && seen[2] && seen[3]);
}

// With --resample 0: as many draws of each path's Gaussian, log q is that of the mixture with equal weights,
// whose ratios to p have the evidence as their mean; log p is evaluated at these draws only.
TEST(Pathfinder, draws_of_the_mixture) {
  constexpr std::size_t kDraws = 2000;
  TestDensity bimodal(2, two_modes);
  const Outcome resampled = pathfinder(bimodal, {{"draws", kDraws}, {"paths", 4}});
  EXPECT_TRUE(resampled.draws.log_q.empty());
  const std::size_t with_all_candidates = std::exchange(bimodal.evaluations, 0);
  const Outcome run = pathfinder(bimodal, {{"draws", kDraws}, {"paths", 4}, {"resample", false}});
  EXPECT_EQ(with_all_candidates - bimodal.evaluations, 3 * kDraws);
  ASSERT_EQ(run.draws.count(), kDraws);
  ASSERT_EQ(run.draws.log_q.size(), kDraws);
  std::vector<std::size_t> of_path(5);
  double mean = 0;
  double squares = 0;
  for (std::size_t d = 0; d < kDraws; ++d) {
    EXPECT_EQ(run.draws.stats[2 * d], run.draws.log_q[d]);
    ++of_path[static_cast<std::size_t>(run.draws.stats[2 * d + 1])];
    const double weight = std::exp(run.draws.log_density[d] - run.draws.log_q[d]);
    mean += weight / kDraws;
    squares += weight * weight / kDraws;
  }
  EXPECT_EQ(of_path, (std::vector<std::size_t>{0, 500, 500, 500, 500}));
  const double error = std::sqrt((squares - mean * mean) / kDraws);
  EXPECT_LT(error, 0.1 * 2 * std::numbers::pi);
  EXPECT_NEAR(mean, 2 * std::numbers::pi, 4.5 * error);
  const Outcome uneven = pathfinder(bimodal, {{"draws", 7}, {"paths", 4}, {"resample", false}});
  ASSERT_EQ(uneven.draws.count(), 7U);
  EXPECT_EQ(uneven.draws.stats[2 * 6 + 1], 3);
}

// Neal's funnel.
TEST(Pathfinder, funnel_is_flagged) {
  TestDensity funnel(10, [](const Vector& x, Vector& gradient) {
    double squares = 0;
    for (std::size_t i = 1; i < 10; ++i) {
      squares += x[i] * x[i];
      gradient[i] = -x[i] * std::exp(-x[0]);
    }
    gradient[0] = -x[0] / 9 - 4.5 + 0.5 * squares * std::exp(-x[0]);
    return -x[0] * x[0] / 18 - 4.5 * x[0] - 0.5 * squares * std::exp(-x[0]);
  });
  for (const std::size_t paths : {1U, 4U}) {
    const Outcome run = pathfinder(funnel, {{"draws", 2000}, {"paths", paths}});
    EXPECT_TRUE(run.found("khat")) << run.codes();
  }
}

// Both modes, each with its mass, however many paths ended there.
TEST(Pathfinder, several_paths_cover_two_modes) {
  TestDensity bimodal(2, two_modes);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Outcome run = pathfinder(bimodal, {{"draws", 4000}, {"paths", 8}}, seed);
    ASSERT_EQ(run.draws.count(), 4000U);
    double left = 0;
    for (std::size_t d = 0; d < 4000; ++d) left += run.draws.theta[2 * d] < 0 ? 1 : 0;
    // 32000 candidates, then 4000 choices among them: two binomial errors, the second one dominating.
    EXPECT_NEAR(left / 4000, 0.7, 5 * std::sqrt(0.21 / 4000)) << seed;
    EXPECT_TRUE(run.findings.empty()) << run.codes();
  }
}

TEST(Pathfinder, paths_that_fail_are_findings) {
  // Finite beyond 4 only: no random start is.
  TestDensity density(1, [](const Vector& x, Vector& gradient) {
    gradient[0] = 20 - x[0];
    return x[0] > 4 ? -0.5 * (x[0] - 20) * (x[0] - 20) : std::numeric_limits<double>::quiet_NaN();
  });
  const Start start{.theta = {10}, .seed = 1};
  const Outcome run = testing::run("pathfinder", density, {{"draws", 500}, {"paths", 3}}, start);
  EXPECT_EQ(run.draws.count(), 500U);
  ASSERT_TRUE(run.found("path-failed"));
  EXPECT_EQ(run.finding("path-failed")->message, "Path 2 of 3 failed.");
  EXPECT_FALSE(run.found("khat")) << run.codes();
  for (std::size_t d = 0; d < 500; ++d) EXPECT_EQ(run.draws.stats[2 * d + 1], 1);

  // Exponential variables, not transformed: every Gaussian reaches below 0.
  TestDensity edge(30, [](const Vector& x, Vector& gradient) {
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gradient[i] = -1;
      value -= x[i] > 0 ? x[i] : std::numeric_limits<double>::quiet_NaN();
    }
    return value;
  });
  const Outcome none =
      testing::run("pathfinder", edge, {{"paths", 2}}, {.theta = Vector(30, 1.0), .seed = 1});
  EXPECT_EQ(none.draws.count(), 0U);
  EXPECT_TRUE(none.found("path-failed"));
  EXPECT_TRUE(none.found("no-draws"));
}

TEST(Pathfinder, unbounded_density_is_a_finding) {
  TestDensity linear(2, [](const Vector& x, Vector& gradient) {
    gradient = {1, -x[1]};
    return x[0] - 0.5 * x[1] * x[1];
  });
  EXPECT_TRUE(pathfinder(linear, {{"draws", 100}, {"paths", 2}}).found("unbounded"));
}

TEST(Pathfinder, start_at_the_mode_and_no_parameters) {
  TestDensity normal(2, testing::normal({0, 0}, {1, 1}));
  const Outcome run =
      testing::run("pathfinder", normal, {{"draws", 100}, {"paths", 1}}, {.theta = {0, 0}, .seed = 1});
  EXPECT_EQ(run.draws.count(), 100U);
  EXPECT_TRUE(run.findings.empty()) << run.codes();
  TestDensity nothing(0, [](const Vector&, Vector&) { return -2.0; });
  EXPECT_EQ(pathfinder(nothing, {{"draws", 10}, {"paths", 2}}).draws.count(), 10U);
}

TEST(Pathfinder, resumes_with_the_same_bits) {
  TestDensity density(5, testing::rosenbrock);
  const Start start{.theta = Vector(5, -1.0), .seed = 5};
  testing::expect_resumes("pathfinder", density, {{"draws", 150}, {"paths", 3}}, start, 5);
  testing::expect_resumes("pathfinder", density, {{"draws", 150}, {"paths", 3}, {"resample", false}}, start,
                          5);
  testing::expect_resumes("pathfinder", density, {{"draws", 150}, {"paths", 1}}, start);
}

TEST(Pathfinder, options_without_sense_are_refused) {
  for (const char* name : {"draws", "paths", "elbo_draws", "history"})
    EXPECT_THROW(Options({{name, 0}}), Error) << name;
}

}  // namespace
}  // namespace kullback::infer
