// Factors that the data do not need are shut by automatic relevance determination, but with many rows only
// after hundreds of passes that each gain less than any tolerance: what noise in the sample lets such a
// factor explain is close to what it costs. So the driver is offered to shut them at once.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "conjugate/factors/factor_model.hpp"
#include "conjugate/factors/lane_kernels.hpp"

namespace kullback::conjugate {

namespace {

// Sums of E yy' as if z_k were N(0, 1) and independent of all else.
void forget(std::span<double> yy, std::size_t k, std::size_t dim) {
  for (std::size_t i = 0; i < dim; ++i) yy[packed_at(std::max(i, k), std::min(i, k))] = 0;
  yy[packed_at(k, k)] = yy[packed_at(dim - 1, dim - 1)];
}

}  // namespace

// What the bound gains where factor k is shut and no other changes, axes being orthogonal: its loadings give
// back their divergence from the prior; the noise takes what w_k explained, so that log |Psi + w w'| = log
// |Psi| + log(1 + s), s = sum_d tau_d w_d^2, becomes the log determinant of the new noise. A factor of one
// column only loses nothing. With missing cells columns count by their cells.
std::vector<double> FactorModel::gains_of_shutting(const Statistics& statistics) const {
  std::vector<double> gains(sizes_.factors);
  std::vector<double> counts(sizes_.columns);
  double cells = 0;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    counts[d] = statistics.values[packed() - 1] + statistics.values[column_at(d) + packed() - 1];
    cells += counts[d];
  }
  for (std::size_t k = 0; k < sizes_.factors; ++k) {
    const double alpha = precisions_.mean(k);
    double divergence = 0, explained = 0, noise = 0;
    for (std::size_t d = 0; d < sizes_.columns; ++d) {
      const double mean = loadings_.mean(d)[k];
      const double signal = noise_precision(d) * mean * mean;
      divergence +=
          0.5 * (alpha * loadings_.second(d, k, k) - 1 - std::log(alpha * loadings_.variance(d, k)));
      explained += counts[d] * signal;
      noise += 0.5 * counts[d] * (known_noise_ > 0 ? signal : std::log1p(signal));
    }
    if (sizes_.noises == 1 && known_noise_ == 0) noise = 0.5 * cells * std::log1p(explained / cells);
    gains[k] = divergence - noise + 0.5 * statistics.units * std::log1p(explained / statistics.units);
  }
  return gains;
}

// Factors in use, first those whose shutting gains most.
std::vector<std::size_t> FactorModel::doubtful(std::span<const double> gains) const {
  std::vector<std::size_t> used;
  for (std::size_t k = 0; k < sizes_.factors; ++k) {
    if (in_use(k)) used.push_back(k);
  }
  std::sort(used.begin(), used.end(), [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
  return used;
}

// First all whose shutting seems to gain, or all before the widest gap in what they explain; then the better
// half of them, and so on to the best one. The gains above are of orthogonal axes, and others may take over
// what a factor explains.
bool FactorModel::propose(const Statistics& statistics, std::size_t refused) {
  if (!rotates_ || adopted_ || !(statistics.units > 0)) return false;
  const std::vector<double> gains = gains_of_shutting(statistics);
  std::vector<std::size_t> chosen = doubtful(gains);
  if (chosen.empty()) return false;
  std::size_t count = 1;
  double widest = 0;
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    const double gap = explained(chosen[i]) / explained(chosen[i - 1]);
    if (gap > widest) count = i;
    widest = std::max(widest, gap);
  }
  while (count < chosen.size() && gains[chosen[count]] > 0) ++count;
  count >>= std::min<std::size_t>(refused, 63);
  if (count == 0) return false;
  chosen.resize(count);
  shut_at_once(statistics, chosen);
  return true;
}

// Loadings, precisions and noise at their optimum where q(z_k) is the prior.
void FactorModel::shut_at_once(const Statistics& statistics, std::span<const std::size_t> factors) {
  Statistics without = statistics;
  const std::span<double> values(without.values);
  for (const std::size_t k : factors) {
    forget(values.first(packed()), k, dim());
    forget(values.subspan(other_at(), packed()), k, dim());
    for (std::size_t d = 0; d < sizes_.columns; ++d) {
      forget(values.subspan(column_at(d), packed()), k, dim());
      values[column_at(d) + packed() + k] = 0;
    }
  }
  ExactMover exact;
  step_loadings(without, exact);
  step_precisions(without, exact);
  step_noise(without, exact);
  shut(without);
}

}  // namespace kullback::conjugate
