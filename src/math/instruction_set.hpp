// One body of a kernel, compiled for several instruction sets and chosen at run time: SSE2 (every x86-64),
// AVX2 with FMA, AVX-512. Results may differ in the last place between sets; within one set they are the same
// bits.
//
//   struct SumOfExp {
//     KULLBACK_INLINE static void run(const Call& call) { ... a plain loop over fast::exp ... }
//   };
//   record.batch = &dispatch<SumOfExp, Call>;
//
// All that `run` calls in its hot loop must be KULLBACK_INLINE, or it is compiled for SSE2 and not
// vectorised.
#pragma once

#if defined(__GNUC__)
#define KULLBACK_INLINE inline __attribute__((always_inline))
#else
#define KULLBACK_INLINE inline
#endif

// g++ vectorises loops of unknown length only at -O3, and selects only with -fno-trapping-math (no status
// flag is read anywhere); the latter cannot be an attribute, so src/math is compiled with it, and with
// -fno-math-errno.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define KULLBACK_VECTORIZE __attribute__((optimize("O3", "no-thread-jumps")))
#else
#define KULLBACK_VECTORIZE
#endif

// The iterations of the next loop do not depend on each other through memory.
#if defined(__clang__)
#pragma clang diagnostic ignored \
    "-Wpass-failed"  // a loop that calls libm is not vectorised: nobody is surprised
#define KULLBACK_INDEPENDENT_LOOP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define KULLBACK_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#else
#define KULLBACK_INDEPENDENT_LOOP
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define KULLBACK_X86 1
#define KULLBACK_AVX2 __attribute__((target("arch=x86-64-v3")))
#define KULLBACK_AVX512 __attribute__((target("arch=x86-64-v4")))
#else
#define KULLBACK_X86 0
#endif

namespace kullback::math {

enum class InstructionSet : unsigned char { baseline, avx2, avx512 };

// The best set of this machine, unless a lesser one was fixed.
InstructionSet instruction_set();
// False, and no change, where the machine cannot run it.
bool fix_instruction_set(InstructionSet set);

template <class Body, class Call>
KULLBACK_VECTORIZE void run_baseline(const Call& call) {
  Body::run(call);
}

#if KULLBACK_X86
template <class Body, class Call>
KULLBACK_VECTORIZE KULLBACK_AVX2 void run_avx2(const Call& call) {
  Body::run(call);
}

template <class Body, class Call>
KULLBACK_VECTORIZE KULLBACK_AVX512 void run_avx512(const Call& call) {
  Body::run(call);
}
#endif

template <class Body, class Call>
void dispatch(const Call& call) {
#if KULLBACK_X86
  switch (instruction_set()) {
    case InstructionSet::avx512: return run_avx512<Body, Call>(call);
    case InstructionSet::avx2: return run_avx2<Body, Call>(call);
    case InstructionSet::baseline: break;
  }
#endif
  run_baseline<Body, Call>(call);
}

}  // namespace kullback::math
