// From the recorded trace to the tape.
//   1. Drop what neither the log density nor a guard needs.
//   2. Level of an instruction: 1 + the largest level of its operands. Instructions with the same function,
//   the same level
//      and the same pattern of constant operands are independent: they become one.
//   3. Densities that only the target reads are independent of everything after them: those of one kind
//   become one,
//      whatever their levels.
//   4. Slots are numbered anew in the order of the groups, so that results are contiguous, and operands that
//      follow the same order are too.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "tape/tape.hpp"

namespace kullback::tape {

namespace {

constexpr std::uint32_t kUnplaced = 0xFFFF'FFFFU;

struct Group {
  std::vector<std::uint32_t> members;  // raw instructions
  std::uint32_t level = 0;
  bool density_of_target = false;
};

class Compiler final {
 public:
  explicit Compiler(const Builder& builder) : raw_(builder), tape_(std::make_shared<Tape>()) {}

  std::shared_ptr<const Tape> run() {
    tape_->parameter_count = raw_.parameter_count();
    tape_->raw_instruction_count = raw_.instructions().size();
    find_producers();
    mark_needed();
    find_target_densities();
    make_groups();
    place_slots();
    for (const Group& group : groups_) emit(group);
    finish_target();
    finish_guards();
    for (const Id id : raw_.outputs()) tape_->outputs.push_back(slot_of(id));
    tape_->solvers = raw_.solvers();
    tape_->slot_count = next_slot_;
    return tape_;
  }

 private:
  const Builder& raw_;
  std::shared_ptr<Tape> tape_;
  std::vector<std::uint32_t> producer_;  // raw slot -> raw instruction
  std::vector<bool> needed_;
  std::vector<bool> target_density_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> new_slot_;  // raw slot -> slot
  std::uint32_t next_slot_ = 0;
  std::unordered_map<Id, std::uint32_t> preset_slots_;

  const RawInstruction& instruction(std::uint32_t i) const { return raw_.instructions()[i]; }
  std::span<const Id> operand_ids(const RawInstruction& r, std::uint32_t j) const {
    const RawOperand& operand = raw_.operands()[r.first_operand + j];
    return std::span<const Id>(raw_.pool()).subspan(operand.first, operand.size);
  }

  void find_producers() {
    producer_.assign(raw_.values().size(), kUnplaced);
    for (std::uint32_t i = 0; i < raw_.instructions().size(); ++i) {
      const RawInstruction& r = instruction(i);
      std::fill_n(producer_.begin() + r.result, r.result_size, i);
    }
  }

  void need(Id id) {
    if (!is_constant(id) && producer_[id] != kUnplaced) needed_[producer_[id]] = true;
  }

  void mark_needed() {
    needed_.assign(raw_.instructions().size(), false);
    for (const Id id : raw_.target()) need(id);
    for (const Id id : raw_.outputs()) need(id);
    for (const Guard& guard : raw_.guards()) {
      need(guard.left);
      need(guard.right);
    }
    for (std::uint32_t i = static_cast<std::uint32_t>(needed_.size()); i-- > 0;) {
      if (!needed_[i]) continue;
      const RawInstruction& r = instruction(i);
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        for (const Id id : operand_ids(r, j)) need(id);
      }
    }
  }

  void find_target_densities() {
    std::vector<std::uint32_t> uses(raw_.values().size(), 0);
    for (std::uint32_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      const RawInstruction& r = instruction(i);
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        for (const Id id : operand_ids(r, j)) {
          if (!is_constant(id)) ++uses[id];
        }
      }
    }
    for (const Guard& guard : raw_.guards()) {
      for (const Id id : {guard.left, guard.right}) {
        if (!is_constant(id)) ++uses[id];
      }
    }
    for (const Id id : raw_.outputs()) {
      if (!is_constant(id)) ++uses[id];
    }
    std::vector<std::uint32_t> in_target(raw_.values().size(), 0);
    for (const Id id : raw_.target()) {
      if (!is_constant(id)) ++in_target[id];
    }
    target_density_.assign(needed_.size(), false);
    for (std::uint32_t i = 0; i < needed_.size(); ++i) {
      const RawInstruction& r = instruction(i);
      target_density_[i] =
          needed_[i] && r.kind == OpKind::density && uses[r.result] == 0 && in_target[r.result] == 1;
    }
  }

  // Bit j: operand j is constant throughout.
  unsigned constant_pattern(const RawInstruction& r) const {
    unsigned pattern = 0;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = operand_ids(r, j);
      if (std::all_of(ids.begin(), ids.end(), is_constant)) pattern |= 1U << j;
    }
    return pattern;
  }

  void make_groups() {
    using Key = std::tuple<OpKind, const void*, std::uint32_t, unsigned, bool>;
    std::map<Key, std::size_t> index;
    std::vector<std::uint32_t> level(raw_.values().size(), 0);
    for (std::uint32_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      const RawInstruction& r = instruction(i);
      std::uint32_t deepest = 0;
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        for (const Id id : operand_ids(r, j)) {
          if (!is_constant(id)) deepest = std::max(deepest, level[id]);
        }
      }
      std::fill_n(level.begin() + r.result, r.result_size, deepest + 1);
      const bool to_target = target_density_[i];
      const bool batches = r.kind == OpKind::elementwise || to_target;
      std::size_t at = groups_.size();
      if (batches) {
        const Key key{r.kind, r.definition, to_target ? 0 : deepest + 1, constant_pattern(r),
                      r.terms.normalized};
        at = index.try_emplace(key, groups_.size()).first->second;
      }
      if (at == groups_.size()) groups_.push_back({{}, to_target ? kUnplaced : deepest + 1, to_target});
      groups_[at].members.push_back(i);
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.level < b.level; });
  }

  void place_slots() {
    new_slot_.assign(raw_.values().size(), kUnplaced);
    for (std::uint32_t p = 0; p < raw_.parameter_count(); ++p) new_slot_[p] = p;
    next_slot_ = static_cast<std::uint32_t>(raw_.parameter_count());
    for (const Group& group : groups_) {
      if (group.density_of_target) {
        for (const std::uint32_t i : group.members) new_slot_[instruction(i).result] = next_slot_;
        ++next_slot_;
        continue;
      }
      for (const std::uint32_t i : group.members) {
        const RawInstruction& r = instruction(i);
        for (std::uint32_t k = 0; k < r.result_size; ++k) new_slot_[r.result + k] = next_slot_++;
      }
    }
  }

  void emit(const Group& group) {
    const RawInstruction& first = instruction(group.members.front());
    Instruction out;
    out.kind = first.kind;
    out.definition = first.definition;
    out.terms = first.terms;
    out.first_operand = static_cast<std::uint32_t>(tape_->operands.size());
    out.operand_count = first.operand_count;
    out.result = new_slot_[first.result];
    out.span = first.span;
    out.count = 0;
    std::uint32_t result_size = 0;
    for (const std::uint32_t i : group.members) {
      out.count += instruction(i).count;
      result_size += instruction(i).result_size;
    }
    out.result_size = group.density_of_target ? 1 : result_size;
    const bool dense =
        out.kind == OpKind::array || out.kind == OpKind::transform || out.kind == OpKind::solver;
    Ids merged;
    for (std::uint32_t j = 0; j < first.operand_count; ++j) {
      merged.clear();
      for (const std::uint32_t i : group.members) {
        const RawInstruction& r = instruction(i);
        const std::span<const Id> ids = operand_ids(r, j);
        if (!dense && ids.size() == 1) {
          merged.insert(merged.end(), r.count, ids.front());
        } else {
          merged.insert(merged.end(), ids.begin(), ids.end());
        }
      }
      tape_->operands.push_back(make_operand(merged, !dense));
    }
    if (dense) {
      out.first_shape = static_cast<std::uint32_t>(tape_->shapes.size());
      const std::size_t count = out.kind == OpKind::array    ? first.operand_count
                                : out.kind == OpKind::solver ? 0
                                                             : 1;
      for (std::size_t s = 0; s < count; ++s) tape_->shapes.push_back(raw_.shapes()[first.first_shape + s]);
    }
    out.scratch_size = scratch_size(out);
    tape_->instructions.push_back(out);
  }

  // `one_for_all`: a list of one id repeated may be stored once.
  TapeOperand make_operand(const Ids& ids, bool one_for_all) {
    TapeOperand operand;
    operand.size = static_cast<std::uint32_t>(ids.size());
    operand.constant = std::all_of(ids.begin(), ids.end(), is_constant);
    const bool same =
        !ids.empty() && std::all_of(ids.begin(), ids.end(), [&](Id id) { return id == ids.front(); });
    if (operand.constant) {
      operand.base = static_cast<std::uint32_t>(tape_->constants.size());
      operand.step = same && one_for_all ? 0 : 1;
      const std::size_t stored = operand.step == 0 ? 1 : ids.size();
      for (std::size_t i = 0; i < stored; ++i) tape_->constants.push_back(raw_.value(ids[i]));
      return operand;
    }
    std::vector<std::uint32_t> slots(ids.size());
    std::transform(ids.begin(), ids.end(), slots.begin(), [this](Id id) { return slot_of(id); });
    operand.base = slots.front();
    if (same && one_for_all) return operand;
    operand.step = 1;
    for (std::size_t i = 0; i < slots.size(); ++i) operand.gathered |= slots[i] != slots.front() + i;
    if (operand.gathered) {
      operand.base = static_cast<std::uint32_t>(tape_->indices.size());
      tape_->indices.insert(tape_->indices.end(), slots.begin(), slots.end());
    }
    return operand;
  }

  // A constant among varying operands gets a slot of its own.
  std::uint32_t slot_of(Id id) {
    if (!is_constant(id)) return new_slot_[id];
    const auto [at, is_new] = preset_slots_.try_emplace(id, next_slot_);
    if (is_new) tape_->presets.emplace_back(next_slot_++, raw_.value(id));
    return at->second;
  }

  std::uint32_t scratch_size(const Instruction& out) const {
    if (out.kind == OpKind::density) {
      std::uint32_t size = 0;
      for (std::uint32_t j = 0; j < out.operand_count; ++j) {
        const TapeOperand& operand = tape_->operands[out.first_operand + j];
        if (!operand.constant) size += operand.gathered || operand.step == 1 ? out.count : 1;
      }
      return size;
    }
    if (out.kind == OpKind::solver)
      return static_cast<std::uint32_t>(static_cast<const DenseFunction*>(out.definition)->scratch_size());
    const math::Shape* shapes = tape_->shapes.data() + out.first_shape;
    if (out.kind == OpKind::transform) {
      return static_cast<std::uint32_t>(
          math::scratch_size(*static_cast<const math::TransformDef*>(out.definition), shapes[0]));
    }
    if (out.kind != OpKind::array) return 0;
    const auto& f = *static_cast<const math::ArrayOp*>(out.definition);
    if (f.scratch_size == nullptr) return 0;
    std::vector<math::DenseArgument> arguments;
    for (std::uint32_t j = 0; j < out.operand_count; ++j) {
      const TapeOperand& operand = tape_->operands[out.first_operand + j];
      const double* data = operand.constant ? tape_->constants.data() + operand.base : nullptr;
      arguments.push_back({data, shapes[j], !operand.constant});
    }
    return static_cast<std::uint32_t>(f.scratch_size(arguments));
  }

  void finish_target() {
    std::vector<std::uint32_t>& target = tape_->target;
    for (const Id id : raw_.target()) {
      if (is_constant(id)) {
        tape_->target_constant += raw_.value(id);
      } else {
        target.push_back(new_slot_[id]);
      }
    }
    // Densities of one group share their slot, which is to be counted once.
    std::vector<bool> merged(next_slot_, false);
    for (const Group& group : groups_) {
      if (group.density_of_target) merged[new_slot_[instruction(group.members.front()).result]] = true;
    }
    std::vector<bool> seen(next_slot_, false);
    std::erase_if(target, [&](std::uint32_t slot) {
      const bool again = merged[slot] && seen[slot];
      seen[slot] = true;
      return again;
    });
  }

  void finish_guards() {
    for (Guard guard : raw_.guards()) {
      guard.left = slot_of(guard.left);
      guard.right = slot_of(guard.right);
      tape_->guards.push_back(guard);
    }
  }
};

}  // namespace

std::shared_ptr<const Tape> compile(const Builder& builder) { return Compiler(builder).run(); }

}  // namespace kullback::tape
