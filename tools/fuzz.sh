#!/usr/bin/env bash
# tools/fuzz.sh SECONDS: builds the harnesses and runs each for its share of the time.
# New inputs go to build-fuzz/corpus/<harness>, findings to build-fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."

total=${1:-600}
shopt -s nullglob
harnesses=(fuzz/*.cpp)
[ ${#harnesses[@]} -gt 0 ] || { echo "fuzz: there is no harness fuzz/*.cpp" >&2; exit 66; }

fuzz_one() {
  local name=$1 seconds=$2 seeds=fuzz/corpus/$1 grown=build-fuzz/corpus/$1
  mkdir -p "$grown" build-fuzz/artifacts
  local options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1
    -artifact_prefix="build-fuzz/artifacts/$name-")
  local dictionary
  for dictionary in fuzz/*.dict; do options+=(-dict="$dictionary"); done
  echo "== $name: $seconds s"
  local log=build-fuzz/$name.log folders=("$grown")
  [ -d "$seeds" ] && folders+=("$seeds")
  if ! "build-fuzz/fuzz/fuzz_$name" "${options[@]}" "${folders[@]}" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "fuzz: $name found something; the input is in build-fuzz/artifacts, the whole log is $log" >&2
    return 1
  fi
  grep -E '^(Done|stat::number_of_executed_units|stat::average_exec_per_sec|stat::peak_rss_mb)' "$log"
}

tools/build.sh fuzz fuzz/all
share=$((total / ${#harnesses[@]}))
[ "$share" -gt 0 ] || share=1
failed=0
for harness in "${harnesses[@]}"; do
  fuzz_one "$(basename "$harness" .cpp)" "$share" || failed=1
done
exit $failed
