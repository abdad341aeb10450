// Sums inside recurrences, in an order that leaves least to do in each step: of x[t] = y[t] - (mu + phi *
// y[t-1] + theta * x[t-1]) everything but the last product is known before the recurrence runs, and is
// computed for all t at once; a step is one multiplication and addition, c[t] + (-theta) * x[t-1].
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

namespace {

constexpr std::uint32_t kDeep = 20;  // below this level nothing is a recurrence

struct Functions {
  const math::Elementwise* add = math::find_elementwise("add");
  const math::Elementwise* subtract = math::find_elementwise("subtract");
  const math::Elementwise* minus = math::find_elementwise("minus");
  const math::Elementwise* multiply = math::find_elementwise("multiply");
};

class Reassociator final {
 public:
  Reassociator(Trace& trace, std::vector<std::uint32_t> level)
      : out_(trace), uses_(find_uses(trace)), level_(std::move(level)) {
    find_reads();
  }

  void run() {
    before_ = std::exchange(out_.instructions, {});
    for (const RawInstruction& r : before_) {
      if (!is_sum(r) || level_[r.result] < kDeep || is_inside(r) || !rebuild(r))
        out_.instructions.push_back(r);
    }
    drop_unused(out_);
  }

 private:
  struct Term {
    Id id;
    bool negative;
  };

  bool is_scalar(const RawInstruction& r, const math::Elementwise* f) const {
    return r.kind == OpKind::elementwise && r.count == 1 && r.definition == f;
  }
  bool is_sum(const RawInstruction& r) const {
    return is_scalar(r, f_.add) || is_scalar(r, f_.subtract) || is_scalar(r, f_.minus);
  }
  // The instruction behind a number that nothing else reads.
  const RawInstruction* own_producer(Id id) const {
    if (is_constant(id) || uses_.count[id] != 1 || uses_.producer[id] == Uses::kNone) return nullptr;
    return &before_[uses_.producer[id]];
  }
  // Read only by another sum: that one takes it in.
  bool is_inside(const RawInstruction& r) const {
    return uses_.count[r.result] == 1 && read_by_sum_.contains(r.result);
  }

  std::uint32_t level(Id id) const { return is_constant(id) ? 0 : level_[id]; }

  void collect(const RawInstruction& r, bool negative, std::vector<Term>& terms) const {
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const Id id = out_.operand(r, j)[0];
      const bool flips = r.definition == f_.minus || (r.definition == f_.subtract && j == 1);
      const RawInstruction* inner = own_producer(id);
      if (inner != nullptr && is_sum(*inner)) {
        collect(*inner, negative != flips, terms);
      } else {
        terms.push_back({id, negative != flips});
      }
    }
  }

  Id add_scalar(const RawInstruction& like, const math::Elementwise* f, std::initializer_list<Id> operands,
                Id result) {
    RawInstruction r;
    r.definition = f;
    r.span = like.span;
    r.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    r.operand_count = static_cast<std::uint32_t>(operands.size());
    r.result = result;
    for (const Id id : operands) {
      out_.operands.push_back({static_cast<std::uint32_t>(out_.pool.size()), 1});
      out_.pool.push_back(id);
    }
    out_.instructions.push_back(r);
    return result;
  }

  Id negated(const RawInstruction& like, Id id) {
    if (is_constant(id)) return out_.new_constant(-out_.constant(id));
    const auto [at, is_new] = negated_.try_emplace(id, 0);
    if (is_new) at->second = add_scalar(like, f_.minus, {id}, out_.new_slots(1));
    return at->second;
  }

  // The sum of all terms but the last.
  Id sum_early(const RawInstruction& like, std::span<const Term> terms) {
    std::vector<Term> ordered(terms.begin(), terms.end());
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const Term& a, const Term& b) { return a.negative < b.negative; });
    Id sum = ordered[0].negative ? negated(like, ordered[0].id) : ordered[0].id;
    for (std::size_t i = 1; i < ordered.size(); ++i) {
      const Id next = ordered[i].id;
      const bool minus = ordered[i].negative;
      if (is_constant(sum) && is_constant(next)) {
        sum = out_.new_constant(out_.constant(sum) + (minus ? -1 : 1) * out_.constant(next));
      } else {
        sum = add_scalar(like, minus ? f_.subtract : f_.add, {sum, next}, out_.new_slots(1));
      }
    }
    return sum;
  }

  bool rebuild(const RawInstruction& r) {
    std::vector<Term> terms;
    collect(r, false, terms);
    if (terms.size() < 2) return false;
    const auto deepest = std::max_element(
        terms.begin(), terms.end(), [&](const Term& a, const Term& b) { return level(a.id) < level(b.id); });
    std::swap(*deepest, terms.back());
    const Term late = terms.back();
    const std::span<const Term> early(terms.data(), terms.size() - 1);
    for (const Term& term : early) {
      if (level(term.id) >= level(late.id)) return false;
    }
    const RawInstruction* product = own_producer(late.id);
    const bool is_product = product != nullptr && is_scalar(*product, f_.multiply);
    if (terms.size() == 2 && !(late.negative && is_product)) return false;
    const Id sum = sum_early(r, early);
    if (!late.negative) {
      add_scalar(r, f_.add, {sum, late.id}, r.result);
    } else if (!is_product) {
      add_scalar(r, f_.subtract, {sum, late.id}, r.result);
    } else {
      Id a = out_.operand(*product, 0)[0];
      Id b = out_.operand(*product, 1)[0];
      if (level(a) > level(b)) std::swap(a, b);  // what is negated once for all steps
      const Id opposite = add_scalar(r, f_.multiply, {negated(r, a), b}, out_.new_slots(1));
      add_scalar(r, f_.add, {sum, opposite}, r.result);
    }
    return true;
  }

  void find_reads() {
    for (const RawInstruction& r : out_.instructions) {
      if (!is_sum(r)) continue;
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const Id id = out_.operand(r, j)[0];
        if (!is_constant(id)) read_by_sum_.emplace(id, true);
      }
    }
  }

  Trace& out_;
  std::vector<RawInstruction> before_;
  Functions f_;
  Uses uses_;
  std::vector<std::uint32_t> level_;
  std::unordered_map<Id, bool> read_by_sum_;
  std::unordered_map<Id, Id> negated_;
};

}  // namespace

void reassociate(Trace& trace) {
  std::vector<std::uint32_t> level = find_levels(trace);
  const bool deep = std::any_of(level.begin(), level.end(), [](std::uint32_t l) { return l >= kDeep; });
  if (deep) Reassociator(trace, std::move(level)).run();
}

}  // namespace kullback::tape
