// Early level of an instruction: 1 + the largest of what it reads. Late level: 1 less than the smallest of
// what reads it. Instructions of one kind (same function, same statement, same operands constant) and the
// same level do not depend on each other: they become one group.
//
// Early levels gather what leads into a recurrence, late levels what hangs off it: sqrt(h[t]) for all t of
// h[t] = a + b * h[t-1] has one early level for each t, but one late level. A kind takes the levels of which
// it has fewer. What depends on something late must be late too; then both may stand in one order, because an
// early level is never above the late one.
//
// Densities that only the target reads are independent of everything after them: those of one statement
// become one, whatever their levels, at the end.
#include "tape/schedule.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>
#include <utility>

namespace kullback::tape {

namespace {

// An instruction over so many elements stays alone: joined with others its broadcast operands would be lost.
constexpr std::uint32_t kLongAlone = 16;

class Scheduler final {
 public:
  explicit Scheduler(const Trace& trace) : trace_(trace) {}

  std::vector<Group> run() {
    kept_.assign(trace_.slot_count, false);
    for (std::size_t g = trace_.guards.size() - trace_.stand_ins.kept; g < trace_.guards.size(); ++g) {
      if (!is_constant(trace_.guards[g].left)) kept_[trace_.guards[g].left] = true;
    }
    find_target_densities();
    find_levels();
    choose_levels();
    group();
    return std::move(groups_);
  }

 private:
  const Trace& trace_;
  std::vector<bool> to_target_;
  std::vector<double> weight_;
  std::vector<std::uint32_t> kind_;  // number of the instruction's kind
  std::uint32_t kind_count_ = 0;
  std::vector<std::uint32_t> early_;
  std::vector<std::uint32_t> late_;
  std::vector<bool> is_late_;
  std::vector<bool> kept_;  // slots that others stand for
  std::vector<Group> groups_;

  const std::vector<RawInstruction>& all() const { return trace_.instructions; }

  void find_target_densities() {
    const Uses uses = find_uses(trace_);
    std::vector<double> weight_of(trace_.slot_count, 0);
    for (const TargetTerm& term : trace_.target) {
      if (!is_constant(term.id)) weight_of[term.id] = term.weight;
    }
    to_target_.assign(all().size(), false);
    weight_.assign(all().size(), 1);
    for (std::size_t i = 0; i < all().size(); ++i) {
      const RawInstruction& r = all()[i];
      to_target_[i] =
          r.kind == OpKind::density && uses.count[r.result] == 1 && uses.target_count[r.result] == 1;
      if (to_target_[i]) weight_[i] = weight_of[r.result];
    }
  }

  // Bit j: operand j is constant throughout.
  unsigned constant_pattern(const RawInstruction& r) const {
    unsigned pattern = 0;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      if (all_constant(trace_.operand(r, j))) pattern |= 1U << j;
    }
    return pattern;
  }

  bool stays_alone(const RawInstruction& r, bool to_target) const {
    if (r.kind == OpKind::elementwise) return r.count >= kLongAlone;
    if (is_short_log_sum_exp(trace_, r)) return false;
    // A density that is not for the target alone is one number for each member.
    return r.kind != OpKind::density || r.count >= (to_target ? kLongAlone : 2);
  }

  std::uint64_t kind_hash(std::size_t i) const {
    const RawInstruction& r = all()[i];
    std::uint64_t hash = std::bit_cast<std::uint64_t>(r.definition);
    const auto mix = [&](std::uint64_t x) {
      hash = (hash ^ x) * 0x9E37'79B9'7F4A'7C15ULL;
      hash ^= hash >> 31;
    };
    mix(constant_pattern(r));
    mix(r.terms.normalized ? ~0U : r.terms.varying);
    mix((std::uint64_t{r.span.file} << 32) | r.span.begin);
    if (r.kind == OpKind::array) mix(trace_.operand(r, 0).size());
    mix(to_target_[i] ? std::bit_cast<std::uint64_t>(weight_[i]) : 0);
    return hash;
  }

  bool stands_in(Id id) const { return id >= trace_.stand_ins.first && id < trace_.stand_ins.last; }

  void find_levels() {
    std::vector<std::uint32_t> level(trace_.slot_count, 0);
    std::uint32_t kept_level = 0;
    early_.resize(all().size());
    std::uint32_t deepest = 0;
    for (std::size_t i = 0; i < all().size(); ++i) {
      const RawInstruction& r = all()[i];
      std::uint32_t own = 0;
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        for (const Id id : trace_.operand(r, j)) {
          if (!is_constant(id)) own = std::max(own, stands_in(id) ? kept_level : level[id]);
        }
      }
      early_[i] = own + 1;
      deepest = std::max(deepest, own + 1);
      std::fill_n(level.begin() + r.result, r.result_size, own + 1);
      for (std::uint32_t k = 0; k < r.result_size; ++k) {
        if (kept_[r.result + k]) kept_level = std::max(kept_level, own + 1);
      }
    }
    // From the end: the latest level at which a slot may be made.
    std::vector<std::uint32_t> latest(trace_.slot_count, deepest);
    std::uint32_t kept_latest = deepest;
    late_.resize(all().size());
    for (std::size_t i = all().size(); i-- > 0;) {
      const RawInstruction& r = all()[i];
      std::uint32_t own = deepest;
      if (!to_target_[i]) {
        for (std::uint32_t k = 0; k < r.result_size; ++k)
          own = std::min({own, latest[r.result + k], kept_[r.result + k] ? kept_latest : deepest});
      } else {
        own = deepest + 1;
      }
      late_[i] = own;
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        for (const Id id : trace_.operand(r, j)) {
          if (is_constant(id)) continue;
          if (stands_in(id)) kept_latest = std::min(kept_latest, own - 1);
          latest[id] = std::min(latest[id], own - 1);
        }
      }
    }
  }

  // How many different levels each kind has.
  std::vector<std::uint32_t> count_levels(const std::vector<std::uint32_t>& level) const {
    std::vector<std::uint64_t> pairs;
    std::vector<std::uint32_t> last(kind_count_, Uses::kNone);  // most of a kind follow one of their level
    for (std::size_t i = 0; i < all().size(); ++i) {
      if (std::exchange(last[kind_[i]], level[i]) != level[i])
        pairs.push_back((std::uint64_t{kind_[i]} << 32) | level[i]);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<std::uint32_t> counts(kind_count_, 0);
    for (const std::uint64_t pair : pairs) ++counts[pair >> 32];
    return counts;
  }

  void choose_levels() {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    kind_.resize(all().size());
    for (std::size_t i = 0; i < all().size(); ++i) {
      kind_[i] = stays_alone(all()[i], to_target_[i])
                     ? kind_count_++
                     : known.try_emplace(kind_hash(i), kind_count_).first->second;
      if (kind_[i] == kind_count_) ++kind_count_;
    }
    const std::vector<std::uint32_t> early = count_levels(early_);
    const std::vector<std::uint32_t> late = count_levels(late_);
    is_late_.assign(all().size(), false);
    std::vector<bool> slot_late(trace_.slot_count, false);
    bool kept_late = false;
    for (std::size_t i = 0; i < all().size(); ++i) {
      const RawInstruction& r = all()[i];
      bool own = late[kind_[i]] < early[kind_[i]];
      for (std::uint32_t j = 0; j < r.operand_count && !own; ++j) {
        for (const Id id : trace_.operand(r, j))
          own |= !is_constant(id) && (stands_in(id) ? kept_late : slot_late[id]);
      }
      is_late_[i] = own;
      if (!own) continue;
      std::fill_n(slot_late.begin() + r.result, r.result_size, true);
      for (std::uint32_t k = 0; k < r.result_size; ++k) kept_late |= kept_[r.result + k];
    }
  }

  void group() {
    constexpr std::size_t kNoGroup = std::numeric_limits<std::size_t>::max();
    std::unordered_map<std::uint64_t, std::size_t> open;
    std::vector<std::size_t> last(kind_count_, kNoGroup);
    for (std::uint32_t i = 0; i < all().size(); ++i) {
      const std::uint32_t level = to_target_[i] ? Uses::kNone : is_late_[i] ? late_[i] : early_[i];
      std::size_t& own = last[kind_[i]];
      if (own == kNoGroup || groups_[own].level != level) {
        const std::uint64_t key = (std::uint64_t{kind_[i]} << 32) | level;
        const auto [at, is_new] = open.try_emplace(key, groups_.size());
        if (is_new) groups_.push_back({{}, level, to_target_[i], weight_[i]});
        own = at->second;
      }
      groups_[own].members.push_back(i);
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.level < b.level; });
  }
};

}  // namespace

bool is_short_log_sum_exp(const Trace& trace, const RawInstruction& r) {
  return r.kind == OpKind::array && r.operand_count == 1 && r.result_size == 1 &&
         static_cast<const math::ArrayOp*>(r.definition)->name == "log_sum_exp" &&
         trace.operand(r, 0).size() <= kLongestLogSumExp;
}

std::vector<Group> schedule(const Trace& trace) { return Scheduler(trace).run(); }

}  // namespace kullback::tape
