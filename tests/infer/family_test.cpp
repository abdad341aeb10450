// What the contract of families (infer/vi/family.hpp) promises, for every family in infer/vi/families.def: by
// finite differences, by closed forms against draws, and by the identity E_q[f / q] = 1 for any density f.
#include "infer/vi/family.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "infer/vi/noise.hpp"

namespace kullback::infer {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t kDim = 3;
constexpr std::size_t kLanes = 5;
constexpr std::uint64_t kSeed = 20261115;

const GaussianGuess kGuess{
    {0.3, -0.2, 0.5}, {1.2, 0.8, 0.9}, {1.2, 0.3, -0.2, 0.0, std::sqrt(0.64 - 0.09), 0.25, 0.0, 0.0, 0.8}};

struct Case {
  const FamilyRecord* record = nullptr;
  std::string name;
  std::vector<density::Support> supports;
};

// Every family, and the one that looks at supports with others too.
std::vector<Case> cases() {
  using Kind = density::Support::Kind;
  std::vector<Case> all;
  for (const FamilyRecord* record : families()) {
    std::string name(record->name);
    std::replace(name.begin(), name.end(), '-', '_');
    all.push_back({record, name, {{}, {Kind::positive, 0}, {Kind::bounded, 0, 1}}});
  }
  const density::Support simplex{.kind = Kind::simplex, .size = 2};
  all.push_back({&find_family("constrained"),
                 "simplex_and_circle",
                 {simplex, simplex, {Kind::bounded, -std::numbers::pi, std::numbers::pi}}});
  return all;
}

class FamilyContract : public testing::TestWithParam<Case> {
 protected:
  FamilyContract() {
    options_.set("rank", 2);
    family_ = GetParam().record->make({kDim, blocks_, GetParam().supports, &options_});
    lambda_.resize(family_->parameters());
    family_->begin(kGuess, kSeed, lambda_);
    Random random(kSeed, 1);
    for (double& value : lambda_) value += 0.1 * random.normal();  // no special point
    noise_ = make_noise(kLanes, 0);
  }

  Vector make_noise(std::size_t lanes, std::uint32_t index) const {
    const NoiseSource source({kSeed, 0, 99}, Sampling::iid, family_->noise());
    Vector noise(source.size() * lanes);
    source.fill(index, lanes, noise.data());
    return noise;
  }

  struct Drawn {
    Vector theta;
    Vector log_q;
  };
  Drawn draw(const Vector& lambda, const Vector& noise, std::size_t lanes) const {
    Drawn result{Vector(kDim * lanes), Vector(lanes)};
    const bool has_log_q = family_->abilities().log_q;
    family_->draw(lambda,
                  {lanes, noise.data(), result.theta.data(), has_log_q ? result.log_q.data() : nullptr});
    return result;
  }

  Vector log_q_at(const Vector& lambda, const Vector& theta, std::size_t lanes) const {
    Vector result(lanes);
    family_->evaluate(lambda, {lanes, theta.data(), result.data(), nullptr});
    return result;
  }

  // Central differences of f to its argument, with Richardson's extrapolation.
  template <class Function>
  static Vector slopes_by_differences(const Function& f, Vector at, double step = 2e-4) {
    Vector result(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto difference = [&](double h) {
        const double middle = at[i];
        at[i] = middle + h;
        const double above = f(at);
        at[i] = middle - h;
        const double below = f(at);
        at[i] = middle;
        return (above - below) / (2 * h);
      };
      result[i] = (4 * difference(step) - difference(2 * step)) / 3;
    }
    return result;
  }

  static void expect_near(const Vector& found, const Vector& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    double scale = 1;
    for (const double value : expected) scale = std::max(scale, std::abs(value));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], tolerance * scale) << "number " << i;
  }

  Options options_;
  std::vector<density::Block> blocks_{{"a", 0, 1}, {"b", 1, 2}};
  std::unique_ptr<Family> family_;
  Vector lambda_;
  Vector noise_;
};

TEST_P(FamilyContract, SaysWhatItIs) {
  EXPECT_EQ(&find_family(GetParam().record->name), GetParam().record);
  EXPECT_FALSE(GetParam().record->summary.empty());
  EXPECT_FALSE(GetParam().record->citation.empty());
  EXPECT_EQ(family_->dim(), kDim);
  EXPECT_GT(family_->parameters(), 0U);
}

TEST_P(FamilyContract, LanesDoNotMix) {
  const Drawn together = draw(lambda_, noise_, kLanes);
  for (std::size_t k = 0; k < kLanes; ++k) {
    Vector one(family_->noise());
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = noise_[i * kLanes + k];
    const Drawn alone = draw(lambda_, one, 1);
    for (std::size_t i = 0; i < kDim; ++i)
      EXPECT_NEAR(alone.theta[i], together.theta[i * kLanes + k], 1e-12 * (1 + std::abs(alone.theta[i])));
    EXPECT_NEAR(alone.log_q[0], together.log_q[k], 1e-11 * (1 + std::abs(alone.log_q[0])));
  }
}

TEST_P(FamilyContract, PullBackIsTheDerivativeOfTheDraws) {
  if (!family_->abilities().reparameterised) GTEST_SKIP();
  Random random(kSeed, 2);
  Vector theta_adjoint(kDim * kLanes);
  Vector log_q_adjoint(kLanes);
  for (double& value : theta_adjoint) value = random.normal();
  for (double& value : log_q_adjoint) value = random.normal();
  const bool has_log_q = family_->abilities().log_q;
  const auto scalar = [&](const Vector& lambda) {
    const Drawn drawn = draw(lambda, noise_, kLanes);
    return std::inner_product(drawn.theta.begin(), drawn.theta.end(), theta_adjoint.begin(), 0.0) +
           (has_log_q ? std::inner_product(drawn.log_q.begin(), drawn.log_q.end(), log_q_adjoint.begin(), 0.0)
                      : 0.0);
  };
  const Vector expected = slopes_by_differences(scalar, lambda_);
  draw(lambda_, noise_, kLanes);
  Vector found(lambda_.size(), 1.0);  // it adds
  family_->pull_back(lambda_, {kLanes, theta_adjoint.data(), has_log_q ? log_q_adjoint.data() : nullptr},
                     found);
  for (double& value : found) value -= 1;
  expect_near(found, expected, 1e-7);
}

TEST_P(FamilyContract, LogQOfADrawIsLogQAtThePoint) {
  if (!family_->abilities().log_q_at) GTEST_SKIP();
  const Drawn drawn = draw(lambda_, noise_, kLanes);
  expect_near(log_q_at(lambda_, drawn.theta, kLanes), drawn.log_q, 1e-10);
}

TEST_P(FamilyContract, SlopesAreTheDerivativeOfLogQ) {
  if (!family_->abilities().log_q_at) GTEST_SKIP();
  const Drawn drawn = draw(lambda_, noise_, kLanes);
  const auto sum = [&](const Vector& theta) {
    const Vector each = log_q_at(lambda_, theta, kLanes);
    return std::accumulate(each.begin(), each.end(), 0.0);
  };
  const Vector expected = slopes_by_differences(sum, drawn.theta);
  Vector log_q(kLanes);
  Vector found(kDim * kLanes);
  family_->evaluate(lambda_, {kLanes, drawn.theta.data(), log_q.data(), found.data()});
  expect_near(found, expected, 1e-7);
  if (!family_->abilities().slopes) return;
  draw(lambda_, noise_, kLanes);
  family_->slopes_of_draws(lambda_, found.data());
  expect_near(found, expected, 1e-7);
}

// Where log q is known of draws only: their total derivative to the noise is J' slopes, J the derivative of
// the draw to the noise.
TEST_P(FamilyContract, SlopesOfDrawsFollowTheChainRule) {
  if (!family_->abilities().slopes || family_->noise() != kDim || !family_->abilities().log_q) GTEST_SKIP();
  const Vector one = make_noise(1, 3);
  // log q(theta(z)) = log N(z) - log|J|: as a function of z it has the derivative J' slopes.
  draw(lambda_, one, 1);
  Vector slopes(kDim);
  family_->slopes_of_draws(lambda_, slopes.data());
  const Vector expected =
      slopes_by_differences([&](const Vector& noise) { return draw(lambda_, noise, 1).log_q[0]; }, one);
  const Vector found = slopes_by_differences(
      [&](const Vector& noise) {
        const Vector theta = draw(lambda_, noise, 1).theta;
        return std::inner_product(theta.begin(), theta.end(), slopes.begin(), 0.0);
      },
      one);
  expect_near(found, expected, 1e-6);
}

TEST_P(FamilyContract, ScoreIsTheDerivativeOfLogQToLambda) {
  if (!family_->abilities().log_q_at) GTEST_SKIP();
  const Drawn drawn = draw(lambda_, noise_, kLanes);
  const Vector weights{0.5, -1.0, 2.0, 0.0, 0.7};
  const auto weighted = [&](const Vector& lambda) {
    const Vector each = log_q_at(lambda, drawn.theta, kLanes);
    return std::inner_product(each.begin(), each.end(), weights.begin(), 0.0);
  };
  const Vector expected = slopes_by_differences(weighted, lambda_);
  Vector found(lambda_.size(), 1.0);  // it adds
  const PointBatch points{kLanes, drawn.theta.data()};
  family_->score(lambda_, points, weights.data(), found);
  for (double& value : found) value -= 1;
  expect_near(found, expected, 1e-7);
  Vector each(lambda_.size() * kLanes);
  family_->scores(lambda_, points, each.data());
  for (std::size_t p = 0; p < lambda_.size(); ++p)
    found[p] = std::inner_product(weights.begin(), weights.end(),
                                  each.begin() + static_cast<std::ptrdiff_t>(p * kLanes), 0.0);
  expect_near(found, expected, 1e-7);
}

TEST_P(FamilyContract, FactorsMultiplyToTheWhole) {
  const Factors factors = family_->factors();
  if (factors.count == 0) GTEST_SKIP();
  ASSERT_EQ(factors.of_coordinate.size(), kDim);
  ASSERT_EQ(factors.of_parameter.size(), lambda_.size());
  const Drawn drawn = draw(lambda_, noise_, kLanes);
  Vector each(factors.count * kLanes);
  family_->factor_log_q(lambda_, {kLanes, drawn.theta.data()}, each.data());
  Vector sum(kLanes);
  for (std::size_t i = 0; i < each.size(); ++i) sum[i % kLanes] += each[i];
  expect_near(sum, drawn.log_q, 1e-11);
  for (std::size_t p = 0; p < lambda_.size(); ++p) {  // a parameter moves its own factor alone
    Vector moved = lambda_;
    moved[p] += 0.3;
    Vector after(each.size());
    family_->factor_log_q(moved, {kLanes, drawn.theta.data()}, after.data());
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (i / kLanes == factors.of_parameter[p]) continue;
      EXPECT_EQ(after[i], each[i]);
    }
  }
}

TEST_P(FamilyContract, EntropyAndMomentsAreThoseOfTheDraws) {
  const Abilities abilities = family_->abilities();
  constexpr std::size_t kMany = 20000;
  const Drawn drawn = draw(lambda_, make_noise(kMany, 7), kMany);
  const auto mean_and_error = [&](const auto& value) {
    double mean = 0;
    double squares = 0;
    for (std::size_t k = 0; k < kMany; ++k) mean += value(k) / kMany;
    for (std::size_t k = 0; k < kMany; ++k) squares += std::pow(value(k) - mean, 2);
    return std::pair(mean, std::sqrt(squares) / kMany);
  };
  if (abilities.entropy) {
    const auto [mean, error] = mean_and_error([&](std::size_t k) { return -drawn.log_q[k]; });
    EXPECT_NEAR(family_->entropy(lambda_, 1, {}), mean, 4.5 * error + 1e-10);
    Vector found(lambda_.size());
    family_->entropy(lambda_, 2, found);
    expect_near(
        found,
        slopes_by_differences([&](const Vector& l) { return 2 * family_->entropy(l, 1, {}); }, lambda_),
        1e-7);
  }
  if (!abilities.moments) return;
  Vector means(kDim);
  Vector sds(kDim);
  family_->moments(lambda_, means, sds);
  for (std::size_t i = 0; i < kDim; ++i) {
    const auto [mean, error] = mean_and_error([&](std::size_t k) { return drawn.theta[i * kMany + k]; });
    EXPECT_NEAR(means[i], mean, 4.5 * error);
    const auto [square, square_error] =
        mean_and_error([&](std::size_t k) { return std::pow(drawn.theta[i * kMany + k] - means[i], 2); });
    EXPECT_NEAR(sds[i] * sds[i], square, 4.5 * square_error);
  }
}

// A normal density f that is narrower than q: E_q[f / q] = 1 says that log q is normalised.
TEST_P(FamilyContract, LogQIsNormalised) {
  if (!family_->abilities().log_q) GTEST_SKIP();
  constexpr std::size_t kMany = 40000;
  const Drawn drawn = draw(lambda_, make_noise(kMany, 11), kMany);
  double mean = 0;
  double squares = 0;
  for (std::size_t k = 0; k < kMany; ++k) {
    double log_f = 0;
    for (std::size_t i = 0; i < kDim; ++i) {
      const double sd = 0.4 * kGuess.sd[i];
      const double z = (drawn.theta[i * kMany + k] - kGuess.mean[i]) / sd;
      log_f -= 0.5 * z * z + std::log(sd) + 0.5 * std::log(2 * std::numbers::pi);
    }
    const double ratio = std::exp(log_f - drawn.log_q[k]);
    mean += ratio / kMany;
    squares += ratio * ratio / kMany;
  }
  EXPECT_NEAR(mean, 1, 4.5 * std::sqrt((squares - mean * mean) / kMany));
}

TEST_P(FamilyContract, TakesAndGivesGaussians) {
  if (!family_->abilities().is_gaussian) GTEST_SKIP();
  const GaussianGuess own = family_->gaussian_of(lambda_);
  Vector again(lambda_.size());
  family_->set_gaussian(own, again);
  const GaussianGuess back = family_->gaussian_of(again);
  expect_near(back.mean, own.mean, 1e-12);
  expect_near(back.sd, own.sd, 1e-7);
}

TEST_P(FamilyContract, BeginsNearTheGuess) {
  Vector lambda(lambda_.size());
  family_->begin(kGuess, kSeed, lambda);
  constexpr std::size_t kMany = 4000;
  const Drawn drawn = draw(lambda, make_noise(kMany, 13), kMany);
  for (std::size_t i = 0; i < kDim; ++i) {
    double mean = 0;
    for (std::size_t k = 0; k < kMany; ++k) mean += drawn.theta[i * kMany + k] / kMany;
    EXPECT_NEAR(mean, kGuess.mean[i], kGuess.sd[i]) << "coordinate " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyContract, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace kullback::infer
