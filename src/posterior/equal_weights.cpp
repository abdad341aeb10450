// Systematic resampling (Kitagawa 1996): with the weights' sums c_1 < ... < c_n = 1 and one uniform u, the
// i-th choice is the first draw j with c_j >= (i + u) / n. Each draw is taken n w_j times, rounded up or
// down, which has less noise than n independent choices. Copies stand side by side then; a random order parts
// them.
#include "posterior/equal_weights.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"

namespace kullback::posterior {

namespace {

constexpr std::uint32_t kPurpose = 19;  // as infer/algorithm.hpp has it: Purpose::equal_weights

void shuffle(std::vector<std::size_t>& chosen, Random& random) {
  for (std::size_t left = chosen.size(); left > 1; --left)
    std::swap(chosen[left - 1], chosen[static_cast<std::size_t>(random.below(left))]);
}

std::vector<double> chosen_from(const std::vector<double>& values, const std::vector<std::size_t>& chosen) {
  std::vector<double> result;
  result.reserve(chosen.size());
  for (const std::size_t draw : chosen) result.push_back(values[draw]);
  return result;
}

void append(const std::vector<double>& values, std::vector<double>& columns) {
  columns.insert(columns.end(), values.begin(), values.end());
}

}  // namespace

std::vector<std::size_t> equally_weighted(const Posterior& posterior, std::uint64_t seed) {
  const std::vector<double> weights = posterior.weights();
  std::vector<std::size_t> chosen;
  if (weights.empty()) return chosen;
  Random random(seed, 0, kPurpose, 0);
  const auto count = static_cast<double>(weights.size());
  const double offset = random.uniform();
  double sum = weights.front();
  for (std::size_t i = 0, draw = 0; i < weights.size(); ++i) {
    const double place = (static_cast<double>(i) + offset) / count;
    while (sum < place && draw + 1 < weights.size()) sum += weights[++draw];
    chosen.push_back(draw);
  }
  shuffle(chosen, random);
  return chosen;
}

Posterior with_equal_weights(const Posterior& posterior, std::uint64_t seed) {
  const std::vector<std::size_t> chosen = equally_weighted(posterior, seed);
  if (chosen.empty()) return posterior;
  Posterior equal;
  equal.names = posterior.names;
  equal.parameters = posterior.parameters;
  equal.generated = posterior.generated;
  equal.stat_names = posterior.stat_names;
  Chain& chain = equal.chains.emplace_back();
  chain.draws = chosen.size();
  chain.is_resampled = true;
  chain.sampling_seconds = posterior.chains.front().sampling_seconds;
  chain.log_density = posterior.log_density();
  if (!chain.log_density.empty()) chain.log_density = chosen_from(chain.log_density, chosen);
  for (const std::string& name : posterior.stat_names)
    append(chosen_from(posterior.stat(name), chosen), chain.stats);
  for (std::size_t i = 0; i < posterior.names.size(); ++i)
    append(chosen_from(posterior.column(i), chosen), chain.columns);
  return equal;
}

}  // namespace kullback::posterior
