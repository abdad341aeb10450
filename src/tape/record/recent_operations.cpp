#include "tape/record/recent_operations.hpp"

#include <utility>

namespace kullback::tape {

namespace {

constexpr std::size_t kMostOperands = 2;
constexpr std::size_t kFewestEntries = 64;
// Half a megabyte: stays in the second-level cache, where a look costs less than the operation it saves.
constexpr std::size_t kMostEntries = std::size_t{1} << 15;

std::uint32_t number_of(const math::Elementwise& f) {
  static const math::Elementwise* const first = math::all_elementwise().data();
  return static_cast<std::uint32_t>(&f - first);
}

}  // namespace

std::size_t RecentOperations::place(const Entry& entry) const {
  const std::uint64_t operands = (std::uint64_t{entry.a} << 32) | entry.b;
  const std::uint64_t hash = (operands ^ (std::uint64_t{entry.f} << 20)) * 0x9E37'79B9'7F4A'7C15ULL;
  return (hash >> 32) & (entries_.size() - 1);
}

Id RecentOperations::find(const math::Elementwise& f, std::span<const Id> operands) const {
  if (entries_.empty() || operands.size() > kMostOperands) return kNone;
  const Entry wanted{number_of(f), operands[0], operands.size() > 1 ? operands[1] : kNone, kNone};
  const Entry& known = entries_[place(wanted)];
  return known.f == wanted.f && known.a == wanted.a && known.b == wanted.b ? known.result : kNone;
}

void RecentOperations::add(const math::Elementwise& f, std::span<const Id> operands, Id result) {
  if (operands.size() > kMostOperands) return;
  if (added_++ * 2 >= entries_.size() && entries_.size() < kMostEntries) grow();
  const Entry entry{number_of(f), operands[0], operands.size() > 1 ? operands[1] : kNone, result};
  entries_[place(entry)] = entry;
}

void RecentOperations::clear() {
  entries_.clear();
  added_ = 0;
}

void RecentOperations::grow() {
  const std::size_t size = entries_.empty() ? kFewestEntries : 4 * entries_.size();
  const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(size));
  for (const Entry& entry : old) {
    if (entry.result != kNone) entries_[place(entry)] = entry;
  }
}

}  // namespace kullback::tape
