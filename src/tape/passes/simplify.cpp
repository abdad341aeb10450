// One walk through the trace rewrites what it reads:
//   - an instruction equal to an earlier one (same function, same operands) is replaced by it; log(exp(x))
//   and square(sqrt(x)) are x;
//   - x + 0, x - 0, x * 1, x / 1 are x; pow(x, 2) is square(x), pow(x, 1/2) sqrt(x), pow(x, -1) inv(x);
// then the target's terms that are sums, differences or multiples by constants, read by nothing else, are
// split; then chains of additions, each read only by the next, become one sum: its depth is 1, so that what
// was added can be computed together.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

namespace {

constexpr std::size_t kShortestSum = 8;

struct Functions {
  const math::Elementwise* add = math::find_elementwise("add");
  const math::Elementwise* subtract = math::find_elementwise("subtract");
  const math::Elementwise* multiply = math::find_elementwise("multiply");
  const math::Elementwise* divide = math::find_elementwise("divide");
  const math::Elementwise* exp = math::find_elementwise("exp");
  const math::Elementwise* log = math::find_elementwise("log");
  const math::Elementwise* minus = math::find_elementwise("minus");
  const math::Elementwise* pow = math::find_elementwise("pow");
  const math::Elementwise* square = math::find_elementwise("square");
  const math::Elementwise* sqrt = math::find_elementwise("sqrt");
  const math::Elementwise* inv = math::find_elementwise("inv");
  const math::ArrayOp* sum =
      math::find_array_op("sum", std::array<math::Type, 1>{math::Type{math::Kind::vector}});
};

const Functions& functions() {
  static const Functions all;
  return all;
}

bool is_sum(const RawInstruction& r) {
  return r.kind == OpKind::array && static_cast<const math::ArrayOp*>(r.definition)->name == "sum";
}

// ---- equal expressions ----

class Rewriter final {
 public:
  explicit Rewriter(Trace& trace) : out_(trace), to_(trace.slot_count) {
    std::iota(to_.begin(), to_.end(), 0U);
    known_.assign(std::bit_ceil(2 * trace.instructions.size() + 2), kNothing);
  }

  void run() {
    for (std::size_t i = 0; i < out_.instructions.size(); ++i) rewrite(out_.instructions[i]);
    out_.instructions.resize(kept_);
    for_each_root(out_, [this](Id& id) { id = renamed(id); });
  }

 private:
  Id renamed(Id id) const { return is_constant(id) ? id : to_[id]; }

  // Constants of equal bits are one.
  Id canonical(Id id) {
    if (!is_constant(id)) return to_[id];
    return constants_.try_emplace(std::bit_cast<std::uint64_t>(out_.constant(id)), id).first->second;
  }

  bool is(std::span<const Id> ids, double value) const {
    return std::all_of(ids.begin(), ids.end(),
                       [&](Id id) { return is_constant(id) && out_.constant(id) == value; });
  }

  // The operand that the whole instruction equals, or -1.
  int identity(const RawInstruction& r) const {
    const Functions& f = functions();
    if (r.kind != OpKind::elementwise || r.operand_count != 2) return -1;
    const std::span<const Id> a = out_.operand(r, 0);
    const std::span<const Id> b = out_.operand(r, 1);
    const bool whole_a = a.size() == r.count;
    const bool whole_b = b.size() == r.count;
    if (whole_a && ((r.definition == f.add || r.definition == f.subtract) && is(b, 0))) return 0;
    if (whole_a && ((r.definition == f.multiply || r.definition == f.divide) && is(b, 1))) return 0;
    if (whole_b && r.definition == f.add && is(a, 0)) return 1;
    if (whole_b && r.definition == f.multiply && is(a, 1)) return 1;
    return -1;
  }

  void simplify_power(RawInstruction& r) const {
    const Functions& f = functions();
    if (r.kind != OpKind::elementwise || r.definition != f.pow) return;
    const std::span<const Id> base = out_.operand(r, 0);
    const std::span<const Id> exponent = out_.operand(r, 1);
    if (all_constant(base) || base.size() != r.count) return;
    const math::Elementwise* simpler = is(exponent, 2)     ? f.square
                                       : is(exponent, 0.5) ? f.sqrt
                                       : is(exponent, -1)  ? f.inv
                                                           : nullptr;
    if (simpler == nullptr) return;
    r.definition = simpler;
    r.operand_count = 1;
  }

  void rewrite(RawInstruction r) {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(r.definition) ^ (std::uint64_t{r.count} << 48);
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const RawOperand& o = out_.operands[r.first_operand + j];
      if (IdPool::is_shared(o.first)) {  // data
        const std::span<const Id> ids = out_.operand(r, j);
        hash = (hash ^ ids.front()) * 0x9E37'79B9'7F4A'7C15ULL;
        hash = (hash ^ ids.back()) * 0x9E37'79B9'7F4A'7C15ULL;
        hash ^= hash >> 29;
        continue;
      }
      for (std::uint32_t k = 0; k < o.size; ++k) {
        Id& id = out_.pool[o.first + k];
        // Constants of long operands are data: not worth a lookup each.
        id = is_constant(id) && o.size > 4 ? id : canonical(id);
        hash = (hash ^ id) * 0x9E37'79B9'7F4A'7C15ULL;
        hash ^= hash >> 29;
      }
    }
    if (const int same = identity(r); same >= 0) {
      const std::span<const Id> ids = out_.operand(r, static_cast<std::uint32_t>(same));
      if (!std::any_of(ids.begin(), ids.end(), is_constant)) {
        for (std::uint32_t k = 0; k < r.count; ++k) to_[r.result + k] = ids[k];
        return;
      }
    }
    simplify_power(r);
    if (const Id same = inverse_of(r); same != kNothing) {
      to_[r.result] = same;
      return;
    }
    if (r.kind == OpKind::elementwise || r.kind == OpKind::array || r.kind == OpKind::density) {
      std::size_t at = hash & (known_.size() - 1);
      for (; known_[at] != kNothing; at = (at + 1) & (known_.size() - 1)) {
        const RawInstruction& other = out_.instructions[known_[at]];
        if (!equal(r, other)) continue;
        for (std::uint32_t k = 0; k < r.result_size; ++k) to_[r.result + k] = other.result + k;
        return;
      }
      known_[at] = kept_;
    }
    if (r.kind == OpKind::elementwise && r.count == 1 && r.definition == functions().exp)
      exponent_.emplace(r.result, out_.operand(r, 0)[0]);
    if (r.kind == OpKind::elementwise && r.count == 1 && r.definition == functions().sqrt)
      radicand_.emplace(r.result, out_.operand(r, 0)[0]);
    out_.instructions[kept_++] = r;
  }

  // x where the instruction is log(exp(x)) or square(sqrt(x)).
  Id inverse_of(const RawInstruction& r) const {
    if (r.kind != OpKind::elementwise || r.count != 1) return kNothing;
    const Functions& f = functions();
    const Id x = out_.operand(r, 0)[0];
    const bool square =
        r.definition == f.square || (r.definition == f.multiply && x == out_.operand(r, 1)[0]);
    const auto& inner = square ? radicand_ : exponent_;
    if (!square && r.definition != f.log) return kNothing;
    const auto at = inner.find(x);
    return at == inner.end() ? kNothing : at->second;
  }

  bool equal(const RawInstruction& a, const RawInstruction& b) const {
    if (a.kind != b.kind || a.definition != b.definition || a.operand_count != b.operand_count ||
        a.count != b.count || a.result_size != b.result_size || a.terms.normalized != b.terms.normalized ||
        a.terms.varying != b.terms.varying) {
      return false;
    }
    for (std::uint32_t j = 0; j < a.operand_count; ++j) {
      const std::span<const Id> x = out_.operand(a, j);
      const std::span<const Id> y = out_.operand(b, j);
      if (x.data() != y.data() && !std::equal(x.begin(), x.end(), y.begin(), y.end())) return false;
      if (x.size() != y.size()) return false;
      if (a.kind == OpKind::array && !(out_.shapes[a.first_shape + j] == out_.shapes[b.first_shape + j])) {
        return false;
      }
    }
    return true;
  }

  static constexpr Id kNothing = 0xFFFF'FFFFU;
  Trace& out_;
  std::uint32_t kept_ = 0;  // instructions, in front of those that are still to be read
  std::vector<Id> to_;
  std::unordered_map<std::uint64_t, Id> constants_;
  std::vector<std::uint32_t> known_;     // instructions by hash, open addressing
  std::unordered_map<Id, Id> exponent_;  // exp(x) -> x
  std::unordered_map<Id, Id> radicand_;  // sqrt(x) -> x
};

// ---- the target's terms ----

class TargetSplitter final {
 public:
  explicit TargetSplitter(Trace& trace) : trace_(trace) {}

  void run() {
    merge_equal();
    uses_ = find_uses(trace_);
    std::vector<TargetTerm> open(trace_.target.rbegin(), trace_.target.rend());
    trace_.target.clear();
    while (!open.empty()) {
      const TargetTerm term = open.back();
      open.pop_back();
      if (!split(term, open)) trace_.target.push_back(term);
    }
    merge_equal();
  }

 private:
  // A number that is a term several times (equal observations) is one term with their weight.
  void merge_equal() {
    std::vector<TargetTerm>& terms = trace_.target;
    constexpr std::size_t kNew = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> place(trace_.slot_count, kNew);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const TargetTerm term = terms[i];
      if (!is_constant(term.id) && place[term.id] != kNew) {
        terms[place[term.id]].weight += term.weight;
        continue;
      }
      if (!is_constant(term.id)) place[term.id] = kept;
      terms[kept++] = term;
    }
    terms.resize(kept);
  }

  bool split(const TargetTerm& term, std::vector<TargetTerm>& open) {
    if (is_constant(term.id) || uses_.count[term.id] != 1) return false;
    const std::uint32_t producer = uses_.producer[term.id];
    if (producer == Uses::kNone) return false;
    const Functions& f = functions();
    const RawInstruction& r = trace_.instructions[producer];
    if (is_sum(r)) {
      const std::span<const Id> parts = trace_.operand(r, 0);
      if (!std::all_of(parts.begin(), parts.end(), [this](Id id) { return may_be_term(id); })) return false;
      for (auto id = parts.rbegin(); id != parts.rend(); ++id) push(open, *id, term.weight);
      return true;
    }
    if (r.kind != OpKind::elementwise || r.count != 1) return false;
    const Id a = trace_.operand(r, 0)[0];
    if (r.definition == f.minus) {
      push(open, a, -term.weight);
      return true;
    }
    if (r.operand_count != 2) return false;
    const Id b = trace_.operand(r, 1)[0];
    if (r.definition == f.add || r.definition == f.subtract) {
      if (!may_be_term(a) || !may_be_term(b)) return false;
      push(open, b, r.definition == f.add ? term.weight : -term.weight);
      push(open, a, term.weight);
      return true;
    }
    if (r.definition == f.multiply && (is_constant(a) || is_constant(b))) {
      const double factor = trace_.constant(is_constant(a) ? a : b);
      if (factor == 0 || factor - factor != 0) return false;
      push(open, is_constant(a) ? b : a, term.weight * factor);
      return true;
    }
    return false;
  }

  // Constants of the target are added up here and now: not those that stand for others (rows/rows.hpp).
  bool may_be_term(Id id) const { return !is_constant(id) || trace_.constant(id) == trace_.constant(id); }

  // The term's own use of its parts moves to the target.
  static void push(std::vector<TargetTerm>& open, Id id, double weight) { open.push_back({id, weight}); }

  Trace& trace_;
  Uses uses_;
};

// ---- long sums ----

class SumCollector final {
 public:
  explicit SumCollector(Trace& trace) : in_(trace), uses_(find_uses(trace)) {}

  void run() {
    absorbed_.assign(in_.instructions.size(), false);
    for (const RawInstruction& r : in_.instructions) {
      if (!is_scalar_add(r)) continue;
      for (std::uint32_t j = 0; j < 2; ++j) {
        const Id id = in_.operand(r, j)[0];
        if (const std::uint32_t p = absorbable(id); p != Uses::kNone) absorbed_[p] = true;
      }
    }
    // Only long ones: leaves_ counts the terms below each addition.
    std::vector<std::uint32_t> terms(in_.instructions.size(), 1);
    for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
      const RawInstruction& r = in_.instructions[i];
      if (!is_scalar_add(r)) continue;
      terms[i] = 0;
      for (std::uint32_t j = 0; j < 2; ++j) {
        const std::uint32_t p = absorbable(in_.operand(r, j)[0]);
        terms[i] += p == Uses::kNone ? 1 : terms[p];
      }
    }
    std::vector<bool> dropped(in_.instructions.size(), false);
    for (auto i = static_cast<std::uint32_t>(in_.instructions.size()); i-- > 0;) {
      if (!is_scalar_add(in_.instructions[i])) continue;
      const bool root = !absorbed_[i] && terms[i] >= kShortestSum;
      if (!root && !dropped[i]) continue;
      if (root) roots_.push_back(i);
      for (std::uint32_t j = 0; j < 2; ++j) {
        const std::uint32_t p = absorbable(in_.operand(in_.instructions[i], j)[0]);
        if (p != Uses::kNone) dropped[p] = true;
      }
    }
    for (const std::uint32_t root : roots_) make_sum(root);
    std::size_t kept = 0;
    for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
      if (!dropped[i]) in_.instructions[kept++] = in_.instructions[i];
    }
    in_.instructions.resize(kept);
  }

 private:
  bool is_scalar_add(const RawInstruction& r) const {
    return r.kind == OpKind::elementwise && r.definition == functions().add && r.count == 1;
  }
  // The addition that makes this number, where nothing else reads it.
  std::uint32_t absorbable(Id id) const {
    if (is_constant(id) || uses_.count[id] != 1) return Uses::kNone;
    const std::uint32_t p = uses_.producer[id];
    return p != Uses::kNone && is_scalar_add(in_.instructions[p]) ? p : Uses::kNone;
  }

  void make_sum(std::uint32_t root) {
    Ids leaves;
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
      const RawInstruction& r = in_.instructions[open.back()];
      open.pop_back();
      for (std::uint32_t j = 2; j-- > 0;) {
        const Id id = in_.operand(r, j)[0];
        const std::uint32_t p = absorbable(id);
        if (p == Uses::kNone) {
          leaves.push_back(id);
        } else {
          open.push_back(p);
        }
      }
    }
    std::reverse(leaves.begin(), leaves.end());
    RawInstruction& sum = in_.instructions[root];
    sum.kind = OpKind::array;
    sum.definition = functions().sum;
    sum.terms.varying = 1;
    sum.first_operand = static_cast<std::uint32_t>(in_.operands.size());
    sum.operand_count = 1;
    sum.first_shape = static_cast<std::uint32_t>(in_.shapes.size());
    in_.shapes.push_back({leaves.size(), 1, 1});
    in_.operands.push_back(
        {static_cast<std::uint32_t>(in_.pool.size()), static_cast<std::uint32_t>(leaves.size())});
    in_.pool.insert(in_.pool.end(), leaves.begin(), leaves.end());
  }

  Trace& in_;
  Uses uses_;
  std::vector<bool> absorbed_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace

void simplify(Trace& trace) {
  Rewriter(trace).run();
  TargetSplitter(trace).run();
  drop_unused(trace);
  SumCollector(trace).run();
}

}  // namespace kullback::tape
