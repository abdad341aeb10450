// Nearest neighbours (Schilling 1986; Henze 1988): where chosen draws have no place of their own, each of the
// K draws nearest to a chosen one is chosen with the probability (c - 1) / (n - 1). Coordinates are ranks, so
// that scales and tails do not matter. Draws of a chain that follow each other are near each other whatever
// they are, and do not count as neighbours. The share of chosen neighbours is judged as if the K neighbours
// of a draw were one observation, which overstates its error.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

namespace {

constexpr std::size_t kNeighbours = 10;
constexpr std::size_t kMostChosen = 300;
constexpr std::size_t kMostOthers = 1500;
constexpr std::size_t kMostColumns = 30;
constexpr std::size_t kNearInTime = 50;
constexpr double kSurely = 4;     // standard errors
constexpr double kClearly = 1.5;  // times as common

// Ranks of all draws from 0 to 1.
std::vector<float> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<float> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks[order[i]] = static_cast<float>(i) / static_cast<float>(order.size());
  return ranks;
}

bool is_usable(const std::vector<double>& values) {
  const bool is_finite = std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  return is_finite && std::any_of(values.begin(), values.end(), [&](double v) { return v != values[0]; });
}

// At most `most` of them, evenly spread.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

struct Cloud {
  std::vector<std::size_t> draws;  // the chosen ones first
  std::size_t chosen = 0;
  std::size_t columns = 0;
  std::vector<float> places = {};  // draw after draw
};

Cloud cloud_of(const Posterior& posterior, const std::vector<char>& chosen) {
  std::vector<std::size_t> of_kind[2];
  for (std::size_t i = 0; i < chosen.size(); ++i) of_kind[chosen[i] != 0 ? 1 : 0].push_back(i);
  Cloud cloud{.draws = some_of(of_kind[1], kMostChosen)};
  cloud.chosen = cloud.draws.size();
  const std::vector<std::size_t> others = some_of(of_kind[0], kMostOthers);
  cloud.draws.insert(cloud.draws.end(), others.begin(), others.end());
  std::vector<std::vector<float>> columns;
  const std::size_t parameters = posterior.parameters > 0 ? posterior.parameters : posterior.names.size();
  for (std::size_t i = 0; i < parameters && columns.size() < kMostColumns; ++i) {
    const std::vector<double> values = posterior.column(i);
    if (is_usable(values)) columns.push_back(ranks_of(values));
  }
  cloud.columns = columns.size();
  for (const std::size_t draw : cloud.draws)
    for (const std::vector<float>& column : columns) cloud.places.push_back(column[draw]);
  return cloud;
}

float squared_distance(const Cloud& cloud, std::size_t a, std::size_t b) {
  float sum = 0;
  for (std::size_t d = 0; d < cloud.columns; ++d) {
    const float difference = cloud.places[a * cloud.columns + d] - cloud.places[b * cloud.columns + d];
    sum += difference * difference;
  }
  return sum;
}

// Of the neighbours of one chosen draw: the share that is chosen, and what it would be by chance.
std::pair<double, double> shares_of(const Cloud& cloud, std::size_t at, std::size_t chain_length) {
  std::vector<std::pair<float, bool>> near;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < cloud.draws.size(); ++i) {
    const std::size_t a = cloud.draws[at], b = cloud.draws[i];
    const bool is_same_chain = a / chain_length == b / chain_length;
    if (is_same_chain && std::max(a, b) - std::min(a, b) <= kNearInTime) continue;
    near.emplace_back(squared_distance(cloud, at, i), i < cloud.chosen);
    chosen += i < cloud.chosen ? 1 : 0;
  }
  if (near.size() <= kNeighbours) return {0, 0};
  std::nth_element(near.begin(), near.begin() + kNeighbours, near.end());
  const auto found =
      std::count_if(near.begin(), near.begin() + kNeighbours, [](const auto& n) { return n.second; });
  return {static_cast<double>(found) / kNeighbours,
          static_cast<double>(chosen) / static_cast<double>(near.size())};
}

}  // namespace

double crowding(const Posterior& posterior, const std::vector<char>& chosen) {
  const Cloud cloud = cloud_of(posterior, chosen);
  if (cloud.columns == 0 || cloud.chosen == 0 || cloud.chosen == cloud.draws.size()) return 1;
  double found = 0, expected = 0;
  for (std::size_t i = 0; i < cloud.chosen; ++i) {
    const auto [share, chance] = shares_of(cloud, i, posterior.draws());
    found += share;
    expected += chance;
  }
  const auto count = static_cast<double>(cloud.chosen);
  const double chance = expected / count;
  const double error = std::sqrt(chance * (1 - chance) / count);
  const bool is_clear = found / count - chance > kSurely * error && found > kClearly * expected;
  return is_clear && expected > 0 ? found / expected : 1;
}

}  // namespace kullback::posterior
