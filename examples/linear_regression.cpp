// Bayesian linear regression with an intercept for each of four groups: y = a_group + b'x + noise of unknown
// precision.
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "conjugate/graph/graph.hpp"

using namespace kullback::conjugate;

int main() {
  kullback::Random random(2);
  std::vector<double> features, y;
  std::vector<std::size_t> group;
  const double intercepts[] = {2, 3, 3.5, 5};
  for (std::size_t i = 0; i < 200; ++i) {
    features.insert(features.end(), {random.normal(), random.normal()});
    group.push_back(i % 4);
    y.push_back(intercepts[group[i]] + 2 * features[2 * i] - features[2 * i + 1] + 0.5 * random.normal());
  }
  for (std::size_t i = 0; i < 200; i += 10) y[i] = std::numeric_limits<double>::quiet_NaN();  // not measured

  Graph graph;
  const Plate groups = graph.plate("groups", 4);
  const Plate rows = graph.plate("rows", groups, group);  // row i belongs to group[i]
  const Node x = graph.constant("x", features, {rows});
  const Node slopes = graph.multivariate_gaussian("slopes", {0, 0}, {0.01, 0, 0, 0.01});
  const Node center = graph.gaussian("center", 0, 0.01);
  const Node spread = graph.gamma("spread", 1, 1);
  const Node intercept = graph.gaussian("intercept", center, spread, {groups});
  const Node noise = graph.gamma("noise", 1, 1);
  const Node outcome = graph.gaussian("y", intercept + dot(slopes, x), noise, {rows});
  graph.observe(outcome, y);
  const GraphFit fit = graph.fit();

  std::printf("bound %.4f after %zu sweeps\n", fit.elbo, fit.sweeps);
  const std::vector<double> b = graph.means(slopes), a = graph.means(intercept), tau = graph.means(noise);
  std::printf("slopes %.3f %.3f, noise %.3f\n", b[0], b[1], 1 / std::sqrt(tau[1]));
  for (std::size_t g = 0; g < 4; ++g) std::printf("group %zu: %.3f\n", g, a[2 * g]);
  std::printf("y[0] was not measured: %.3f expected\n", graph.means(outcome)[0]);
}
