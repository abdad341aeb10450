// The target taken apart where it adds up rows: sums, differences, multiples, and products of a sum over rows
// with something that belongs to no row. Terms of one row stay as they are.
#include "tape/rows/rows.hpp"

namespace kullback::tape {

namespace {

const math::Elementwise& function(std::string_view name) { return *math::find_elementwise(name); }

bool is_sum(const RawInstruction& r) {
  return r.kind == OpKind::array && static_cast<const math::ArrayOp*>(r.definition)->name == "sum";
}

class RowTargetSplitter final {
 public:
  explicit RowTargetSplitter(RowTrace& rows) : rows_(rows), trace_(rows.trace), tags_(find_tags(rows)) {}

  void run() {
    producer_.assign(trace_.slot_count, Uses::kNone);
    for (std::uint32_t i = 0; i < trace_.instructions.size(); ++i)
      std::fill_n(producer_.begin() + trace_.instructions[i].result, trace_.instructions[i].result_size, i);
    std::vector<TargetTerm> terms;
    std::vector<Span> spans;
    for (std::size_t t = 0; t < trace_.target.size(); ++t) {
      std::vector<TargetTerm> open{trace_.target[t]};
      while (!open.empty()) {
        const TargetTerm term = open.back();
        open.pop_back();
        if (take_apart(term, open)) continue;
        terms.push_back(term);
        spans.push_back(rows_.target_spans[t]);
      }
    }
    trace_.target = std::move(terms);
    rows_.target_spans = std::move(spans);
  }

 private:
  RowTrace& rows_;
  Trace& trace_;
  std::vector<RowTag> tags_;
  std::vector<std::uint32_t> producer_;

  RowTag tag(Id id) const { return is_constant(id) ? rows_.constants[id & ~kConstantBit] : tags_[id]; }

  bool take_apart(const TargetTerm& term, std::vector<TargetTerm>& open) {
    if (is_constant(term.id) || tags_[term.id].none() || !rows_.pinned[term.id].none()) return false;
    if (producer_[term.id] == Uses::kNone) return false;
    const RawInstruction r = trace_.instructions[producer_[term.id]];
    const auto push = [&](Id id, double weight) { open.push_back({id, weight}); };
    if (!tags_[term.id].several()) return drop_zero(r, term, open);
    if (is_sum(r)) {
      const std::span<const Id> parts = trace_.operand(r, 0);
      for (auto id = parts.rbegin(); id != parts.rend(); ++id) push(*id, term.weight);
      return true;
    }
    if (r.kind != OpKind::elementwise) return false;
    const std::uint32_t e = term.id - r.result;
    const auto operand = [&](std::uint32_t j) {
      const std::span<const Id> ids = trace_.operand(r, j);
      return ids[ids.size() == 1 ? 0 : e];
    };
    const Id a = operand(0);
    if (r.definition == &function("minus")) {
      push(a, -term.weight);
      return true;
    }
    if (r.operand_count != 2) return false;
    const Id b = operand(1);
    if (r.definition == &function("add") || r.definition == &function("subtract")) {
      push(b, r.definition == &function("add") ? term.weight : -term.weight);
      push(a, term.weight);
      return true;
    }
    const bool times = r.definition == &function("multiply");
    if (!times && r.definition != &function("divide")) return false;
    if (times && tag(a).none()) return distribute(r, b, a, term.weight, open);
    return tag(b).none() && distribute(r, a, b, term.weight, open);
  }

  // A sum that began as 0 + x: so that the first row looks like the others.
  bool drop_zero(const RawInstruction& r, const TargetTerm& term, std::vector<TargetTerm>& open) {
    if (r.definition != &function("add") || r.count != 1) return false;
    for (std::uint32_t j = 0; j < 2; ++j) {
      const Id zero = trace_.operand(r, j)[0];
      const Id rest = trace_.operand(r, 1 - j)[0];
      if (!is_constant(zero) || trace_.constant(zero) != 0 || is_constant(rest) ||
          !(tags_[rest] == tags_[term.id]))
        continue;
      open.push_back({rest, term.weight});
      return true;
    }
    return false;
  }

  // (x + y) * f = x * f + y * f
  bool distribute(const RawInstruction& r, Id sum_id, Id factor, double weight,
                  std::vector<TargetTerm>& open) {
    const bool times = r.definition == &function("multiply");
    if (is_constant(factor)) {
      const double f = trace_.constant(factor);
      open.push_back({sum_id, times ? weight * f : weight / f});
      return true;
    }
    std::vector<TargetTerm> parts;
    if (!take_apart({sum_id, weight}, parts)) return false;
    for (TargetTerm part : parts) {
      std::vector<TargetTerm> simpler;
      if (tag(part.id).single() && take_apart(part, simpler)) part = simpler.front();
      const Id result = write(r, part.id, factor);
      open.push_back({result, part.weight});
    }
    return true;
  }

  // f(a, b) as a new number.
  Id write(const RawInstruction& like, Id a, Id b) {
    RawInstruction r = like;
    r.count = r.result_size = 1;
    r.first_operand = static_cast<std::uint32_t>(trace_.operands.size());
    for (const Id id : {a, b}) {
      trace_.operands.push_back({static_cast<std::uint32_t>(trace_.pool.size()), 1});
      trace_.pool.push_back(id);
    }
    r.result = trace_.new_slots(1);
    rows_.pinned.emplace_back();
    tags_.push_back(join(tag(a), tag(b)));
    producer_.push_back(static_cast<std::uint32_t>(trace_.instructions.size()));
    trace_.instructions.push_back(r);
    return r.result;
  }
};

}  // namespace

void split_row_target(RowTrace& rows) { RowTargetSplitter(rows).run(); }

}  // namespace kullback::tape
