#!/usr/bin/env bash
# Builds and runs every benchmark: the programs of bench/*.cpp, then the scripts bench/*.sh. One that misses its target
# does not keep the others from running; they are named at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob

missed=()

run() {
  echo "== $1"
  "${@:2}" || missed+=("$1")
}

export KULLBACK=$PWD/build/kullback
KULLBACK_BENCH=ON tools/build.sh release kullback bench/all
for source in bench/*.cpp; do
  run "$source" "build/bench/bench_$(basename "$source" .cpp)"
done
for script in bench/*.sh; do
  run "$script" bash "$script"
done
[ ${#missed[@]} = 0 ] || { echo "bench: missed its target or failed: ${missed[*]}" >&2; exit 1; }
