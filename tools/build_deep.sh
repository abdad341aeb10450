#!/usr/bin/env bash
# tools/build_deep.sh FOLDER [TARGET...]: kullback-deep with LibTorch alone, that of python3's torch where there is one.
# For machines with a GPU on which nothing can be installed: fmt, CLI11 and zlib are those of build-stack where it is there
# (tools/collect_stack.sh makes it on another machine), else those that are installed. KULLBACK_BENCH=ON adds the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${1:?"usage: tools/build_deep.sh FOLDER [TARGET...]"}
shift
prefix=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)' 2>/dev/null || true)
if [ -d build-stack ]; then prefix=$PWD/build-stack${prefix:+;$prefix}; fi
cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DKULLBACK_DEEP_ONLY=ON -DKULLBACK_DEEP=ON -DKULLBACK_WERROR=OFF \
  -DKULLBACK_BENCH="${KULLBACK_BENCH:-OFF}" ${prefix:+"-DCMAKE_PREFIX_PATH=$prefix"} -G Ninja >"$folder.log" 2>&1 ||
  { cat "$folder.log" >&2; exit 1; }
cmake --build "$folder" --parallel "$(nproc)" ${1:+--target "$@"}
