// Which adjoints must be zero before a backward sweep, and which need not because the first instruction that
// has something to add sets them instead.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tape/tape.hpp"

namespace kullback::tape {

struct AdjointPlan {
  std::vector<bool> assigns;                                   // for each operand of the tape
  std::vector<std::pair<std::uint32_t, std::uint32_t>> zeros;  // first slot, count
};

AdjointPlan plan_adjoints(const Tape& tape);
// All are zero at first, and added to.
AdjointPlan plain_adjoints(const Tape& tape);

}  // namespace kullback::tape
