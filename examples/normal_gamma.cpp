// A Gaussian with unknown mean and precision by message passing, its bound term by term, and the exact
// answer.
#include <cmath>
#include <cstdio>
#include <vector>

#include "conjugate/graph/conditional.hpp"
#include "conjugate/graph/graph.hpp"

using namespace kullback::conjugate;

int main() {
  const std::vector<double> x = {4.1, 5.3, 3.8, 6.0, 5.1, 4.4, 5.6, 4.9};

  Graph graph;
  const Plate points = graph.plate("points", x.size());
  const Node mean = graph.gaussian("mean", 0, 0.01);
  const Node precision = graph.gamma("precision", 1, 1);
  const Node datum = graph.gaussian("x", mean, precision, {points});
  graph.observe(datum, x);
  const GraphFit fit = graph.fit();

  for (const auto& [name, value] : graph.elbo_terms()) std::printf("%-10s %9.4f\n", name.c_str(), value);
  std::printf("%-10s %9.4f after %zu sweeps\n", "bound", fit.elbo, fit.sweeps);
  const std::vector<double> m = graph.posterior(mean).parameters(),
                            p = graph.posterior(precision).parameters();
  std::printf("mean       %9.4f +- %.4f\nprecision  %9.4f = %.4f / %.4f\n", m[0], 1 / std::sqrt(m[1]),
              p[0] / p[1], p[0], p[1]);

  // With the normal-gamma prior the posterior is in the family: one update is exact.
  const Distribution prior =
      Distribution::of_parameters(normal_gamma_family(), std::vector<double>{0, 0.01, 1, 1});
  const std::vector<double> exact = conjugate_posterior(prior, *gaussian_joint_conditional(), x).parameters();
  std::printf("exact with a normal-gamma prior: mean %.4f, precision %.4f = %.4f / %.4f\n", exact[0],
              exact[2] / exact[3], exact[2], exact[3]);
}
