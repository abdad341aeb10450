#!/usr/bin/env bash
# Builds and runs every benchmark: the programs of bench/*.cpp, then the scripts bench/*.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob

export KULLBACK=$PWD/build/kullback
KULLBACK_BENCH=ON tools/build.sh release kullback bench/all
for source in bench/*.cpp; do
  echo "== $source"
  "build/bench/bench_$(basename "$source" .cpp)"
done
for script in bench/*.sh; do
  echo "== $script"
  bash "$script"
done
