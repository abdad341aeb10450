#!/usr/bin/env bash
# tools/report_library.sh FOLDER: the JavaScript libraries of the report, by npm, in exact versions, checked by SHA-256:
# FOLDER/d3.js, plot.js and licences.txt. What was fetched once stays in ~/.cache/kullback.
set -euo pipefail

readonly kUnavailable=69
folder=${1:?"usage: tools/report_library.sh FOLDER"}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kullback/npm

# package, version, file, SHA-256, where it goes. The last three are inside Plot's file.
files='
d3 7.9.0 dist/d3.min.js f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539 d3.js
@observablehq/plot 0.6.17 dist/plot.umd.min.js 4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb plot.js
d3 7.9.0 LICENSE 3e6849627f74ff73c257a3ae1efb574015d94fc1035c05ec3c15805165efcbc4 licences.txt
@observablehq/plot 0.6.17 LICENSE 4b295e011e0e046170041b5b46f1349393aeceb95797793a55bd21dbb543363a licences.txt
interval-tree-1d 1.0.4 LICENSE e67aed7df22dc8031e4fcf5338fe91cb33e3817e5c58a99a2a2802eea9069791 licences.txt
binary-search-bounds 2.0.5 LICENSE f2b10f2958d2724d6df0f16b1ea25d32cd7e6333ce88ac3c5cdff37c2c4222b8 licences.txt
isoformat 0.2.1 LICENSE 9ea8903938dab5f12c4572d60725069bec2d1b0dc3bcc210b09bae946a5ebb1f licences.txt'

each_file() { while read -r line; do [ -z "$line" ] || "$1" $line; done <<<"$files"; }

give_up() {
  echo "report: $1 The page of 'kullback report' needs d3 and Observable Plot, which npm fetches for the first build." >&2
  exit $kUnavailable
}

place_in() { echo "$1/${2//\//-}-$3/$4"; }  # npm's name of @a/b is a-b
has_sum() { [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

is_kept() { has_sum "$(place_in "$cache" "${1#@}" "$2" "$3")" "$4" || missing=1; }

name_package() { packages+=("$1@$2"); }

fetch_all() {
  command -v npm >/dev/null || give_up "npm is not installed; tools/setup.sh run installs it."
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  packages=()
  each_file name_package
  (cd "$scratch" && npm pack --silent --ignore-scripts $(printf '%s\n' "${packages[@]}" | sort -u) >log 2>&1) ||
    { tail -n 5 "$scratch/log" >&2; give_up "npm could not fetch them."; }
  local archive
  for archive in "$scratch"/*.tgz; do
    mkdir "${archive%.tgz}"
    tar -xzf "$archive" --strip-components 1 -C "${archive%.tgz}"
  done
  each_file keep
}

keep() {
  local fetched kept
  fetched=$(place_in "$scratch" "${1#@}" "$2" "$3")
  kept=$(place_in "$cache" "${1#@}" "$2" "$3")
  has_sum "$fetched" "$4" || give_up "$3 of $1@$2 is not the file that was expected (by its SHA-256)."
  mkdir -p "${kept%/*}"
  cp "$fetched" "$kept.$$" && mv "$kept.$$" "$kept"  # other builds may run
}

put() {
  local kept
  kept=$(place_in "$cache" "${1#@}" "$2" "$3")
  if [ "$3" = LICENSE ]; then
    { echo "$1 $2"; echo; cat "$kept"; echo; } >>"$folder/$5"
  else
    cp "$kept" "$folder/$5"
  fi
}

missing=
each_file is_kept
[ -z "$missing" ] || fetch_all
mkdir -p "$folder"
: >"$folder/licences.txt"
each_file put
