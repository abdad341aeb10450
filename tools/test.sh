#!/usr/bin/env bash
# tools/test.sh [STAGE...]: what a change must pass, stage by stage, all of them by default.
# Stops at the first stage that fails; prints the time of each beside its budget at the end, and what took longest.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kStages="formatting arrows build headers unit sanitizers docs"
# Seconds on two cores with nothing in the compiler's cache; together they leave CI a third of its 90 minutes.
declare -rA kBudgets=([formatting]=20 [arrows]=5 [build]=1200 [headers]=60 [unit]=600 [sanitizers]=1500 [docs]=300)
times=()

formatting() { tools/format.sh check; }
arrows() { python3 tools/check_arrows.py && python3 tools/check_includes.py; }
build() { KULLBACK_DEEP=ON tools/build.sh release; }
headers() { build && python3 tools/check_headers.py build; }
unit() { build && ctest --preset release; }
sanitizers() { tools/build.sh asan && ctest --preset asan; }
docs() { build && KULLBACK=build/kullback python3 tests/docs/run_snippets.py; }

stage() {
  local name=$1 started=$EPOCHREALTIME verdict=passed
  echo "== $name"
  "$name" || verdict=FAILED
  times+=("$(printf '%-12s %-7s %8.1f s of %5d' "$name" "$verdict" "$(seconds_since "$started")" "${kBudgets[$name]}")")
  [ $verdict = passed ]
}

seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { print to - from }'; }

print_times() {
  echo
  printf '%s\n' "${times[@]}"
  local folder
  for folder in build build-asan; do
    [ ! -d $folder ] || python3 tools/slowest.py $folder
  done
}

refuse_unknown_stages() {
  local name
  for name in "$@"; do
    case " $kStages " in
      *" $name "*) ;;
      *) echo "test: there is no stage '$name'; the stages are: $kStages" >&2; exit 64 ;;
    esac
  done
}

refuse_unknown_stages "$@"
[ $# = 0 ] && set -- $kStages
for name in "$@"; do
  stage "$name" || { print_times; echo "test: stage '$name' failed; alone: make test STAGES=$name" >&2; exit 1; }
done
print_times
