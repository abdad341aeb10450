#!/usr/bin/env bash
# tools/collect_stack.sh [FOLDER]: copies what kullback-deep needs beside LibTorch (fmt, CLI11, zlib) from this machine into
# FOLDER (build-stack unless named), for a machine of the same kind of processor where nothing can be installed.
# tools/build_deep.sh takes what build-stack has before what is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kMissing=69
folder=${1:-build-stack}

# Where the compiler finds HEADER.
folder_of() {
  local list path
  list=$(printf '#include <%s>\n' "$1" | "${CXX:-g++}" -std=c++17 -x c++ -M -MT x - 2>/dev/null) || give_up "<$1> is not installed"
  path=$(tr -s '\\ \n' '\n' <<<"$list" | sed -n "/\/${1//\//\\/}\$/{p;q}")
  echo "${path%/"$1"}"
}

give_up() {
  echo "collect_stack: $1; 'tools/setup.sh run' installs it." >&2
  exit $kMissing
}

# take PACKAGE HEADER WHAT...: WHAT of the folder that HEADER is in, and the licence where Debian keeps it.
take() {
  local package=$1 from
  from=$(folder_of "$2")
  shift 2
  for what in "$@"; do cp -RL "$from/$what" "$made/include/"; done
  if [ -e "/usr/share/doc/$package/copyright" ]; then cp -L "/usr/share/doc/$package/copyright" "$made/licences/$package"; fi
}

made=$folder.$$
trap 'rm -rf "$made"' EXIT
mkdir -p "$made/include" "$made/lib" "$made/licences"
take libfmt-dev fmt/format-inl.h fmt
take libcli11-dev CLI/CLI.hpp CLI
take zlib1g-dev zlib.h zlib.h
take zlib1g-dev zconf.h zconf.h
archive=$("${CXX:-g++}" -print-file-name=libz.a)
[ -e "$archive" ] || give_up "libz.a is not installed"
cp -L "$archive" "$made/lib/"
rm -rf "$folder"
mv "$made" "$folder"
echo "$folder: $(du -sh "$folder" | cut -f 1)"
