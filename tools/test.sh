#!/usr/bin/env bash
# tools/test.sh [STAGE...]: what a change must pass, stage by stage, all of them by default. What takes too long for that runs by
# name: threads, the thread sanitizer over all that starts threads; whole_sanitizers and whole_threads, every test.
# Stops at the first stage that fails; prints the time of each beside its budget at the end, and what took longest.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kStages="formatting arrows build headers unit sanitizers docs"
readonly kLongStages="threads whole_sanitizers whole_threads"
# Seconds on two cores with nothing in the compiler's cache; those of a default run leave CI a third of its 90 minutes.
declare -rA kBudgets=([formatting]=20 [arrows]=5 [build]=1200 [headers]=60 [unit]=600 [sanitizers]=1200 [threads]=400 [docs]=300
  [whole_sanitizers]=5400 [whole_threads]=5400)
times=()

formatting() { tools/format.sh check; }
arrows() { python3 tools/check_arrows.py && python3 tools/check_includes.py; }
build() { KULLBACK_DEEP=ON tools/build.sh release; }
headers() { build && python3 tools/check_headers.py build; }
unit() { build && ctest --preset release; }
sanitizers() { KULLBACK_DEEP=ON tools/build.sh asan && ctest --preset asan; }
threads() { tools/build.sh tsan threads_tests && without_random_addresses ctest --preset tsan; }
whole_sanitizers() { KULLBACK_DEEP=ON tools/build.sh asan && ctest --preset asan-whole; }
whole_threads() { tools/build.sh tsan && without_random_addresses ctest --preset tsan-whole; }
docs() { build && KULLBACK=build/kullback python3 tests/docs/run_snippets.py; }

# The thread sanitizer of g++ 12 needs places in memory that kernels with many random bits of an address (vm.mmap_rnd_bits above 28)
# may give away.
without_random_addresses() {
  if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

stage() {
  local name=$1 started=$EPOCHREALTIME verdict=passed
  echo "== $name"
  "$name" || verdict=FAILED
  times+=("$(printf '%-16s %-7s %8.1f s of %5d' "$name" "$verdict" "$(seconds_since "$started")" "${kBudgets[$name]}")")
  [ $verdict = passed ]
}

seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { print to - from }'; }

print_times() {
  echo
  printf '%s\n' "${times[@]}"
  local folder
  for folder in build build-asan build-tsan; do
    [ ! -d $folder ] || python3 tools/slowest.py $folder
  done
}

refuse_unknown_stages() {
  local name
  for name in "$@"; do
    case " $kStages $kLongStages " in
      *" $name "*) ;;
      *) echo "test: there is no stage '$name'; the stages are: $kStages $kLongStages" >&2; exit 64 ;;
    esac
  done
}

refuse_unknown_stages "$@"
[ $# = 0 ] && set -- $kStages
for name in "$@"; do
  stage "$name" || { print_times; echo "test: stage '$name' failed; alone: make test STAGES=$name" >&2; exit 1; }
done
print_times
