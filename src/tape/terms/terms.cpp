// The target is taken apart into what it adds up: sums, differences, multiples by constants, and the elements
// of densities, those that depend on the same coordinates together unless single elements are wanted
// (elements.hpp). Comparisons (of a slot with itself) keep
// the slot of every part, and tell where it is on the tape; then they are removed.
#include "tape/terms/terms.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "tape/passes/passes.hpp"
#include "tape/terms/elements.hpp"

namespace kullback::tape {

namespace {

using Set = std::uint32_t;  // number of a set of coordinates

// Sets of coordinates, each stored once.
class Sets final {
 public:
  Sets() { number({}); }

  Set single(std::uint32_t coordinate) { return number({coordinate}); }
  const std::vector<std::uint32_t>& members(Set set) const { return *members_[set]; }

  Set unite(Set a, Set b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    if (a > b) std::swap(a, b);
    const auto [at, is_new] = united_.try_emplace({a, b}, 0);
    if (is_new) {
      std::vector<std::uint32_t> all;
      std::set_union(members(a).begin(), members(a).end(), members(b).begin(), members(b).end(),
                     std::back_inserter(all));
      at->second = number(std::move(all));
    }
    return at->second;
  }

 private:
  Set number(std::vector<std::uint32_t> members) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(members), static_cast<Set>(members_.size()));
    if (is_new) members_.push_back(&at->first);
    return at->second;
  }

  std::map<std::vector<std::uint32_t>, Set> numbers_;
  std::vector<const std::vector<std::uint32_t>*> members_;
  std::map<std::pair<Set, Set>, Set> united_;
};

class TermMaker final {
 public:
  TermMaker(const Builder& builder, TermSplit split)
      : trace_(make_trace(builder)), splitter_(trace_), split_(split) {
    drop_unused(trace_);
  }

  TermTape run() {
    for (std::uint32_t p = 0; p < trace_.parameter_count; ++p) set_of_.push_back(sets_.single(p));
    find_sets(0);
    const std::vector<TargetTerm> target = std::move(trace_.target);
    trace_.target.clear();
    for (const TargetTerm& whole : target) {
      std::vector<TargetTerm> open{whole};
      while (!open.empty()) {
        const TargetTerm term = open.back();
        open.pop_back();
        if (!take_apart(term, open)) add(term);
      }
    }
    return finish();
  }

 private:
  // Statement and coordinates; of single elements, their number instead of the statement.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Set>;
  struct Open {
    Set set = 0;
    std::vector<std::pair<Id, double>> parts;
    double constant = 0;
  };

  Trace trace_;
  ElementSplitter splitter_;
  TermSplit split_;
  Sets sets_;
  std::vector<Set> set_of_;  // by slot
  std::vector<std::uint32_t> producer_;
  std::map<Key, std::size_t> known_;
  std::vector<Open> terms_;

  Set set_of(Id id) const { return is_constant(id) ? 0 : set_of_[id]; }

  Set element_set(const RawInstruction& r, std::size_t e) {
    Set all = 0;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = trace_.operand(r, j);
      all = sets_.unite(all, set_of(ids[ids.size() == 1 ? 0 : e]));
    }
    return all;
  }

  // Of the results of instructions from `first`.
  void find_sets(std::uint32_t first) {
    set_of_.resize(trace_.slot_count, 0);
    producer_.resize(trace_.slot_count, Uses::kNone);
    for (std::uint32_t i = first; i < trace_.instructions.size(); ++i) {
      const RawInstruction& r = trace_.instructions[i];
      std::fill_n(producer_.begin() + r.result, r.result_size, i);
      Set all = 0;
      if (r.kind != OpKind::elementwise) all = operands_set(r);
      for (std::uint32_t k = 0; k < r.result_size; ++k)
        set_of_[r.result + k] = r.kind == OpKind::elementwise ? element_set(r, k) : result_set(r, k, all);
    }
  }

  Set operands_set(const RawInstruction& r) {
    Set all = 0;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      for (const Id id : trace_.operand(r, j)) all = sets_.unite(all, set_of(id));
    }
    return all;
  }

  // Transforms of arrays work item by item.
  Set result_set(const RawInstruction& r, std::uint32_t k, Set all) {
    if (r.kind != OpKind::transform) return all;
    const math::Shape& shape = trace_.shapes[r.first_shape];
    const std::span<const Id> free = trace_.operand(r, 0);
    if (shape.count < 2 || r.operand_count > 1 || k >= shape.size() || free.size() % shape.count != 0)
      return all;
    const std::size_t width = free.size() / shape.count;
    const std::size_t item = k / (shape.rows * shape.cols);
    Set own = 0;
    for (const Id id : free.subspan(item * width, width)) own = sets_.unite(own, set_of(id));
    return own;
  }

  bool take_apart(const TargetTerm& term, std::vector<TargetTerm>& open) {
    if (is_constant(term.id) || producer_[term.id] == Uses::kNone) return false;
    const RawInstruction r = trace_.instructions[producer_[term.id]];
    if (split_ == TermSplit::elements) {
      const auto first = static_cast<std::uint32_t>(trace_.instructions.size());
      const bool is_split = splitter_.split(r, term, open);
      find_sets(first);
      if (is_split) return true;
    }
    if (r.kind == OpKind::density) return split_density(r, term.weight);
    if (r.kind == OpKind::array && static_cast<const math::ArrayOp*>(r.definition)->name == "sum") {
      for (const Id id : trace_.operand(r, 0)) open.push_back({id, term.weight});
      return true;
    }
    if (r.kind != OpKind::elementwise) return false;
    const std::string_view name = static_cast<const math::Elementwise*>(r.definition)->name;
    const auto operand = [&](std::uint32_t j) {
      const std::span<const Id> ids = trace_.operand(r, j);
      return ids[ids.size() == 1 ? 0 : term.id - r.result];
    };
    if (name == "minus") {
      open.push_back({operand(0), -term.weight});
      return true;
    }
    if (name == "add" || name == "subtract") {
      open.push_back({operand(1), name == "add" ? term.weight : -term.weight});
      open.push_back({operand(0), term.weight});
      return true;
    }
    if (name != "multiply") return false;
    const std::uint32_t factor = is_constant(operand(0)) ? 0 : 1;
    if (!is_constant(operand(factor))) return false;
    const double value = trace_.constant(operand(factor));
    if (!(value - value == 0)) return false;
    open.push_back({operand(1 - factor), term.weight * value});
    return true;
  }

  // Elements with different coordinates apart; false where there is one kind.
  bool split_density(const RawInstruction& r, double weight) {
    std::map<Set, std::vector<std::uint32_t>> elements;
    for (std::uint32_t e = 0; e < r.count; ++e) elements[element_set(r, e)].push_back(e);
    if (elements.size() < 2) return false;
    for (const auto& [set, which] : elements) {
      RawInstruction part = r;
      part.first_operand = static_cast<std::uint32_t>(trace_.operands.size());
      part.count = static_cast<std::uint32_t>(which.size());
      part.result = trace_.new_slots(1);
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const std::span<const Id> ids = trace_.operand(r, j);
        Ids own;
        if (ids.size() == 1) {
          own.push_back(ids.front());
        } else {
          for (const std::uint32_t e : which) own.push_back(ids[e]);
        }
        trace_.operands.push_back(
            {static_cast<std::uint32_t>(trace_.pool.size()), static_cast<std::uint32_t>(own.size())});
        trace_.pool.insert(trace_.pool.end(), own.begin(), own.end());
      }
      set_of_.push_back(set);
      producer_.push_back(static_cast<std::uint32_t>(trace_.instructions.size()));
      trace_.instructions.push_back(part);
      add({part.result, weight});
    }
    return true;
  }

  void add(const TargetTerm& term) {
    const Set set = set_of(term.id);
    const bool made = !is_constant(term.id) && producer_[term.id] != Uses::kNone;
    const Span span = made ? trace_.instructions[producer_[term.id]].span : Span{};
    Key key{span.file, span.begin, set};
    if (set == 0) {
      key = {0, 0, 0};
    } else if (split_ == TermSplit::elements) {
      key = {0, static_cast<std::uint32_t>(terms_.size() + 1), 0};
    }
    const auto [at, is_new] = known_.try_emplace(key, terms_.size());
    if (is_new) terms_.push_back({set, {}, 0});
    if (is_constant(term.id)) {
      terms_[at->second].constant += term.weight * trace_.constant(term.id);
    } else {
      terms_[at->second].parts.emplace_back(term.id, term.weight);
    }
  }

  TermTape finish() {
    for (const Open& term : terms_) {
      for (const auto& [id, weight] : term.parts)
        trace_.guards.push_back({Guard::Relation::equal, id, id, true});
    }
    const std::shared_ptr<Tape> tape = compile_slots(trace_);
    TermTape out;
    std::size_t part_count = 0;
    for (const Open& term : terms_) part_count += term.parts.size();
    std::size_t next = tape->guards.size() - part_count;
    const std::size_t real_guards = next;
    for (const Open& term : terms_) {
      Term made;
      made.coordinates = sets_.members(term.set);
      made.constant = term.constant;
      for (const auto& [id, weight] : term.parts) made.parts.push_back({tape->guards[next++].left, weight});
      out.terms.push_back(std::move(made));
    }
    tape->guards.resize(real_guards);
    out.tape = tape;
    return out;
  }
};

}  // namespace

TermTape compile_terms(const Builder& builder, TermSplit split) { return TermMaker(builder, split).run(); }

}  // namespace kullback::tape
