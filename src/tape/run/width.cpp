#include "tape/run/width.hpp"

#include <algorithm>

#include "tape/run/lane_kernels.hpp"
#include "tape/tape.hpp"

namespace kullback::tape {

namespace {

// Nanoseconds, roughly, of one draw: what a call costs besides its elements, an element, a packed operation,
// and a number copied there and back.
constexpr double kCall = 60;
constexpr double kElement = 0.5;
constexpr double kPackedOperation = 3;
constexpr double kCopied = 5;

constexpr std::size_t kFirstCache = 32768;  // bytes
constexpr std::size_t kLanesForData = 32;   // 64 draws at once still keep two cores busy

// Values, adjoints and scratch.
std::size_t bytes_per_lane(const Tape& tape) {
  std::size_t numbers = 2 * tape.slot_count;
  for (const Instruction& i : tape.instructions) numbers += i.scratch_size;
  return numbers * sizeof(double);
}

// Where lanes take little beside data that leave the cache, reading the data is what costs: once for many
// lanes.
bool reads_much(const Tape& tape) {
  constexpr std::size_t kCache = std::size_t{1} << 22;  // bytes
  std::size_t data = 0;
  for (const TapeOperand& operand : tape.operands) {
    if (operand.shared != nullptr) data += operand.size * sizeof(double);
  }
  return data > kCache && kLanesForData * bytes_per_lane(tape) < data / 8;
}

unsigned varying_operands(const Tape& tape, const Instruction& i) {
  unsigned varying = 0;
  for (std::uint32_t j = 0; j < i.operand_count; ++j)
    varying |= tape.operands[i.first_operand + j].constant ? 0U : 1U << j;
  return varying;
}

}  // namespace

bool is_all_packed(const Tape& tape) {
  return std::all_of(tape.instructions.begin(), tape.instructions.end(),
                     [](const Instruction& i) { return i.kind == OpKind::packed; });
}

std::size_t best_width(const Tape& tape) {
  double gained = 0;
  double copied = 0;
  for (const Instruction& i : tape.instructions) {
    const bool dense = i.kind == OpKind::array || i.kind == OpKind::transform || i.kind == OpKind::solver;
    const bool all_lanes =
        i.kind == OpKind::array && find_lane_kernel(*static_cast<const math::ArrayOp*>(i.definition),
                                                    varying_operands(tape, i)) != nullptr;
    if (i.kind == OpKind::packed) {
      gained += kPackedOperation * i.count;
    } else if (!dense || all_lanes) {
      gained += kCall + kElement * i.count;
    } else {
      std::size_t numbers = i.result_size;
      for (std::uint32_t j = 0; j < i.operand_count; ++j) {
        const TapeOperand& operand = tape.operands[i.first_operand + j];
        if (!operand.constant) numbers += operand.size;
      }
      copied += kCopied * static_cast<double>(numbers);
    }
  }
  if (copied > gained) return 1;
  if (reads_much(tape)) return kLanesForData;
  std::size_t width = kLanesTogether;
  const std::size_t bytes = bytes_per_lane(tape);
  while (width < kMostLanesTogether && 2 * width * bytes <= kFirstCache) width *= 2;
  return width;
}

}  // namespace kullback::tape
