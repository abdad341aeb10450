// When each instruction of a trace runs, and with which others: groups become one instruction of the tape.
#pragma once

#include <cstdint>
#include <vector>

#include "tape/passes/trace.hpp"

namespace kullback::tape {

struct Group {
  std::vector<std::uint32_t> members;  // instructions of the trace, in their order
  std::uint32_t level = 0;
  // Densities that only the target reads: their sum is one number, with this weight in the target.
  bool to_target = false;
  double weight = 1;
};

// log_sum_exp of so few numbers that many of them are batched by their operands.
inline constexpr std::size_t kLongestLogSumExp = 64;
bool is_short_log_sum_exp(const Trace& trace, const RawInstruction& r);

// In order of evaluation.
std::vector<Group> schedule(const Trace& trace);

}  // namespace kullback::tape
