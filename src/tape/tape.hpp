// A program bound to its data as flat arrays: instructions over many elements, operands, constants. Immutable
// and shared by threads; a Workspace holds one thread's numbers for a fixed number of lanes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "math/array_op.hpp"
#include "math/operand.hpp"
#include "tape/packed/packed.hpp"
#include "tape/record/builder.hpp"

namespace kullback::tape {

struct TapeOperand {
  bool constant = false;
  bool gathered = false;
  std::uint32_t base = 0;  // first slot, first of the own constants, or first entry of the index pool
  std::uint32_t step = 0;  // 0: one for all elements, 1: contiguous
  std::uint32_t size = 1;
  const double* shared = nullptr;  // constants that are not the tape's own
};

struct Instruction {
  OpKind kind = OpKind::elementwise;
  const void* definition = nullptr;  // null: of packed operations
  math::Terms terms;
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
  std::uint32_t count = 1;
  std::uint32_t result = 0;  // slot
  std::uint32_t result_size = 1;
  std::uint32_t first_shape = 0;  // of packed operations: their number in Tape::packed
  std::uint32_t scratch_size =
      0;  // doubles per lane: scratch of array ops and solvers, partials of densities
  Span span;
};

// weight * the sum of these slots is a part of the log density.
struct TargetRange {
  std::uint32_t slot = 0;
  std::uint32_t count = 1;
  double weight = 1;
};

struct Tape {
  std::size_t parameter_count = 0;
  std::size_t slot_count = 0;
  std::vector<Instruction> instructions;
  std::vector<TapeOperand> operands;
  std::vector<std::uint32_t> indices;
  std::vector<double> constants;
  Constants shared;  // keeps what operands point at
  std::vector<math::Shape> shapes;
  std::vector<std::pair<std::uint32_t, double>> presets;  // slots that hold a constant
  std::vector<Guard> guards;                              // over slots and constants of this tape
  std::vector<TargetRange> target;
  std::vector<Packed> packed;
  double target_constant = 0;
  std::vector<std::uint32_t> outputs;                         // of a callback's tape: slots
  std::vector<std::shared_ptr<const DenseFunction>> solvers;  // owners of what instructions point at
  std::size_t raw_instruction_count = 0;                      // before batching

  const double* constants_of(const TapeOperand& operand) const {
    return operand.shared != nullptr ? operand.shared : constants.data() + operand.base;
  }
  std::size_t constant_count() const;
};

// Batches: operations of the same kind that do not depend on each other become one instruction over
// contiguous slots; what the log density does not need is dropped.
std::shared_ptr<const Tape> compile(Builder builder);

struct Trace;
// The tape of a trace whose constants and slots may stand for others: nothing is computed from constants.
std::shared_ptr<Tape> compile_slots(const Trace& trace);

std::string dump(const Tape& tape, const SourceMap& sources);

}  // namespace kullback::tape
