#include "deep/bnn/metrics.hpp"

#include <cmath>
#include <numbers>

namespace kullback::deep {
namespace {

const std::vector<double> kMeans = {-1.0, 0.5, 4.0}, kVariances = {0.25, 1.0, 0.09};
const NormalMixture kMixture{kMeans, kVariances};

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Simpson's rule.
template <class F>
double integral(double from, double to, const F& f) {
  constexpr int kSteps = 20000;
  const double h = (to - from) / kSteps;
  double sum = f(from) + f(to);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(from + i * h);
  return sum * h / 3;
}

TEST(NormalMixture, MomentsAreThoseOfItsDensity) {
  const auto density = [](double y) { return std::exp(log_density(kMixture, y)); };
  const VarianceSplit split = split_variance(kMixture);
  EXPECT_NEAR(integral(-12, 14, density), 1, 1e-10);
  EXPECT_NEAR(integral(-12, 14, [&](double y) { return y * density(y); }), split.mean, 1e-9);
  EXPECT_NEAR(integral(-12, 14, [&](double y) { return std::pow(y - split.mean, 2) * density(y); }),
              split.aleatoric + split.epistemic, 1e-8);
  EXPECT_NEAR(split.aleatoric, 1.34 / 3, 1e-15);
  EXPECT_NEAR(integral(-12, 1.7, density), cdf(kMixture, 1.7), 1e-10);
}

TEST(NormalMixture, UncertaintyOfAClosedFormsMeanIsEpistemic) {
  const double of_means[] = {0.1, 0.2, 0.03};
  const NormalMixture closed{kMeans, kVariances, of_means};
  const VarianceSplit split = split_variance(closed), plain = split_variance(kMixture);
  EXPECT_NEAR(split.epistemic - plain.epistemic, 0.11, 1e-15);
  EXPECT_NEAR(split.aleatoric + split.epistemic, plain.aleatoric + plain.epistemic, 1e-15);
}

TEST(NormalMixture, LogDensityFarOutDoesNotVanish) {
  EXPECT_NEAR(log_density(kMixture, 1e3),
              -0.5 * 999.5 * 999.5 - 0.5 * std::log(2 * std::numbers::pi) - std::log(3.0), 1e-6);
}

TEST(NormalMixture, QuantilesInvertTheCdf) {
  for (const double p : {1e-6, 0.05, 0.25, 0.5, 0.6667, 0.75, 0.95, 1 - 1e-9})
    EXPECT_NEAR(cdf(kMixture, quantile(kMixture, p)), p, 1e-13) << p;
  // Two narrow spikes far apart: nearly no mass between them.
  const std::vector<double> means = {-1e6, 1e6}, variances = {1e-6, 1e-6};
  const NormalMixture spikes{means, variances};
  EXPECT_NEAR(quantile(spikes, 0.25), -1e6, 1e-8);
  EXPECT_NEAR(quantile(spikes, 0.95), 1e6 + 1e-3 * 1.2815515655446004, 1e-8);
}

TEST(NormalMixture, CrpsIsTheIntegralOfTheSquaredDistance) {
  for (const double y : {-2.0, 0.7, 5.0}) {
    const double needed = integral(-14, y, [](double x) { return std::pow(cdf(kMixture, x), 2); }) +
                          integral(y, 16, [](double x) { return std::pow(1 - cdf(kMixture, x), 2); });
    EXPECT_NEAR(crps(kMixture, y), needed, 1e-9);
  }
}

// Gneiting and Raftery 2007: s (z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt(pi)).
TEST(NormalMixture, CrpsOfOneNormal) {
  const std::vector<double> mean = {1.0}, variance = {4.0};
  const double z = 0.75;
  const double needed =
      2 * (z * (2 * normal_cdf(z) - 1) + 2 * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi) -
           1 / std::sqrt(std::numbers::pi));
  EXPECT_NEAR(crps({mean, variance}, 2.5), needed, 1e-14);
}

TEST(Entropy, OfDrawsThatAgreeIsAllNoise) {
  const std::vector<double> probs = {0.5, 0.5, 0.5, 0.5};
  const EntropySplit split = split_entropy(probs, 2);
  EXPECT_NEAR(split.total, std::numbers::ln2, 1e-15);
  EXPECT_NEAR(split.epistemic, 0, 1e-15);
}

TEST(Entropy, OfDrawsThatAreSureAndDisagreeIsAllEpistemic) {
  const std::vector<double> probs = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const EntropySplit split = split_entropy(probs, 3);
  EXPECT_NEAR(split.epistemic, std::log(3.0), 1e-15);
  EXPECT_EQ(split.aleatoric, 0);
  EXPECT_NEAR(split.probs[1], 1.0 / 3, 1e-15);
}

TEST(Classification, BrierScoreSumsOverClasses) {
  const std::vector<double> probs = {0.2, 0.5, 0.3};
  EXPECT_NEAR(brier(probs, 1), 0.04 + 0.25 + 0.09, 1e-15);
}

TEST(Classification, CalibrationErrorByHand) {
  const std::vector<double> confidence = {0.55, 0.6, 0.95, 0.91, 1.0};
  const std::vector<bool> is_right = {true, false, true, true, false};
  const auto bins = reliability(confidence, is_right, 10);
  EXPECT_EQ(bins[5].rows, 2u);  // (0.5, 0.6]
  EXPECT_EQ(bins[9].rows, 3u);
  EXPECT_NEAR(bins[9].confidence, 2.86 / 3, 1e-15);
  EXPECT_NEAR(calibration_error(bins), 0.4 * std::fabs(0.5 - 0.575) + 0.6 * std::fabs(2.0 / 3 - 2.86 / 3),
              1e-12);
}

TEST(Auroc, CountsTiesHalf) {
  const std::vector<double> positive = {3, 2, 2, 5}, negative = {1, 2, 4};
  double wins = 0;
  for (const double p : positive)
    for (const double n : negative) wins += p > n ? 1 : p == n ? 0.5 : 0;
  EXPECT_NEAR(auroc(positive, negative), wins / 12, 1e-15);
  EXPECT_TRUE(std::isnan(auroc({}, negative)));
}

}  // namespace
}  // namespace kullback::deep
