#!/usr/bin/env bash
# tools/format.sh check|apply: clang-format over all C++ sources.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1-} in
  check) options=(--dry-run -Werror) ;;
  apply) options=(-i) ;;
  *) echo "usage: tools/format.sh check|apply" >&2; exit 64 ;;
esac

find src tests fuzz bench examples \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print0 |
  xargs -0 -r -n 16 -P 2 clang-format-16 "${options[@]}" ||
  { echo "format: 'make format' puts this right" >&2; exit 1; }
