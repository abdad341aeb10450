// Message passing: bounds that never fall and are exact where they can be, natural gradients, a mixture
// written by hand, refusals.
#include "conjugate/graph/graph.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "base/error.hpp"
#include "math/gamma_functions.hpp"
#include "tests/conjugate/graph_models.hpp"

namespace kullback::conjugate {
namespace {

TEST(MessagePassing, TheBoundNeverFalls) {
  for (const GraphStart how : {GraphStart::seeds, GraphStart::random}) {
    for (NamedGraph& model : many_graphs()) {
      SCOPED_TRACE(model.name);
      Graph& graph = model.graph;
      graph.initialize(7, 0, how);
      Random random(8);
      const std::vector<Node> nodes = graph.latent_nodes();
      double bound = graph.elbo();
      for (int i = 0; i < 150; ++i) {
        const Node node = nodes[random.below(nodes.size())];
        graph.update(node);
        const double now = graph.elbo();
        ASSERT_GE(now, bound - 1e-11 * (1 + std::abs(bound))) << "update " << i << " of node " << node.id;
        bound = now;
      }
      // A step of a part of the way rises too.
      for (const Node node : nodes) {
        graph.step(node, 0.5);
        ASSERT_GE(graph.elbo(), bound - 1e-11 * (1 + std::abs(bound)));
        bound = graph.elbo();
      }
    }
  }
}

TEST(MessagePassing, TermsAddUpAndFitsConverge) {
  for (NamedGraph& model : many_graphs()) {
    SCOPED_TRACE(model.name);
    const GraphFit fit = model.graph.fit({.max_sweeps = 20000, .tol = 1e-10, .starts = 2});
    EXPECT_TRUE(fit.converged);
    EXPECT_EQ(fit.trace.size(), fit.sweeps + 1);
    EXPECT_EQ(fit.start_elbos.size(), 2u);
    EXPECT_GE(fit.elbo, fit.start_elbos[0]);
    double sum = 0;
    for (const auto& [name, value] : model.graph.elbo_terms()) sum += value;
    EXPECT_NEAR(sum, fit.elbo, 1e-10 * std::abs(sum));
  }
}

// dL/deta_i = sum_j dm_j/deta_i (optimum - natural)_j for an element of each latent node, away from the
// optimum.
TEST(MessagePassing, NaturalGradientsAreGradientsInMeanParameters) {
  for (NamedGraph& model : many_graphs()) {
    Graph& graph = model.graph;
    graph.initialize(3);
    for (int sweep = 0; sweep < 2; ++sweep)
      for (const Node node : graph.latent_nodes()) graph.step(node, 0.6);
    for (const Node node : graph.latent_nodes()) {
      graph.step(node, 0.3);
      const std::vector<double> natural = graph.natural(node), optimum = graph.optimum(node);
      const std::size_t stride = std::max<std::size_t>(1, natural.size() / 12);
      for (std::size_t i = 0; i < natural.size(); i += stride) {
        const double h = 1e-5 * std::max(1.0, std::abs(natural[i])) * (std::abs(natural[i]) < 0.1 ? 0.1 : 1);
        const auto at = [&](double x, std::vector<double>& means) {
          std::vector<double> moved = natural;
          moved[i] = x;
          graph.set_natural(node, moved);
          means = graph.means(node);
          return graph.elbo();
        };
        std::vector<double> above, below;
        const double upper = at(natural[i] + h, above), lower = at(natural[i] - h, below);
        graph.set_natural(node, natural);
        double expected = 0, size = 0;
        for (std::size_t j = 0; j < natural.size(); ++j) {
          const double part = (above[j] - below[j]) / (2 * h) * (optimum[j] - natural[j]);
          expected += part;
          size += std::abs(part);
        }
        EXPECT_NEAR((upper - lower) / (2 * h), expected, 2e-5 * size + 2e-14 * std::abs(upper) / h + 1e-8)
            << model.name << ", node " << node.id << ", coordinate " << i;
      }
    }
  }
}

// The same mixture, its updates and its bound written out.
struct HandMixture {
  std::vector<double> x;
  std::vector<double> r;                                             // responsibilities, [n * 2 + k]
  double alpha[2] = {}, m[2] = {}, s[2] = {}, a[2] = {}, b[2] = {};  // s: precision of q(mean)

  double square(std::size_t n, std::size_t k) const { return (x[n] - m[k]) * (x[n] - m[k]) + 1 / s[k]; }
  double log_weight(std::size_t k) const {
    return math::digamma_positive(alpha[k]) - math::digamma_positive(alpha[0] + alpha[1]);
  }
  double log_tau(std::size_t k) const { return math::digamma_positive(a[k]) - std::log(b[k]); }

  void sweep() {
    double tau[2] = {a[0] / b[0], a[1] / b[1]};
    for (std::size_t k = 0; k < 2; ++k) {
      double count = 0, sum = 0, squares = 0;
      for (std::size_t n = 0; n < x.size(); ++n) {
        count += r[2 * n + k];
        sum += r[2 * n + k] * x[n];
      }
      alpha[k] = 1 + count;
      s[k] = 0.01 + tau[k] * count;
      m[k] = tau[k] * sum / s[k];
      for (std::size_t n = 0; n < x.size(); ++n) squares += r[2 * n + k] * square(n, k);
      a[k] = 1 + count / 2;
      b[k] = 1 + squares / 2;
    }
    for (std::size_t n = 0; n < x.size(); ++n) {
      double log_r[2];
      for (std::size_t k = 0; k < 2; ++k)
        log_r[k] = log_weight(k) + 0.5 * log_tau(k) - 0.5 * a[k] / b[k] * square(n, k);
      r[2 * n] = 1 / (1 + std::exp(log_r[1] - log_r[0]));
      r[2 * n + 1] = 1 / (1 + std::exp(log_r[0] - log_r[1]));
    }
  }

  double elbo() const {
    const double log_two_pi = std::log(2 * std::numbers::pi);
    double sum = 0;
    for (std::size_t n = 0; n < x.size(); ++n)
      for (std::size_t k = 0; k < 2; ++k)
        if (r[2 * n + k] > 0)
          sum +=
              r[2 * n + k] * (log_weight(k) + 0.5 * (log_tau(k) - log_two_pi - a[k] / b[k] * square(n, k)) -
                              std::log(r[2 * n + k]));
    const auto lgam = [](double v) { return math::log_gamma(v); };
    // KL of Dirichlet(alpha) to Dirichlet(1, 1).
    sum -= lgam(alpha[0] + alpha[1]) - lgam(alpha[0]) - lgam(alpha[1]);
    for (std::size_t k = 0; k < 2; ++k) {
      sum -= (alpha[k] - 1) * log_weight(k);
      sum -=
          0.5 * (0.01 / s[k] + 0.01 * m[k] * m[k] - 1 + std::log(s[k] / 0.01));  // of N(m, 1/s) to N(0, 100)
      // Of gamma(a, b) to gamma(1, 1).
      sum -=
          (a[k] - 1) * math::digamma_positive(a[k]) - lgam(a[k]) + std::log(b[k]) + a[k] * (1 - b[k]) / b[k];
    }
    return sum;
  }
};

TEST(MessagePassing, AgreesWithAMixtureWrittenByHand) {
  Mixture mixture(two_clusters(200, 1));
  Graph& graph = mixture.graph;
  graph.initialize(4);
  HandMixture hand{.x = two_clusters(200, 1), .r = graph.means(mixture.part)};
  const std::vector<double> tau = graph.posterior(mixture.precision).parameters();
  for (std::size_t k = 0; k < 2; ++k) {
    hand.a[k] = tau[2 * k];
    hand.b[k] = tau[2 * k + 1];
  }
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (const Node node : {mixture.weight, mixture.mean, mixture.precision, mixture.part})
      graph.update(node);
    hand.sweep();
    ASSERT_NEAR(graph.elbo(), hand.elbo(), 1e-10 * std::abs(hand.elbo())) << sweep;
  }
  const std::vector<double> mean = graph.posterior(mixture.mean).parameters(), r = graph.means(mixture.part);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(mean[2 * k], hand.m[k], 1e-10);
    EXPECT_NEAR(mean[2 * k + 1], hand.s[k], 1e-8);
    EXPECT_NEAR(std::abs(mean[2 * k]), 5, 0.5);
  }
  for (std::size_t i = 0; i < r.size(); ++i) ASSERT_NEAR(r[i], hand.r[i], 1e-10);
}

// ---- Where q can be the posterior, the bound is the log evidence.

TEST(MessagePassing, BoundsAreExactOnConjugateModels) {
  const auto lgam = [](double v) { return math::log_gamma(v); };
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const auto bound = [](const std::function<Node(Graph&, Plate)>& make, const std::vector<double>& x,
                        std::size_t rows) {
    Graph graph;
    graph.observe(make(graph, graph.plate("rows", rows)), x);
    return graph.fit().elbo;
  };
  const auto expect = [](double found, double expected) {
    EXPECT_NEAR(found, expected, 1e-11 * (1 + std::abs(expected)));
  };

  // Student's t by the normal-gamma posterior: kappa 4, shape 3.5, rate as in family_test.
  const std::vector<double> x = {1, 2, 4.5};
  const double rate = 3 + 6.5 / 2 + 3.0 / 8 * 6.25;
  expect(bound(
             [&](Graph& g, Plate rows) {
               return g.gaussian_joint(
                   "x", g.prior("both", of_parameters(normal_gamma_family(), {0, 1, 2, 3})), {rows});
             },
             x, 3),
         lgam(3.5) - lgam(2) + 2 * std::log(3) - 3.5 * std::log(rate) + 0.5 * std::log(1.0 / 4) -
             1.5 * log_two_pi);
  // Gamma-Poisson.
  expect(bound([&](Graph& g, Plate rows) { return g.poisson("x", g.gamma("rate", 2, 3), {rows}); }, {1, 0, 5},
               3),
         lgam(8) - lgam(2) + 2 * std::log(3) - 8 * std::log(6) - lgam(6));
  // Beta-Bernoulli: B(4, 4) / B(2, 3).
  expect(
      bound([&](Graph& g, Plate rows) { return g.bernoulli("x", g.beta("p", 2, 3), {rows}); }, {1, 0, 1}, 3),
      math::log_beta(4, 4) - math::log_beta(2, 3));
  // Dirichlet-categorical and -multinomial.
  expect(bound(
             [&](Graph& g, Plate rows) {
               return g.categorical("x", g.dirichlet("p", {1, 2}), {rows});
             },
             {1, 0, 1}, 3),
         math::log_beta(2, 4) - math::log_beta(1, 2));
  expect(bound(
             [&](Graph& g, Plate rows) {
               return g.multinomial("x", g.dirichlet("p", {1, 2}), {rows});
             },
             {5, 2, 0, 1}, 2),
         math::log_beta(6, 5) - math::log_beta(1, 2) + math::log_choose(7, 2));
  // A Gaussian chain: x = a + noise, a ~ N(b, 1), with b fixed: N(2, 1 + 1/4).
  expect(
      bound([&](Graph& g, Plate rows) { return g.gaussian("x", g.gaussian("a", 2, 1, {rows}), 4, {rows}); },
            {1.5}, 1),
      -0.5 * (log_two_pi + std::log(1.25) + 0.25 / 1.25));
  // Regression on two features with known noise: y ~ N(0, F F' / 0.5 + 1/3), two rows.
  const double f[] = {1, 2, -1, 0.5}, y[] = {0.7, -1.2};
  const double c00 = (f[0] * f[0] + f[1] * f[1]) / 0.5 + 1.0 / 3,
               c11 = (f[2] * f[2] + f[3] * f[3]) / 0.5 + 1.0 / 3;
  const double c01 = (f[0] * f[2] + f[1] * f[3]) / 0.5, det = c00 * c11 - c01 * c01;
  expect(bound(
             [&](Graph& g, Plate rows) {
               const Node features = g.constant("f", {f[0], f[1], f[2], f[3]}, {rows});
               return g.gaussian("y", dot(g.multivariate_gaussian("w", {0, 0}, {0.5, 0, 0, 0.5}), features),
                                 3, {rows});
             },
             {y[0], y[1]}, 2),
         -log_two_pi - 0.5 * std::log(det) -
             0.5 * (c11 * y[0] * y[0] - 2 * c01 * y[0] * y[1] + c00 * y[1] * y[1]) / det);
  // Multivariate t: Murphy (2007), section 8.3.
  const auto multigamma = [&](double nu) { return math::log_multivariate_gamma(2, nu / 2); };
  const double v[] = {1 + 2 + 2.0 / 3 * 4, -2 + 2.0 / 3 * 2, 1 + 2 + 2.0 / 3};
  expect(bound(
             [&](Graph& g, Plate rows) {
               return g.multivariate_gaussian_joint(
                   "x", g.prior("both", of_parameters(normal_wishart_family(2), {0, 0, 1, 3, 1, 0, 0, 1})),
                   {rows});
             },
             {1, 2, 3, 0}, 2),
         -2 * std::log(std::numbers::pi) + multigamma(5) - multigamma(3) -
             2.5 * std::log(v[0] * v[2] - v[1] * v[1]) + std::log(1.0 / 3));
  // von Mises with known concentration: I_0 of the posterior over those of prior and data (Boost's Bessel
  // functions are not used by the library).
  const double cosines = 3 * std::cos(0.2) + 2 * (std::cos(1.0) + std::cos(2.0));
  const double sines = 3 * std::sin(0.2) + 2 * (std::sin(1.0) + std::sin(2.0));
  expect(bound([&](Graph& g, Plate rows) { return g.von_mises("x", g.von_mises("m", 0.2, 3), 2, {rows}); },
               {1, 2}, 2),
         std::log(std::cyl_bessel_i(0, std::hypot(cosines, sines))) - std::log(std::cyl_bessel_i(0, 3.0)) -
             2 * std::log(2 * std::numbers::pi * std::cyl_bessel_i(0, 2.0)));
}

// ---- Plates, missing data, schedules.

TEST(MessagePassing, MissingLeavesAreIntegratedOut) {
  std::vector<double> x = two_clusters(60, 9), fewer;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 5 == 0)
      x[i] = kMissing;
    else
      fewer.push_back(x[i]);
  }
  Mixture with_gaps(x), without(fewer);
  const GraphOptions options{.max_sweeps = 5000, .tol = 1e-14, .starts = 4};
  EXPECT_NEAR(with_gaps.graph.fit(options).elbo, without.graph.fit(options).elbo, 1e-8);
  // What is expected of a missing datum lies between the clusters.
  EXPECT_LT(std::abs(with_gaps.graph.means(with_gaps.datum)[0]), 4);
  EXPECT_EQ(with_gaps.graph.means(with_gaps.datum)[2], x[1]);
}

TEST(MessagePassing, NestedPlatesAreSeparateModels) {
  const std::vector<double> x = {1, 2, 3, -1, -2}, tail = {-1, -2}, head = {1, 2, 3};
  Graph nested;
  const Plate groups = nested.plate("groups", 2), rows = nested.plate("rows", groups, {0, 0, 0, 1, 1});
  const Node mean = nested.gaussian("mean", 0, 0.1, {groups});
  const Node precision = nested.gamma("precision", 1, 1, {groups});
  nested.observe(nested.gaussian("x", mean, precision, {rows}), x);
  const double together = nested.fit({.tol = 1e-14}).elbo;
  double apart = 0;
  for (const std::vector<double>& part : {head, tail}) {
    Graph graph;
    const Plate plate = graph.plate("rows", part.size());
    graph.observe(graph.gaussian("x", graph.gaussian("m", 0, 0.1), graph.gamma("p", 1, 1), {plate}), part);
    apart += graph.fit({.tol = 1e-14}).elbo;
  }
  EXPECT_NEAR(together, apart, 1e-10);
}

TEST(MessagePassing, SchedulesAgreeAndRepeat) {
  const std::vector<double> x = two_clusters(80, 2);
  double first = 0;
  for (const Schedule schedule : {Schedule::in_order, Schedule::reverse, Schedule::random}) {
    Mixture mixture(x), again(x);
    const GraphOptions options{.tol = 1e-13, .starts = 3, .schedule = schedule};
    const double elbo = mixture.graph.fit(options).elbo;
    EXPECT_EQ(elbo, again.graph.fit(options).elbo);
    EXPECT_EQ(mixture.graph.natural(mixture.mean), again.graph.natural(again.mean));
    if (first == 0) first = elbo;
    EXPECT_NEAR(elbo, first, 1e-7);
  }
  Mixture mixture(x);
  const GraphFit fit = mixture.graph.fit(
      {.tol = 1e-13,
       .starts = 3,
       .order = {mixture.part, mixture.mean, mixture.part, mixture.precision, mixture.weight}});
  EXPECT_NEAR(fit.elbo, first, 1e-7);
}

TEST(MessagePassing, ObservedCategoriesMayHaveChildren) {
  // Known components: the mixture falls apart into two exact models.
  const std::vector<double> x = {1, 2, -4, -5}, part = {0, 0, 1, 1};
  Graph graph;
  const Plate rows = graph.plate("rows", 4), parts = graph.plate("parts", 2);
  const Node which = graph.categorical("part", {0.5, 0.5}, {rows});
  graph.observe(which, part);  // kept as numbers until something depends on it
  const double log_prior = graph.elbo();
  EXPECT_NEAR(log_prior, 4 * std::log(0.5), 1e-14);
  const Node mean = graph.gaussian("mean", 0, 0.5, {parts});
  graph.observe(graph.gaussian("x", mean[which], 1, {rows}), x);
  double expected = log_prior;
  for (const auto& pair : {std::vector<double>{1, 2}, std::vector<double>{-4, -5}}) {
    Graph one;
    one.observe(one.gaussian("x", one.gaussian("mean", 0, 0.5), 1, {one.plate("rows", 2)}), pair);
    expected += one.fit().elbo;
  }
  EXPECT_NEAR(graph.fit().elbo, expected, 1e-12);
}

TEST(MessagePassing, AHundredThousandPoints) {
  Mixture mixture(two_clusters(100000, 6));
  const GraphFit fit = mixture.graph.fit();
  EXPECT_TRUE(fit.converged);
  std::vector<double> mean = mixture.graph.posterior(mixture.mean).parameters();
  if (mean[0] > mean[2]) std::swap(mean[0], mean[2]);
  EXPECT_NEAR(mean[0], -5, 4.5 * std::sqrt(2 / 50000.0));
  EXPECT_NEAR(mean[2], 5, 4.5 * std::sqrt(2 / 50000.0));
}

// ---- Refusals say which node, what was found and what would work.

std::string refusal_of(const std::function<void(Graph&)>& f) {
  Graph graph;
  try {
    f(graph);
  } catch (const Error& error) {
    return error.message() + " / " + error.hint();
  }
  return "not refused";
}

TEST(MessagePassing, RefusesWithASentence) {
  struct Row {
    std::function<void(Graph&)> make;
    std::vector<const char*> parts;
  };
  const std::vector<Row> rows = {
      {[](Graph& g) { g.gaussian("x", 0, g.gaussian("s", 0, 1)); },
       {"node 'x': its precision is 's', a gaussian node", "conjugate there is a gamma node",
        "give it a gamma prior"}},
      {[](Graph& g) { g.gaussian("x", g.gamma("m", 1, 1), 1); },
       {"its mean is 'm', a gamma node", "a gaussian prior"}},
      {[](Graph& g) { g.gamma("x", g.gamma("a", 1, 1), 1); },
       {"node 'x': its shape is 'a', a gamma node; numbers are needed"}},
      {[](Graph& g) { g.dirichlet("w", g.gamma("a", 1, 1)); }, {"its alpha is 'a'"}},
      {[](Graph& g) { g.von_mises("v", 0, g.gamma("k", 1, 1)); }, {"its concentration is 'k'"}},
      {[](Graph& g) { g.poisson("n", g.gaussian("r", 0, 1)); },
       {"its rate is 'r', a gaussian node; conjugate there is a gamma"}},
      {[](Graph& g) { g.poisson("n", g.gamma("r", 1, 1) + g.gamma("s", 1, 1)); },
       {"its rate is a sum or product of nodes"}},
      {[](Graph& g) { g.gaussian("x", g.gaussian("a", 0, 1) + g.gamma("b", 1, 1), 1); },
       {"a sum with 'b', a gamma node"}},
      {[](Graph& g) {
         const Node a = g.gaussian("a", 0, 1);
         g.gaussian("x", a * a, 1);
       },
       {"uses 'a' twice", "not conjugate"}},
      {[](Graph& g) {
         const Node a = g.gaussian("a", 0, 1);
         g.gaussian("x", a + a, 1);
       },
       {"uses 'a' twice", "2 * a"}},
      {[](Graph& g) {
         g.gaussian("x", g.multivariate_gaussian("w", {0, 0}, {1, 0, 0, 1}) + 1, 1);
       },
       {"a vector", "dot(a, b)"}},
      {[](Graph& g) {
         g.gaussian("x", dot(g.multivariate_gaussian("w", {0, 0}, {1, 0, 0, 1}), g.constant("f", {1, 2, 3})),
                    1);
       },
       {"'w' with 2 elements and 'f' with 3"}},
      {[](Graph& g) { g.gamma("t", -1, 1); }, {"node 't': gamma: the shape is -1"}},
      {[](Graph& g) { g.gaussian("x", 0, -2); }, {"node 'x': its precision: the value is -2"}},
      {[](Graph& g) { g.gaussian("x", 0, kMissing); }, {"node 'x': its precision: the value is nan"}},
      {[](Graph& g) {
         g.multivariate_gaussian("x", {0, 0}, {1, 2, 2, 1});
       },
       {"not positive definite"}},
      {[](Graph& g) {
         g.categorical("z", {0.5, 0.6});
       },
       {"add up to 1.1"}},
      {[](Graph& g) {
         const Plate p = g.plate("parts", 3);
         g.gaussian("x", g.gaussian("m", 0, 1, {p}), 1);
       },
       {"node 'x' is in no plate and uses 'm', which is in 'parts'", "m[z]"}},
      {[](Graph& g) {
         const Plate p = g.plate("parts", 3);
         const Node m = g.gaussian("m", 0, 1, {p});
         g.gaussian("x", m[g.categorical("z", {0.5, 0.5})], 1);
       },
       {"'m'", "a selector with 2 categories chooses along one plate of 2"}},
      {[](Graph& g) {
         const Plate p = g.plate("parts", 2);
         const Node m = g.gaussian("m", 0, 1, {p}), t = g.gamma("t", 1, 1, {p});
         g.gaussian("x", m[g.categorical("y", {0.5, 0.5})], t[g.categorical("z", {0.5, 0.5})]);
       },
       {"both 'y' and 'z' select"}},
      {[](Graph& g) {
         const Plate p = g.plate("parts", 2);
         const Node m = g.gaussian("m", 0, 1, {p});
         g.gaussian("x", m[g.bernoulli("z", 0.5)], 1);
       },
       {"'z', a bernoulli node, selects", "only categorical"}},
      {[](Graph& g) { g.plate("p", 0); }, {"no elements"}},
      {[](Graph& g) {
         g.plate("q", g.plate("p", 2), {0, 2});
       },
       {"element 2 is in element 2 of 'p', which has 2"}},
      {[](Graph& g) {
         g.constant("c", {1, kMissing});
       },
       {"a constant is nan", "observe"}},
      {[](Graph& g) { g.observe(g.poisson("n", 1), std::vector<double>{-1}); },
       {"node 'n', element 1: the value is -1"}},
      {[](Graph& g) {
         g.observe(g.poisson("n", 1), std::vector<double>{1, 2});
       },
       {"2 numbers are observed; it has 1"}},
      {[](Graph& g) {
         g.observe(g.multivariate_gaussian("x", {0, 0}, {1, 0, 0, 1}), std::vector<double>{1, kMissing});
       },
       {"misses 1 of its 2", "plate"}},
      {[](Graph& g) {
         g.multinomial("n", {0.5, 0.5});
         g.fit();
       },
       {"multinomial whose counts are not observed"}},
      {[](Graph& g) { g.update(g.constant("c", {1})); }, {"'c' is not latent"}},
      {[](Graph& g) { g.fit({.starts = 0}); }, {"0 starts"}},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string message = refusal_of(rows[i].make);
    for (const char* part : rows[i].parts)
      EXPECT_NE(message.find(part), std::string::npos) << i << ": " << message;
  }
  // A refused node leaves the graph as it was.
  Graph graph;
  const Node mean = graph.gaussian("mean", 0, 1);
  EXPECT_THROW(graph.gaussian("x", mean, mean), Error);
  graph.observe(graph.gaussian("x", mean, 1), std::vector<double>{1});
  EXPECT_NEAR(graph.fit().elbo, -0.5 * (std::log(4 * std::numbers::pi) + 0.5), 1e-12);
}

}  // namespace
}  // namespace kullback::conjugate
