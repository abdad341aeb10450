#!/usr/bin/env bash
# Every header under src compiles alone, without warnings; src/dist and src/deep need LibTorch and are left out.
set -euo pipefail
cd "$(dirname "$0")/.."

compile_alone() {
  echo "#include \"${1#src/}\"" |
    "${CXX:-g++}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Isrc -Ibuild/generated -isystem /usr/include/eigen3 \
      -x c++ - ||
    { echo "headers: $1 does not compile alone; include what it uses" >&2; return 1; }
}
export -f compile_alone

find src \( -path src/deep -o -path src/dist \) -prune -o \( -name '*.hpp' -o -name '*.h' \) -print0 |
  xargs -0 -r -n 1 -P 2 bash -c 'compile_alone "$0"'
