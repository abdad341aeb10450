// With scores g and s = |x - y|^2 the Stein kernel of k = f(s) is (Liu, Lee, Jordan 2016; Chwialkowski,
// Strathmann, Gretton 2016)
//   u(x, y) = g_x'g_y k + g_x' d_y k + g_y' d_x k + trace d_x d_y k
//           = f g_x'g_y - 2 f' (g_x - g_y)'(x - y) - 2 dim f' - 4 s f'',
// and KSD^2 = E u(x, y) over independent x, y. It has mean 0 in each argument under the density, so that
//   V = mean of all u_ij            E V = E u(x, x) / n for draws from the density,
//   U = mean of u_ij, i != j        E U = KSD^2.
// Off the density sqrt(n) (U - KSD^2) is normal with variance 4 Var E[u(x, y) | x]. Under it n V has the law
// of a weighted sum of chi-squares, which the wild bootstrap imitates: mean of w_i w_j u_ij with random signs
// w. The interval is between quantiles of U over points drawn again with replacement, where pairs of one
// point with itself do not count; then the mean over replicates is U. Under the density it is too wide rather
// than too narrow: the means of rows vary beside the signs. Convergence of KSD to 0 implies that of the
// points for IMQ, not for RBF in 3 or more dimensions (Gorham and Mackey 2017).
#include "stats/ksd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "stats/chains.hpp"
#include "stats/sums.hpp"

namespace kullback::stats {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double stein_kernel(const ScoredPoints& scored, const RadialKernel& kernel, std::size_t i, std::size_t j) {
  const std::size_t dim = scored.dim;
  const double* x = scored.points.data() + i * dim;
  const double* y = scored.points.data() + j * dim;
  const double* gx = scored.scores.data() + i * dim;
  const double* gy = scored.scores.data() + j * dim;
  double s = 0;
  double scores = 0;
  double mixed = 0;
  for (std::size_t a = 0; a < dim; ++a) {
    const double difference = x[a] - y[a];
    s += difference * difference;
    scores += gx[a] * gy[a];
    mixed += (gx[a] - gy[a]) * difference;
  }
  const RadialDerivatives f = derivatives(kernel, s);
  return f.value * scores - 2 * f.first * (mixed + static_cast<double>(dim)) - 4 * s * f.second;
}

std::vector<double> stein_matrix(const ScoredPoints& scored, const RadialKernel& kernel) {
  const std::size_t n = scored.count();
  std::vector<double> u(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) u[i * n + j] = u[j * n + i] = stein_kernel(scored, kernel, i, j);
  }
  return u;
}

double signed_mean(const std::vector<double>& u, const std::vector<double>& signs) {
  const std::size_t n = signs.size();
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += signs[i] * dot(u.data() + i * n, signs.data(), n);
  return total / static_cast<double>(n * n);
}

double bootstrap_p_value(const std::vector<double>& u, std::size_t n, double observed,
                         const KsdOptions& options) {
  if (options.replicates == 0) return kNaN;
  std::vector<double> signs(n);
  std::size_t beyond = 0;
  for (std::size_t r = 0; r < options.replicates; ++r) {
    Random random(options.seed, 0, 0, static_cast<std::uint32_t>(r));
    for (double& sign : signs) sign = random.below(2) == 0 ? -1 : 1;
    if (signed_mean(u, signs) >= observed) ++beyond;
  }
  return static_cast<double>(1 + beyond) / static_cast<double>(1 + options.replicates);
}

// U of points drawn again: counts[i] times point i.
double resampled_u(const std::vector<double>& u, const std::vector<double>& counts) {
  const std::size_t n = counts.size();
  double total = 0;
  double pairs = static_cast<double>(n) * static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (counts[i] == 0) continue;
    total += counts[i] * (dot(u.data() + i * n, counts.data(), n) - counts[i] * u[i * n + i]);
    pairs -= counts[i] * counts[i];
  }
  return pairs > 0 ? total / pairs : kNaN;
}

void bootstrap_interval(const std::vector<double>& u, std::size_t n, const KsdOptions& options, Ksd& result) {
  result.u_lower = result.u_upper = kNaN;
  if (options.replicates == 0 || n < 2) return;
  std::vector<double> values;
  std::vector<double> counts(n);
  for (std::size_t r = 0; r < options.replicates; ++r) {
    Random random(options.seed, 0, 1, static_cast<std::uint32_t>(r));
    std::fill(counts.begin(), counts.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) counts[random.below(n)] += 1;
    values.push_back(resampled_u(u, counts));
  }
  result.u_lower = quantile(values, 0.5 - 0.5 * options.level);
  result.u_upper = quantile(values, 0.5 + 0.5 * options.level);
}

}  // namespace

Ksd kernel_stein_discrepancy(const ScoredPoints& scored, const RadialKernel& kernel,
                             const KsdOptions& options) {
  if (scored.points.size() != scored.scores.size() || scored.points.size() != scored.count() * scored.dim)
    throw Error(ErrorKind::internal, "kernel_stein_discrepancy: " + std::to_string(scored.points.size()) +
                                         " numbers of points, " + std::to_string(scored.scores.size()) +
                                         " of scores, dim " + std::to_string(scored.dim) + ".");
  const std::size_t n = scored.count();
  if (n == 0) return {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<double> u = stein_matrix(scored, kernel);
  const auto count = static_cast<double>(n);
  double trace = 0;
  std::vector<double> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    trace += u[i * n + i];
    rows[i] = sum({u.data() + i * n, n});
  }
  const double total = sum(rows);
  Ksd result;
  result.squared_v = total / (count * count);
  result.independent = trace / (count * count);
  result.squared_u = n > 1 ? (total - trace) / (count * (count - 1)) : kNaN;
  for (std::size_t i = 0; i < n; ++i) rows[i] = (rows[i] - u[i * n + i]) / (count - 1);
  result.u_error = n > 1 ? 2 * std::sqrt(variance(rows) / count) : kNaN;
  result.p_value = bootstrap_p_value(u, n, result.squared_v, options);
  bootstrap_interval(u, n, options, result);
  return result;
}

double median_squared_distance(std::span<const double> points, std::size_t dim) {
  const std::size_t n = dim == 0 ? 0 : points.size() / dim;
  if (n < 2) return 0;
  std::vector<double> distances;
  distances.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double s = 0;
      for (std::size_t a = 0; a < dim; ++a) {
        const double difference = points[i * dim + a] - points[j * dim + a];
        s += difference * difference;
      }
      distances.push_back(s);
    }
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace kullback::stats
