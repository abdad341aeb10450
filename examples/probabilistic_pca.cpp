// Probabilistic PCA with automatic rank: x_nj = w_j' z_n + noise, one precision for each column of w (Bishop
// 1999). Five directions are offered, the data have two.
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/random.hpp"
#include "conjugate/graph/graph.hpp"

using namespace kullback::conjugate;

int main() {
  constexpr std::size_t kRows = 300, kColumns = 8, kRank = 5;
  kullback::Random random(3);
  std::vector<double> loading(2 * kColumns), x;
  for (double& value : loading) value = 2 * random.normal();
  for (std::size_t n = 0; n < kRows; ++n) {
    const double z[] = {random.normal(), random.normal()};
    for (std::size_t j = 0; j < kColumns; ++j)
      x.push_back(loading[2 * j] * z[0] + loading[2 * j + 1] * z[1] + 0.5 * random.normal());
  }

  Graph graph;
  const Plate rows = graph.plate("rows", kRows), columns = graph.plate("columns", kColumns);
  const Plate directions = graph.plate("directions", kRank);
  std::vector<double> zero(kRank, 0), identity(kRank * kRank, 0);
  for (std::size_t i = 0; i < kRank; ++i) identity[i * (kRank + 1)] = 1;
  const Node alpha = graph.gamma("alpha", 1e-3, 1e-3, {directions});
  const Node w = graph.multivariate_gaussian_diagonal("w", zero, alpha, {columns});
  const Node z = graph.multivariate_gaussian("z", zero, identity, {rows});
  const Node noise = graph.gamma("noise", 1e-3, 1e-3);
  const Node cell = graph.gaussian("x", dot(w, z), noise, {rows, columns});
  graph.observe(cell, x);
  const GraphFit fit = graph.fit({.tol = 1e-7});

  const std::vector<double> a = graph.means(alpha);
  std::size_t used = 0;
  for (std::size_t k = 0; k < kRank; ++k) used += a[2 * k + 1] < 100;
  std::printf("%zu of %zu directions are used; noise %.3f; converged: %s\n", used, kRank,
              1 / std::sqrt(graph.means(noise)[1]), fit.converged ? "yes" : "no");
}
