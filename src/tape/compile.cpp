// From the recorded trace to the tape: simplify, schedule, number the slots anew in the order of the groups
// (so that results are contiguous, and operands that follow the same order are too), and emit an instruction
// for each group, or operations of a packed one where groups are small.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string_view>
#include <unordered_map>

#include "base/stop.hpp"
#include "tape/passes/passes.hpp"
#include "tape/schedule.hpp"
#include "tape/tape.hpp"

namespace kullback::tape {

namespace {

constexpr std::uint32_t kUnplaced = 0xFFFF'FFFFU;
// Below so many elements an operation costs less packed than as a call of a batched kernel.
constexpr std::size_t kFewElements = 12;
constexpr std::size_t kFewDensities = 4;
constexpr std::size_t kFewNormals = 32;
constexpr std::size_t kFewestMany = 3;      // elements of one packed operation over many
constexpr std::size_t kLongestPacked = 64;  // operands of one sum or product

// The packed form of a function of arrays, where it has one.
bool has_micro_code(const math::ArrayOp& f, MicroCode& code) {
  const auto is_vector = [](const math::Type& type) {
    return type.array_rank +
                   (type.kind == math::Kind::vector || type.kind == math::Kind::row_vector ? 1 : 0) ==
               1 &&
           type.kind != math::Kind::matrix;
  };
  const std::vector<math::Type>& types = f.parameter_types;
  if (types.size() == 1 && is_vector(types[0]) && f.name == "sum") {
    code = MicroCode::sum;
  } else if (types.size() == 1 && is_vector(types[0]) && f.name == "log_sum_exp") {
    code = MicroCode::log_sum_exp;
  } else if (types.size() == 2 && is_vector(types[0]) && is_vector(types[1]) &&
             (f.name == "dot_product" || (f.name == "multiply" && types[0].kind == math::Kind::row_vector &&
                                          types[1].kind == math::Kind::vector && types[0].array_rank == 0 &&
                                          types[1].array_rank == 0))) {
    code = MicroCode::dot_product;
  } else {
    return false;
  }
  return true;
}

class Compiler final {
 public:
  Compiler(Trace trace, std::size_t raw_count) : trace_(std::move(trace)), tape_(std::make_shared<Tape>()) {
    tape_->raw_instruction_count = raw_count;
    tape_->solvers = trace_.solvers;
  }

  std::shared_ptr<Tape> run() {
    tape_->parameter_count = trace_.parameter_count;
    groups_ = schedule(trace_);
    place_slots();
    for (const Group& group : groups_) {
      if (is_small(group)) {
        pack(group);
      } else if (is_short_log_sum_exp(trace_, instruction(group.members.front()))) {
        emit_log_sum_exp(group);
      } else {
        emit(group);
      }
    }
    // A slot that stands for others may stand for one inside a recurrence: not rolled.
    if (trace_.stand_ins.first == trace_.stand_ins.last) {
      for (Packed& packed : tape_->packed) roll_recurrences(packed, slot_of(trace_.new_constant(1)));
    }
    finish_target();
    finish_guards();
    for (const Id id : trace_.outputs) tape_->outputs.push_back(slot_of(id));
    tape_->slot_count = next_slot_;
    tape_->shared = trace_.constants.common_part();
    return tape_;
  }

 private:
  Trace trace_;
  std::shared_ptr<Tape> tape_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> new_slot_;  // of the trace -> of the tape
  std::uint32_t next_slot_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> preset_slots_;  // by the bits of the constant
  std::unordered_map<const void*, std::uint32_t> function_numbers_;

  const RawInstruction& instruction(std::uint32_t i) const { return trace_.instructions[i]; }

  std::size_t element_count(const Group& group) const {
    std::size_t count = 0;
    for (const std::uint32_t i : group.members) count += instruction(i).count;
    return count;
  }

  bool is_small(const Group& group) const {
    const RawInstruction& r = instruction(group.members.front());
    MicroCode code;
    switch (r.kind) {
      case OpKind::elementwise: return element_count(group) < kFewElements;
      case OpKind::density:
        if (is_packed_normal(r)) return element_count(group) < kFewNormals;
        return element_count(group) < kFewDensities && (group.to_target || r.count == 1);
      case OpKind::array:
        if (is_short_log_sum_exp(trace_, r)) return group.members.size() < kFewDensities;
        return has_micro_code(*static_cast<const math::ArrayOp*>(r.definition), code) &&
               trace_.operand(r, 0).size() <= kLongestPacked;
      default: return false;
    }
  }

  // A group's densities for the target share one slot where they are one instruction.
  bool shares_slot(const Group& group) const { return group.to_target && !is_small(group); }

  void place_slots() {
    new_slot_.assign(trace_.slot_count, kUnplaced);
    for (std::uint32_t p = 0; p < trace_.parameter_count; ++p) new_slot_[p] = p;
    next_slot_ = static_cast<std::uint32_t>(trace_.parameter_count);
    for (const Group& group : groups_) {
      const bool shared = shares_slot(group);
      for (const std::uint32_t i : group.members) {
        const RawInstruction& r = instruction(i);
        for (std::uint32_t k = 0; k < r.result_size; ++k)
          new_slot_[r.result + k] = shared ? next_slot_ : next_slot_++;
      }
      if (shared) ++next_slot_;
    }
  }

  // ---- packed operations ----

  Packed& open_packed(const RawInstruction& r) {
    std::vector<Instruction>& all = tape_->instructions;
    if (all.empty() || all.back().kind != OpKind::packed) {
      Instruction out;
      out.kind = OpKind::packed;
      out.first_shape = static_cast<std::uint32_t>(tape_->packed.size());
      out.span = r.span;
      out.count = 0;
      tape_->packed.emplace_back();
      function_numbers_.clear();
      all.push_back(out);
    }
    return tape_->packed.back();
  }

  void pack(const Group& group) {
    Packed& packed = open_packed(instruction(group.members.front()));
    if (pack_many(packed, group)) return finish_packed(packed);
    for (const std::uint32_t i : group.members) {
      const RawInstruction& r = instruction(i);
      if (r.kind == OpKind::elementwise) pack_elementwise(packed, r);
      if (r.kind == OpKind::density && is_packed_normal(r)) {
        pack_normal(packed, r);
      } else if (r.kind == OpKind::density) {
        pack_density(packed, r, group.to_target);
      }
      if (r.kind == OpKind::array) pack_array(packed, r);
    }
    finish_packed(packed);
  }

  void finish_packed(const Packed& packed) {
    Instruction& out = tape_->instructions.back();
    out.count = static_cast<std::uint32_t>(packed.ops.size());
    out.scratch_size = packed.scratch_size;
  }

  // The ids of operand j for all elements of a group.
  std::span<const Id> merged_operand(const Group& group, std::uint32_t j, Ids& ids) const {
    const RawInstruction& first = instruction(group.members.front());
    const bool whole = group.members.size() == 1 && (first.count == 1 || trace_.operand(first, j).size() > 1);
    if (whole) return trace_.operand(first, j);
    ids.clear();
    for (const std::uint32_t i : group.members) {
      const RawInstruction& r = instruction(i);
      const std::span<const Id> own = trace_.operand(r, j);
      if (own.size() == 1) {
        ids.insert(ids.end(), r.count, own.front());
      } else {
        ids.insert(ids.end(), own.begin(), own.end());
      }
    }
    return ids;
  }

  bool pack_many(Packed& packed, const Group& group) {
    const RawInstruction& first = instruction(group.members.front());
    const std::size_t count = element_count(group);
    if (first.kind != OpKind::elementwise || count < kFewestMany) return false;
    const MicroCode code = many_code(micro_code(*static_cast<const math::Elementwise*>(first.definition)));
    if (code == MicroCode::elementwise) return false;
    MicroOp op{code, static_cast<std::uint16_t>(count), new_slot_[first.result],
               static_cast<std::uint32_t>(packed.pool.size()), 0};
    for (std::uint32_t j = 0; j < first.operand_count; ++j) {
      Ids copy;
      const std::span<const Id> ids = merged_operand(group, j, copy);
      const bool same =
          std::all_of(ids.begin(), ids.end(), [&](Id id) { return same_number(id, ids.front()); });
      if (same) op.b |= 1U << j;
      for (std::size_t i = 0; i < (same ? 1 : ids.size()); ++i) packed.pool.push_back(slot_of(ids[i]));
    }
    packed.ops.push_back(op);
    return true;
  }

  std::uint32_t operand_slot(const RawInstruction& r, std::uint32_t j, std::uint32_t element) {
    const std::span<const Id> ids = trace_.operand(r, j);
    return slot_of(ids[ids.size() == 1 ? 0 : element]);
  }

  void pack_elementwise(Packed& packed, const RawInstruction& r) {
    const auto& f = *static_cast<const math::Elementwise*>(r.definition);
    const MicroCode code = micro_code(f);
    for (std::uint32_t e = 0; e < r.count; ++e) {
      MicroOp op{code, static_cast<std::uint16_t>(r.operand_count), new_slot_[r.result + e], 0, 0};
      if (code < MicroCode::fma) {
        op.a = operand_slot(r, 0, e);
        op.b = r.operand_count > 1 ? operand_slot(r, 1, e) : 0;
      } else {
        op.a = static_cast<std::uint32_t>(packed.pool.size());
        for (std::uint32_t j = 0; j < r.operand_count; ++j) packed.pool.push_back(operand_slot(r, j, e));
        const auto [at, is_new] =
            function_numbers_.try_emplace(&f, static_cast<std::uint32_t>(packed.functions.size()));
        if (is_new) packed.functions.push_back(&f);
        op.b = at->second;
      }
      packed.ops.push_back(op);
    }
  }

  // The log-Jacobian of inv_logit.
  bool is_standard_logistic(const RawInstruction& r) const {
    static const math::Density* logistic = &math::find_distribution("logistic")->log_density;
    return r.definition == logistic && is_number(trace_.operand(r, 1), 0) &&
           is_number(trace_.operand(r, 2), 1);
  }
  bool is_number(std::span<const Id> ids, double number) const {
    return ids.size() == 1 && is_constant(ids[0]) && trace_.constant(ids[0]) == number;
  }

  // sigma is one number, or data: what a packed normal needs.
  bool is_packed_normal(const RawInstruction& r) const {
    static const math::Density* normal = &math::find_distribution("normal")->log_density;
    static const math::Density* std_normal = &math::find_distribution("std_normal")->log_density;
    if (r.definition == std_normal) return true;
    if (r.definition != normal) return false;
    const std::span<const Id> sigma = trace_.operand(r, 2);
    if (!all_constant(sigma)) return sigma.size() == 1;
    return std::all_of(sigma.begin(), sigma.end(), [this](Id id) {
      const double s = trace_.constant(id);
      return s > 0 && s - s == 0;
    });
  }

  void pack_normal(Packed& packed, const RawInstruction& r) {
    const Id zero = trace_.new_constant(0);
    const Id one = trace_.new_constant(1);
    const bool standard = r.operand_count == 1;
    const std::span<const Id> sigma = standard ? std::span<const Id>(&one, 1) : trace_.operand(r, 2);
    const bool weighted = all_constant(sigma);
    const auto sigma_at = [&](std::uint32_t e) { return sigma[sigma.size() == 1 ? 0 : e]; };
    double constant = r.terms.normalized ? -0.5 * std::log(2 * std::numbers::pi) * r.count : 0.0;
    if (weighted && r.terms.keep(0b100)) {
      for (std::uint32_t e = 0; e < r.count; ++e) constant -= std::log(trace_.constant(sigma_at(e)));
    }
    MicroOp op{weighted ? MicroCode::normal_weighted : MicroCode::normal_shared,
               static_cast<std::uint16_t>(r.count), new_slot_[r.result],
               static_cast<std::uint32_t>(packed.pool.size()), weighted ? 0U : 4U};
    if (!all_constant(trace_.operand(r, 0))) op.b |= 1U;
    if (!standard && !all_constant(trace_.operand(r, 1))) op.b |= 2U;
    packed.pool.push_back(slot_of(trace_.new_constant(constant)));
    if (!weighted) packed.pool.push_back(slot_of(sigma[0]));
    for (std::uint32_t e = 0; e < r.count; ++e) {
      packed.pool.push_back(operand_slot(r, 0, e));
      packed.pool.push_back(standard ? slot_of(zero) : operand_slot(r, 1, e));
      if (weighted) {
        const Id inverse = trace_.new_constant(1 / trace_.constant(sigma_at(e)));
        packed.pool.push_back(slot_of(inverse));
      }
    }
    packed.ops.push_back(op);
  }

  // One operation for each element; a sum over elements only where the target sums.
  void pack_density(Packed& packed, const RawInstruction& r, bool to_target) {
    const auto& f = *static_cast<const math::Density*>(r.definition);
    for (std::uint32_t e = 0; e < r.count; ++e) {
      MicroOp op{MicroCode::density, static_cast<std::uint16_t>(r.operand_count), 0, 0, 0};
      op.result = e == 0 ? new_slot_[r.result] : next_slot_++;
      if (e > 0 && to_target) extra_target_.push_back({op.result, r.result});
      if (is_standard_logistic(r)) {
        op.code = MicroCode::standard_logistic;
        op.a = operand_slot(r, 0, e);
        packed.ops.push_back(op);
        continue;
      }
      op.a = static_cast<std::uint32_t>(packed.pool.size());
      for (std::uint32_t j = 0; j < r.operand_count; ++j) packed.pool.push_back(operand_slot(r, j, e));
      op.b = static_cast<std::uint32_t>(packed.densities.size());
      packed.densities.push_back({&f, r.terms, packed.scratch_size});
      packed.scratch_size += r.operand_count;
      packed.ops.push_back(op);
    }
  }
  struct Extra {
    std::uint32_t slot;
    Id beside;  // of the trace
  };
  std::vector<Extra> extra_target_;

  void pack_array(Packed& packed, const RawInstruction& r) {
    MicroCode code{};
    has_micro_code(*static_cast<const math::ArrayOp*>(r.definition), code);
    const std::span<const Id> first = trace_.operand(r, 0);
    MicroOp op{code, static_cast<std::uint16_t>(first.size()), new_slot_[r.result],
               static_cast<std::uint32_t>(packed.pool.size()), 0};
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      for (const Id id : trace_.operand(r, j)) packed.pool.push_back(slot_of(id));
    }
    if (code == MicroCode::log_sum_exp) {
      op.b = packed.scratch_size;
      packed.scratch_size += op.n;
    }
    packed.ops.push_back(op);
  }

  // ---- batched instructions ----

  void emit(const Group& group) {
    const RawInstruction& first = instruction(group.members.front());
    Instruction out;
    out.kind = first.kind;
    if (first.kind == OpKind::density && group.members.size() > 1 && !group.to_target)
      out.kind = OpKind::each_density;
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
    out.result_size = group.to_target ? 1 : result_size;
    const bool dense =
        out.kind == OpKind::array || out.kind == OpKind::transform || out.kind == OpKind::solver;
    Ids copy;
    for (std::uint32_t j = 0; j < first.operand_count; ++j)
      tape_->operands.push_back(make_operand(merged_operand(group, j, copy), !dense));
    if (dense) {
      out.first_shape = static_cast<std::uint32_t>(tape_->shapes.size());
      const std::size_t count = out.kind == OpKind::array    ? first.operand_count
                                : out.kind == OpKind::solver ? 0
                                                             : 1;
      for (std::size_t s = 0; s < count; ++s) tape_->shapes.push_back(trace_.shapes[first.first_shape + s]);
    }
    out.scratch_size = scratch_size(out);
    tape_->instructions.push_back(out);
  }

  void emit_log_sum_exp(const Group& group) {
    const RawInstruction& first = instruction(group.members.front());
    Instruction out;
    out.kind = OpKind::log_sum_exp;
    out.definition = first.definition;
    out.first_operand = static_cast<std::uint32_t>(tape_->operands.size());
    out.operand_count = static_cast<std::uint32_t>(trace_.operand(first, 0).size());
    out.result = new_slot_[first.result];
    out.span = first.span;
    out.count = out.result_size = static_cast<std::uint32_t>(group.members.size());
    out.scratch_size = out.operand_count * out.count;
    Ids ids(group.members.size());
    for (std::uint32_t j = 0; j < out.operand_count; ++j) {
      for (std::size_t m = 0; m < ids.size(); ++m)
        ids[m] = trace_.operand(instruction(group.members[m]), 0)[j];
      tape_->operands.push_back(make_operand(ids, true));
    }
    tape_->instructions.push_back(out);
  }

  bool same_number(Id a, Id b) const {
    return a == b || (is_constant(a) && is_constant(b) && trace_.constant(a) == trace_.constant(b));
  }

  // `one_for_all`: a list of one number repeated may be stored once.
  TapeOperand make_operand(std::span<const Id> ids, bool one_for_all) {
    TapeOperand operand;
    operand.size = static_cast<std::uint32_t>(ids.size());
    operand.constant = all_constant(ids);
    const bool same = !ids.empty() && std::all_of(ids.begin(), ids.end(),
                                                  [&](Id id) { return same_number(id, ids.front()); });
    if (operand.constant) {
      operand.shared = same ? nullptr : shared_numbers(ids);
      if (operand.shared != nullptr) {
        operand.step = 1;
        return operand;
      }
      operand.base = static_cast<std::uint32_t>(tape_->constants.size());
      operand.step = same && one_for_all ? 0 : 1;
      const std::size_t stored = operand.step == 0 ? 1 : ids.size();
      for (std::size_t i = 0; i < stored; ++i) tape_->constants.push_back(trace_.constant(ids[i]));
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

  // Many data that lie side by side stay where they are.
  const double* shared_numbers(std::span<const Id> ids) const {
    constexpr std::size_t kMany = 64;
    if (ids.size() < kMany || !is_run(ids)) return nullptr;
    return trace_.constants.shared(ids.front() & ~kConstantBit, ids.size());
  }

  // A constant among varying operands gets a slot of its own.
  std::uint32_t slot_of(Id id) {
    if (!is_constant(id)) return new_slot_[id];
    const double value = trace_.constant(id);
    const auto [at, is_new] = preset_slots_.try_emplace(std::bit_cast<std::uint64_t>(value), next_slot_);
    if (is_new) tape_->presets.emplace_back(next_slot_++, value);
    return at->second;
  }

  std::uint32_t scratch_size(const Instruction& out) const {
    if (out.kind == OpKind::density || out.kind == OpKind::each_density) {
      std::uint32_t size = 0;
      for (std::uint32_t j = 0; j < out.operand_count; ++j) {
        const TapeOperand& operand = tape_->operands[out.first_operand + j];
        if (operand.constant) continue;
        const bool one = !operand.gathered && operand.step == 0 && out.kind == OpKind::density;
        size += one ? 1 : out.count;
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
      const double* data = operand.constant ? tape_->constants_of(operand) : nullptr;
      arguments.push_back({data, shapes[j], !operand.constant});
    }
    return static_cast<std::uint32_t>(f.scratch_size(arguments));
  }

  // ---- the log density ----

  void finish_target() {
    std::vector<bool> shared(next_slot_, false);
    for (const Group& group : groups_) {
      if (shares_slot(group)) shared[new_slot_[instruction(group.members.front()).result]] = true;
    }
    std::vector<bool> seen(next_slot_, false);
    std::unordered_map<Id, double> weights;
    for (const TargetTerm& term : trace_.target) {
      if (is_constant(term.id)) {
        tape_->target_constant += term.weight * trace_.constant(term.id);
        continue;
      }
      if (!extra_target_.empty()) weights[term.id] = term.weight;
      const std::uint32_t slot = new_slot_[term.id];
      if (shared[slot] && seen[slot]) continue;  // densities of one group are counted once
      seen[slot] = true;
      add_target(slot, term.weight);
    }
    for (const Extra& extra : extra_target_) add_target(extra.slot, weights.at(extra.beside));
  }

  void add_target(std::uint32_t slot, double weight) {
    std::vector<TargetRange>& target = tape_->target;
    if (!target.empty() && target.back().weight == weight &&
        target.back().slot + target.back().count == slot) {
      ++target.back().count;
    } else {
      target.push_back({slot, 1, weight});
    }
  }

  void finish_guards() {
    for (Guard guard : trace_.guards) {
      guard.left = slot_of(guard.left);
      guard.right = slot_of(guard.right);
      tape_->guards.push_back(guard);
    }
  }
};

}  // namespace

std::size_t Tape::constant_count() const {
  std::size_t count = constants.size();
  for (const TapeOperand& operand : operands) count += operand.shared != nullptr ? operand.size : 0;
  return count;
}

std::shared_ptr<const Tape> compile(Builder builder) {
  const std::size_t count = builder.instructions().size();
  Trace trace = make_trace(std::move(builder));
  for (const Pass& pass : all_passes()) {
    stop_if_asked();
    pass.run(trace);
  }
  return Compiler(std::move(trace), count).run();
}

std::shared_ptr<Tape> compile_slots(const Trace& trace) {
  const std::size_t count = trace.instructions.size();
  Trace simple = trace;
  for (const Pass& pass : all_passes()) {
    if (pass.keeps_stand_ins) pass.run(simple);
  }
  return Compiler(std::move(simple), count).run();
}

}  // namespace kullback::tape
