// Divergences: identities, dense formulas, Monte Carlo, and what is refused. References of pairs of numbers
// are in references_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "tests/dist/examples.hpp"

namespace kullback::dist {
namespace {

TEST(Divergence, OfADistributionToItselfIsZero) {
  for (const auto& example : examples()) {
    const auto d = example.make(example.parameters);
    if (!has_kl(*d, *d) || example.name == "TransformedDistribution") continue;
    const auto kl = kl_divergence(d, d);
    EXPECT_EQ(kl.sizes(), IntArrayRef(d->batch_shape())) << example.name;
    EXPECT_TRUE(at::allclose(kl, at::zeros_like(kl), 0, 1e-12)) << example.name;
  }
}

// Every pair of examples that has a closed form, against the mean of log p - log q over draws of p.
TEST(Divergence, AgreesWithDraws) {
  at::manual_seed(1);
  constexpr int64_t kDraws = 20000;
  int compared = 0;
  for (const auto& first : examples()) {
    for (const auto& second : examples()) {
      const auto p = first.make(first.parameters), q = second.make(second.parameters);
      if (p->event_shape() != q->event_shape() || !has_kl(*p, *q)) continue;
      if (first.name == "TransformedDistribution") continue;
      if (first.name == "LogNormal" && second.name == "Normal")
        continue;  // heavy tails; the reference has it
      const auto kl = kl_divergence(p, q);
      if (!at::isfinite(kl).all().item<bool>()) continue;
      const auto x = p->sample({kDraws});
      const auto terms = p->log_prob(x) - q->log_prob(x);
      const auto error = (terms.var(0) / static_cast<double>(kDraws)).sqrt();
      const auto z = ((terms.mean(0) - kl).abs() / (error + 1e-12)).max().item<double>();
      EXPECT_LT(z, 4.5) << first.name << " " << second.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 40);
}

Tensor dense_kl(const Tensor& m_p, const Tensor& s_p, const Tensor& m_q, const Tensor& s_q) {
  const auto solved = at::linalg_solve(s_q, s_p);
  const auto d = (m_p - m_q).unsqueeze(-1);
  const auto distance = at::matmul(d.mT(), at::linalg_solve(s_q, d)).squeeze();
  return 0.5 * (solved.diagonal().sum() + distance - static_cast<double>(m_p.size(0)) + at::logdet(s_q) -
                at::logdet(s_p));
}

TEST(Divergence, NormalVectors) {
  at::manual_seed(2);
  const auto random = [](IntArrayRef shape) { return at::randn(shape, at::kDouble); };
  const MultivariateNormal a(random({3}), ScaleTril{random({3, 3}).tril(-1) + at::diag(random({3}).exp())});
  const MultivariateNormal b(random({3}), Covariance{at::matmul(a.covariance(), a.covariance())});
  const LowRankMultivariateNormal c(random({3}), random({3, 2}), random({3}).exp());
  const LowRankMultivariateNormal d(random({3}), random({3, 1}), random({3}).exp());
  EXPECT_TRUE(at::allclose(kl_divergence(a, b), dense_kl(a.loc(), a.covariance(), b.loc(), b.covariance())));
  EXPECT_TRUE(at::allclose(kl_divergence(a, c), dense_kl(a.loc(), a.covariance(), c.loc(), c.covariance())));
  EXPECT_TRUE(at::allclose(kl_divergence(c, a), dense_kl(c.loc(), c.covariance(), a.loc(), a.covariance())));
  EXPECT_TRUE(at::allclose(kl_divergence(c, d), dense_kl(c.loc(), c.covariance(), d.loc(), d.covariance())));
}

// A matrix normal is a normal vector with the Kronecker product as covariance.
TEST(Divergence, MatrixNormalIsANormalVector) {
  at::manual_seed(3);
  const auto lower = [](int64_t n) {
    return at::randn({n, n}, at::kDouble).tril(-1) + at::diag(at::randn({n}, at::kDouble).exp());
  };
  const auto matrix = [&] {
    return MatrixNormal(at::randn({2, 3}, at::kDouble), ScaleTril{lower(2)}, ScaleTril{lower(3)});
  };
  const auto vector = [](const MatrixNormal& m) {
    return MultivariateNormal(m.loc().flatten(),
                              ScaleTril{at::kron(m.row_scale_tril(), m.column_scale_tril())});
  };
  const auto p = matrix(), q = matrix();
  EXPECT_TRUE(at::allclose(kl_divergence(p, q), kl_divergence(vector(p), vector(q))));
  const auto x = at::randn({4, 2, 3}, at::kDouble);
  EXPECT_TRUE(at::allclose(p.log_prob(x), vector(p).log_prob(x.flatten(1))));
  EXPECT_TRUE(at::allclose(p.entropy(), vector(p).entropy()));
  EXPECT_TRUE(at::allclose(p.variance().flatten(), vector(p).variance()));
}

TEST(Divergence, ThreeWaysToSayOneNormalVector) {
  const auto lower = numbers({1.5, 0, 0, -0.4, 0.8, 0, 0.3, 2, 0.1}, {3, 3});
  const auto loc = numbers({1, 2, 3}, {3});
  const MultivariateNormal a(loc, ScaleTril{lower});
  const MultivariateNormal b(loc, Covariance{a.covariance()});
  const MultivariateNormal c(loc, Precision{at::inverse(a.covariance())});
  EXPECT_TRUE(at::allclose(b.scale_tril(), lower, 1e-8, 1e-10));
  EXPECT_TRUE(at::allclose(c.scale_tril(), lower, 1e-6, 1e-7));
  const LowRankMultivariateNormal d(loc, numbers({1, 0, 0.5}, {3, 1}), numbers({1, 2, 3}, {3}));
  const auto x = a.sample({5, 2});
  EXPECT_TRUE(at::allclose(d.log_prob(x), MultivariateNormal(loc, Covariance{d.covariance()}).log_prob(x)));
}

TEST(Divergence, IndependentSums) {
  const auto p = Normal(at::zeros({2, 3}), at::ones({3})), q = Normal(at::ones({3}), at::full({2, 3}, 2.0));
  const auto sum = kl_divergence(Independent(p, 1), Independent(q, 1));
  EXPECT_TRUE(at::allclose(sum, kl_divergence(p, q).sum(-1)));
  EXPECT_THROW(kl_divergence(Independent(p, 2), Independent(q, 1)), Error);
}

TEST(Divergence, Infinite) {
  const auto kl = kl_divergence(Normal(at::zeros({3, 1}), 1.0), Gamma(at::ones({2}), 1.0));
  EXPECT_EQ(kl.sizes(), (Shape{3, 2}));
  EXPECT_TRUE(at::isinf(kl).all().item<bool>());
  EXPECT_TRUE(std::isinf(kl_divergence(Uniform(0.0, 2.0), Beta(1.0, 1.0)).item<double>()));
  EXPECT_TRUE(std::isinf(kl_divergence(Uniform(-1.0, 2.0), Exponential(1.0)).item<double>()));
  EXPECT_TRUE(std::isinf(kl_divergence(Uniform(0.0, 2.0), Uniform(0.0, 1.0)).item<double>()));
  EXPECT_TRUE(std::isinf(kl_divergence(StudentT(2.0), Normal(0.0, 1.0)).item<double>()));
  const auto half = Bernoulli(Probs{0.5}), never = Bernoulli(Probs{0.0});
  EXPECT_TRUE(std::isinf(kl_divergence(half, never).item<double>()));
  EXPECT_NEAR(kl_divergence(never, half).item<double>(), std::log(2.0), 1e-6);
}

TEST(Divergence, FarLogOdds) {
  const auto far = [](double l) { return Bernoulli(Logits{at::scalar_tensor(l, at::kDouble)}); };
  EXPECT_NEAR(kl_divergence(far(100), far(-100)).item<double>(), 100, 1e-12);
  EXPECT_EQ(kl_divergence(far(100), far(100)).item<double>(), 0);
}

TEST(Divergence, RefusalNamesBothTypes) {
  try {
    kl_divergence(Cauchy(0.0, 1.0), Poisson(1.0));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "kl_divergence(Cauchy, Poisson): no closed form is known.");
  }
  EXPECT_THROW(kl_divergence(Normal(at::zeros({2}), 1.0), Normal(at::zeros({3}), 1.0)), Error);
  EXPECT_THROW(kl_divergence(Dirichlet(at::ones({2})), Dirichlet(at::ones({3}))), Error);
}

TEST(Divergence, PairsCanBeAdded) {
  register_kl<HalfCauchy, HalfCauchy>([](const HalfCauchy& p, const HalfCauchy& q) {
    return kl_divergence(Cauchy(0.0, p.scale()),
                         Cauchy(0.0, q.scale()));  // |x| has the same ratio of densities
  });
  const auto p = HalfCauchy(at::ones({}, at::kDouble)), q = HalfCauchy(at::full({}, 2.0, at::kDouble));
  at::manual_seed(4);
  EXPECT_NEAR(kl_divergence(p, q).item<double>(), kl_by_draws(p, q, 100000).item<double>(), 0.01);
}

// The gradient of a divergence against differences of it.
TEST(Divergence, Gradients) {
  const auto check = [](auto make, std::vector<double> at_values) {
    const auto x = at::tensor(at_values, at::kDouble).requires_grad_();
    make(x).sum().backward();
    for (size_t i = 0; i < at_values.size(); ++i) {
      const auto moved = [&](double by) {
        auto v = at_values;
        v[i] += by;
        return make(at::tensor(v, at::kDouble)).sum().template item<double>();
      };
      const double slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
      EXPECT_NEAR(x.grad()[static_cast<int64_t>(i)].template item<double>(), slope,
                  1e-6 * (1 + std::abs(slope)));
    }
  };
  check([](const Tensor& x) { return kl_divergence(Normal(x[0], x[1]), Normal(x[2], x[3])); },
        {0.1, 0.8, -0.5, 2});
  check([](const Tensor& x) { return kl_divergence(Gamma(x[0], x[1]), Gamma(x[2], x[3])); }, {12, 0.8, 3, 2});
  check([](const Tensor& x) { return kl_divergence(Beta(x[0], x[1]), Beta(x[2], x[3])); }, {12, 0.8, 3, 2});
  check([](const Tensor& x) { return kl_divergence(VonMises(x[0], x[1]), VonMises(x[2], x[3])); },
        {0.3, 60, 1, 2});
  check([](const Tensor& x) { return kl_divergence(Bernoulli(Logits{x[0]}), Bernoulli(Logits{x[1]})); },
        {0, 1.5});
  check([](const Tensor& x) { return kl_divergence(Normal(x[0], x[1]), Laplace(x[2], x[3])); },
        {0.1, 0.8, -0.5, 2});
}

}  // namespace
}  // namespace kullback::dist
