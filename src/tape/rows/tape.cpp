// A tape for so many rows of each class. It is compiled with stand-ins where rows differ: a constant is a NaN
// with a number of its own as payload, a slot is a parameter that does not exist. No pass computes with them
// or finds two of them equal, so that each is found again on the tape, wherever the compiler put it: those
// are the places to write a row's numbers into. Stand-ins for slots are never neighbours: lists of them are
// gathered by index.
//
// Slots of the global part that rows may need are kept by comparisons (of a slot with itself) that are
// removed again once they have told where the slot is.
#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "base/error.hpp"
#include "tape/rows/rows.hpp"

namespace kullback::tape {

namespace {

constexpr std::uint64_t kStandInBits = 0x7FFC'0000'0000'0000ULL;

double stand_in_number(std::size_t number) { return std::bit_cast<double>(kStandInBits | number); }

bool is_stand_in(double value, std::size_t count, std::uint32_t& number) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if ((bits & kStandInBits) != kStandInBits || (bits & ~kStandInBits) >= count) return false;
  number = static_cast<std::uint32_t>(bits & ~kStandInBits);
  return true;
}

}  // namespace

// Writes the trace.
class RowTape::Maker final {
 public:
  explicit Maker(RowTape& owner) : owner_(owner), program_(owner.program_) {}

  Trace run() {
    number_stand_ins();
    copy_global();
    for (std::uint32_t c = 0; c < program_.classes.size(); ++c) {
      if (owner_.counts_[c] > 0) write_class(c);
    }
    keep_slots();
    out_.stand_ins = {static_cast<std::uint32_t>(parameters()),
                      static_cast<std::uint32_t>(parameters()) + holes_,
                      static_cast<std::uint32_t>(kept_.size())};
    return std::move(out_);
  }

  std::uint32_t holes() const { return holes_; }
  const Ids& kept() const { return kept_; }

 private:
  RowTape& owner_;
  const RowProgram& program_;
  Trace out_;
  std::uint32_t holes_ = 0;
  Ids kept_;  // slots of the global trace
  double scale_ = 1;

  // Of the class being written.
  std::uint32_t class_ = 0;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> first_constant_;  // stand-in of column c for place 0; then one for each place
  std::vector<std::uint32_t> first_external_;
  Ids common_;  // ids of constants that all rows share
  Ids base_;    // local slots at place 0
  std::vector<std::uint32_t> stride_;
  std::vector<bool> summed_;  // local slots that hold the sum over all places already

  const RowClass& row_class() const { return program_.classes[class_]; }

  std::size_t parameters() const { return program_.global.parameter_count; }
  Id external_stand_in(std::uint32_t number) const { return static_cast<Id>(parameters() + 1 + 2 * number); }
  Id moved(Id id) const { return is_constant(id) || id < parameters() ? id : id + holes_; }

  std::uint32_t row_total() const {
    std::uint32_t total = 0;
    for (const std::uint32_t count : owner_.counts_) total += count;
    return total;
  }

  void number_stand_ins() {
    std::size_t externals = 0;
    for (std::uint32_t c = 0; c < program_.classes.size(); ++c) {
      const std::vector<bool>& varies = program_.classes[c].external_varies;
      externals +=
          static_cast<std::size_t>(std::count(varies.begin(), varies.end(), true)) * owner_.counts_[c];
    }
    holes_ = static_cast<std::uint32_t>(2 * externals + 1);
    scale_ = static_cast<double>(program_.row_count) / row_total();
  }

  void copy_global() {
    out_ = program_.global;
    out_.parameter_count += holes_;
    out_.slot_count += holes_;
    for (Id& id : out_.pool) id = moved(id);
    for (RawInstruction& r : out_.instructions) r.result = moved(r.result);
    for (TargetTerm& term : out_.target) term.id = moved(term.id);
    for (Guard& guard : out_.guards) {
      guard.left = moved(guard.left);
      guard.right = moved(guard.right);
    }
  }

  void write_class(std::uint32_t c) {
    class_ = c;
    count_ = owner_.counts_[c];
    const RowClass& own = row_class();
    first_constant_.assign(own.constant_varies.size(), 0);
    common_.assign(own.constant_varies.size(), 0);
    for (std::uint32_t column = 0; column < own.constant_varies.size(); ++column) {
      if (!own.constant_varies[column]) {
        common_[column] = out_.new_constant(own.constants[column]);
        continue;
      }
      // The ids of a column's stand-ins are consecutive.
      first_constant_[column] = static_cast<std::uint32_t>(out_.constants.size());
      for (std::uint32_t place = 0; place < count_; ++place) {
        out_.new_constant(stand_in_number(owner_.constants_.size()));
        owner_.constants_.push_back({class_, place, column});
      }
    }
    first_external_.assign(own.external_varies.size(), 0);
    for (std::uint32_t column = 0; column < own.external_varies.size(); ++column) {
      if (!own.external_varies[column]) continue;
      first_external_[column] = static_cast<std::uint32_t>(owner_.externals_.size());
      for (std::uint32_t place = 0; place < count_; ++place)
        owner_.externals_.push_back({class_, place, column});
    }
    base_.assign(own.local_count, 0);
    stride_.assign(own.local_count, 0);
    summed_.assign(own.local_count, false);
    for (const RowInstruction& r : own.instructions) write(r);
    write_terms();
    for (const RowClass::Comparison& guard : own.guards) {
      for (std::uint32_t place = 0; place < count_; ++place)
        out_.guards.push_back({guard.relation, id(guard.left, place), id(guard.right, place), guard.outcome});
    }
  }

  Id id(const RowReference& ref, std::uint32_t place) const {
    switch (ref.kind) {
      case RowReference::Kind::constant:
        return row_class().constant_varies[ref.at] ? (first_constant_[ref.at] + place) | kConstantBit
                                                   : common_[ref.at];
      case RowReference::Kind::external:
        return row_class().external_varies[ref.at] ? external_stand_in(first_external_[ref.at] + place)
                                                   : moved(row_class().externals[ref.at]);
      case RowReference::Kind::local: break;
    }
    return base_[ref.at] + place * stride_[ref.at];
  }

  // The same in all places.
  bool is_common(const RowReference& ref) const {
    switch (ref.kind) {
      case RowReference::Kind::constant: return !row_class().constant_varies[ref.at];
      case RowReference::Kind::external: return !row_class().external_varies[ref.at];
      case RowReference::Kind::local: break;
    }
    return stride_[ref.at] == 0;
  }

  void place_result(const RowInstruction& r, Id first, std::uint32_t stride) {
    for (std::uint32_t k = 0; k < r.raw.result_size; ++k) {
      base_[r.result + k] = first + k;
      stride_[r.result + k] = stride;
    }
  }

  void add_operand(const Ids& ids) {
    out_.operands.push_back(
        {static_cast<std::uint32_t>(out_.pool.size()), static_cast<std::uint32_t>(ids.size())});
    out_.pool.insert(out_.pool.end(), ids.begin(), ids.end());
  }

  RawInstruction begin(const RowInstruction& r, std::span<const math::Shape> shapes) {
    RawInstruction raw = r.raw;
    raw.first_operand = static_cast<std::uint32_t>(out_.operands.size());
    raw.first_shape = static_cast<std::uint32_t>(out_.shapes.size());
    out_.shapes.insert(out_.shapes.end(), shapes.begin(), shapes.end());
    return raw;
  }

  void write(const RowInstruction& r) {
    const bool common = std::all_of(r.references.begin(), r.references.end(),
                                    [&](const RowReference& ref) { return is_common(ref); });
    if (common) {
      write_one(r, 0);
      place_result(r, out_.instructions.back().result, 0);
    } else if (r.raw.kind == OpKind::elementwise && r.raw.count == 1) {
      write_elements(r, count_);
    } else if (r.raw.kind == OpKind::density && r.raw.count == 1 && is_only_term(r)) {
      write_elements(r, 1);
      summed_[r.result] = true;
    } else if (is_design_product(r)) {
      write_design_product(r);
    } else {
      write_each(r);
    }
  }

  void write_one(const RowInstruction& r, std::uint32_t place) {
    RawInstruction raw = begin(r, r.shapes);
    std::size_t at = 0;
    for (const std::uint32_t size : r.operand_sizes) {
      Ids ids(size);
      for (Id& one : ids) one = id(r.references[at++], place);
      add_operand(ids);
    }
    raw.result = out_.new_slots(raw.result_size);
    out_.instructions.push_back(raw);
  }

  void write_each(const RowInstruction& r) {
    // Results of one instruction are neighbours, those of the next place follow.
    Id first = 0;
    for (std::uint32_t place = 0; place < count_; ++place) {
      write_one(r, place);
      if (place == 0) first = out_.instructions.back().result;
    }
    place_result(r, first, r.raw.result_size);
  }

  // Elements of all places in one instruction.
  void write_elements(const RowInstruction& r, std::uint32_t results) {
    RawInstruction raw = begin(r, {});
    for (const RowReference& ref : r.references) {
      Ids ids(is_common(ref) ? 1 : count_);
      for (std::uint32_t place = 0; place < ids.size(); ++place) ids[place] = id(ref, place);
      add_operand(ids);
    }
    raw.count = count_;
    raw.result_size = results;
    raw.result = out_.new_slots(results);
    out_.instructions.push_back(raw);
    place_result(r, raw.result, results == 1 ? 0 : 1);
  }

  // A number that is a term of the target and nothing else.
  bool is_only_term(const RowInstruction& r) const {
    const auto is_result = [&](const RowReference& ref) {
      return ref.kind == RowReference::Kind::local && ref.at == r.result;
    };
    const RowClass& own = row_class();
    for (const RowInstruction& other : own.instructions) {
      if (std::any_of(other.references.begin(), other.references.end(), is_result)) return false;
    }
    for (const RowClass::Comparison& guard : own.guards) {
      if (is_result(guard.left) || is_result(guard.right)) return false;
    }
    return std::count_if(own.terms.begin(), own.terms.end(),
                         [&](const RowClass::Term& term) { return is_result(term.value); }) == 1;
  }

  // A row of data times numbers that all rows share: together a matrix times a vector.
  bool is_design_product(const RowInstruction& r) const {
    if (r.raw.kind != OpKind::array || count_ < 2 || r.operand_sizes.size() != 2 ||
        static_cast<const math::ArrayOp*>(r.raw.definition)->name != "dot_product") {
      return false;
    }
    const std::size_t n = r.operand_sizes[0];
    return std::all_of(r.references.begin(), r.references.begin() + static_cast<long>(n),
                       [](const RowReference& ref) { return ref.kind == RowReference::Kind::constant; }) &&
           std::all_of(r.references.begin() + static_cast<long>(n), r.references.end(),
                       [&](const RowReference& ref) { return is_common(ref); });
  }

  void write_design_product(const RowInstruction& r) {
    static const math::ArrayOp* multiply = math::find_array_op(
        "multiply",
        std::array<math::Type, 2>{math::Type{math::Kind::matrix}, math::Type{math::Kind::vector}});
    const std::size_t n = r.operand_sizes[0];
    const std::array<math::Shape, 2> shapes{math::Shape{count_, n, 1}, math::Shape{n, 1, 1}};
    RawInstruction raw = begin(r, shapes);
    raw.definition = multiply;
    Ids matrix;
    Ids vector;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::uint32_t place = 0; place < count_; ++place) matrix.push_back(id(r.references[k], place));
      vector.push_back(id(r.references[n + k], 0));
    }
    add_operand(matrix);
    add_operand(vector);
    raw.result_size = count_;
    raw.result = out_.new_slots(count_);
    out_.instructions.push_back(raw);
    place_result(r, raw.result, 1);
  }

  void write_terms() {
    for (const RowClass::Term& term : row_class().terms) {
      const bool summed = term.value.kind == RowReference::Kind::local && summed_[term.value.at];
      if (is_common(term.value)) {
        out_.target.push_back({id(term.value, 0), scale_ * term.weight * (summed ? 1 : count_)});
        continue;
      }
      for (std::uint32_t place = 0; place < count_; ++place)
        out_.target.push_back({id(term.value, place), scale_ * term.weight});
    }
  }

  void keep_slots() {
    std::vector<bool> wanted(program_.global.slot_count, false);
    for (std::uint32_t c = 0; c < program_.classes.size(); ++c) {
      if (owner_.counts_[c] == 0) continue;
      const RowClass& own = program_.classes[c];
      const std::size_t width = own.external_varies.size();
      for (std::size_t at = 0; at < own.externals.size(); ++at) {
        if (own.external_varies[at % width] && own.externals[at] >= parameters())
          wanted[own.externals[at]] = true;
      }
    }
    for (Id slot = 0; slot < wanted.size(); ++slot) {
      if (!wanted[slot]) continue;
      kept_.push_back(slot);
      out_.guards.push_back({Guard::Relation::equal, moved(slot), moved(slot), true});
    }
  }
};

RowTape::RowTape(const RowProgram& program, std::span<const std::uint32_t> counts)
    : program_(program), counts_(counts.begin(), counts.end()) {
  Maker maker(*this);
  const Trace trace = maker.run();
  tape_ = compile_slots(trace);
  slot_of_.assign(program.global.slot_count, 0);
  for (std::uint32_t p = 0; p < program.global.parameter_count; ++p) slot_of_[p] = p;
  const auto closed = [&](std::uint32_t slot) {
    return slot < program.global.parameter_count ? slot : slot - maker.holes();
  };
  base_constant_ = program.global_constant + tape_->target_constant;
  const std::size_t real_guards = tape_->guards.size() - maker.kept().size();
  for (std::size_t k = 0; k < maker.kept().size(); ++k)
    slot_of_[maker.kept()[k]] = closed(tape_->guards[real_guards + k].left);
  tape_->guards.resize(real_guards);
  find_locations(maker.holes());
  chosen_.resize(counts_.size());
  for (std::size_t c = 0; c < counts_.size(); ++c) chosen_[c].reserve(counts_[c]);
}

// Finds every stand-in, and closes the gap that the stand-ins for slots leave.
void RowTape::find_locations(std::uint32_t holes) {
  Tape& tape = *tape_;
  std::vector<Location<double>> numbers;
  const auto parameters = static_cast<std::uint32_t>(program_.global.parameter_count);
  const auto visit = [&](std::uint32_t& slot) {
    if (slot >= parameters + holes) {
      slot -= holes;
    } else if (slot >= parameters) {
      slots_.push_back({&slot, externals_[(slot - parameters - 1) / 2]});
    }
  };
  const auto visit_number = [&](double& value) {
    std::uint32_t number = 0;
    if (is_stand_in(value, constants_.size(), number)) numbers.push_back({&value, constants_[number]});
  };
  for (double& constant : tape.constants) visit_number(constant);
  for (auto& [slot, value] : tape.presets) {
    slot -= holes;
    visit_number(value);
  }
  for (std::uint32_t& index : tape.indices) visit(index);
  for (TapeOperand& operand : tape.operands) {
    if (!operand.constant && !operand.gathered) visit(operand.base);
  }
  for (Instruction& i : tape.instructions) {
    if (i.kind != OpKind::packed) i.result -= holes;
  }
  for (TargetRange& range : tape.target) visit(range.slot);
  for (Guard& guard : tape.guards) {
    visit(guard.left);
    visit(guard.right);
  }
  for (Packed& packed : tape.packed) {
    for (std::uint32_t& slot : packed.pool) visit(slot);
    for (MicroOp& op : packed.ops) {
      op.result -= holes;
      if (op.code >= MicroCode::fma) continue;
      visit(op.a);
      if (op.n > 1) visit(op.b);
    }
  }
  tape.parameter_count = parameters;
  tape.slot_count -= holes;
  // Row by row: a row's numbers lie side by side.
  const auto by_row = [](const auto& a, const auto& b) {
    const auto key = [](const StandIn& s) { return std::tuple{s.row_class, s.place, s.column}; };
    return key(a.for_what) < key(b.for_what);
  };
  std::sort(numbers.begin(), numbers.end(), by_row);
  std::sort(slots_.begin(), slots_.end(), by_row);
  count_places(numbers);
}

void RowTape::count_places(const std::vector<Location<double>>& found) {
  std::vector<std::uint32_t> first(counts_.size(), 0);
  for (std::size_t c = 1; c < counts_.size(); ++c) first[c] = first[c - 1] + counts_[c - 1];
  numbers_.reserve(found.size());
  for (const auto& [at, what] : found)
    numbers_.push_back({at, first[what.row_class] + what.place, what.column});
}

namespace {

// Rows lie anywhere in memory: asked for early, they come together.
template <class T>
void fetch(const std::vector<T>& from, std::size_t first, std::size_t size) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t i = 0; i < size; i += kLine) __builtin_prefetch(from.data() + first + i);
}

}  // namespace

void RowTape::find_numbers(std::span<const std::uint32_t> rows) {
  numbers_of_.clear();
  if (program_.lines) {
    const std::size_t width = program_.classes.front().constant_varies.size();
    lines_.resize(rows.size() * width);
    program_.lines->read(rows, lines_.data());
    for (std::size_t place = 0; place < rows.size(); ++place)
      numbers_of_.push_back(lines_.data() + place * width);
    return;
  }
  for (std::size_t c = 0; c < counts_.size(); ++c) {
    const RowClass& own = program_.classes[c];
    for (const std::uint32_t line : chosen_[c])
      numbers_of_.push_back(own.constants.data() + line * own.constant_varies.size());
  }
}

void RowTape::choose(std::span<const std::uint32_t> rows) {
  for (std::vector<std::uint32_t>& lines : chosen_) lines.clear();
  double constant = 0;
  for (const std::uint32_t row : rows) {
    const RowClass& c = program_.classes[program_.class_of[row]];
    const std::uint32_t line = program_.line_of[row];
    chosen_[program_.class_of[row]].push_back(line);
    constant += program_.row_constants[row];
    if (program_.lines) continue;
    fetch(c.constants, line * c.constant_varies.size(), c.constant_varies.size());
    if (!slots_.empty()) fetch(c.externals, line * c.external_varies.size(), c.external_varies.size());
  }
  Tape& tape = *tape_;
  tape.target_constant =
      base_constant_ + constant * static_cast<double>(program_.row_count) / static_cast<double>(rows.size());
  find_numbers(rows);
  for (const Number& number : numbers_) *number.at = numbers_of_[number.place][number.column];
  for (const Location<std::uint32_t>& location : slots_) {
    const auto& [c, place, column] = location.for_what;
    const RowClass& own = program_.classes[c];
    *location.at = slot_of_[own.externals[chosen_[c][place] * own.external_varies.size() + column]];
  }
}

}  // namespace kullback::tape
