#!/usr/bin/env bash
# The package as it is installed: what is where, what the library exports, what the three files of machine code need, how large they
# are packed, and programs built with them out of the tree, by find_package and by pkg-config.
set -euo pipefail
source_folder=$PWD
build=$(dirname "$(realpath "${KULLBACK:?set KULLBACK to the program}")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
for file in bin/kullback lib/libkullback.so lib/libkullback.so.1 include/kullback.h lib/pkgconfig/kullback.pc \
  lib/cmake/kullback/kullbackConfig.cmake lib/cmake/kullback/kullbackConfigVersion.cmake; do
  [ -e "$prefix/$file" ] || { echo "$file is not installed"; exit 1; }
done
"$prefix/bin/kullback" --version | grep -q '^kullback ' || { echo "the installed program does not start"; exit 1; }

exported=$(nm -D --defined-only "$prefix/lib/libkullback.so" | awk '{print $3}' | sed 's/@.*//' | sort)
declared=$(grep -o 'kb_[a-z_]*(' "$prefix/include/kullback.h" | tr -d '(' | sort -u)
[ "$exported" = "$declared" ] || { echo "exported and declared differ:"; diff <(echo "$exported") <(echo "$declared"); exit 1; }
# glibc alone, and none newer than docs/python.md promises; on a newer system than Debian 12 the linker takes that system's.
newest_allowed=2.34
[ "$(getconf GNU_LIBC_VERSION)" = "glibc 2.36" ] || newest_allowed=$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
for file in bin/kullback lib/libkullback.so lib/kullback/kullback-bridge.so; do
  if readelf -d "$prefix/$file" | grep NEEDED | grep -vE '\[(libc|libm|ld-linux-x86-64)\.so\.[0-9]\]'; then
    echo "$file needs more than glibc"; exit 1
  fi
  needed=$(readelf -W --dyn-syms "$prefix/$file" | grep -o '@[A-Z]*_[0-9.]\+' | tr -d @ | sort -uV)
  if grep -v '^GLIBC_' <<<"$needed"; then echo "$file needs symbols that are not glibc's"; exit 1; fi
  newest=$(tail -n 1 <<<"$needed")
  [ "$(printf '%s\n' "$newest" "GLIBC_$newest_allowed" | sort -V | tail -n 1)" = "GLIBC_$newest_allowed" ] ||
    { echo "$file needs $newest; at most GLIBC_$newest_allowed is allowed"; exit 1; }
done
cmake --install "$build" --strip --prefix "$folder/stripped" >/dev/null
packed=$(tar -C "$folder/stripped" -cz . | wc -c)
[ "$packed" -le 15000000 ] || { echo "program and libraries have $packed bytes packed; the wheel may have 15 MB"; exit 1; }

cp -r "$source_folder/examples/embedding" "$folder/embedding"
cd "$folder/embedding"
cmake -S . -B by_cmake -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build by_cmake >/dev/null
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs kullback)"
c++ -Wall -Wextra -Werror main.cpp -o by_pkg_config "${flags[@]}"
cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$source_folder/tests/capi/plain.c" -o plain "${flags[@]}" -lm
export LD_LIBRARY_PATH=$prefix/lib
mkdir empty
cd empty
../by_cmake/embedding >../first 2>../progress
../by_pkg_config >../second 2>/dev/null
../plain >../third
[ -z "$(ls -A)" ] || { echo "a program left files: $(ls -A)"; exit 1; }
cd ..
diff first second || { echo "the two builds print different things"; exit 1; }
grep -qx 'tolerance: met' first || { echo "the embedding example printed:"; cat first; exit 1; }
mean=$(sed -n 's/^mean of mu: //p' first)
# 4.41 by long runs of NUTS; a tolerance of 0.1 sd is 0.33.
awk -v mean="$mean" 'BEGIN { exit !(mean > 4.41 - 0.33 && mean < 4.41 + 0.33) }' || { echo "mean of mu: $mean"; exit 1; }
grep -q '^chain 1: ' progress || { echo "no progress was told"; exit 1; }
grep -q 'x.stan:1:' third || { echo "the error of a broken program has no place:"; cat third; exit 1; }
echo "installed, linked twice, mean of mu $mean"
