// One sort serves quantiles, ranks and folded ranks: the deviations from the median ascend from it to both
// sides, and are merged.
#include "stats/ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "stats/normal_scores.hpp"
#include "stats/quantile.hpp"

namespace kullback::stats {
namespace {

constexpr std::size_t kFewForRadix = 256;
constexpr std::size_t kDigits = 3;
constexpr std::size_t kDigitValues = 256;
constexpr double kKeys = 0xffffff;

struct Item {
  std::uint32_t key = 0;
  std::uint32_t index = 0;
};

std::size_t digit(std::uint32_t key, std::size_t which) { return (key >> (8 * which)) & 0xff; }

// Kept for the next call in this thread: the allocator gives large blocks back to the system, and asking for
// them again costs more than the sort.
struct Scratch {
  std::vector<Ranked> given;
  std::vector<Item> items;
  std::vector<Item> other;
};

Scratch& scratch() {
  static thread_local Scratch kept;
  return kept;
}

// By one digit of the key after the other, the last the most significant; stable, so that earlier orders
// remain.
void radix_sort(std::vector<Item>& items, std::vector<Item>& other) {
  std::array<std::array<std::uint32_t, kDigitValues>, kDigits> starts{};
  for (const Item& item : items)
    for (std::size_t d = 0; d < kDigits; ++d) ++starts[d][digit(item.key, d)];
  other.resize(items.size());
  for (std::size_t d = 0; d < kDigits; ++d) {
    std::uint32_t start = 0;
    for (std::uint32_t& entry : starts[d]) start += std::exchange(entry, start);
    for (const Item& item : items) other[starts[d][digit(item.key, d)]++] = item;
    items.swap(other);
  }
}

bool is_less(const Ranked& a, const Ranked& b) { return a.value < b.value; }

void put_in_given_order(const Chains& chains, std::vector<Ranked>& items) {
  const Cut cut(chains);
  items.resize(chains.values.size());
  for (std::size_t chain = 0, at = 0; chain < chains.chains; ++chain)
    for (std::size_t draw = 0; draw < chains.draws; ++draw, ++at)
      items[at] = {chains.values[at], cut.position(chain, draw)};
}

// Values of one interval may be in any order.
void sort_within_intervals(std::vector<Ranked>& ranked, const std::vector<Item>& keys) {
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    if (!is_less(ranked[i], ranked[i - 1])) continue;
    std::size_t first = i - 1, end = i + 1;
    while (first > 0 && keys[first - 1].key == keys[i].key) --first;
    while (end < keys.size() && keys[end].key == keys[i].key) ++end;
    const auto begin = ranked.begin();
    std::sort(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(end), is_less);
    i = end - 1;
  }
}

// By the place of a value in 2^24 intervals between the smallest and the largest, then within intervals.
// Subtraction and multiplication are monotone in spite of rounding, so that intervals are in the order of
// their values.
std::vector<Ranked> sorted_by_intervals(Scratch& in, double low, double per_unit) {
  in.items.resize(in.given.size());
  for (std::uint32_t i = 0; i < in.items.size(); ++i) {
    const auto key = static_cast<std::int32_t>((in.given[i].value - low) * per_unit);
    in.items[i] = {static_cast<std::uint32_t>(key), i};
  }
  radix_sort(in.items, in.other);
  std::vector<Ranked> result;
  result.reserve(in.given.size());
  for (const Item& item : in.items) result.push_back(in.given[item.index]);
  sort_within_intervals(result, in.items);
  return result;
}

}  // namespace

std::vector<Ranked> sorted(const Chains& chains) {
  Scratch& in = scratch();
  put_in_given_order(chains, in.given);
  if (in.given.size() >= kFewForRadix && in.given.size() < std::numeric_limits<std::uint32_t>::max()) {
    const auto [low, high] = std::minmax_element(chains.values.begin(), chains.values.end());
    const double per_unit = kKeys / (*high - *low);
    // 0 where the range overflows, infinite where it underflows.
    if (per_unit > 0 && std::isfinite(per_unit)) return sorted_by_intervals(in, *low, per_unit);
  }
  std::vector<Ranked> result(in.given);
  std::sort(result.begin(), result.end(), is_less);
  return result;
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
