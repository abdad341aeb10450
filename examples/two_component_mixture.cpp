// 100 points each from N(-5, variance 2) and N(5, variance 2), and a mixture of two Gaussians that finds
// them.
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/random.hpp"
#include "conjugate/graph/graph.hpp"

using namespace kullback::conjugate;

int main() {
  kullback::Random random(1);
  std::vector<double> x;
  for (int i = 0; i < 200; ++i) x.push_back((i < 100 ? -5 : 5) + std::sqrt(2) * random.normal());

  Graph graph;
  const Plate points = graph.plate("points", x.size());
  const Plate parts = graph.plate("parts", 2);
  const Node weight = graph.dirichlet("weight", {1, 1});
  const Node mean = graph.gaussian("mean", 0, 0.01, {parts});
  const Node precision = graph.gamma("precision", 1, 1, {parts});
  const Node part = graph.categorical("part", weight, {points});
  const Node datum = graph.gaussian("x", mean[part], precision[part], {points});
  graph.observe(datum, x);
  const GraphFit fit = graph.fit({.starts = 5});

  std::printf("bound %.4f after %zu sweeps\n", fit.elbo, fit.sweeps);
  const std::vector<double> w = graph.posterior(weight).parameters();
  const std::vector<double> m = graph.posterior(mean).parameters(),
                            p = graph.posterior(precision).parameters();
  for (std::size_t k = 0; k < 2; ++k)
    std::printf("weight %.3f, mean %6.3f +- %.3f, variance %.3f\n", w[k] / (w[0] + w[1]), m[2 * k],
                1 / std::sqrt(m[2 * k + 1]), p[2 * k + 1] / p[2 * k]);
  const std::vector<double> responsibility = graph.means(part);
  int together = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    together += (responsibility[2 * i] > 0.5) == ((i < 100) == (responsibility[0] > 0.5));
  std::printf("%d of %zu points with those of their kind\n", together, x.size());
}
