#!/usr/bin/env bash
# tools/sundials_source.sh: prints the path of SUNDIALS' sources, an archive checked by SHA-256. They come from Debian's source
# package, by apt, which needs neither root nor another package; what was fetched once stays in ~/.cache/kullback.
set -euo pipefail

readonly kUnavailable=69
readonly kVersion=6.4.1
readonly kArchive=sundials_$kVersion+dfsg1.orig.tar.xz
readonly kSum=c61157f1d4be06c704bea40cb131eb63ba2dada161989071604d0a0959cdf04a
readonly kPatience=120  # seconds; with a network it takes 3
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kullback/sundials

give_up() {
  echo "sundials: $1" >&2
  exit $kUnavailable
}

has_sum() { [ -f "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = $kSum ]; }

# Of the archives that this machine installs from ('URI/dists/SUITE/InRelease' ...). Their lists go to a folder of their own, so that
# nothing on the machine changes. Signatures do not matter: the sum above does.
name_sources() {
  apt-get --print-uris update 2>/dev/null | sed -n "s|^'\(.*\)/dists/\(.*\)/InRelease' .*|deb-src [trusted=yes] \1 \2 main|p"
}

apt_get() {
  timeout $kPatience apt-get -qq -o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch/cache" -o APT::Sandbox::User="$(id -un)" \
    -o Debug::NoLocking=1 -o Acquire::Retries=0 -o Acquire::http::Timeout=10 "$@" >>"$scratch/log" 2>&1 </dev/null
}

fetch() {
  command -v apt-get >/dev/null || give_up "there is no apt-get here"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
  name_sources >"$scratch/sources.list"
  cd "$scratch"
  apt_get update || true  # an archive without sources is no reason to give up
  apt_get source --download-only sundials || give_up "apt-get cannot fetch them: $(grep -m 1 "^[EW]:" log)"
  has_sum $kArchive || give_up "apt-get has other sources than those of SUNDIALS $kVersion that were expected (by their SHA-256)"
  mkdir -p "$cache"
  cp $kArchive "$cache/$kArchive.$$"
  mv "$cache/$kArchive.$$" "$cache/$kArchive"  # at once: other builds may run
}

has_sum "$cache/$kArchive" || fetch
echo "$cache/$kArchive"
