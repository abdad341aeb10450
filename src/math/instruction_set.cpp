// What the processor and the operating system support, asked once. AVX2 means x86-64-v3 (with FMA and BMI2),
// AVX-512 means x86-64-v4 (F, BW, CD, DQ, VL).
#include "math/instruction_set.hpp"

#include <atomic>

namespace kullback::math {
namespace {

InstructionSet best_instruction_set() {
#if KULLBACK_X86
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) return InstructionSet::avx512;
  if (v3) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

constinit std::atomic<int> chosen{-1};

}  // namespace

InstructionSet instruction_set() {
  const int set = chosen.load(std::memory_order_relaxed);
  if (set >= 0) return static_cast<InstructionSet>(set);
  const InstructionSet best = best_instruction_set();
  int unset = -1;
  if (chosen.compare_exchange_strong(unset, static_cast<int>(best))) return best;
  return static_cast<InstructionSet>(unset);
}

bool fix_instruction_set(InstructionSet set) {
  if (set > best_instruction_set()) return false;
  chosen.store(static_cast<int>(set));
  return true;
}

}  // namespace kullback::math
