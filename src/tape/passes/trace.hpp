// A recorded program as plain data, for the passes between the trace and the tape. Instructions are in an
// order of evaluation; every pass keeps that.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tape/record/builder.hpp"

namespace kullback::tape {

// weight * the number, added to the log density.
struct TargetTerm {
  Id id = 0;
  double weight = 1;
};

struct Trace {
  std::size_t parameter_count = 0;
  std::uint32_t slot_count = 0;  // the parameters come first
  std::vector<RawInstruction> instructions;
  std::vector<RawOperand> operands;
  IdPool pool;
  std::vector<math::Shape> shapes;
  Constants constants;
  std::vector<Guard> guards;
  std::vector<TargetTerm> target;
  Ids outputs;                                                // of a callback's tape
  std::vector<std::shared_ptr<const DenseFunction>> solvers;  // owners of what instructions point at
  // Parameters [first, last) that stand for any of the slots of the last `kept` guards (rows/rows.hpp): what
  // reads one of them must come after all of these slots. Instructions that make these slots come first.
  struct StandIns {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t kept = 0;
  } stand_ins;

  std::span<const Id> operand(const RawInstruction& r, std::uint32_t j) const {
    const RawOperand& o = operands[r.first_operand + j];
    return pool.list(o.first, o.size);
  }
  double constant(Id id) const { return constants[id & ~kConstantBit]; }
  Id new_slots(std::size_t count) {
    slot_count += static_cast<std::uint32_t>(count);
    return static_cast<Id>(slot_count - count);
  }
  Id new_constant(double value) {
    constants.push_back(value);
    return static_cast<Id>(constants.size() - 1) | kConstantBit;
  }
};

bool all_constant(std::span<const Id> ids);

// The terms of a GLM's density as those of (..., its linear predictor, ...); `design`: the argument x, behind
// which are alpha and beta.
math::Terms terms_of_family(math::Terms glm, std::uint32_t design);

// Calls f with the ids (references) that are read from outside: by guards, by the target and as outputs.
template <class T, class F>
void for_each_root(T& trace, F f) {
  for (auto& guard : trace.guards) {
    f(guard.left);
    f(guard.right);
  }
  for (auto& term : trace.target) f(term.id);
  for (auto& id : trace.outputs) f(id);
}

Trace make_trace(Builder builder);

// What reads each slot.
struct Uses {
  std::vector<std::uint32_t> producer;      // instruction, kNone for parameters
  std::vector<std::uint32_t> count;         // by instructions, guards and the target
  std::vector<std::uint32_t> target_count;  // by the target alone
  static constexpr std::uint32_t kNone = 0xFFFF'FFFFU;
};
Uses find_uses(const Trace& trace);
std::vector<std::uint32_t> find_producers(const Trace& trace);  // Uses::producer alone
// Whether any instruction is the density of one of these families.
bool has_density(const Trace& trace, std::initializer_list<std::string_view> families);
// Early level of each slot: parameters 0, a result 1 + the largest of what it is made from.
std::vector<std::uint32_t> find_levels(const Trace& trace);

}  // namespace kullback::tape
