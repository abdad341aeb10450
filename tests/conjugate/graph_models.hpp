// Conjugate models that graph tests run, each with data.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "conjugate/graph/graph.hpp"

namespace kullback::conjugate {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

inline Distribution of_parameters(FamilyPtr family, const std::vector<double>& parameters) {
  return Distribution::of_parameters(std::move(family), parameters);
}

inline std::vector<double> two_clusters(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back((i < n / 2 ? -5 : 5) + std::sqrt(2.0) * random.normal());
  return x;
}

struct Mixture {
  Graph graph = {};
  Node weight, mean, precision, part, datum;

  explicit Mixture(const std::vector<double>& x, std::size_t k = 2)
      : weight{0}, mean{0}, precision{0}, part{0}, datum{0} {
    const Plate points = graph.plate("points", x.size()), parts = graph.plate("parts", k);
    weight = graph.dirichlet("weight", std::vector<double>(k, 1.0));
    mean = graph.gaussian("mean", 0, 0.01, {parts});
    precision = graph.gamma("precision", 1, 1, {parts});
    part = graph.categorical("part", weight, {points});
    datum = graph.gaussian("x", mean[part], precision[part], {points});
    graph.observe(datum, x);
  }
};

struct NamedGraph {
  std::string name;
  Graph graph;
};

// Every kind of node and link at least once, with missing observations.
inline std::vector<NamedGraph> many_graphs() {
  std::vector<NamedGraph> all;
  Random random(5);
  {
    std::vector<double> x = two_clusters(40, 3);
    x[3] = x[30] = kMissing;
    all.push_back({"mixture", std::move(Mixture(x, 3).graph)});
  }
  {  // Diagonal mixture over two plates, the selector in one of them.
    Graph graph;
    const Plate rows = graph.plate("rows", 30), columns = graph.plate("columns", 2),
                parts = graph.plate("parts", 3);
    const Node weight = graph.dirichlet("weight", {1, 2, 1});
    const Node both =
        graph.prior("both", of_parameters(normal_gamma_family(), {0, 0.1, 2, 1}), {parts, columns});
    const Node part = graph.categorical("part", weight, {rows});
    const Node cell = graph.gaussian_joint("cell", both[part], {rows, columns});
    std::vector<double> x;
    for (int i = 0; i < 60; ++i) x.push_back(i % 7 == 0 ? kMissing : random.normal() + (i < 30 ? 3 : -1));
    graph.observe(cell, x);
    all.push_back({"diagonal mixture", std::move(graph)});
  }
  for (const bool joint : {false, true}) {
    Graph graph;
    const Plate rows = graph.plate("rows", 25), parts = graph.plate("parts", 2);
    const Node part = graph.categorical("part", {0.3, 0.7}, {rows});
    std::vector<double> x;
    for (int i = 0; i < 50; ++i) x.push_back(random.normal() + (i < 20 ? 2 : 0));
    if (joint) {
      const Node both = graph.prior(
          "both", of_parameters(normal_wishart_family(2), {0, 0, 0.1, 3, 1, 0.2, 0.2, 1}), {parts});
      graph.observe(graph.multivariate_gaussian_joint("row", both[part], {rows}), x);
    } else {
      const Node mean = graph.multivariate_gaussian("mean", {0, 1}, {0.1, 0.01, 0.01, 0.2}, {parts});
      const Node precision =
          graph.prior("precision", of_parameters(wishart_family(2), {3, 1, 0.2, 0.2, 1}), {parts});
      graph.observe(graph.multivariate_gaussian("row", mean[part], precision[part], {rows}), x);
    }
    all.push_back({joint ? "normal-wishart mixture" : "wishart mixture", std::move(graph)});
  }
  {  // Regression with a missing regressor, hierarchical intercepts, hierarchical precision.
    Graph graph;
    const Plate groups = graph.plate("groups", 3);
    std::vector<std::size_t> of;
    std::vector<double> features, x, y;
    for (std::size_t i = 0; i < 20; ++i) {
      of.push_back(i * i % 3);
      x.push_back(i % 6 == 1 ? kMissing : random.normal());
      features.insert(features.end(), {random.normal(), random.normal()});
      y.push_back(i == 7 ? kMissing : 1 + 2 * features[2 * i] + random.normal());
    }
    const Plate rows = graph.plate("rows", groups, of);
    const Node rate = graph.gamma("rate", 2, 1);
    const Node noise = graph.gamma("noise", 3, rate);
    const Node spread = graph.gamma("spread", 1, 1);
    const Node center = graph.gaussian("center", 0, 0.1);
    const Node intercept = graph.gaussian("intercept", center, spread, {groups});
    const Node slopes = graph.multivariate_gaussian("slopes", {0, 0}, {0.1, 0, 0, 0.1});
    const Node slope = graph.gaussian("slope", 0, 0.1);
    const Node regressor = graph.gaussian("regressor", center - 0.5, 0.8, {rows});
    const Node constants = graph.constant("features", features, {rows});
    const Node outcome =
        graph.gaussian("y", 2 * intercept + dot(slopes, constants) - slope * regressor + 0.3, noise, {rows});
    graph.observe(regressor, x);
    graph.observe(outcome, y);
    all.push_back({"regression", std::move(graph)});
  }
  {  // Factors with automatic relevance, a mixture of regressions on them.
    Graph graph;
    const Plate rows = graph.plate("rows", 15), columns = graph.plate("columns", 4),
                directions = graph.plate("directions", 2);
    const Node alpha = graph.gamma("alpha", 1, 1, {directions});
    const Node w = graph.multivariate_gaussian_diagonal("w", {0, 0}, alpha, {columns});
    const Node z = graph.multivariate_gaussian("z", {0, 0}, {1, 0, 0, 1}, {rows});
    const Node noise = graph.gamma("noise", 1, 1, {columns});
    const Node cell = graph.gaussian("cell", dot(w, z), noise, {rows, columns});
    std::vector<double> x;
    for (int i = 0; i < 60; ++i) x.push_back(i % 11 == 3 ? kMissing : 2 * random.normal());
    graph.observe(cell, x);
    const Plate parts = graph.plate("parts", 3);
    const Node part = graph.categorical("part", {0.2, 0.3, 0.5}, {rows});
    const Node slopes = graph.multivariate_gaussian("slopes", {0, 0}, {1, 0, 0, 1}, {parts});
    const Node response = graph.gaussian("response", dot(slopes[part], z), 2, {rows});
    std::vector<double> y;
    for (int i = 0; i < 15; ++i) y.push_back(random.normal());
    graph.observe(response, y);
    all.push_back({"factors", std::move(graph)});
  }
  {  // Topics: words inside documents.
    Graph graph;
    const Plate documents = graph.plate("documents", 4), topics = graph.plate("topics", 2);
    std::vector<std::size_t> of;
    std::vector<double> word;
    for (std::size_t i = 0; i < 60; ++i) {
      of.push_back(i / 15);
      word.push_back(static_cast<double>((of[i] % 2) * 3 + random.below(3)));
    }
    const Plate words = graph.plate("words", documents, of);
    const Node theta = graph.dirichlet("theta", {0.5, 0.5}, {documents});
    const Node phi = graph.dirichlet("phi", std::vector<double>(6, 0.1), {topics});
    const Node topic = graph.categorical("topic", theta, {words});
    graph.observe(graph.categorical("word", phi[topic], {words}), word);
    all.push_back({"topics", std::move(graph)});
  }
  {  // Counts, coins, multinomials and angles, one selector for all.
    Graph graph;
    const Plate rows = graph.plate("rows", 20), parts = graph.plate("parts", 2);
    const Node weight = graph.dirichlet("weight", {1, 1});
    const Node part = graph.categorical("part", weight, {rows});
    const Node rate = graph.gamma("rate", 1, 0.3, {parts});
    const Node heads = graph.beta("heads", 1, 2, {parts});
    const Node shares = graph.dirichlet("shares", {1, 1, 1}, {parts});
    const Node direction = graph.von_mises("direction", 0, 0.3, {parts});
    std::vector<double> counts, coins, table, angles, times;
    for (std::size_t i = 0; i < 20; ++i) {
      counts.push_back(i == 4 ? kMissing : static_cast<double>(random.below(i < 10 ? 4 : 12)));
      coins.push_back(i == 5 ? kMissing : static_cast<double>(random.below(2)));
      for (int j = 0; j < 3; ++j) table.push_back(static_cast<double>(random.below(5)));
      angles.push_back((i < 10 ? 1.0 : -2.0) + 0.3 * random.normal());
      times.push_back(random.exponential());
    }
    graph.observe(graph.poisson("count", rate[part], {rows}), counts);
    graph.observe(graph.bernoulli("coin", heads[part], {rows}), coins);
    graph.observe(graph.multinomial("table", shares[part], {rows}), table);
    graph.observe(graph.von_mises("angle", direction[part], 4, {rows}), angles);
    graph.observe(graph.gamma("time", 2, rate[part], {rows}), times);
    all.push_back({"many kinds", std::move(graph)});
  }
  return all;
}

}  // namespace kullback::conjugate
