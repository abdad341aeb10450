#!/usr/bin/env bash
# tools/build.sh PRESET [TARGET...]: configures the preset, then builds. KULLBACK_BENCH=ON adds the benchmarks,
# KULLBACK_DEEP=ON insists on LibTorch.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:?"usage: tools/build.sh PRESET [TARGET...]"}
shift
folder=build-$preset
[ "$preset" = release ] && folder=build

options=()
[ "${KULLBACK_BENCH-}" = ON ] && options+=(-DKULLBACK_BENCH=ON)
[ "${KULLBACK_DEEP-}" = ON ] && options+=(-DKULLBACK_DEEP=ON)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
cmake --build "$folder" --parallel "$(nproc)" ${1:+--target "$@"}
