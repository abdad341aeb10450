// Minibatches: rows as samplers choose them, densities by minibatches, and fits with them.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "infer/rows/anchor_search.hpp"
#include "infer/rows/row_sampler.hpp"
#include "infer/rows/subsampled_density.hpp"
#include "infer/vi/options.hpp"
#include "tests/infer/scheme_runs.hpp"

namespace kullback::infer {
namespace {

constexpr NoiseName kName{11, 0, 0};

// By row, what its terms are multiplied by, in the mean over steps.
Numbers mean_scales(RowSampler& sampler, std::uint32_t steps) {
  Numbers sums(sampler.rows(), 0.0);
  for (std::uint32_t index = 0; index < steps; ++index) {
    double weights = 0;
    for (const RowPiece& piece : sampler.at(index)) {
      weights += piece.weight;
      for (const std::uint32_t row : piece.rows)
        sums[row] +=
            piece.weight * static_cast<double>(sampler.rows()) / static_cast<double>(piece.rows.size());
    }
    EXPECT_NEAR(weights, 1, 1e-12);
  }
  for (double& sum : sums) sum /= steps;
  return sums;
}

// Scales are s with probability 1 / s: mean 1 and variance s - 1 at most.
void expect_unbiased(RowSampler sampler, double largest_scale) {
  constexpr std::uint32_t kSteps = 20000;
  const double error = std::sqrt((largest_scale - 1) / kSteps);
  for (const double scale : mean_scales(sampler, kSteps)) EXPECT_NEAR(scale, 1, 4.5 * error);
}

TEST(RowSampler, countsEachRowOnceInTheMean) {
  expect_unbiased({kName, RowSampling::uniform, 13, 4}, 13.0 / 4);
  expect_unbiased({kName, RowSampling::epochs, 13, 4}, 13.0 / 3);
  const std::vector<std::uint32_t> strata{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 0};
  expect_unbiased({kName, 13, 4, strata, {}}, 6);
  expect_unbiased({kName, 13, 6, strata, Numbers{0.1, 1, 5}}, 6);
}

TEST(RowSampler, epochsSeeEachRowOnce) {
  RowSampler sampler(kName, RowSampling::epochs, 13, 4);
  std::vector<int> seen(13, 0);
  for (std::uint32_t index = 4; index < 8; ++index) {  // the second epoch
    for (const std::uint32_t row : sampler.at(index).front().rows) ++seen[row];
  }
  EXPECT_EQ(seen, std::vector<int>(13, 1));
}

TEST(RowSampler, takesMoreOfWhatVariesMore) {
  std::vector<std::uint32_t> strata(100, 0);
  std::fill(strata.begin() + 50, strata.end(), 1U);
  RowSampler sampler(kName, 100, 20, strata, Numbers{1, 4});
  const auto& pieces = sampler.at(3);
  EXPECT_EQ(pieces[0].rows.size(), 4U);
  EXPECT_EQ(pieces[1].rows.size(), 16U);
}

TEST(RowSampler, sameIndexSameRows) {
  RowSampler a(kName, RowSampling::epochs, 50, 7);
  RowSampler b(kName, RowSampling::epochs, 50, 7);
  a.at(3);
  a.at(30);
  EXPECT_EQ(a.at(11).front().rows, b.at(11).front().rows);
}

TEST(RowSampler, refusesMoreStrataThanRows) {
  const std::vector<std::uint32_t> strata{0, 1, 2};
  EXPECT_THROW(RowSampler(kName, 3, 2, strata, {}), Error);
}

TEST(RowSampler, scoresMakeStrataOfEqualSize) {
  EXPECT_EQ(strata_by_score(Numbers{5, 1, 9, 3}, 2), (std::vector<std::uint32_t>{1, 0, 1, 0}));
}

struct At {
  double value = 0;
  Numbers gradient;
};

At evaluate(density::LogDensity& density, const Numbers& theta) {
  At at{0, Numbers(theta.size())};
  density::Status status{};
  density.evaluate({1, theta.data(), &at.value, at.gradient.data(), &status});
  EXPECT_EQ(status, density::Status::ok);
  return at;
}

// Blocks of one size: the mean over an epoch is exact.
TEST(SubsampledDensity, isTheDensityInTheMean) {
  RowSum target(24);
  const Numbers theta{0.4, -1.1};
  const At full = evaluate(target, theta);
  const Numbers at{1.2, -1.7};
  const At at_anchor = evaluate(target, at);
  for (const bool has_anchor : {false, true}) {
    std::optional<Anchor> anchor;
    if (has_anchor) anchor = Anchor{at, at_anchor.value, at_anchor.gradient};
    SubsampledDensity density(target, {kName, RowSampling::epochs, 24, 4}, anchor);
    At mean{0, {0, 0}};
    for (int b = 0; b < 6; ++b) {
      const At part = evaluate(density, theta);
      mean.value += part.value / 6;
      for (std::size_t i = 0; i < 2; ++i) mean.gradient[i] += part.gradient[i] / 6;
    }
    EXPECT_NEAR(mean.value, full.value, 1e-10 * std::abs(full.value));
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(mean.gradient[i], full.gradient[i], 1e-9);
  }
  EXPECT_EQ(evaluate(target, theta).value, full.value) << "all rows are chosen again";
}

// The noise of rows that an anchor leaves is of second order.
TEST(SubsampledDensity, anchorTakesTheNoiseAway) {
  RowSum target(2000);
  const Numbers at{1.5, -2};
  const At known = evaluate(target, at);
  const Numbers near{1.52, -1.98};
  const At full = evaluate(target, near);
  double plain = 0;
  double anchored = 0;
  SubsampledDensity a(target, {kName, RowSampling::uniform, 2000, 20});
  SubsampledDensity b(target, {kName, RowSampling::uniform, 2000, 20},
                      Anchor{at, known.value, known.gradient});
  for (int step = 0; step < 200; ++step) {
    plain += std::pow(evaluate(a, near).gradient[0] - full.gradient[0], 2);
    anchored += std::pow(evaluate(b, near).gradient[0] - full.gradient[0], 2);
  }
  EXPECT_LT(anchored, 0.002 * plain);
}

TEST(AnchorSearch, findsTheModeOfAllRows) {
  RowSum target(40000);
  AnchorSearch search(target, kName, {0, 0}, 100, true);
  while (search.step()) {
  }
  ASSERT_TRUE(search.has_gaussian());
  EXPECT_LT(search.subset_rows(), 40000U);
  EXPECT_LE(search.full_gradients(), 4U);
  const At there = evaluate(target, search.anchor().theta);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LT(std::abs(there.gradient[i]) * search.guess().sd[i], 0.03);  // a Newton step, in sds
}

// Posterior of RowSum: Gaussian with precision sum of (1, x)(1, x)'. Against Newton's step from anywhere.
void expect_posterior(const std::string& method, Options options, double mean_tolerance,
                      double sd_tolerance) {
  SCOPED_TRACE(method + " " + std::string(options[option::kRowSampling]) + " " +
               std::string(options[option::kRowControl]));
  constexpr std::size_t kRows = 3000;
  RowSum target(kRows);
  const At origin = evaluate(target, {0, 0});
  const At a = evaluate(target, {1, 0});
  const At b = evaluate(target, {0, 1});
  const double p00 = origin.gradient[0] - a.gradient[0];
  const double p01 = origin.gradient[1] - a.gradient[1];
  const double p11 = origin.gradient[1] - b.gradient[1];
  const double determinant = p00 * p11 - p01 * p01;
  const Numbers mean{(p11 * origin.gradient[0] - p01 * origin.gradient[1]) / determinant,
                     (p00 * origin.gradient[1] - p01 * origin.gradient[0]) / determinant};
  const Numbers sd{std::sqrt(p11 / determinant), std::sqrt(p00 / determinant)};
  options.set("draws", 4000);
  const testing::Outcome outcome = testing::run(method, target, options, {{0.1, 0.2}, 3, 0});
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    double squares = 0;
    const auto count = static_cast<double>(outcome.draws.count());
    for (std::size_t d = 0; d < outcome.draws.count(); ++d) sum += outcome.draws.theta[2 * d + i] / count;
    for (std::size_t d = 0; d < outcome.draws.count(); ++d)
      squares += std::pow(outcome.draws.theta[2 * d + i] - sum, 2) / count;
    EXPECT_NEAR((sum - mean[i]) / sd[i], 0, mean_tolerance) << i;
    EXPECT_NEAR(std::sqrt(squares) / sd[i], 1, sd_tolerance) << i;
  }
}

TEST(MinibatchFit, reachesThePosterior) {
  Options options;
  options.set("batch_size", 60);
  for (const char* sampling : {"uniform", "epochs", "importance"}) {
    options.set("row_sampling", sampling);
    expect_posterior("fullrank", options, 0.1, 0.1);
    expect_posterior("advi", options, 0.1, 0.1);
  }
}

TEST(MinibatchFit, plainIsNoisierAndComesNear) {
  Options options;
  options.set("batch_size", 200);
  options.set("row_control", "none");
  expect_posterior("advi", options, 0.5, 0.3);
}

TEST(MinibatchFit, resumes) {
  RowSum target(300);
  Options options;
  options.set("batch_size", 20);
  options.set("max_steps", 60);
  options.set("draws", 10);
  for (const char* sampling : {"uniform", "epochs"}) {
    options.set("row_sampling", sampling);
    testing::expect_resumes("advi", target, options, {{0.1, 0.2}, 3, 0}, 7);
    testing::expect_resumes("fullrank", target, options, {{0.1, 0.2}, 3, 0}, 7);
  }
}

std::string refused(const std::string& method, const Options& options) {
  RowSum target(30);
  try {
    find_method(method)->make(target, options, {{0.1, 0.2}, 3, 0});
  } catch (const Error& error) {
    return error.message() + " " + error.hint();
  }
  return "not refused";
}

TEST(MinibatchFit, refusesWhatMakesNoSense) {
  const auto with = [](std::size_t rows, const char* sampling, const char* control) {
    Options options;
    options.set("batch_size", rows);
    options.set("row_sampling", sampling);
    options.set("row_control", control);
    return options;
  };
  EXPECT_NE(refused("advi", with(31, "uniform", "")).find("the data have 30 rows"), std::string::npos);
  EXPECT_NE(refused("advi", with(0, "epochs", "")).find("--minibatch N=256"), std::string::npos);
  EXPECT_NE(refused("advi", with(5, "bootstrap", "")).find("uniform, epochs, strata"), std::string::npos);
  EXPECT_NE(refused("advi", with(5, "strata", "")).find("--strata NAME"), std::string::npos);
  EXPECT_NE(refused("advi", with(5, "uniform", "saga")).find("anchor and none"), std::string::npos);
  EXPECT_NE(refused("iw", with(5, "uniform", "")).find("linear in log p"), std::string::npos);
  EXPECT_NE(refused("dadvi", with(5, "uniform", "")).find("minibatches"), std::string::npos);
}

// Frozen parameters stay as they are with all that is remembered of them: the others go as if they were
// alone.
TEST(FrozenParameters, areLeftAlone) {
  for (const OptimizerRecord* record : optimizers()) {
    if (record->make == nullptr) continue;
    SCOPED_TRACE(std::string(record->name));
    const auto both = record->make({}, 2);
    const auto alone = record->make({}, 1);
    Numbers lambda{0.3, 0.3};
    Numbers one{0.3};
    for (int step = 0; step < 12; ++step) {
      const Numbers gradient{std::sin(1.0 + step), 0.7};
      const bool is_drawn = step % 3 == 1;
      const std::vector<unsigned char> frozen{static_cast<unsigned char>(!is_drawn), 0};
      const double before = lambda[0];
      both->step(gradient, 0.1, lambda, frozen);
      if (is_drawn)
        alone->step(Numbers{gradient[0]}, 0.1, one, std::vector<unsigned char>{0});
      else
        EXPECT_EQ(lambda[0], before);
    }
    EXPECT_EQ(lambda[0], one[0]);
  }
}

}  // namespace
}  // namespace kullback::infer
