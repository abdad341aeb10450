#!/usr/bin/env bash
# tests/interop/try_wheel.sh: installs and uses the wheel and the archive of build/dist in an empty Debian, without a network and
# without the packages that Kullback is built with. Prints the figures; fails where one misses its goal. It needs root, debootstrap,
# Debian's packages and PyPI, and is therefore no part of `make test`; `make try-wheel` builds both first.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly kSuite=bookworm
system=$PWD/build/empty-system
room=$system/kullback

give_up() {
  echo "try_wheel: $1" >&2
  exit 1
}

# Debian's archive as this machine reaches it; nothing where debootstrap knows best.
archive_of_debian() { apt-get indextargets --format '$(CODENAME) $(REPO_URI)' | awk -v suite=$kSuite '$1 == suite { print $2; exit }'; }

make_system() {
  [ ! -e "$system/made" ] || return 0
  rm -rf "$system"
  echo "try_wheel: making an empty Debian in $system"
  debootstrap --variant=minbase --include=python3,python3-venv $kSuite "$system" $(archive_of_debian) >"$system.log" 2>&1 ||
    { tail -n 5 "$system.log" >&2; give_up "debootstrap cannot make an empty system (all it said: $system.log)."; }
  touch "$system/made"
}

fetch_numpy() {
  local version
  version=$(chroot "$system" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  build/wheel-tools/bin/pip download --quiet --disable-pip-version-check --only-binary :all: --python-version "$version" \
    --platform "manylinux_2_28_$(uname -m)" --platform "manylinux2014_$(uname -m)" --dest "$room/wheels" 'numpy>=1.22' ||
    give_up "pip cannot fetch NumPy."
}

ls build/dist/*.whl build/dist/*.tar.gz >/dev/null || give_up "build/dist is empty: run 'make wheel'."
make_system
rm -rf "$room"
mkdir -p "$room/wheels"
fetch_numpy
cp build/dist/*.whl "$room/wheels"
cp build/dist/*.tar.gz examples/eight_schools.stan examples/eight_schools.json tests/interop/in_empty_system.py "$room"
python3 bench/long_program.py 1000 >"$room/long.stan"
unshare --mount --net --pid --fork bash -c 'mount -t proc proc "$1/proc" &&
  exec chroot "$1" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 python3 /kullback/in_empty_system.py' bash "$system"
