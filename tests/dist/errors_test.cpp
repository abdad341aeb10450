// What wrong arguments are told, how checks are switched off, and that every constraint admits what it
// should.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "tests/dist/examples.hpp"

namespace kullback::dist {
namespace {

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_FALSE(e.hint().empty());
    return e.message();
  }
  return "no error";
}

TEST(Errors, ParametersAreNamed) {
  const auto bad = at::tensor({1.0, 2.0, -1.0}, at::kDouble);
  EXPECT_EQ(message_of([&] { Normal(0.0, bad); }), "Normal: scale must be above 0; found -1 at [2].");
  EXPECT_EQ(message_of([&] { Normal(NAN, 1.0); }), "Normal: loc must be a finite number; found nan.");
  EXPECT_EQ(message_of([&] { Gamma(bad, 1.0); }), "Gamma: concentration must be above 0; found -1 at [2].");
  EXPECT_EQ(message_of([&] { Bernoulli(Probs{1.5}); }),
            "Bernoulli: probs must be between 0 and 1; found 1.5.");
  EXPECT_EQ(message_of([&] { Uniform(1.0, 0.5); }), "Uniform: high - low must be above 0; found -0.5.");
  EXPECT_EQ(message_of([&] {
              Dirichlet(bad.expand({2, 3}));
            }),
            "Dirichlet: concentration must be above 0; found [1, 2, -1] at [0].");
  EXPECT_EQ(message_of([&] { Dirichlet(at::ones({})); }),
            "Dirichlet: concentration has 0 dimensions; it needs at least 1.");
  EXPECT_EQ(message_of([&] { MultivariateNormal(bad, Covariance{-at::eye(3, at::kDouble)}); }),
            "MultivariateNormal: covariance must be a symmetric positive definite matrix; found [-1, 0, 0, "
            "0, -1, 0, ...].");
  EXPECT_EQ(message_of([&] {
              MultivariateNormal(bad, ScaleTril{at::ones({3, 3}, at::kDouble)});
            }),
            "MultivariateNormal: scale_tril must be a lower triangular matrix with a diagonal above 0; found "
            "[1, 1, 1, 1, "
            "1, 1, ...].");
}

TEST(Errors, ShapesAreNamed) {
  EXPECT_EQ(message_of([] { Normal(at::zeros({2}), at::ones({3})); }),
            "Normal: scale has batch shape [3]; the parameters before it have [2].");
  EXPECT_EQ(message_of([] { MultivariateNormal(at::zeros({2}), ScaleTril{at::eye(3)}); }),
            "MultivariateNormal: loc has shape [2] and scale_tril [3, 3].");
  EXPECT_EQ(message_of([] {
              LowRankMultivariateNormal(at::zeros({2}), at::ones({3, 1}), at::ones({2}));
            }),
            "LowRankMultivariateNormal: loc has shape [2], factor [3, 1] and diagonal [2].");
  EXPECT_EQ(message_of([] { Normal(at::zeros({2}), 1.0).log_prob(at::zeros({3})); }),
            "Normal: value has shape [3]; batch shape is [2] and event shape [].");
  EXPECT_EQ(message_of([] { Dirichlet(at::ones({3})).log_prob(at::ones({2}) / 2); }),
            "Dirichlet: value has shape [2]; batch shape is [] and event shape [3].");
  EXPECT_EQ(message_of([] { Normal(at::zeros({2}), 1.0).expand({3}); }),
            "Normal: batch shape [2] does not expand to [3].");
  EXPECT_EQ(message_of([] { Independent(Normal(0.0, 1.0), 1); }),
            "Independent(Normal): cannot take 1 dimensions of batch shape [].");
  EXPECT_EQ(
      message_of([] { MixtureSameFamily(Categorical(Logits{at::zeros({3})}), Normal(at::zeros({2}), 1.0)); }),
      "MixtureSameFamily(Normal): the components have batch shape [2]; its last dimension must count the 3 "
      "classes "
      "of the weights.");
}

TEST(Errors, ValuesAreNamed) {
  EXPECT_EQ(message_of([] {
              Poisson(1.0).log_prob(at::tensor({1.0, 2.5}));
            }),
            "Poisson: value must be a whole number, at least 0; found 2.5 at [1].");
  EXPECT_EQ(message_of([] { Bernoulli(Logits{0.0}).log_prob(at::full({}, 0.5)); }),
            "Bernoulli: value must be 0 or 1; found 0.5.");
  EXPECT_EQ(message_of([] { Categorical(Logits{at::zeros({3})}).log_prob(at::full({}, 3)); }),
            "Categorical: value must be a whole number, 0 to 2; found 3.");
  EXPECT_EQ(message_of([] { Gamma(1.0, 1.0).log_prob(at::full({2}, -1.0)); }),
            "Gamma: value must be at least 0; found -1 at [0].");
  EXPECT_EQ(message_of([] { Uniform(at::zeros({2}), 1.0).log_prob(at::full({}, 2.0)); }),
            "Uniform: value must be between the bounds; found 2 at [0].");
  EXPECT_EQ(message_of([] { Dirichlet(at::ones({2})).log_prob(at::ones({2})); }),
            "Dirichlet: value must be at least 0 with sum 1 along the last dimension; found [1, 1].");
}

TEST(Errors, WhatHasNoClosedFormSaysSo) {
  EXPECT_EQ(message_of([] { Gamma(1.0, 1.0).icdf(at::full({}, 0.5)); }),
            "Gamma: its quantiles have no closed form.");
  EXPECT_EQ(message_of([] { Poisson(1.0).entropy(); }), "Poisson: its entropy has no closed form.");
  EXPECT_EQ(message_of([] { Normal(0.0, 1.0).enumerate_support(); }), "Normal: its support is not finite.");
}

TEST(Validation, CanBeSwitchedOff) {
  {
    const Validation off(false);
    EXPECT_FALSE(Validation::is_on());
    const Normal wrong(0.0, -1.0);
    EXPECT_TRUE(std::isnan(wrong.log_prob(at::zeros({})).item<double>()));
    // Outside the support the density is 0.
    EXPECT_EQ(Exponential(1.0).log_prob(at::full({}, -1.0)).item<double>(), -INFINITY);
    EXPECT_EQ(Uniform(0.0, 1.0).log_prob(at::full({}, 2.0)).item<double>(), -INFINITY);
    EXPECT_EQ(HalfNormal(1.0).log_prob(at::full({}, -2.0)).item<double>(), -INFINITY);
  }
  EXPECT_TRUE(Validation::is_on());
  EXPECT_THROW(Normal(0.0, -1.0), Error);
}

TEST(Validation, IsKeptByTheDistribution) {
  const auto made_without = [] {
    const Validation off(false);
    return Exponential(1.0);
  }();
  EXPECT_FALSE(made_without.validates());
  EXPECT_FALSE(made_without.expand({2})->validates());
  EXPECT_EQ(made_without.log_prob(at::full({}, -1.0)).item<double>(), -INFINITY);
}

TEST(Constraints, AdmitAndRefuse) {
  const auto all = [](const Constraint& c, const Tensor& t) { return c.check(t).all().item<bool>(); };
  const auto x = at::tensor({0.0, 1.0});
  EXPECT_TRUE(all(constraints::boolean(), x));
  EXPECT_FALSE(all(constraints::boolean(), 2 * x));
  EXPECT_TRUE(all(constraints::nonnegative(), x));
  EXPECT_FALSE(all(constraints::positive(), x));
  EXPECT_TRUE(all(constraints::simplex(), x));
  EXPECT_TRUE(all(constraints::one_hot(), x));
  EXPECT_FALSE(all(constraints::one_hot(), x / 2));
  EXPECT_FALSE(all(constraints::real(), x * NAN));
  EXPECT_FALSE(all(constraints::finite(), x + INFINITY));
  EXPECT_TRUE(all(constraints::real(), x + INFINITY));
  EXPECT_FALSE(all(constraints::simplex(), x * NAN));
  EXPECT_TRUE(all(constraints::lower_cholesky(), at::eye(2)));
  EXPECT_FALSE(all(constraints::lower_cholesky(), at::ones({2, 2})));
  EXPECT_TRUE(all(constraints::positive_definite(), at::eye(2)));
  EXPECT_FALSE(all(constraints::positive_definite(), at::ones({2, 2}).tril()));
  EXPECT_TRUE(all(constraints::interval(0.0, 1.0), x));
  EXPECT_FALSE(all(constraints::interval(0.0, 1.0), 2 * x));
  EXPECT_TRUE(all(constraints::nonnegative_integer(), x.to(at::kLong)));
  EXPECT_EQ(constraints::positive().independent(1).check(at::ones({2, 3})).sizes(), Shape{2});
  EXPECT_EQ(constraints::lower_cholesky().event_dim(), 2);
}

TEST(Mixture, IsTheWeightedSum) {
  const auto weights = numbers({0.2, 0.8}, {2}), loc = pair(-1, 2), scale = pair(0.5, 1);
  const MixtureSameFamily d(Categorical(Probs{weights}), Normal(loc, scale));
  const auto x = at::linspace(-3, 5, 9, at::kDouble);
  const auto parts = Normal(loc, scale).log_prob(x.unsqueeze(-1)).exp();
  EXPECT_TRUE(at::allclose(d.log_prob(x).exp(), (parts * weights).sum(-1)));
  EXPECT_TRUE(at::allclose(d.log_responsibilities(x).exp().sum(-1), at::ones_like(x)));
  const auto slope = (d.cdf(x + 1e-5) - d.cdf(x - 1e-5)) / 2e-5;
  EXPECT_TRUE(at::allclose(slope, d.log_prob(x).exp(), 1e-5, 1e-9));
  const MixtureSameFamily vectors(Categorical(Probs{weights}),
                                  Independent(Normal(at::zeros({5, 2, 3}, at::kDouble), 1.0), 1));
  EXPECT_EQ(vectors.batch_shape(), Shape{5});
  EXPECT_EQ(vectors.sample({7}).sizes(), (Shape{7, 5, 3}));
  EXPECT_EQ(vectors.mean().sizes(), (Shape{5, 3}));
}

TEST(Relaxed, AgreesWithTheTransformedDistribution) {
  const auto temperature = at::full({}, 0.7, at::kDouble), logits = pair(-0.4, 1);
  const RelaxedBernoulli direct(temperature, Logits{logits});
  const TransformedDistribution made(LogitRelaxedBernoulli(temperature, Logits{logits}),
                                     transforms::sigmoid());
  const auto x = direct.sample({5});
  EXPECT_TRUE(at::allclose(direct.log_prob(x), made.log_prob(x)));
}

// Low temperatures: the larger part is class k with the probability of class k.
TEST(Relaxed, WinnersHaveTheProbabilities) {
  at::manual_seed(1);
  const auto logits = numbers({0.5, -1, 1}, {3});
  const auto draws = RelaxedOneHotCategorical(0.1, Logits{logits}).sample({20000}).argmax(-1);
  const auto p = at::softmax(logits, -1);
  for (int64_t k = 0; k < 3; ++k) {
    const double share = draws.eq(k).to(at::kDouble).mean().item<double>(), expected = p[k].item<double>();
    EXPECT_NEAR(share, expected, 4.5 * std::sqrt(expected * (1 - expected) / 20000));
  }
  const auto probs = p.clone().requires_grad_();
  const auto hot = OneHotCategorical(Probs{probs}).straight_through({4});
  EXPECT_TRUE(at::allclose(hot.sum(-1), at::ones({4}, at::kDouble)));
  hot.select(-1, 0).sum().backward();
  EXPECT_TRUE(probs.grad().defined());
}

}  // namespace
}  // namespace kullback::dist
