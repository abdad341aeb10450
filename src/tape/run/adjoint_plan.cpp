// Instructions are visited as the backward sweep does. An operand sets its adjoints where nothing has touched
// them, each of its elements has a slot of its own and no other operand of the instruction has them: kernels
// go from one stretch of elements to the next with all operands.
#include "tape/run/adjoint_plan.hpp"

namespace kullback::tape {

namespace {

class Planner {
 public:
  explicit Planner(const Tape& tape)
      : tape_(tape), touched_(tape.slot_count), zero_(tape.slot_count), uses_(tape.slot_count) {}

  AdjointPlan run() {
    plan_.assigns.assign(tape_.operands.size(), false);
    for (const TargetRange& range : tape_.target) touch(range.slot, range.count);
    for (const std::uint32_t slot : tape_.outputs) touch(slot, 1);
    for (auto i = tape_.instructions.rbegin(); i != tape_.instructions.rend(); ++i) visit(*i);
    touch(0, static_cast<std::uint32_t>(tape_.parameter_count));
    // Nobody reads the adjoints of constants: they may keep whatever was added to them.
    for (const auto& [slot, value] : tape_.presets) zero_[slot] = false;
    collect();
    return std::move(plan_);
  }

 private:
  void touch(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t slot = first; slot < first + count; ++slot) {
      if (!touched_[slot]) zero_[slot] = true;
      touched_[slot] = true;
    }
  }

  void visit(const Instruction& i) {
    if (i.kind == OpKind::packed) return visit_packed(tape_.packed[i.first_shape]);
    touch(i.result, i.result_size);
    const bool by_elements = i.kind == OpKind::elementwise || i.kind == OpKind::density ||
                             i.kind == OpKind::each_density || i.kind == OpKind::log_sum_exp;
    const auto each_operand = [&](auto visit_one) {
      for (std::uint32_t j = i.first_operand; j < i.first_operand + i.operand_count; ++j)
        if (!tape_.operands[j].constant) visit_one(j, by_elements ? i.count : tape_.operands[j].size);
    };
    each_operand([&](std::uint32_t j, std::uint32_t count) {
      each_slot(j, count, by_elements, [&](std::uint32_t slot) { ++uses_[slot]; });
    });
    each_operand([&](std::uint32_t j, std::uint32_t count) {
      const TapeOperand& operand = tape_.operands[j];
      bool assigns = by_elements && (operand.gathered || operand.step == 1);
      each_slot(j, count, by_elements,
                [&](std::uint32_t slot) { assigns &= !touched_[slot] && uses_[slot] == 1; });
      plan_.assigns[j] = assigns;
    });
    each_operand([&](std::uint32_t j, std::uint32_t count) {
      each_slot(j, count, by_elements, [&](std::uint32_t slot) {
        uses_[slot] = 0;
        if (plan_.assigns[j]) touched_[slot] = true;
        touch(slot, 1);
      });
    });
  }

  void visit_packed(const Packed& packed) {
    for (const MicroOp& op : packed.ops) {
      const MicroReads reads = reads_of(packed, op);
      touch(op.result, reads.results);
      for (const std::uint32_t slot : reads.slots) touch(slot, 1);
    }
  }

  // Functions of whole arrays have contiguous operands.
  template <class Visit>
  void each_slot(std::uint32_t j, std::uint32_t count, bool by_elements, Visit visit_one) const {
    const TapeOperand& operand = tape_.operands[j];
    if (operand.gathered) {
      for (std::uint32_t e = 0; e < count; ++e) visit_one(tape_.indices[operand.base + e]);
    } else {
      const std::uint32_t step = by_elements ? operand.step : 1;
      for (std::uint32_t e = 0; e < count; ++e) visit_one(operand.base + e * step);
    }
  }

  void collect() {
    for (std::uint32_t slot = 0; slot < zero_.size(); ++slot) {
      if (!zero_[slot]) continue;
      if (!plan_.zeros.empty() && plan_.zeros.back().first + plan_.zeros.back().second == slot) {
        ++plan_.zeros.back().second;
      } else {
        plan_.zeros.emplace_back(slot, 1);
      }
    }
  }

  const Tape& tape_;
  AdjointPlan plan_;
  std::vector<bool> touched_;
  std::vector<bool> zero_;
  std::vector<std::uint32_t> uses_;  // by the operands of one instruction
};

}  // namespace

AdjointPlan plan_adjoints(const Tape& tape) { return Planner(tape).run(); }

AdjointPlan plain_adjoints(const Tape& tape) {
  AdjointPlan plan;
  plan.assigns.assign(tape.operands.size(), false);
  plan.zeros.emplace_back(0, static_cast<std::uint32_t>(tape.slot_count));
  return plan;
}

}  // namespace kullback::tape
