#!/usr/bin/env bash
# tools/setup.sh run|deep|wheel|test|bench|fuzz: installs the Debian packages that a make target needs and that are missing.
# Silent when nothing is missing; then it needs neither root nor a network.
set -euo pipefail

readonly kUnavailable=69
missing=()

# need PACKAGE PROBE WHY: PROBE is a header, the absolute path of a file (a pattern is fine), or a command.
need() {
  local package=$1 probe=$2 why=$3
  if ! is_present "$probe"; then
    missing+=("$package")
    echo "setup: needs $package: $why"
  fi
}

is_present() {
  case $1 in
    *.h | *.hpp) [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] ;;
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

need_for_run() {
  need g++ g++ "compiles the engine"
  need cmake cmake "describes the build"
  need ninja-build ninja "runs the build"
  need make make "runs the targets of the Makefile"
  need libfmt-dev fmt/format-inl.h "formats messages"
  need libcli11-dev CLI/CLI.hpp "reads the command line"
  need libeigen3-dev /usr/include/eigen3/Eigen/Core "decomposes matrices"
  need libboost-dev boost/math/special_functions.hpp "computes special functions"
  need libsundials-dev cvodes/cvodes.h "solves differential equations"
  need libnetcdf-dev netcdf.h "writes draws for ArviZ"
  need zlib1g-dev zlib.h "reads compressed tables"
  need npm npm "fetches the plotting library of the report"
}

need_for_deep() {
  need_for_run
  need_torch
}

need_torch() {
  need libtorch-dev torch/csrc/api/include/torch/torch.h "is the tensors of kullback-deep"
  need libopenblas0-openmp "/usr/lib/*/openblas-openmp/libblas.so.3" "multiplies matrices in LibTorch's threads"
}

need_for_wheel() {
  need_for_run
  need python3 python3 "builds the wheel"
  need python3-venv "/usr/lib/python3*/ensurepip" "holds the tools that build the wheel, from PyPI"
  need debootstrap debootstrap "makes the empty system in which the wheel is tried"
}

need_for_test() {
  need_for_run
  need ccache ccache "compiles a file once for all clones on a machine"
  need libgtest-dev gtest/gtest.h "runs the unit tests"
  need clang-format-16 clang-format-16 "checks the formatting of the sources"
  need python3 python3 "runs the checks written in Python"
  need pkg-config pkg-config "finds the installed library, as its users do"
  need python3-numpy "/usr/lib/python3/dist-packages/numpy" "runs the tests of the Python package"
  need python3-venv "/usr/lib/python3*/ensurepip" "installs the Python package as the README does"
  need chromium chromium "opens reports as a reader does"
  need openmpi-bin mpirun "runs fits in several processes"
  need_torch
}

need_for_bench() {
  need_for_run
  need libbenchmark-dev benchmark/benchmark.h "times functions"
  need python3 python3 "makes inputs and sums up times"
  need python3-pip pip3 "fetches the systems that bench/against.py compares with"
}

need_for_fuzz() {
  need_for_run
  need clang-16 clang++-16 "compiles the fuzzing harnesses"
  need libclang-rt-16-dev "/usr/lib/llvm-16/lib/clang/16/lib/linux/libclang_rt.fuzzer-*.a" "is the fuzzer and its sanitizers"
}

install_missing() {
  [ "$(id -u)" = 0 ] || give_up "Installing needs root."
  command -v apt-get >/dev/null || give_up "There is no apt-get here."
  echo "setup: installing ${missing[*]}"
  apt_get update || give_up "'apt-get update' failed."
  apt_get install --no-install-recommends "${missing[@]}" || give_up "'apt-get install' failed."
}

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" </dev/null >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; return 1; }
}

give_up() {
  echo "setup: $1 Install these Debian packages (or their equivalents), then run the command again:" >&2
  echo "  ${missing[*]}" >&2
  exit $kUnavailable
}

usage() {
  echo "usage: tools/setup.sh run|deep|wheel|test|bench|fuzz" >&2
  exit 64
}

case ${1-} in
  run | deep | wheel | test | bench | fuzz) "need_for_$1" ;;
  *) usage ;;
esac
[ ${#missing[@]} = 0 ] && exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_missing
