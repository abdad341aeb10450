// Optimal string alignment distance with three rolling rows; candidates whose length alone is too
// different are skipped.
#include "base/nearest_name.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace kullback {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// How far off a name may be: a third of it, so that short names need to be nearly right.
int tolerance(std::size_t length) { return static_cast<int>(std::min<std::size_t>((length + 1) / 3, 4)); }

}  // namespace

int edit_distance(std::string_view a, std::string_view b, int limit) {
  const int difference = static_cast<int>(a.size()) - static_cast<int>(b.size());
  if (std::abs(difference) > limit) return limit + 1;
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    int least = row[0];
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int cost = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  int best = tolerance(name.size()) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    const int distance = edit_distance(name, candidate, best - 1);
    if (distance < best && static_cast<std::size_t>(distance) < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace kullback
