// Factors on constrained supports: logarithms of gamma variables against 40-digit references, posteriors that
// are members of the family, and the estimator through rejection samplers.
#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <numbers>

#include "infer/vi/estimator.hpp"
#include "infer/vi/factors/log_gamma.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/test_densities.hpp"

namespace kullback::infer {
namespace {

using Vector = std::vector<double>;
using Kind = density::Support::Kind;
using testing::TestDensity;

struct LogGammaRow {
  double shape, normal, v, slope;
};

// mpmath, 40 digits: v solves P(shape, e^v) = Phi(normal); slopes by central differences of 1e-10.
const LogGammaRow kLogGamma[] = {
    {0.02, -0.5, -59.356512546169435, 2940.58616178566},
    {0.02, 0.7, -14.41212104046769, 693.366987298254},
    {0.02, 2.5, -0.21115388290447894, 35.2219244831574},
    {0.3, -3, -22.386336769914888, 74.0571529479993},
    {0.3, -0.5, -4.2695536820512526, 13.8436946359657},
    {0.3, 0.7, -1.0235641423896408, 4.6806879031553},
    {0.3, 2.5, 1.1109474484627822, 1.34406914798564},
    {1, -3, -6.6070508925566227, 7.03492330802207},
    {1, -0.5, -0.99710386150637833, 1.8308591468782},
    {1, 0.7, 0.34992967877361441, 0.982317179036667},
    {1, 2.5, 1.6256356729945584, 0.466559794619492},
    {2.5, -3, -2.1288372149891552, 1.34200412641173},
    {2.5, -0.5, 0.42372619024940013, 0.540686992482754},
    {2.5, 0.7, 1.2125832584797275, 0.367341777960688},
    {2.5, 2.5, 2.0938926059355703, 0.223726457364289},
    {40, -3, 3.1636527958186574, 0.0322703412713671},
    {40, -0.5, 3.6001302563372639, 0.0262348566079479},
    {40, 0.7, 3.7895733268739141, 0.0238616794624292},
    {40, 2.5, 4.0526373559087235, 0.0208143231994042},
    {3000, -3, 7.950977026416312, 0.000342669345981301},
    {3000, -0.5, 7.9971134095692418, 0.000334896676784857},
    {3000, 0.7, 8.01901007095159, 0.000331249091464499},
    {3000, 2.5, 8.051557490280163, 0.000325876506068855},
};

TEST(LogGamma, DrawsAndSlopesAreTheReferences) {
  for (const LogGammaRow& row : kLogGamma) {
    EXPECT_NEAR(log_gamma_draw(row.shape, row.normal), row.v, 1e-12 * (1 + std::abs(row.v))) << row.shape;
    EXPECT_NEAR(log_gamma_slope(row.shape, row.v), row.slope, 1e-10 * row.slope)
        << row.shape << " " << row.normal;
  }
}

// Beta-binomial, gamma-Poisson and Dirichlet-multinomial posteriors, normalised: x1 ~ gamma(3, rate 2), x2 ~
// beta(2, 5), x3 ~ Dirichlet(4, 1.5, 2.5), with Jacobians.
double log_posterior(const Vector& theta, Vector& gradient) {
  const double x1 = std::exp(theta[0]);
  double log_p = 3 * theta[0] - 2 * x1 + 3 * std::log(2.0) - std::lgamma(3.0);
  gradient[0] = 3 - 2 * x1;
  const double x2 = 1 / (1 + std::exp(-theta[1]));
  log_p += 2 * std::log(x2) + 5 * std::log1p(-x2) - (std::lgamma(2.0) + std::lgamma(5.0) - std::lgamma(7.0));
  gradient[1] = 2 - 7 * x2;
  const double a[] = {4, 1.5, 2.5};
  // Isometric log-ratios of three: the columns (1, -1, 0) / sqrt 2 and (1, 1, -2) / sqrt 6.
  const double v[3][2] = {{1 / std::sqrt(2.0), 1 / std::sqrt(6.0)},
                          {-1 / std::sqrt(2.0), 1 / std::sqrt(6.0)},
                          {0, -2 / std::sqrt(6.0)}};
  double z[3];
  double total = 0;
  for (int i = 0; i < 3; ++i) total += std::exp(z[i] = v[i][0] * theta[2] + v[i][1] * theta[3]);
  log_p += std::lgamma(8.0) + 0.5 * std::log(3.0);
  gradient[2] = gradient[3] = 0;
  for (int i = 0; i < 3; ++i) {
    log_p += a[i] * (z[i] - std::log(total)) - std::lgamma(a[i]);
    for (int j = 0; j < 2; ++j) gradient[2 + j] += v[i][j] * (a[i] - 8 * std::exp(z[i]) / total);
  }
  return log_p;
}

TestDensity conjugate() {
  TestDensity density(4, log_posterior);
  const density::Support simplex{.kind = Kind::simplex, .size = 2};
  density.set_supports({{Kind::positive, 0}, {Kind::bounded, 0, 1}, simplex, simplex});
  return density;
}

const Vector kExact{std::log(1.5), std::log(3.0), std::log(2.0), std::log(5.0),
                    std::log(4.0), std::log(1.5), std::log(2.5)};

// At the posterior itself every draw says so: log p = log q, and no gradient but that of rounding.
TEST(ConstrainedFamily, HoldsConjugatePosteriors) {
  TestDensity density = conjugate();
  const auto family = find_family("constrained").make({4, {}, density.supports(), nullptr});
  ASSERT_EQ(family->parameters(), kExact.size());
  const auto objective = find_objective("elbo").make({});
  const NoiseSource noise({1, 0, 0}, Sampling::iid, family->noise());
  const Options options;
  for (const char* name : {"stl", "rejection"}) {
    const auto estimator =
        find_estimator(name).make({&density, family.get(), objective.get(), &noise, 64, &options});
    Estimate estimate;
    estimator->estimate(kExact, 0, estimate);
    EXPECT_NEAR(estimate.bound, 0, 1e-12);
    for (const double slope : estimate.gradient) EXPECT_NEAR(slope, 0, 1e-9) << name;
  }
}

TEST(ConstrainedFamily, FindsConjugatePosteriors) {
  TestDensity density = conjugate();
  Options options;
  options.set("family", "constrained");
  options.set("draws", 2000);
  const auto run = testing::run("vi", density, options, {{0.1, 0.2, 0.3, -0.2}, 5, 0});
  double elbo = 0;
  for (std::size_t d = 0; d < run.draws.count(); ++d)
    elbo += (run.draws.log_density[d] - run.draws.log_q[d]) / static_cast<double>(run.draws.count());
  EXPECT_NEAR(elbo, 0, 2e-3);
  EXPECT_FALSE(run.found("khat")) << run.codes();
}

// The mean of 20000 gradients against the exact one: the ELBO is minus KL(gamma(a, mean m) || gamma(3, rate
// 2)), here by differences of its closed form. A bias of 2 % of the gradient would be 10 standard errors or
// more.
TEST(ConstrainedFamily, RejectionGradientsAreUnbiased) {
  TestDensity density(1, [](const Vector& theta, Vector& gradient) {
    gradient[0] = 3 - 2 * std::exp(theta[0]);
    return 3 * theta[0] - 2 * std::exp(theta[0]) + 3 * std::log(2.0) - std::lgamma(3.0);
  });
  density.set_supports({{Kind::positive, 0}});
  const auto family = find_family("constrained").make({1, {}, density.supports(), nullptr});
  const auto objective = find_objective("elbo").make({});
  const NoiseSource noise({77, 0, 0}, Sampling::iid, 1);
  const Options options;
  const Vector lambda{0.9, std::log(5.0)};
  const auto elbo = [](const Vector& at) {
    const double a = std::exp(at[1]);
    const double mean_log = at[0] - at[1] + boost::math::digamma(a);
    return 3 * mean_log - 2 * std::exp(at[0]) + 3 * std::log(2.0) - std::lgamma(3.0) + std::lgamma(a) -
           a * boost::math::digamma(a) + a;
  };
  const auto estimator =
      find_estimator("rejection").make({&density, family.get(), objective.get(), &noise, 8, &options});
  constexpr int kTimes = 20000;
  Vector mean(2);
  Vector square(2);
  Estimate estimate;
  for (int t = 0; t < kTimes; ++t) {
    estimator->estimate(lambda, static_cast<std::uint32_t>(t), estimate);
    for (std::size_t i = 0; i < 2; ++i) {
      mean[i] += estimate.gradient[i] / kTimes;
      square[i] += estimate.gradient[i] * estimate.gradient[i] / kTimes;
    }
  }
  Vector exact(2);
  for (std::size_t i = 0; i < 2; ++i) {
    Vector up = lambda;
    Vector down = lambda;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    exact[i] = (elbo(up) - elbo(down)) / 2e-5;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const double error = std::sqrt((square[i] - mean[i] * mean[i]) / kTimes);
    EXPECT_NEAR(mean[i], exact[i], 4.5 * error) << i;
    EXPECT_LT(4.5 * error, 0.02 * std::hypot(exact[0], exact[1])) << "no power to see a bias of 2 %";
  }
}

}  // namespace
}  // namespace kullback::infer
