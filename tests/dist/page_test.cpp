// The C++ of docs/torch_distributions.md (tests/examples/torch_distributions_test.py compares).
#include <gtest/gtest.h>

#include "dist/dist.hpp"

namespace dist = kullback::dist;

TEST(Page, ADistribution) {
  const auto mean = at::zeros({3}), scale = at::ones({3});
  const dist::Normal prior(0.0, 1.0);
  const dist::Normal posterior(mean, scale);
  const auto z = posterior.rsample({16});  // 16 draws, differentiable by mean and scale
  const auto log_p = prior.log_prob(z);    // one number for each
  const auto kl = dist::kl_divergence(posterior, prior);
  EXPECT_EQ(log_p.sizes(), (dist::Shape{16, 3}));
  EXPECT_EQ(kl.sum().item<double>(), 0);
}

TEST(Page, WaysToSayIt) {
  const auto log_odds = at::zeros({2}), weights = at::ones({6}), loc = at::zeros({2}), lower = at::eye(2),
             matrix = lower;
  const dist::Bernoulli coin(dist::Logits{log_odds});
  const dist::Categorical die(dist::Probs{weights});
  const dist::MultivariateNormal a(loc, dist::ScaleTril{lower});
  const dist::MultivariateNormal b(loc, dist::Covariance{matrix});
  EXPECT_EQ(coin.batch_shape(), dist::Shape{2});
  EXPECT_EQ(die.num_classes(), 6);
  EXPECT_EQ(dist::kl_divergence(a, b).item<double>(), 0);
  const dist::Any any = coin;
  EXPECT_NE(any.as<dist::Bernoulli>(), nullptr);
  EXPECT_EQ(any.as<dist::Normal>(), nullptr);
}

TEST(Page, APairOfOnesOwn) {
  dist::register_kl<dist::HalfCauchy, dist::HalfCauchy>(
      [](const dist::HalfCauchy& p, const dist::HalfCauchy& q) {
        return dist::kl_divergence(dist::Cauchy(0.0, p.scale()), dist::Cauchy(0.0, q.scale()));
      });
  EXPECT_TRUE(dist::has_kl(dist::HalfCauchy(1.0), dist::HalfCauchy(1.0)));
}

TEST(Page, Bijections) {
  const auto theta = at::zeros({3});
  const auto transform = dist::biject_to(dist::constraints::simplex());
  const auto weights_of = transform->forward(theta);  // n numbers to a simplex of n + 1
  const dist::TransformedDistribution on_simplex(dist::Normal(theta, 1.0), transform);
  EXPECT_EQ(weights_of.size(0), 4);
  EXPECT_EQ(on_simplex.event_shape(), dist::Shape{4});
}

TEST(Page, WithoutChecks) {
  const auto mean = at::zeros({3}), scale = -at::ones({3});
  const dist::Validation off(false);
  const dist::Normal q(mean, scale);
  EXPECT_FALSE(q.validates());
}
