// Backwards from what is read from outside: an instruction stays where one that stays reads its result.
#include <vector>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

void drop_unused(Trace& trace) {
  const std::vector<std::uint32_t> producer = find_producers(trace);
  std::vector<bool> needed(trace.instructions.size(), false);
  const auto need = [&](Id id) {
    if (!is_constant(id) && producer[id] != Uses::kNone) needed[producer[id]] = true;
  };
  for_each_root(trace, need);
  for (auto i = static_cast<std::uint32_t>(needed.size()); i-- > 0;) {
    if (!needed[i]) continue;
    const RawInstruction& r = trace.instructions[i];
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      for (const Id id : trace.operand(r, j)) need(id);
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) trace.instructions[kept++] = trace.instructions[i];
  }
  trace.instructions.resize(kept);
}

}  // namespace kullback::tape
