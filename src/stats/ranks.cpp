// One sort serves quantiles, ranks and folded ranks: the deviations from the median ascend from it to both
// sides, and are merged.
#include "stats/ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "stats/normal_scores.hpp"
#include "stats/quantile.hpp"

namespace kullback::stats {
namespace {

constexpr std::size_t kFewForRadix = 256;
constexpr std::size_t kBytes = sizeof(double);
constexpr std::size_t kByteValues = 256;

using Counts = std::array<std::array<std::size_t, kByteValues>, kBytes>;

// An integer in the order of the numbers. Adding 0 makes the two zeros equal.
std::uint64_t key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  const std::uint64_t sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

std::size_t byte(std::uint64_t of, std::size_t which) { return (of >> (8 * which)) & 0xff; }

Counts count_bytes(const std::vector<Ranked>& items) {
  Counts counts{};
  for (const Ranked& item : items) {
    const std::uint64_t k = key(item.value);
    for (std::size_t b = 0; b < kBytes; ++b) ++counts[b][byte(k, b)];
  }
  return counts;
}

// By one byte of the key after the other, the last the most significant; stable, so that earlier orders
// remain.
void radix_sort(std::vector<Ranked>& items) {
  Counts counts = count_bytes(items);
  std::vector<Ranked> other(items.size());
  for (std::size_t b = 0; b < kBytes; ++b) {
    auto& starts = counts[b];
    if (starts[byte(key(items[0].value), b)] == items.size()) continue;  // all have the same byte
    std::size_t start = 0;
    for (std::size_t& entry : starts) start += std::exchange(entry, start);
    for (const Ranked& item : items) other[starts[byte(key(item.value), b)]++] = item;
    items.swap(other);
  }
}

}  // namespace

std::vector<Ranked> sorted(const Chains& chains) {
  const Cut cut(chains);
  std::vector<Ranked> items(chains.values.size());
  for (std::size_t chain = 0, at = 0; chain < chains.chains; ++chain)
    for (std::size_t draw = 0; draw < chains.draws; ++draw, ++at)
      items[at] = {chains.values[at], cut.position(chain, draw)};
  if (items.size() >= kFewForRadix)
    radix_sort(items);
  else
    std::sort(items.begin(), items.end(), [](const Ranked& a, const Ranked& b) { return a.value < b.value; });
  return items;
}

double quantile(std::span<const Ranked> ascending, double probability) {
  const QuantilePlace place = quantile_place(ascending.size(), probability);
  const double below = ascending[place.below].value;
  return place.fraction == 0 ? below : std::lerp(below, ascending[place.below + 1].value, place.fraction);
}

std::vector<Ranked> folded(std::span<const Ranked> ascending) {
  const std::size_t count = ascending.size();
  const double low = ascending[(count - 1) / 2].value, high = ascending[count / 2].value;
  const double median = std::midpoint(low, high);
  std::vector<Ranked> result(count);
  std::size_t right = count / 2, left = right;  // right: next above the median; left: one past the next below
  for (Ranked& item : result) {
    const bool take_left =
        right == count || (left > 0 && median - ascending[left - 1].value < ascending[right].value - median);
    const Ranked& next = ascending[take_left ? --left : right++];
    item = {std::abs(next.value - median), next.position};
  }
  return result;
}

Halves rank_normalised(std::span<const Ranked> ascending, const Cut& cut) {
  Halves result = cut.empty();
  const std::size_t count = result.values.size();
  const std::span<const double> scores = normal_scores(count);
  std::size_t rank = 0;  // of draws in halves so far
  for (std::size_t first = 0; first < ascending.size();) {
    std::size_t end = first, kept = 0;
    for (; end < ascending.size() && ascending[end].value == ascending[first].value; ++end)
      kept += ascending[end].position != kDropped;
    if (kept > 0) {
      const double middle = static_cast<double>(rank) + 0.5 * static_cast<double>(kept + 1);
      const double score = kept == 1 ? scores[rank] : normal_score(middle, count);
      for (std::size_t i = first; i < end; ++i)
        if (ascending[i].position != kDropped) result.values[ascending[i].position] = score;
    }
    rank += kept;
    first = end;
  }
  return result;
}

}  // namespace kullback::stats
