// Coordinates that belong to single rows move only with their rows.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "infer/sgmcmc/gradient_source.hpp"
#include "infer/sgmcmc/options.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

constexpr double kNoise = 0.5;  // sd of y_n around z_n

// m ~ normal(0, 1), z_n ~ normal(m, 1), y_n ~ normal(z_n, kNoise): coordinate 0 is m, 1 + n is z_n.
class Latents final : public density::LogDensity, public density::Rows {
 public:
  explicit Latents(std::size_t count) : own_(count) {
    Random random(3);
    for (std::size_t n = 0; n < count; ++n) {
      y_.push_back(1 + std::sqrt(1 + kNoise * kNoise) * random.normal());
      own_[n] = static_cast<std::uint32_t>(n + 1);
    }
    choose({});
  }
  std::size_t dim() const override { return y_.size() + 1; }
  density::Rows* rows() override { return this; }
  std::size_t count() const override { return y_.size(); }
  std::span<const std::uint32_t> coordinates(std::size_t row) const override { return {&own_[row], 1}; }
  void choose(std::span<const std::uint32_t> rows) override {
    chosen_.assign(rows.begin(), rows.end());
    if (!rows.empty()) return;
    chosen_.resize(count());
    std::iota(chosen_.begin(), chosen_.end(), 0U);
  }
  void evaluate(const density::Batch& batch) override {
    const double scale = static_cast<double>(count()) / static_cast<double>(chosen_.size());
    const std::size_t lanes = batch.lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double m = batch.theta[k];
      double value = -0.5 * m * m;
      std::vector<double> gradient(dim(), 0.0);
      gradient[0] = -m;
      for (const std::uint32_t n : chosen_) {
        const double z = batch.theta[(n + 1) * lanes + k];
        const double miss = (y_[n] - z) / kNoise;
        value -= 0.5 * scale * ((z - m) * (z - m) + miss * miss);
        gradient[0] += scale * (z - m);
        gradient[n + 1] = scale * (m - z + miss / kNoise);
      }
      batch.log_density[k] = value;
      batch.status[k] = std::isfinite(value) ? density::Status::ok : density::Status::not_finite;
      for (std::size_t i = 0; batch.gradient != nullptr && i < dim(); ++i)
        batch.gradient[i * lanes + k] = gradient[i];
    }
  }

  // y_n ~ normal(m, s) with s^2 = 1 + kNoise^2.
  double variance_of_mean() const { return 1 / (1 + static_cast<double>(count()) / (1 + kNoise * kNoise)); }
  double mean() const {
    return variance_of_mean() * std::accumulate(y_.begin(), y_.end(), 0.0) / (1 + kNoise * kNoise);
  }
  // Of z_n: that of its own observation and m, and what m's uncertainty adds.
  double mean_of(std::size_t n) const { return share() * y_[n] + (1 - share()) * mean(); }
  double variance_of_latent() const {
    return share() * kNoise * kNoise + (1 - share()) * (1 - share()) * variance_of_mean();
  }

 private:
  static double share() { return 1 / (1 + kNoise * kNoise); }

  std::vector<double> y_;
  std::vector<std::uint32_t> own_;
  std::vector<std::uint32_t> chosen_;
};

TEST(RowCoordinates, HaveExactGradientsInTheirMinibatchesAndRestElsewhere) {
  Latents target(40);
  std::vector<double> theta(41), full(41), gradient;
  for (std::size_t i = 0; i < 41; ++i) theta[i] = 0.1 * static_cast<double>(i % 7);
  double value = 0;
  density::Status status{};
  target.evaluate({1, theta.data(), &value, full.data(), &status});
  for (const SgAnchor anchor : {SgAnchor::none, SgAnchor::mode}) {
    Options options;
    options.set("batch_size", 5);
    options.set("sg_anchor", anchor);
    GradientSource source(target, options, {1, 0, 0});
    source.set_anchor(std::vector<double>(41, 0.3));
    double sum = 0;
    for (std::uint32_t n = 0; n < 4000; ++n) {
      ASSERT_TRUE(source.at(n, theta, gradient));
      ASSERT_NE(source.active(), nullptr);
      ASSERT_EQ(source.active()->size(), 6U);
      for (const std::uint32_t i : *source.active()) {
        if (i > 0) {
          ASSERT_NEAR(gradient[i], full[i], 1e-12);
        }
      }
      ASSERT_EQ(40 - std::count(gradient.begin() + 1, gradient.end(), 0.0), 5);
      sum += gradient[0];
    }
    EXPECT_NEAR(sum / 4000, full[0], 0.5);
    source.see_all();
  }
}

class RowLatents : public ::testing::TestWithParam<const char*> {};

TEST_P(RowLatents, SamplesThePosterior) {
  Latents target(30);
  Options options;
  options.set("batch_size", 10);
  options.set("draws", 20000);
  options.set("sg_step_size", GetParam() == std::string("sgld") ? 0.05 : 0.1);
  options.set("sg_updates", 10);
  options.set("sg_anchor", SgAnchor::none);
  const testing::Outcome found =
      testing::run(GetParam(), target, options, start_at(std::vector<double>(31, 0.5), 4));
  EXPECT_NEAR(estimate(coordinate(found.draws, 0)).value, target.mean(),
              0.25 * std::sqrt(target.variance_of_mean()));
  for (const std::size_t n : {0U, 7U, 29U}) {
    const std::vector<double> z = coordinate(found.draws, n + 1);
    EXPECT_NEAR(estimate(z).value, target.mean_of(n), 0.15 * std::sqrt(target.variance_of_latent()));
    EXPECT_NEAR(estimate_variance(z, target.mean_of(n)).value / target.variance_of_latent(), 1, 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, RowLatents, ::testing::Values("sgld", "sghmc"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(RowCoordinates, AreNotMixedByADenseMetric) {
  Latents target(30);
  Options options;
  options.set("batch_size", 10);
  options.set("metric", Metric::dense);
  EXPECT_THROW(find_method("sgld")->make(target, options, start_at(std::vector<double>(31, 0.5))), Error);
}

}  // namespace
}  // namespace kullback::infer
